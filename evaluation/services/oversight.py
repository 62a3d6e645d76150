"""Adjudications of disputed pairs, API keys, and the record of exports.

An adjudication never touches an annotator's answer: it is a row of its own, the last one counts, and reports
on agreement do not read it.
"""

from __future__ import annotations

import secrets
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from evaluation.models import Adjudication, ApiToken, AuditEntry, PhrasePair, User
from evaluation.schemes import Choice
from evaluation.services.judging import ChoiceNotInScheme


class ReasonMissing(ValueError):
    """An adjudication without a reason explains nothing."""


@transaction.atomic
def adjudicate(pair: PhrasePair, *, choice: Choice, reason: str, by: User) -> Adjudication:
    """Append a verdict with its reason, and an audit entry."""
    if choice not in pair.task.scheme.choices:
        raise ChoiceNotInScheme(f"{choice} is none of {', '.join(pair.task.scheme.labels)}")
    if not reason.strip():
        raise ReasonMissing("a reason is needed")
    made = Adjudication.objects.create(pair=pair, choice=choice.value, reason=reason.strip(), made_by=by)
    AuditEntry.objects.create(
        user=by,
        action="adjudicate",
        target=f"pair {pair.pk} of {pair.task.slug}",
        detail={"choice": choice.value},
    )
    return made


@transaction.atomic
def make_token(
    user: User, *, name: str, scope: str = ApiToken.Scope.READ, expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """A new API key; its text is returned once and stored nowhere."""
    text = secrets.token_urlsafe(32)
    made = ApiToken.objects.create(
        user=user, name=name[:100], scope=scope, expires_at=expires_at, digest=ApiToken.digest_of(text)
    )
    AuditEntry.objects.create(
        user=user, action="make token", target=f"token {made.pk}", detail={"scope": scope, "name": name[:100]}
    )
    return made, text


@transaction.atomic
def revoke_token(token: ApiToken, *, by: User) -> bool:
    """The key is invalid from now on; returns False where it was revoked before."""
    revoked = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
    if revoked:
        AuditEntry.objects.create(
            user=by, action="revoke token", target=f"token {token.pk}", detail={"name": token.name}
        )
    return bool(revoked)


@transaction.atomic
def record_export(user: User | None, *, target: str, form: str, identified: bool) -> AuditEntry:
    """Record who exported what, and whether with names."""
    return AuditEntry.objects.create(
        user=user, action="export", target=target[:200], detail={"format": form, "identified": identified}
    )
