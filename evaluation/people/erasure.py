"""Erase a person: delete the account and every trace of its name, but no ranking.

Rankings refer to an ``Annotator`` without a name, so erasing only removes the link from there to the account.
Free text written by the person is deleted as well, because it may contain anything; assessments have none.
The decision and its reasons are in docs/decisions/006-erasure.md.

The erasure ledger is a file beside the database, because a restored database no longer knows the erasures. It
has one JSON line for each erased account: its id, a mark that only this account has, the id of its annotator,
and the time, but no name.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.contenttypes.models import ContentType
from django.contrib.messages.storage.session import SessionStorage
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

logger = logging.getLogger(__name__)

ERASED = "erased"


class LastAdministrator(Exception):
    """The site would be left without an administrator."""


def erase(user: User) -> Erasure:
    """Delete an account in one transaction, which is written to the ledger before the commit.

    Raises ``LastAdministrator`` if the site would be left without one.
    """
    with transaction.atomic():
        # One at a time, otherwise the last two administrators could be erased concurrently.
        list(User.objects.select_for_update().filter(is_superuser=True).values_list("pk"))
        if is_last_administrator(user):
            raise LastAdministrator(user.get_username())
        erasure = _erase(user)
        # The last step: if it fails, nothing has changed; if the commit fails, the ledger has the request.
        append_to_ledger([erasure])
    scrub_deleted_rows()
    return erasure


def is_last_administrator(user: User) -> bool:
    administrators = User.objects.filter(is_superuser=True, is_active=True)
    return user.is_superuser and not administrators.exclude(pk=user.pk).exists()


def replay_erasures() -> int:
    """Erase everyone again whom a restored database has brought back; returns how many.

    Afterwards the ledger and the table are equal. Idempotent.
    """
    with transaction.atomic():
        written = {erasure.mark: erasure for erasure in read_ledger()}
        stored = {erasure.mark: erasure for erasure in Erasure.objects.all()}
        known = written | stored
        numbers = {erasure.person for erasure in known.values()}
        back = [user for user in User.objects.filter(pk__in=numbers) if Erasure.mark_of(user) in known]
        for user in back:
            _erase(user)
        Erasure.objects.bulk_create(
            [erasure for mark, erasure in written.items() if mark not in stored], ignore_conflicts=True
        )
        append_to_ledger(erasure for mark, erasure in stored.items() if mark not in written)
    if back:
        scrub_deleted_rows()
    return len(back)


def scrub_deleted_rows() -> None:
    """Overwrite deleted rows in the files of SQLite.

    ``secure_delete`` overwrites them in the database file; the write-ahead log still holds the old pages
    until it is truncated. PostgreSQL reuses the space in its own time (docs/threat-model.md).
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        (timeout,) = cursor.fetchone()
        # Blocks writers while waiting for readers, so the wait is short; the next erasure tries again.
        cursor.execute("PRAGMA busy_timeout=2000")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.execute(f"PRAGMA busy_timeout={int(timeout)}")


# --- steps ---------------------------------------------------------------------------------------


def _erase(user: User) -> Erasure:
    annotator = Annotator.objects.filter(user=user).first()
    name = str(user.get_username())
    pseudonym = f"annotator {annotator.pk}" if annotator else ERASED
    erasure, _ = Erasure.objects.get_or_create(
        mark=Erasure.mark_of(user),
        defaults={"person": user.pk, "annotator": annotator.pk if annotator else None},
    )
    _record_in_histories(user, annotator, pseudonym)
    if annotator:
        _delete_free_text(annotator)
    _anonymize_audit_log(user, name, pseudonym)
    _anonymize_admin_log(user, name)
    for upload in user.uploads.all():
        upload.discard()
    user.jobs.filter(kind="check").delete()  # their titles are file names
    SignIn.objects.filter(account=SignIn.digest_of(name)).delete()
    end_sessions(user)
    _drop_messages(name)
    user.delete()  # cascades to memberships and API tokens; the annotator stays without a user
    return erasure


def _record_in_histories(user: User, annotator: Annotator | None, pseudonym: str) -> None:
    """Add an entry to the history of every task that the person took part in."""
    part = Q(memberships__user=user) | Q(campaign__memberships__user=user, campaign__memberships__task=None)
    if annotator:
        part |= Q(pk__in=annotator.assignments.values("task"))
    slugs = Task.objects.filter(part).values_list("slug", flat=True).distinct()
    AuditEntry.objects.bulk_create(
        AuditEntry(action="erase person", target=f"task {slug}", detail={"now": pseudonym}) for slug in slugs
    )


def _delete_free_text(annotator: Annotator) -> None:
    answers = SentenceAnswer.objects.filter(annotator=annotator, question=SentenceAnswer.Question.COMMENT)
    answers.exclude(value="").update(value="")
    skipped = Assignment.objects.filter(annotator=annotator)
    skipped.exclude(skip_reason__in=["", "lease expired"]).update(skip_reason=ERASED)
    AlignmentReport.objects.filter(annotator=annotator).exclude(note="").update(note="")


def _anonymize_audit_log(user: User, name: str, pseudonym: str) -> None:
    for entry in AuditEntry.objects.all().iterator():
        detail = replace_name(entry.detail, name, pseudonym)
        if entry.user_id == user.pk and entry.action == "make token":
            detail = {key: value for key, value in detail.items() if key != "name"}
        if detail != entry.detail:
            AuditEntry.objects.filter(pk=entry.pk).update(detail=detail)


def replace_name(value: Any, name: str, pseudonym: str) -> Any:  # Any: whatever JSON the entry holds
    """Replace every string that equals the name, at any depth; parts of longer strings are kept."""
    if isinstance(value, dict):
        return {key: replace_name(part, name, pseudonym) for key, part in value.items()}
    if isinstance(value, list):
        return [replace_name(part, name, pseudonym) for part in value]
    return pseudonym if value == name else value


def _anonymize_admin_log(user: User, name: str) -> None:
    """Remove the name from the admin log, which quotes accounts and memberships as text."""
    people = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=people, object_id=str(user.pk)).delete()
    LogEntry.objects.filter(object_repr__startswith=f"{name} as ").update(object_repr=ERASED)
    LogEntry.objects.filter(object_repr__endswith=f" of {name}").update(object_repr=ERASED)
    quoted = json.dumps(f"{name} as ")[:-1]
    LogEntry.objects.filter(change_message__contains=quoted).update(change_message="")


def end_sessions(user: User, *, key: str = "") -> None:
    """Delete the sessions of a user, or only those that contain ``key``.

    The user of a session is only known from its decoded content.
    """
    own = [
        session.pk
        for session in Session.objects.all().iterator()
        if (data := session.get_decoded()).get(SESSION_KEY) == str(user.pk) and (not key or key in data)
    ]
    Session.objects.filter(pk__in=own).delete()


def _drop_messages(name: str) -> None:
    """Delete messages to other people that contain the name and were not shown yet, such as “Added: ann”."""
    for session in Session.objects.all().iterator():
        data = session.get_decoded()
        pending = json.loads(data.get(SessionStorage.session_key, "[]"))
        kept = [message for message in pending if name not in json.dumps(message, ensure_ascii=False)]
        if kept != pending:
            data[SessionStorage.session_key] = json.dumps(kept)
            Session.objects.filter(pk=session.pk).update(session_data=Session.objects.encode(data))


# --- the ledger -----------------------------------------------------------------------------------------


def ledger_path() -> Path:
    return Path(settings.HOME) / "erasures.jsonl"


def append_to_ledger(erasures: Iterable[Erasure]) -> None:
    """Append lines and flush them to disk: an erasure that is not recorded could be undone by a restore."""
    lines = "".join(json.dumps(_erasure_to_json(erasure)) + "\n" for erasure in erasures)
    if not lines:
        return
    file = ledger_path()
    handle = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(handle, "r+b") as stream:
        # A line that was cut off by a crash must not run into the next one.
        is_cut_off = stream.seek(0, os.SEEK_END) > 0 and os.pread(handle, 1, stream.tell() - 1) != b"\n"
        stream.write(("\n" if is_cut_off else "").encode() + lines.encode())
        stream.flush()
        os.fsync(handle)


def read_ledger() -> list[Erasure]:
    """Return the erasures of the file as unsaved rows; an unreadable line is skipped with a warning."""
    if not ledger_path().exists():
        return []
    erasures = []
    for number, line in enumerate(ledger_path().read_text("utf-8", errors="replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            erasures.append(_erasure_from_json(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            logger.warning("%s:%d: cannot be read; was the line cut off?", ledger_path().name, number)
    return erasures


def _erasure_to_json(erasure: Erasure) -> dict[str, object]:
    return {
        "person": erasure.person,
        "mark": erasure.mark,
        "annotator": erasure.annotator,
        "at": erasure.at.isoformat(),
    }


def _erasure_from_json(line: dict[str, object]) -> Erasure:
    annotator = line["annotator"]
    return Erasure(
        person=int(str(line["person"])),
        mark=str(line["mark"]),
        annotator=None if annotator is None else int(str(annotator)),
        at=datetime.fromisoformat(str(line["at"])),
    )
