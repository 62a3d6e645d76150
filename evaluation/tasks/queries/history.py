"""The history of a task: who changed what, newest first. Answers of annotators are not part of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.utils.translation import gettext as _, gettext_lazy, pgettext_lazy

from evaluation.models import AuditEntry, Role, Task

PER_PAGE = 50
# Actions of audit entries as the page names them; others are shown as stored.
ACTION_NAMES = {
    "state": gettext_lazy("changed the state"),
    "add members": gettext_lazy("added members"),
    "quota": gettext_lazy("changed a quota"),
    "remove member": gettext_lazy("removed a member"),
    "invite": gettext_lazy("created an invitation link"),
    "revoke invitation": gettext_lazy("revoked an invitation link"),
    "revoke return link": gettext_lazy("revoked the return link of a guest"),
    "change settings": gettext_lazy("changed settings of several tasks"),
    "renew cards": gettext_lazy("made new cards"),
    "crowd platform": gettext_lazy("changed the crowd platform"),
    "copy campaign": gettext_lazy("copied the campaign"),
    "copy task": gettext_lazy("took over people and practice questions"),
    "completion": gettext_lazy("changed the completion code or return URL"),
    "practice on": gettext_lazy("switched the practice round on"),
    "practice off": gettext_lazy("switched the practice round off"),
    "add practice question": gettext_lazy("added a practice question"),
    "remove practice question": gettext_lazy("removed a practice question"),
    "import": gettext_lazy("imported the task"),
    "import evidence": gettext_lazy("added scores and error spans"),
    "collect assessments": gettext_lazy("asked for scores and error spans"),
    "compare systems": gettext_lazy("added comparisons of systems"),
    "export": gettext_lazy("exported answers"),
    "adjudicate": gettext_lazy("adjudicated a disputed pair"),
    "correct alignment": gettext_lazy("corrected an alignment"),
    "recut questions": gettext_lazy("changed the size of the questions"),
    "dismiss alignment report": gettext_lazy("dismissed an alignment report"),
    "erase person": gettext_lazy("deleted the account; the answers remain"),
}
# Keys of details as the page names them, in display order: PostgreSQL does not keep the order of JSON keys.
FIELD_NAMES = {
    "from": pgettext_lazy("history", "from"),
    "to": pgettext_lazy("history", "to"),
    "person": pgettext_lazy("history", "person"),
    "people": pgettext_lazy("history", "people"),
    "role": pgettext_lazy("history", "role"),
    "quota": pgettext_lazy("history", "quota"),
    "languages": pgettext_lazy("history", "languages"),
    "settings": pgettext_lazy("history", "settings"),
    "on": pgettext_lazy("history", "by schedule"),
    "invitation": pgettext_lazy("history", "invitation"),
    "uses": pgettext_lazy("history", "uses"),
    "days": pgettext_lazy("history", "days"),
    "code": pgettext_lazy("history", "code"),
    "url": pgettext_lazy("history", "link"),
    "question": pgettext_lazy("history", "question"),
    "pair": pgettext_lazy("history", "pair"),
    "choice": pgettext_lazy("history", "decision"),
    "item": pgettext_lazy("history", "sentence"),
    "comparison": pgettext_lazy("history", "comparison"),
    "version": pgettext_lazy("history", "version"),
    "links": pgettext_lazy("history", "word links"),
    "reports": pgettext_lazy("history", "reports closed"),
    "assignments_moved": pgettext_lazy("history", "open comparisons moved"),
    "slots_opened_again": pgettext_lazy("history", "slots opened again"),
    "question_size": pgettext_lazy("history", "size of a question"),
    "ask_all": pgettext_lazy("history", "every difference"),
    "protocol": pgettext_lazy("history", "protocol"),
    "passages": pgettext_lazy("history", "pages"),
    "protocols": pgettext_lazy("history", "protocols"),
    "assessments": pgettext_lazy("history", "assessments"),
    "systems": pgettext_lazy("history", "systems"),
    "comparisons": pgettext_lazy("history", "comparisons"),
    "format": pgettext_lazy("history", "format"),
    "identified": pgettext_lazy("history", "with names"),
    "job": pgettext_lazy("history", "job"),
}
# Keys whose values have display names.
VALUE_NAMES = {
    "from": dict(Task.State.choices),
    "to": dict(Task.State.choices),
    "role": dict(Role.choices),
    "question_size": dict(Task.QuestionSizes.choices),
}


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    at: datetime
    who: str
    what: str
    details: list[tuple[str, str]]


def build_history_page(task: Task, number: str = "") -> tuple[Page[AuditEntry], list[HistoryEntry]]:
    """Return one page of changes in three queries; an invalid number shows the first page."""
    about = Q(target=f"task {task.slug}") | Q(target__endswith=f" of {task.slug}")
    about |= Q(target=f"campaign {task.campaign.slug}")
    entries = AuditEntry.objects.filter(about).select_related("user")
    page = Paginator(entries, PER_PAGE).get_page(number)
    return page, [_make_entry(entry) for entry in page.object_list]


def _make_entry(entry: AuditEntry) -> HistoryEntry:
    detail = entry.detail if isinstance(entry.detail, dict) else {}
    if entry.action == "erase person":
        return HistoryEntry(entry.at, str(detail.get("now", "")), str(ACTION_NAMES[entry.action]), [])
    return HistoryEntry(
        entry.at,
        entry.user.get_username() if entry.user else _("someone"),
        str(ACTION_NAMES.get(entry.action, entry.action)),
        [
            (str(FIELD_NAMES.get(key, key.replace("_", " "))), _format_value(key, detail[key]))
            for key in dict.fromkeys([*FIELD_NAMES, *detail])  # the known fields first
            if detail.get(key) not in (None, "")
        ],
    )


def _format_value(key: str, value: object) -> str:
    if isinstance(value, str) and value in VALUE_NAMES.get(key, ()):
        return str(VALUE_NAMES[key][value])
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value)
