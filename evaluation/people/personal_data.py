"""All data about one person, for that person only.

Nothing here goes beyond the person's own pages: no system, file, score or database id. Tables that are added
later are included: whatever refers to a person and has no section of its own is listed under ``elsewhere``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Field, Model

from evaluation import models
from evaluation.people.erasure import replace_name


@dataclass(frozen=True, slots=True)
class Section:
    """A table, its lookup to the user, and the exported columns by name."""

    name: str
    model: type[Model]
    person: str
    fields: dict[str, str]


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


SECTIONS = (
    Section(
        "memberships", models.Membership, "user",
        {"campaign": "campaign__name", "task": "task__name", **_same("role", "quota")},
    ),
    Section("removals", models.Removal, "user", {"task": "task__name", **_same("at")}),
    Section(
        "practice", models.PracticeRound, "annotator__user", {"task": "task__name", **_same("finished_at")}
    ),
    Section(
        "sentences", models.Assignment, "annotator__user",
        {
            "task": "task__name",
            **_same("number", "opened_at", "finished_at", "active_ms", "skip_reason", "is_unsure"),
        },
    ),
    Section(
        "rankings", models.Ranking, "annotator__user",
        {
            "task": "pair__task__name", "first": "pair__first", "second": "pair__second",
            **_same("choice", "reason", "version", "active_ms", "elapsed_ms", "received_at"),
        },
    ),
    Section(
        "sentence_answers", models.SentenceAnswer, "annotator__user",
        {"task": "comparison__item__task__name", **_same("question", "value", "version", "received_at")},
    ),
    Section(
        "alignment_reports", models.AlignmentReport, "annotator__user",
        {
            "task": "pair__task__name", "first": "pair__first", "second": "pair__second",
            **_same("reason", "note", "created_at", "resolved_at"),
        },
    ),
    Section(
        "api_tokens", models.ApiToken, "user",
        _same("name", "scope", "created_at", "last_used_on", "expires_at", "revoked_at"),
    ),
    Section("uploads", models.Upload, "owner", _same("created_at", "settings")),
    Section("jobs", models.Job, "owner", _same("title", "kind", "state", "created_at", "finished_at")),
    Section(
        "adjudications", models.Adjudication, "made_by",
        {"task": "pair__task__name", **_same("choice", "reason", "created_at")},
    ),
    Section(
        "corrected_alignments", models.Alignment, "made_by",
        {"task": "comparison__item__task__name", **_same("version", "links", "created_at")},
    ),
    Section("changes_by_you", models.AuditEntry, "user", _same("at", "action", "target", "detail")),
)  # fmt: skip

# Listed above already: annotators through their answers, slots through their assignments.
COVERED = {models.Annotator, models.Slot}
ACCOUNT = (
    "username", "first_name", "last_name", "email", "date_joined", "last_login", "is_active", "is_staff",
    "is_superuser", "may_create",
)  # fmt: skip


def summarize_data(user: models.User) -> dict[str, dict[str, Any]]:
    """Return the account and the number of rows of some sections, for the page."""
    sections = [section for section in SECTIONS if section.name in ("memberships", "rankings", "api_tokens")]
    return {"account": _account(user), "counts": {s.name: _rows(s, user).count() for s in sections}}


def stream_document(user: models.User) -> Iterator[str]:
    """Yield one JSON object in pieces, because there may be a hundred thousand rankings."""
    yield '{"account": ' + _json(_account(user))
    for section in SECTIONS:
        yield f',\n"{section.name}": ['
        rows = _rows(section, user).values_list(*section.fields.values()).iterator(2000)
        for number, row in enumerate(rows):
            yield (",\n" if number else "\n") + _json(dict(zip(section.fields, row, strict=True)))
        yield "]"
    yield ',\n"changes_that_name_you": ' + _json(_changes_naming(user))
    yield ',\n"elsewhere": ' + _json(_elsewhere(user)) + "}\n"


def _json(value: object) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)


def _account(user: models.User) -> dict[str, Any]:
    account = {name: getattr(user, name) for name in ACCOUNT}
    return {**account, "groups": [group.name for group in user.groups.all()]}


def _rows(section: Section, user: models.User) -> Any:  # Any: a queryset of any of our models
    return section.model._default_manager.filter(**{section.person: user}).order_by("pk")


def _changes_naming(user: models.User) -> list[dict[str, Any]]:
    """Return the changes by others that mention this person, without naming anybody."""
    entries = models.AuditEntry.objects.exclude(user=user).order_by("pk")
    return [
        {"at": entry.at, "action": entry.action, "target": entry.target}
        for entry in entries.iterator()
        if entry.user_id != user.pk and replace_name(entry.detail, user.get_username(), "") != entry.detail
    ]


def _elsewhere(user: models.User) -> dict[str, list[str]]:
    rows_by_model: dict[str, list[str]] = {}
    listed = {section.model for section in SECTIONS} | COVERED
    for model, field in find_person_fields():
        if model not in listed:
            path = field.name if field.related_model is models.User else f"{field.name}__user"
            rows = model._default_manager.filter(**{path: user}).order_by("pk")
            rows_by_model.setdefault(model._meta.label, []).extend(str(row) for row in rows[:10_000])
    return {label: rows for label, rows in rows_by_model.items() if rows}


def find_person_fields() -> Iterator[tuple[type[Model], Field[Any, Any]]]:
    """Yield every foreign key of the site to a user or annotator."""
    for model in apps.get_models(include_auto_created=False):
        for field in model._meta.get_fields():
            if isinstance(field, Field) and field.related_model in (models.User, models.Annotator):
                yield model, field
