"""Files on their way to becoming a task."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models
from django.urls import reverse

from evaluation.models.jobs import Job
from evaluation.models.people import User


class Upload(models.Model):
    """The files and settings of a manager so far; deleted once the task exists."""

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


class UploadedFile(models.Model):
    """One file of an upload. The name is the person's; the file on disk has a name of ours."""

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
