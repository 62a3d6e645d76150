"""Accounts, roles, API tokens, the audit log, and the records that protect accounts.

Rankings refer to an ``Annotator``, which carries no name, so deleting a ``User`` leaves every ranking
unchanged. ``SignIn`` and ``Erasure`` store neither names nor addresses: a sign-in attempt consists of keyed
digests, an erasure of the primary key of an account that no longer exists.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from evaluation.models.tasks import Campaign, Task


GUEST_PREFIX = "guest-"


def random_key() -> str:
    return secrets.token_urlsafe(24)


class Role(models.TextChoices):
    """What a user may do in a campaign or task; administrators are superusers."""

    ANNOTATOR = "annotator", _("Annotator")
    MANAGER = "manager", _("Manager")
    RESEARCHER = "researcher", _("Researcher")


class User(AbstractUser):
    """A person who can sign in."""

    may_create = models.BooleanField(
        _("may create campaigns"),
        default=False,
        help_text=_("Managers can upload files and create their own campaigns."),
    )

    return_version = models.PositiveIntegerField(
        default=0,
        editable=False,
        help_text="Part of a guest's return link; a new version revokes older links.",
    )

    @property
    def is_guest(self) -> bool:
        """Whether the user joined by an invitation and has no password."""
        return self.username.startswith(GUEST_PREFIX) and not self.has_usable_password()

    @property
    def may_study(self) -> bool:
        """Whether to offer reports at all; each report checks its own permission."""
        own = self.memberships.filter(role__in=[Role.MANAGER, Role.RESEARCHER])
        return self.is_superuser or self.may_create or own.exists()


class Annotator(models.Model):
    """A participant without a name. ``key`` determines which candidate is shown as A and reveals nothing."""

    user = models.OneToOneField(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="annotator"
    )
    key = models.CharField(max_length=64, unique=True, default=random_key, editable=False)
    machine = models.CharField(
        max_length=120, blank=True, help_text=_("Name of the metric or ranker; empty for people.")
    )
    label = models.CharField(
        max_length=120,
        blank=True,
        help_text=_("Name of the annotator in an imported file, such as rater1; empty for accounts."),
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
        return self.user.get_username() if self.user else self.label or f"annotator {self.pk}"


class Membership(models.Model):
    """A person's role in one task, or in every task of a campaign where ``task`` is empty."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    campaign = models.ForeignKey("evaluation.Campaign", on_delete=models.CASCADE, related_name="memberships")
    task = models.ForeignKey(
        "evaluation.Task", null=True, blank=True, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=16, choices=Role.choices)
    quota = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text=_(
            "Maximum number of comparisons for this person, in the task or in all tasks of the campaign;"
            " empty for no limit."
        ),
    )
    languages = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text=_("Target languages of the tasks of a campaign that this person gets; empty for all."),
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
        return f"{self.user} as {self.get_role_display()} in {self.subject}"

    @property
    def subject(self) -> Task | Campaign:
        """The task or the campaign that the person is a member of."""
        return self.task or self.campaign

    @staticmethod
    def pack_languages(codes: Iterable[str]) -> str:
        """Return language codes between spaces, so that a query can find one of them.

        >>> Membership.pack_languages(["en", "fr", "en"]), Membership.pack_languages([])
        (' en fr ', '')
        """
        kept = dict.fromkeys(codes)
        return f" {' '.join(kept)} " if kept else ""


class Removal(models.Model):
    """A member who was removed from a task, and cannot come back by a link that existed then."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    task = models.ForeignKey("evaluation.Task", on_delete=models.CASCADE, related_name="removals")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "task"], name="removal_once_per_task")]

    def __str__(self) -> str:
        return f"removal from {self.task}"


class Invitation(models.Model):
    """A link by which people become annotators of a task, or of a campaign; limited in uses and time, and
    revocable. With ``is_crowd``, people are identified by what their platform adds to the address."""

    token = models.CharField(max_length=64, unique=True, default=random_key, editable=False)
    task = models.ForeignKey(
        "evaluation.Task", null=True, blank=True, on_delete=models.CASCADE, related_name="invitations"
    )
    campaign = models.ForeignKey(
        "evaluation.Campaign", null=True, blank=True, on_delete=models.CASCADE, related_name="invitations"
    )
    is_crowd = models.BooleanField(default=False, db_default=False)
    note = models.CharField(max_length=200, blank=True)
    most_uses = models.PositiveIntegerField(default=1)
    uses = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(uses__lte=models.F("most_uses")), name="invitation_not_overused"
            ),
            models.CheckConstraint(
                condition=Q(task__isnull=True) ^ Q(campaign__isnull=True),
                name="invitation_to_task_or_campaign",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation to {self.subject} ({self.uses} of {self.most_uses} used)"

    @property
    def subject(self) -> Task | Campaign:
        """The task or the campaign that people join."""
        subject = self.task or self.campaign
        assert subject is not None  # a constraint of the table
        return subject

    @property
    def state(self) -> str:
        """One of usable, revoked, used and expired."""
        if self.revoked_at is not None:
            return "revoked"
        if self.uses >= self.most_uses:
            return "used"
        return "expired" if self.expires_at <= timezone.now() else "usable"


class AccessCard(models.Model):
    """The code by which somebody whose account a manager has made signs in; only its digest is stored."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="access_card")
    campaign = models.ForeignKey("evaluation.Campaign", on_delete=models.CASCADE, related_name="access_cards")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"card of {self.user}"


class CrowdWorker(models.Model):
    """Somebody who came from a crowd platform: one platform id is one account in a campaign.

    The ids are in no export and no log; deleting the account deletes them.
    """

    class Outcome(models.TextChoices):
        PASSED = "passed", _("passed")
        FAILED = "failed", _("checks failed")
        SCREENED_OUT = "screened", _("screened out")

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="crowd_worker")
    campaign = models.ForeignKey(
        "evaluation.Campaign", on_delete=models.CASCADE, related_name="crowd_workers"
    )
    worker = models.CharField(max_length=100)
    study = models.CharField(max_length=100, blank=True)
    session = models.CharField(max_length=100, blank=True)
    visits = models.PositiveIntegerField(default=1)
    outcome = models.CharField(max_length=8, choices=Outcome.choices, blank=True, default="")
    ended_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "worker"], name="crowd_worker_once_per_campaign"),
        ]

    def __str__(self) -> str:
        return f"crowd worker of account {self.user_id}"


class SignIn(models.Model):
    """An attempt to sign in: keyed digests of the name and of the address, and the result."""

    account = models.CharField(max_length=64)
    address = models.CharField(max_length=64)
    succeeded = models.BooleanField(default=False)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["address", "at"], name="sign_in_by_address"),
            models.Index(fields=["account", "at"], name="sign_in_by_account"),
        ]

    def __str__(self) -> str:
        return f"{'successful' if self.succeeded else 'failed'} sign-in at {self.at:%Y-%m-%d %H:%M}"

    @staticmethod
    def digest_of(text: str) -> str:
        """Return a digest keyed by the secret, so that a copy of the database does not reveal names."""
        return salted_hmac("appraise.sign-in", normalize("NFKC", text), algorithm="sha256").hexdigest()


class Erasure(models.Model):
    """A deleted account; stored so that restoring a backup does not bring the person back."""

    person = models.BigIntegerField(help_text="The id of the deleted account.")
    mark = models.CharField(max_length=64, unique=True, editable=False)
    annotator = models.BigIntegerField(null=True, help_text="The annotator whose rankings are kept.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"erasure of account {self.person}"

    @staticmethod
    def mark_of(user: User) -> str:
        """Return a digest that identifies an account across backups.

        An id can be reused after a restore; id and microsecond of joining together cannot.
        """
        joined = user.date_joined.astimezone(UTC).isoformat(timespec="microseconds")
        return hashlib.sha256(f"erasure {user.pk} {joined}".encode()).hexdigest()


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

    @property
    def state(self) -> str:
        """One of usable, revoked and expired."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at and self.expires_at <= timezone.now() else "usable"

    @staticmethod
    def digest_of(token: str) -> str:
        """Return an unsalted digest, which cannot be reversed because tokens are long and random."""
        return hashlib.sha256(token.encode()).hexdigest()


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    def record(
        self,
        by: User | None,
        action: str,
        target: Task | Campaign | str,
        detail: Mapping[str, object] | None = None,
    ) -> AuditEntry:
        """Record who changed or exported what; call it in the transaction of the change."""
        name = target if isinstance(target, str) else f"{target._meta.model_name} {target.slug}"
        return self.create(user=by, action=action, target=name[:200], detail=detail or {})


class AuditEntry(models.Model):
    """Who changed what, and when; ``tasks.queries.history`` shows it. Never about an annotator's answers."""

    at = models.DateTimeField(default=timezone.now)
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=200)
    detail: models.JSONField[Any, Any] = models.JSONField(default=dict)

    objects = AuditEntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ["-pk"]
        indexes = [models.Index(fields=["target"], name="audit_by_target")]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
