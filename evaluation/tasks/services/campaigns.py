"""Settings and states of many tasks of a campaign at once, its schedule, and which task somebody gets next.

Every task has its own columns, so a task differs from its campaign as soon as its value is changed. What was
last set for all tasks is also stored at the campaign: later tasks begin with it where their upload says
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from evaluation.annotate.services.assignments import count_left
from evaluation.models import (
    Assignment,
    AuditEntry,
    Campaign,
    Membership,
    PracticeQuestion,
    Slot,
    Task,
    User,
)
from evaluation.tasks.services.management import TRANSITIONS
from evaluation.tasks.services.slots import resize_slots

# Columns of a task that are set for many; ``overlap`` also changes slots.
TASK_COLUMNS = (
    "overlap", "most_per_person", "opens_at", "closes_at", "instructions", "practice", "ask_sentence",
    "ask_reasons", "completion_code", "completion_url",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CampaignChange:
    """What to set for some tasks; what is not in ``values`` stays. ``state`` is empty to keep it.

    ``practice_from`` is a task whose practice questions the others get.
    """

    values: Mapping[str, Any]  # Any: the type of each column
    state: str = ""
    practice_from: Task | None = None

    @property
    def is_empty(self) -> bool:
        return not (self.values or self.state or self.practice_from)


@dataclass(frozen=True, slots=True)
class TaskEffect:
    """What a change means for a task: column, old and new value; and the slots it adds or removes."""

    task: Task
    changes: tuple[tuple[str, Any, Any], ...]  # Any: as above
    slots: int = 0


def preview_change(tasks: Sequence[Task], change: CampaignChange) -> list[TaskEffect]:
    """Return the effects on each task, without changing anything; one query."""
    sizes = _count_slots(tasks) if "overlap" in change.values else {}
    effects = []
    for task in tasks:
        changes = [
            (name, getattr(task, name), value)
            for name, value in change.values.items()
            if getattr(task, name) != value
        ]
        if change.state and change.state in TRANSITIONS[task.state]:
            changes.append(("state", task.state, change.state))
        if change.practice_from not in (None, task):
            changes.append(("practice_from", None, change.practice_from))
        slots = 0
        if task.pk in sizes:
            comparisons, taken, free = sizes[task.pk]
            slots = max(change.values["overlap"] * comparisons - taken - free, -free)
        effects.append(TaskEffect(task, tuple(changes), slots))
    return effects


def _count_slots(tasks: Collection[Task]) -> dict[int, tuple[int, int, int]]:
    """Return the showings (comparisons with repeats), taken slots and free slots of each task."""
    is_free = Q(state=Slot.State.FREE)
    counts = Slot.objects.filter(task__in=tasks).order_by().values_list("task").annotate(
        free=Count("pk", filter=is_free), taken=Count("pk", filter=~is_free)
    )  # fmt: skip
    sizes = {task.pk: task.size + task.repeated for task in tasks}
    return {pk: (sizes[pk], taken, free) for pk, free, taken in counts}


def apply_change(
    campaign: Campaign, tasks: Sequence[Task], change: CampaignChange, *, by: User | None, for_all: bool
) -> int:
    """Change some tasks; returns how many were changed. ``for_all``: later tasks begin with these values."""
    unknown = set(change.values) - set(TASK_COLUMNS)
    assert not unknown, unknown
    changed = 0
    with transaction.atomic():
        locked = {
            task.pk: task for task in Task.objects.select_for_update().filter(pk__in=[t.pk for t in tasks])
        }
        for effect in preview_change([locked[task.pk] for task in tasks if task.pk in locked], change):
            if effect.changes:
                _change_task(effect, change, by=by)
                changed += 1
        if for_all:
            stored = {name: _as_json(value) for name, value in change.values.items() if name != "overlap"}
            campaign.task_settings = {**campaign.task_settings, **stored}
            campaign.save(update_fields=["task_settings"])
    if "overlap" in change.values:
        for task in tasks:  # a transaction each, so that annotators are not blocked
            resize_slots(task, change.values["overlap"])
    return changed


def _change_task(effect: TaskEffect, change: CampaignChange, *, by: User | None) -> None:
    task = effect.task
    columns = {name: new for name, _old, new in effect.changes if name != "practice_from"}
    if columns:
        Task.objects.filter(pk=task.pk).update(**columns)
    if change.practice_from is not None and change.practice_from != task:
        copy_practice_questions(change.practice_from, task)
    if "state" in columns:
        AuditEntry.objects.record(by, "state", task, {"from": task.state, "to": columns.pop("state")})
    if effect.changes and effect.changes != (("state", task.state, change.state),):
        names = [name for name, *_values in effect.changes if name != "state"]
        AuditEntry.objects.record(by, "change settings", task, {"settings": names})


def copy_practice_questions(source: Task, target: Task) -> None:
    """Replace the practice questions of a task by those of another."""
    target.practice_questions.all().delete()
    questions = source.practice_questions.values("above", "first", "second", "expected", "why")
    PracticeQuestion.objects.bulk_create(PracticeQuestion(task=target, **question) for question in questions)


def _as_json(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def apply_schedule(now: datetime | None = None) -> int:
    """Open and close the tasks whose time has come; returns how many. A time that has come is forgotten."""
    now, changed = now or timezone.now(), 0
    waiting = Q(state__in=[Task.State.DRAFT, Task.State.CLOSED])
    for column, before, to in (
        ("opens_at", waiting, Task.State.OPEN),
        ("closes_at", Q(state=Task.State.OPEN), Task.State.CLOSED),
    ):
        due = Task.objects.filter(before, **{f"{column}__lte": now})
        for task in due.order_by("pk"):
            with transaction.atomic():
                if due.filter(pk=task.pk).update(state=to, **{column: None}):
                    AuditEntry.objects.record(
                        None, "state", task, {"from": task.state, "to": to, "on": column}
                    )
                    changed += 1
        # Also where nothing was to be done, so that who closes or reopens a task later is not contradicted.
        Task.objects.filter(**{f"{column}__lte": now}).update(**{column: None})
    return changed


def pick_task(tasks: Collection[Task], user: User) -> Task | None:
    """Return the task that somebody works on next; None if nothing is left for them in any.

    An unfinished sentence comes first, then a task that was begun, then the task with the largest share of
    slots that nobody has.
    """
    is_open = [task for task in tasks if task.is_open]
    left = count_left(is_open, user)
    own = Assignment.objects.filter(annotator__user=user, task__in=is_open).order_by().values_list("task")
    begun = dict(own.annotate(n=Count("pk", filter=Q(finished_at=None))))
    sizes = _count_slots(is_open)

    def sort_key(task: Task) -> tuple[bool, bool, float, int]:
        _size, taken, free = sizes.get(task.pk, (0, 0, 0))
        return not begun.get(task.pk), task.pk not in begun, -free / max(1, taken + free), task.pk

    possible = [task for task in is_open if begun.get(task.pk) or left[task.pk]]
    return min(possible, key=sort_key, default=None)


def copy_into(source: Task, made: Sequence[Task], *, by: User | None) -> None:
    """Give new tasks what their model has beside its settings: practice questions, texts and members."""
    with transaction.atomic():
        for task in made:
            copy_practice_questions(source, task)
            Task.objects.filter(pk=task.pk).update(
                most_per_person=source.most_per_person, lease_minutes=source.lease_minutes,
                completion_code=source.completion_code, completion_url=source.completion_url,
            )  # fmt: skip
            copy_members(source.memberships.filter(user__is_active=True), task.campaign, task)
            AuditEntry.objects.record(by, "copy task", task, {"from": source.name})


def copy_members(members: QuerySet[Membership], campaign: Campaign, task: Task | None) -> None:
    Membership.objects.bulk_create(
        [
            Membership(
                user_id=member.user_id, campaign=campaign, task=task, role=member.role, quota=member.quota,
                languages=member.languages,
            )
            for member in members
        ],
        ignore_conflicts=True,
    )  # fmt: skip
