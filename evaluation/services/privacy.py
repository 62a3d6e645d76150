"""Erases a person: the account and every trace of its name go, the rankings stay without a name.

A study rests on its rankings, and they have pointed to a nameless ``Annotator`` from the start; so erasing
only removes the link from there to the person. Free text that the person typed is deleted as well, because it
may contain anything. The decision and its reasons: docs/decisions/006-erasure.md.
"""

from __future__ import annotations

import json
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.models import Q

from evaluation.models import (
    AlignmentReport,
    Annotator,
    Assignment,
    AuditEntry,
    Erasure,
    SentenceAnswer,
    SignIn,
    Task,
    User,
)
from evaluation.services import ledger, uploads

ERASED = "erased"


class LastAdministrator(Exception):
    """The site would be left without an administrator; another must be appointed first."""


def erase(user: User) -> Erasure:
    """Delete the account for good: one transaction, written to the ledger before it is committed.

    Raises ``LastAdministrator`` where the site would be left without one.
    """
    with transaction.atomic():
        # One at a time, or the last two administrators could leave together.
        list(User.objects.select_for_update().filter(is_superuser=True).values_list("pk"))
        if is_last_administrator(user):
            raise LastAdministrator(user.get_username())
        erasure = _erase(user)
        # The last step: if it fails nothing has happened; if the commit fails, the erasure was still
        # requested.
        ledger.append([erasure])
    scrub()
    return erasure


def is_last_administrator(user: User) -> bool:
    administrators = User.objects.filter(is_superuser=True, is_active=True)
    return user.is_superuser and not administrators.exclude(pk=user.pk).exists()


def replay_erasures() -> int:
    """Erase again everybody whom a restored database has brought back; returns how many people.

    Afterwards the ledger file and the table say the same. Safe to call at any time, any number of times.
    """
    with transaction.atomic():
        written = {erasure.mark: erasure for erasure in ledger.read()}
        stored = {erasure.mark: erasure for erasure in Erasure.objects.all()}
        known = written | stored
        numbers = {erasure.person for erasure in known.values()}
        back = [user for user in User.objects.filter(pk__in=numbers) if Erasure.mark_of(user) in known]
        for user in back:
            _erase(user)
        Erasure.objects.bulk_create(
            [erasure for mark, erasure in written.items() if mark not in stored], ignore_conflicts=True
        )
        ledger.append(erasure for mark, erasure in stored.items() if mark not in written)
    if back:
        scrub()
    return len(back)


def scrub() -> None:
    """Overwrite what deleted rows leave behind in the files of SQLite.

    ``secure_delete`` has zeroed them in the pages; the write-ahead log still holds the pages as they were,
    until it is copied back and cut to nothing. PostgreSQL does this in its own time (docs/threat-model.md).
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        (patience,) = cursor.fetchone()
        # Waits for readers and keeps writers out meanwhile, so not for long; the next erasure tries again.
        cursor.execute("PRAGMA busy_timeout=2000")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.execute(f"PRAGMA busy_timeout={int(patience)}")


# --- the steps ---------------------------------------------------------------------------------------


def _erase(user: User) -> Erasure:
    voice = Annotator.objects.filter(user=user).first()
    name = str(user.get_username())
    pseudonym = f"annotator {voice.pk}" if voice else ERASED
    erasure, _ = Erasure.objects.get_or_create(
        mark=Erasure.mark_of(user),
        defaults={"person": user.pk, "annotator": voice.pk if voice else None},
    )
    _tell_organisers(user, voice, pseudonym)
    if voice:
        _forget_free_words(voice)
    _forget_in_audit_log(user, name, pseudonym)
    _forget_in_administration(user, name)
    for upload in user.uploads.all():
        uploads.discard(upload)
    user.jobs.filter(kind="check").delete()  # their titles are names of files
    SignIn.objects.filter(account=SignIn.digest_of(name)).delete()
    _end_sessions(user)
    user.delete()  # takes memberships and API tokens along, and leaves the voice without a person
    return erasure


def _tell_organisers(user: User, voice: Annotator | None, pseudonym: str) -> None:
    """Add a line to the history of every task that the person took part in."""
    part = Q(memberships__user=user) | Q(campaign__memberships__user=user, campaign__memberships__task=None)
    if voice:
        part |= Q(pk__in=voice.assignments.values("task"))
    slugs = Task.objects.filter(part).values_list("slug", flat=True).distinct()
    AuditEntry.objects.bulk_create(
        AuditEntry(action="erase person", target=f"task {slug}", detail={"now": pseudonym}) for slug in slugs
    )


def _forget_free_words(voice: Annotator) -> None:
    answers = SentenceAnswer.objects.filter(annotator=voice, question=SentenceAnswer.Question.COMMENT)
    answers.exclude(value="").update(value="")
    skipped = Assignment.objects.filter(annotator=voice)
    skipped.exclude(skip_reason__in=["", "lease expired"]).update(skip_reason=ERASED)
    AlignmentReport.objects.filter(annotator=voice).exclude(note="").update(note="")


def _forget_in_audit_log(user: User, name: str, pseudonym: str) -> None:
    for entry in AuditEntry.objects.all().iterator():
        detail = _replaced(entry.detail, name, pseudonym)
        if entry.user_id == user.pk and entry.action == "make token":
            detail = {key: value for key, value in detail.items() if key != "name"}
        if detail != entry.detail:
            AuditEntry.objects.filter(pk=entry.pk).update(detail=detail)


def _replaced(value: Any, name: str, pseudonym: str) -> Any:  # Any: whatever JSON the entry holds
    """Every string that is the name, at any depth; never a part of a longer string."""
    if isinstance(value, dict):
        return {key: _replaced(part, name, pseudonym) for key, part in value.items()}
    if isinstance(value, list):
        return [_replaced(part, name, pseudonym) for part in value]
    return pseudonym if value == name else value


def _forget_in_administration(user: User, name: str) -> None:
    """Django's own log quotes what was changed: the account, and its memberships as text."""
    people = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=people, object_id=str(user.pk)).delete()
    LogEntry.objects.filter(object_repr__startswith=f"{name} as ").update(object_repr=ERASED)
    LogEntry.objects.filter(object_repr__endswith=f" of {name}").update(object_repr=ERASED)
    quoted = json.dumps(f"{name} as ")[:-1]
    LogEntry.objects.filter(change_message__contains=quoted).update(change_message="")


def _end_sessions(user: User) -> None:
    """Whose session it is can only be read from its content, so every one is decoded."""
    own = [
        session.pk
        for session in Session.objects.all().iterator()
        if session.get_decoded().get("_auth_user_id") == str(user.pk)
    ]
    Session.objects.filter(pk__in=own).delete()
