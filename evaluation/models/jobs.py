"""Background jobs, and the uploads that jobs check and import.

``django-tasks`` delivers a job to a worker; the ``Job`` row stores its progress, result and error. A worker
holds a lease and renews it while it works. When a lease expires (the worker was killed), another worker may
take the job, and because every handler works in idempotent steps it continues where the first one stopped.
"""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from evaluation.models.people import User
from evaluation.models.tasks import Task


class JobQuerySet(models.QuerySet["Job"]):
    def runnable(self) -> JobQuerySet:
        """Waiting jobs, and jobs whose worker no longer renews its lease."""
        return self.filter(state=Job.State.WAITING) | self.abandoned()

    def listed(self) -> JobQuerySet:
        """Without arguments and results, which may be large."""
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


class Upload(models.Model):
    """Uploaded files and settings; deleted once the task exists."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="uploads")
    settings: models.JSONField[Any, Any] = models.JSONField(default=dict)
    job = models.ForeignKey(Job, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"upload of {self.created_at:%Y-%m-%d %H:%M}"

    def get_absolute_url(self) -> str:
        return reverse("upload", args=[self.pk])

    def folder(self) -> Path:
        """Return the folder of the uploaded files, which is created if it does not exist."""
        folder = Path(settings.MEDIA_ROOT) / str(self.pk)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder

    def discard(self) -> None:
        """Delete the files and settings; the imported task is not affected."""
        folder = self.folder()
        self.delete()
        # After the commit only, because the files are still needed if the transaction is rolled back.
        transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


class UploadedFile(models.Model):
    """One file of an upload; the file on disk has a generated name."""

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="files")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=300)
    path = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    role = models.CharField(max_length=12, default="items")
    systems: models.JSONField[Any, Any] = models.JSONField(default=list)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["upload", "position"], name="uploaded_file_position_once"),
        ]

    def __str__(self) -> str:
        return self.name
