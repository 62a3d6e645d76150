"""The home page, the end of a task, and the progress of a task by slots, answers and annotators."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import Avg, Count, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from evaluation.annotate.queries import TaskProgress, estimate_progress
from evaluation.annotate.services.assignments import count_left
from evaluation.blinding import pseudonym
from evaluation.models import (
    Annotator,
    Assessment,
    Assignment,
    Campaign,
    PhrasePair,
    Ranking,
    Role,
    SentenceAnswer,
    Slot,
    Task,
    User,
)
from evaluation.schemes import Choice

TASKS_AT_ONCE, MANAGED_AT_ONCE = 50, 100
IDLE_AFTER = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class OwnTask:
    """``progress`` is of the sentences that the annotator has got and may still get."""

    task: Task
    progress: TaskProgress
    given: int

    @property
    def is_finished(self) -> bool:
        return self.is_begun and self.progress.done >= self.progress.total

    @property
    def is_full(self) -> bool:
        """Whether others have taken everything before this annotator began."""
        return self.task.is_open and self.progress.total == 0

    @property
    def is_begun(self) -> bool:
        return self.given > 0


@dataclass(frozen=True, slots=True)
class ManagedTask:
    task: Task
    slots: SlotCounts


@dataclass(frozen=True, slots=True)
class OwnCampaign:
    """A campaign in which several tasks wait for the annotator."""

    campaign: Campaign
    tasks: int
    done: int


@dataclass(frozen=True, slots=True)
class HomePage:
    tasks: Page[OwnTask]
    campaigns: list[OwnCampaign]
    managed_campaigns: list[Campaign]
    managed: Page[Task]
    managed_rows: list[ManagedTask]
    active_minutes: int
    comparisons: int


def build_home_page(user: User, number: str = "", managed_number: str = "") -> HomePage:
    """Return the home page in a constant number of queries. Each list has its own page number."""
    tasks = sorted(
        Task.objects.annotated_by(user)
        .filter(state__in=[Task.State.OPEN, Task.State.CLOSED])
        .select_related("campaign"),
        key=_sort_key,
    )
    work = Assignment.objects.filter(annotator__user=user).values_list("task").annotate(
        given=Count("pk"), done=Count("pk", filter=Q(finished_at__isnull=False)), ms=Sum("active_ms")
    )  # fmt: skip
    work_on = {pk: counts for pk, *counts in work}
    begun = {pk: (given, given - done) for pk, (given, done, _ms) in work_on.items()}
    left, own = count_left(tasks, user, begun), []
    for task in tasks:
        assigned, done, ms = work_on.get(task.pk, (0, 0, 0))
        total = assigned + left[task.pk] if task.is_open else task.per_person
        own.append(OwnTask(task, estimate_progress(done, total, ms), assigned))
    tasks_in_order = sorted(
        own, key=lambda t: (t.is_finished or t.is_full, not t.task.is_open, not t.is_begun)
    )
    studied = Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER).select_related("campaign")
    managed = Paginator(sorted(studied, key=_sort_key), MANAGED_AT_ONCE).get_page(managed_number)
    slots = count_slots(list(managed)) if managed else {}
    campaigns = Campaign.objects.with_role(user, Role.MANAGER, Role.RESEARCHER)
    return HomePage(
        tasks=Paginator(tasks_in_order, TASKS_AT_ONCE).get_page(number),
        campaigns=_group_by_campaign(own),
        managed_campaigns=list(campaigns[:MANAGED_AT_ONCE]),
        managed=managed,
        managed_rows=[ManagedTask(task, slots[task.pk]) for task in managed],
        active_minutes=round(sum(work_on[task.pk][2] for task in tasks if task.pk in work_on) / 60_000),
        comparisons=sum(t.progress.done for t in own),
    )


def _group_by_campaign(own: Iterable[OwnTask]) -> list[OwnCampaign]:
    """Return the campaigns in which two or more tasks are not finished."""
    waiting: dict[int, list[OwnTask]] = {}
    for task in own:
        if task.task.is_open and not (task.is_finished or task.is_full):
            waiting.setdefault(task.task.campaign_id, []).append(task)
    return [
        OwnCampaign(tasks[0].task.campaign, len(tasks), sum(task.progress.done for task in tasks))
        for tasks in waiting.values()
        if len(tasks) > 1
    ]


def _sort_key(task: Task) -> tuple[str, int, str]:
    """Sort by name, with numbers in numeric order."""
    return task.campaign.name, task.campaign_id, re.sub(r"\d+", lambda n: n[0].zfill(9), task.slug)


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """How many sentences the annotator has open, has answered, has got, and may still get."""

    open: int
    answered: int
    given: int
    left: int

    @property
    def is_end(self) -> bool:
        return not (self.open or self.left)


def load_task_end(user: User, task: Task) -> TaskEnd:
    is_answered = Q(finished_at__isnull=False, skip_reason="")
    counts = Assignment.objects.filter(annotator__user=user, task=task).aggregate(
        open=Count("pk", filter=Q(finished_at__isnull=True)),
        answered=Count("pk", filter=is_answered),
        given=Count("pk"),
    )
    left = count_left([task], user)[task.pk]
    return TaskEnd(**counts if task.is_open else {**counts, "open": 0}, left=left)


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    name: str
    done: int
    answers: int
    assessments: int
    seconds: float | None
    not_applicable: int
    last: datetime | None

    @property
    def na_share(self) -> float | None:
        return self.not_applicable / self.answers if self.answers else None

    @property
    def is_idle(self) -> bool:
        return self.last is None or timezone.now() - self.last > IDLE_AFTER


@dataclass(frozen=True, slots=True)
class MonitorPage:
    slots: int
    slots_done: int
    pairs: int
    sentence_answers: int  # preferences and ratings, including imported ones
    assessments: int  # that were collected here
    answers: int
    by_label: list[tuple[Choice, int]]
    annotators: list[AnnotatorRow]
    only_assesses: bool = False  # whether no phrases are ranked

    @property
    def has_answers(self) -> bool:
        return self.answers > 0

    @property
    def na_share(self) -> float | None:
        labels = dict(self.by_label)
        return labels.get(Choice.NOT_APPLICABLE, 0) / self.answers if self.answers else None


class SlotCounts(NamedTuple):
    """The number of slots of a task, and of the finished ones."""

    total: int
    done: int

    @property
    def share(self) -> float | None:
        """The finished share, rounded down to per cents, so that 100% means all."""
        return 100 * self.done // self.total / 100 if self.total else None


def count_slots(tasks: Collection[Task]) -> dict[int, SlotCounts]:
    """Return the slots of each task by its id; one query."""
    counted = Slot.objects.filter(task__in=tasks).order_by().values_list("task")
    found = counted.annotate(total=Count("pk"), done=Count("pk", filter=Q(state=Slot.State.DONE)))
    return {task.pk: SlotCounts(0, 0) for task in tasks} | {
        pk: SlotCounts(*numbers) for pk, *numbers in found
    }


def build_monitor_page(task: Task, *, named: bool = False) -> MonitorPage:
    """Return the progress of a task; five queries at most. Corrections count as answers here.

    Annotators are shown under pseudonyms, or under user names if ``named``.
    """
    slots, pairs = Slot.objects.filter(task=OuterRef("pk")), PhrasePair.objects.filter(task=OuterRef("pk"))
    done = slots.filter(state=Slot.State.DONE)
    sentence_answers = SentenceAnswer.objects.filter(comparison__item__task=OuterRef("pk")).exclude(value="")
    sentence_answers = sentence_answers.exclude(question=SentenceAnswer.Question.COMMENT)
    counts = Task.objects.values_list(
        _count_subquery(slots),
        _count_subquery(done),
        _count_subquery(pairs),
        _count_subquery(sentence_answers, "comparison__item__task"),
    ).get(pk=task.pk)
    rankings = Ranking.objects.filter(pair__task=task, choice__isnull=False)
    annotators = _load_annotators(task, named=named)
    labels = dict(rankings.values_list("choice").annotate(n=Count("pk")).order_by())
    return MonitorPage(
        slots=counts[0],
        slots_done=counts[1],
        pairs=counts[2],
        sentence_answers=counts[3],
        assessments=sum(row.assessments for row in annotators),
        answers=sum(labels.values()),
        by_label=[(choice, labels.get(choice.value, 0)) for choice in task.scheme.choices],
        annotators=annotators,
        only_assesses=bool(task.assessed_as) and not counts[2],
    )


def _count_subquery(rows: QuerySet[Any], of: str = "task") -> Coalesce:
    """Return a subquery that counts the related rows of an outer row; Any: rows of any model."""
    counted = rows.order_by().values(of).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)


def _load_annotators(task: Task, *, named: bool) -> list[AnnotatorRow]:
    finished = Assignment.objects.filter(task=task, annotator=OuterRef("pk"), finished_at__isnull=False)
    people = Annotator.objects.select_related("user").annotate(done=_count_subquery(finished, "annotator"))
    # A separate query: a join would count the finished assignments once for every answer.
    answers: dict[int, list[Any]] = {annotator: counts for annotator, *counts in _count_answers(task)}
    assessments: dict[int, list[Any]] = {annotator: counts for annotator, *counts in _count_assessments(task)}
    rows = []
    for person in people.filter(pk__in=answers | assessments).order_by("pk"):
        given, seconds, not_applicable, last = answers.get(person.pk, [0, None, 0, None])
        assessed, last_assessed = assessments.get(person.pk, [0, None])
        times = [time for time in (last, last_assessed) if time is not None]
        name = str(person) if named or person.machine else pseudonym(task.campaign.key, person.key)
        last = max(times, default=None)
        rows.append(AnnotatorRow(name, person.done, given, assessed, seconds, not_applicable, last))
    return rows


def _count_assessments(task: Task) -> Iterable[tuple[Any, ...]]:
    """Return the answers about translations by annotator, and the time of the last; no query if none are
    asked for."""
    if not task.assessed_as:
        return []
    answers = Assessment.objects.of_tasks([task.pk]).filter(
        protocol__in=task.collected_names, is_withdrawn=False
    )
    counts = answers.order_by().values_list("annotator")
    return counts.annotate(answers=Count("output", distinct=True), last=Max("received_at"))


def _count_answers(task: Task) -> Iterable[tuple[Any, ...]]:  # Any: each column has a type of its own
    return (
        Ranking.objects.filter(pair__task=task)
        .order_by()
        .values_list("annotator")
        .annotate(
            answers=Count("pk", filter=Q(choice__isnull=False)),
            seconds=Avg("active_ms") / 1000,
            not_applicable=Count("pk", filter=Q(choice=Choice.NOT_APPLICABLE)),
            last=Max("received_at"),
        )
    )
