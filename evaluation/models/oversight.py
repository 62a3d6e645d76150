"""What organisers and operators do: adjudications, API keys, and the audit trail."""

from __future__ import annotations

import hashlib
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from evaluation.models.judging import PhrasePair
from evaluation.models.people import User
from evaluation.schemes import Choice


class Adjudication(models.Model):
    """An organiser's verdict on a disputed pair, apart from the annotators' data; the last one counts."""

    pair = models.ForeignKey(PhrasePair, on_delete=models.CASCADE, related_name="adjudications")
    choice = models.CharField(max_length=4)
    reason = models.TextField()
    made_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(choice__in=[c.value for c in Choice]), name="adjudication_choice_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.choice} on pair {self.pair_id}"


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def valid(self) -> ApiTokenQuerySet:
        return self.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now()), revoked_at=None)


class ApiToken(models.Model):
    """An API key. Only its digest is stored, so a stolen copy of the database contains no keys."""

    class Scope(models.TextChoices):
        READ = "read", "read reports, progress and exports"
        WRITE = "write", "also upload and score"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scope = models.CharField(max_length=5, choices=Scope.choices, default=Scope.READ)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_on = models.DateField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"

    @staticmethod
    def digest_of(token: str) -> str:
        """Tokens are long and random, so an unsalted digest cannot be reversed."""
        return hashlib.sha256(token.encode()).hexdigest()


class AuditEntry(models.Model):
    """Who changed what, and when. Never about what an annotator answered."""

    at = models.DateTimeField(default=timezone.now)
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=200)
    detail: models.JSONField[Any, Any] = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ["-pk"]
        indexes = [models.Index(fields=["target"], name="audit_by_target")]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
