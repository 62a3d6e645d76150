"""What protects people: counts of failed log-ins, and the record of erased accounts.

Neither table holds a name or an address. A sign-in is kept by keyed digests, an erasure by the number of an
account that no longer exists.
"""

from __future__ import annotations

import hashlib
from datetime import UTC
from typing import TYPE_CHECKING
from unicodedata import normalize

from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from evaluation.models.people import User


class SignIn(models.Model):
    """One attempt to sign in: digests of the name and of the address, and how it ended."""

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
        """Keyed by the site's secret, so that names cannot be guessed from a copy of the database alone."""
        return salted_hmac("appraise.sign-in", normalize("NFKC", text), algorithm="sha256").hexdigest()


class Erasure(models.Model):
    """An account that was deleted at its owner's wish. Kept so that no backup brings the person back."""

    person = models.BigIntegerField(help_text="The number that the account had.")
    mark = models.CharField(max_length=64, unique=True, editable=False)
    annotator = models.BigIntegerField(
        null=True, help_text="The voice that stays in the study; nothing else leads to a person."
    )
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"erasure of account {self.person}"

    @staticmethod
    def mark_of(user: User) -> str:
        """Identifies an account across backups, and differs for a later account that reuses its id.

        An id can be used twice after a restore; the microsecond of joining cannot.
        """
        joined = user.date_joined.astimezone(UTC).isoformat(timespec="microseconds")
        return hashlib.sha256(f"erasure {user.pk} {joined}".encode()).hexdigest()
