"""The first page: an annotator's own work, and how far the tasks are that somebody organises."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Max, Q, Sum

from evaluation.models import Assignment, Role, Task, User
from evaluation.reports.annotation import Progress, progress
from evaluation.reports.monitor import Seats, seats_of

TASKS_AT_ONCE, MANAGED_AT_ONCE = 50, 100


@dataclass(frozen=True, slots=True)
class OwnTask:
    task: Task
    progress: Progress
    last: Assignment | None

    @property
    def is_finished(self) -> bool:
        return self.progress.total > 0 and self.progress.done >= self.progress.total

    @property
    def is_begun(self) -> bool:
        return self.progress.done > 0 or self.last is not None


@dataclass(frozen=True, slots=True)
class ManagedTask:
    task: Task
    seats: Seats


@dataclass(frozen=True, slots=True)
class HomePage:
    tasks: Page[OwnTask]
    managed: Page[Task]
    managed_rows: list[ManagedTask]
    active_minutes: int
    comparisons: int


def home_page(user: User, number: str = "", managed_number: str = "") -> HomePage:
    """A constant number of queries, however many tasks and answers there are. Each list has its own page."""
    tasks = sorted(
        Task.objects.annotated_by(user)
        .filter(state__in=[Task.State.OPEN, Task.State.CLOSED])
        .select_related("campaign"),
        key=_in_order,
    )
    mine = {row["task"]: row for row in _work(user)}
    newest = {
        assignment.task_id: assignment
        for assignment in Assignment.objects.filter(pk__in=[row["newest"] for row in mine.values()])
    }
    own = [
        OwnTask(
            task,
            progress(row["done"], task.per_person, row["ms"] or 0)
            if row
            else progress(0, task.per_person, 0),
            newest.get(task.pk),
        )
        for task in tasks
        for row in [mine.get(task.pk)]
    ]
    tasks_in_order = sorted(own, key=lambda t: (t.is_finished, not t.task.is_open, not t.is_begun))
    organised = Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER).select_related("campaign")
    managed = Paginator(sorted(organised, key=_in_order), MANAGED_AT_ONCE).get_page(managed_number)
    seats = seats_of(list(managed)) if managed else {}
    return HomePage(
        tasks=Paginator(tasks_in_order, TASKS_AT_ONCE).get_page(number),
        managed=managed,
        managed_rows=[ManagedTask(task, seats[task.pk]) for task in managed],
        active_minutes=sum(t.progress.active_minutes for t in own),
        comparisons=sum(t.progress.done for t in own),
    )


def _in_order(task: Task) -> tuple[str, int, str]:
    """By name, but the second part of a set before the tenth."""
    return task.campaign.name, task.campaign_id, re.sub(r"\d+", lambda n: n[0].zfill(9), task.slug)


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """How far somebody has come: comparisons that are still open, and those that are answered."""

    open: int
    answered: int


def task_end(user: User, task: Task) -> TaskEnd:
    given = Q(finished_at__isnull=False, skip_reason="")
    found = Assignment.objects.filter(annotator__user=user, task=task).aggregate(
        open=Count("pk", filter=Q(finished_at__isnull=True)), answered=Count("pk", filter=given)
    )
    return TaskEnd(**found)


def _work(user: User) -> Iterable[Mapping[str, Any]]:  # Any: each column has a type of its own
    return (
        Assignment.objects.filter(annotator__user=user)
        .values("task")
        .annotate(
            done=Count("pk", filter=Q(finished_at__isnull=False)), ms=Sum("active_ms"), newest=Max("pk")
        )
    )
