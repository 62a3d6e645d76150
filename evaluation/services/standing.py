"""Computes in the background how far running tasks are decided, and stores it."""

from __future__ import annotations

import time
from datetime import timedelta

from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from evaluation.models import Ranking, Slot, Standing, Task
from evaluation.reports import judgements, votes
from evaluation.reports.standing import as_document, open_pairs
from evaluation.study import study_standing

LOOK_EVERY = timedelta(minutes=1)
IDLE_SHARE = 50  # computing may take at most a fiftieth of the time


def look_at_running_tasks() -> int:
    """Update each task with new answers, but not too often; returns how many were updated."""
    looked = 0
    for task in _running():
        newest = _newest(task)
        if _is_due(task, newest):
            keep_standing(task, newest)
            looked += 1
    return looked


def _newest(task: Task) -> int:
    """Grows with each answer and each finished seat; 0 before the first.

    Twice the answer, because a withdrawn one opens its seat again: one more and one less must not cancel out.
    """
    answer = Ranking.objects.filter(pair__task=task).aggregate(n=Max("pk"))["n"]
    return 2 * answer + task.slots.filter(state=Slot.State.DONE).count() if answer else 0


def keep_standing(task: Task, newest: int) -> Standing:
    """Compute the standing of a task and store it."""
    start = time.perf_counter()
    study = judgements.study([task])
    found = study_standing(study, votes.meetings([task], study), open_pairs([task], study))
    values = {
        "found": as_document(found) | ({} if task.is_open else {"closed": True}),
        "newest": newest,
        "seconds": time.perf_counter() - start,
        "made_at": timezone.now(),
    }
    return Standing.objects.update_or_create(task=task, defaults=values)[0]


def _running() -> QuerySet[Task]:
    """Open tasks, and those that were closed since their standing was stored."""
    tasks = Task.objects.select_related("campaign", "standing")
    unseen = Q(standing__isnull=True) | ~Q(standing__found__has_key="closed")
    closed = Q(state=Task.State.CLOSED) & unseen
    return tasks.filter(Q(state=Task.State.OPEN) | closed).order_by("pk")


def _is_due(task: Task, newest: int) -> bool:
    known: Standing | None = getattr(task, "standing", None)
    if known is None:
        return newest > 0
    if not task.is_open:
        return True
    pause = max(LOOK_EVERY, timedelta(seconds=known.seconds * IDLE_SHARE))
    return known.newest != newest and timezone.now() - known.made_at > pause
