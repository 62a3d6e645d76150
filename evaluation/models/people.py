"""Who takes part, kept apart from what they answered.

Rankings point to an ``Annotator``, which carries no name. Erasing a person deletes the ``User`` row and
leaves every ranking as it was.
"""

from __future__ import annotations

import secrets

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


def random_key() -> str:
    return secrets.token_urlsafe(24)


class Role(models.TextChoices):
    """What a person may do in a campaign or task; administrators are Django's superusers."""

    ANNOTATOR = "annotator", _("Annotator")
    MANAGER = "manager", _("Manager")
    RESEARCHER = "researcher", _("Researcher")


class User(AbstractUser):
    """A person who can sign in."""

    may_create = models.BooleanField(
        _("may create campaigns"),
        default=False,
        help_text=_("Managers: may upload files and open campaigns of their own."),
    )

    @property
    def may_study(self) -> bool:
        """Whether to offer reports at all; each report decides for itself what it shows this person."""
        own = self.memberships.filter(role__in=[Role.MANAGER, Role.RESEARCHER])
        return self.is_superuser or self.may_create or own.exists()


class Annotator(models.Model):
    """A participant without a name. ``key`` decides which candidate they see as A and reveals nothing."""

    user = models.OneToOneField(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="annotator"
    )
    key = models.CharField(max_length=64, unique=True, default=random_key, editable=False)
    machine = models.CharField(
        max_length=120, blank=True, help_text=_("Name of the metric or ranker, for a machine that votes.")
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(machine="") | Q(user__isnull=True), name="annotator_is_person_or_machine"
            ),
            models.UniqueConstraint(
                fields=["machine"], condition=~Q(machine=""), name="annotator_one_per_machine"
            ),
        ]

    def __str__(self) -> str:
        if self.machine:
            return self.machine
        return self.user.get_username() if self.user else f"annotator {self.pk}"


class Membership(models.Model):
    """A person's role in one task, or in every task of a campaign where ``task`` is empty."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    campaign = models.ForeignKey("evaluation.Campaign", on_delete=models.CASCADE, related_name="memberships")
    task = models.ForeignKey(
        "evaluation.Task", null=True, blank=True, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=16, choices=Role.choices)
    quota = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("Most comparisons that this person is given; empty for no limit.")
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "task", "role"],
                condition=Q(task__isnull=False),
                name="membership_once_per_task",
            ),
            models.UniqueConstraint(
                fields=["user", "campaign", "role"],
                condition=Q(task__isnull=True),
                name="membership_once_per_campaign",
            ),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.get_role_display()} in {self.task or self.campaign}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def usable(self) -> InvitationQuerySet:
        return self.filter(
            revoked_at__isnull=True, expires_at__gt=timezone.now(), uses__lt=models.F("most_uses")
        )


class Invitation(models.Model):
    """A link that makes whoever opens it an annotator; limited in uses and time, and revocable."""

    token = models.CharField(max_length=64, unique=True, default=random_key, editable=False)
    task = models.ForeignKey("evaluation.Task", on_delete=models.CASCADE, related_name="invitations")
    note = models.CharField(max_length=200, blank=True)
    most_uses = models.PositiveIntegerField(default=1)
    uses = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(uses__lte=models.F("most_uses")), name="invitation_not_overused"
            )
        ]

    def __str__(self) -> str:
        return f"invitation to {self.task} ({self.uses} of {self.most_uses} used)"
