"""What runs in the background, as a person sees it: progress, result, error, cancel.

``django-tasks`` carries a job to a worker; this row carries its state. A worker holds a lease and renews
it while it works. A lease that runs out (the worker was killed) makes the job free again, and because
every handler saves its work in idempotent steps, the next worker goes on where the last one stopped.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from evaluation.models.people import User
from evaluation.models.tasks import Task


class JobQuerySet(models.QuerySet["Job"]):
    def runnable(self) -> JobQuerySet:
        """Waiting, or abandoned by a worker that no longer renews its lease."""
        return self.filter(state=Job.State.WAITING) | self.abandoned()

    def listed(self) -> JobQuerySet:
        """As lists show them, without what was asked and found: that may be every table of a paper."""
        return self.defer("arguments", "result")

    def abandoned(self) -> JobQuerySet:
        return self.filter(state=Job.State.RUNNING, lease_until__lt=timezone.now())


class Job(models.Model):
    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Finished")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    OVER = (State.DONE, State.FAILED, State.CANCELLED)
    MOST_ATTEMPTS = 3

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=200)
    task = models.ForeignKey(Task, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs")
    owner = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="jobs")
    arguments: models.JSONField[Any, Any] = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    message = models.CharField(max_length=300, blank=True)
    result: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    error = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    lease_holder = models.CharField(max_length=64, blank=True)
    cancel_requested = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="running", lease_until__isnull=False) | ~Q(state="running"),
                name="job_running_holds_a_lease",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("job", args=[self.pk])

    @property
    def is_over(self) -> bool:
        return self.state in Job.OVER
