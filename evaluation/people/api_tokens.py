"""Create and revoke API tokens."""

from __future__ import annotations

import secrets
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from evaluation.models import ApiToken, AuditEntry, User


@transaction.atomic
def create_token(
    user: User, *, name: str, scope: str = ApiToken.Scope.READ, expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """Create a token and return it with its text, which is not stored."""
    text = secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user, name=name[:100], scope=scope, expires_at=expires_at, digest=ApiToken.digest_of(text)
    )
    detail = {"scope": scope, "name": token.name}
    AuditEntry.objects.record(user, "make token", f"token {token.pk}", detail)
    return token, text


@transaction.atomic
def revoke_token(token: ApiToken, *, by: User) -> bool:
    """Revoke a token; returns False if it was revoked before."""
    revoked = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
    if revoked:
        AuditEntry.objects.record(by, "revoke token", f"token {token.pk}", {"name": token.name})
    return bool(revoked)
