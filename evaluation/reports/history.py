"""Who changed what in a task, newest first. What annotators answered is no part of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from evaluation.models import AuditEntry, Role, Task

PER_PAGE = 50
# What the services call a change → what people call it. Anything else is shown as it is.
WORDS = {
    "state": gettext_lazy("changed the state"),
    "add members": gettext_lazy("added members"),
    "quota": gettext_lazy("changed a quota"),
    "remove member": gettext_lazy("removed a member"),
    "invite": gettext_lazy("made an invitation link"),
    "revoke invitation": gettext_lazy("revoked an invitation link"),
    "selection": gettext_lazy("changed which questions come next"),
    "completion": gettext_lazy("changed what is shown at the end of the task"),
    "practice on": gettext_lazy("switched the practice round on"),
    "practice off": gettext_lazy("switched the practice round off"),
    "add practice question": gettext_lazy("added a practice question"),
    "remove practice question": gettext_lazy("removed a practice question"),
    "import": gettext_lazy("imported the task"),
    "export": gettext_lazy("exported answers"),
    "adjudicate": gettext_lazy("decided a disputed pair"),
    "correct alignment": gettext_lazy("corrected an alignment"),
    "dismiss alignment report": gettext_lazy("dismissed a report about an alignment"),
    "erase person": gettext_lazy("left and had the account deleted; the answers stay"),
}
# What a change is about, as stored → as people call it, in the order of reading: PostgreSQL keeps none.
FIELDS = {
    "from": pgettext_lazy("history", "from"),
    "to": pgettext_lazy("history", "to"),
    "person": pgettext_lazy("history", "person"),
    "people": pgettext_lazy("history", "people"),
    "role": pgettext_lazy("history", "role"),
    "quota": pgettext_lazy("history", "quota"),
    "invitation": pgettext_lazy("history", "invitation"),
    "uses": pgettext_lazy("history", "uses"),
    "days": pgettext_lazy("history", "days"),
    "code": pgettext_lazy("history", "code"),
    "url": pgettext_lazy("history", "link"),
    "selection": pgettext_lazy("history", "next"),
    "question": pgettext_lazy("history", "question"),
    "pair": pgettext_lazy("history", "pair"),
    "choice": pgettext_lazy("history", "verdict"),
    "item": pgettext_lazy("history", "sentence"),
    "comparison": pgettext_lazy("history", "comparison"),
    "version": pgettext_lazy("history", "version"),
    "links": pgettext_lazy("history", "word links"),
    "reports": pgettext_lazy("history", "reports closed"),
    "assignments_moved": pgettext_lazy("history", "open comparisons moved"),
    "format": pgettext_lazy("history", "format"),
    "identified": pgettext_lazy("history", "with names"),
    "job": pgettext_lazy("history", "job"),
}
# Fields whose stored words have names of their own.
VALUES = {
    "from": dict(Task.State.choices),
    "to": dict(Task.State.choices),
    "role": dict(Role.choices),
    "selection": dict(Task.Selection.choices),
}


@dataclass(frozen=True, slots=True)
class Change:
    at: datetime
    who: str
    what: str
    details: list[tuple[str, str]]


def history_page(task: Task, number: str = "") -> tuple[Page[AuditEntry], list[Change]]:
    """One page of changes, the first where ``number`` names none: three queries, however long it all is."""
    about = Q(target=f"task {task.slug}") | Q(target__endswith=f" of {task.slug}")
    about |= Q(target=f"campaign {task.campaign.slug}")
    entries = AuditEntry.objects.filter(about).select_related("user")
    page = Paginator(entries, PER_PAGE).get_page(number)
    return page, [_change(entry) for entry in page.object_list]


def _change(entry: AuditEntry) -> Change:
    detail = entry.detail if isinstance(entry.detail, dict) else {}
    if entry.action == "erase person":
        return Change(entry.at, str(detail.get("now", "")), str(WORDS[entry.action]), [])
    return Change(
        entry.at,
        entry.user.get_username() if entry.user else _("somebody"),
        str(WORDS.get(entry.action, entry.action)),
        [(_field(key), _text(key, detail[key])) for key in _ordered(detail) if _is_said(key, detail[key])],
    )


def _ordered(detail: dict[str, object]) -> list[str]:
    return [*(key for key in FIELDS if key in detail), *(key for key in detail if key not in FIELDS)]


def _field(key: str) -> str:
    return str(FIELDS.get(key, key.replace("_", " ")))


def _is_said(key: str, value: object) -> bool:
    """Nothing is no detail, unless it has a name: ``selection`` is empty where questions keep their order."""
    return value is not None and (value != "" or "" in VALUES.get(key, ()))


def _text(key: str, value: object) -> str:
    if isinstance(value, str) and value in VALUES.get(key, ()):
        return str(VALUES[key][value])
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value)
