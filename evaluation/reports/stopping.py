"""The stopping rule: whether it is decided which system is better, for the page, the command and the monitor.

The worker updates the stored result of each running task in the background.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
from django.db.models import Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from ninja import Field

from appraise.lib.tables import Table
from evaluation.models import Ranking, Slot, StoppingStatus, Task
from evaluation.reports import plots
from evaluation.reports.registry import Report, ReportOptions, report
from evaluation.reports.scope import Scope, get_study, get_system_pairs
from evaluation.reports.study_query import load_study, load_system_pairs
from evaluation.reports.system_results import compute_results, find_open_pairs
from evaluation.stopping.decisions import (
    ALPHA,
    HALF_WIDTH,
    StoppingResult,
    evaluate_stopping_rule,
    find_differing_pairs,
)

UPDATE_INTERVAL = timedelta(minutes=1)
IDLE_FACTOR = 50  # updating may take at most a fiftieth of the time


@dataclass(frozen=True, slots=True)
class StoppingPage:
    scope: Scope
    result: StoppingResult
    differing: tuple[str, ...]
    """The system pairs about which the sign test of the results says something else."""


class StoppingOptions(ReportOptions):
    alpha: float = Field(
        default=ALPHA,
        ge=0.0001,
        le=0.5,
        description="Risk that any of the decisions is ever wrong",
    )
    wanted: float = Field(
        default=HALF_WIDTH, ge=0.005, le=1, description="Wanted half-width of the interval of κ"
    )


@report("stopping", title=_("Stopping rule"), path="standing", section="results")
class Stopping(Report[StoppingOptions, StoppingPage]):
    """Is it decided which system is better, and is κ precise enough? Valid however often one looks."""

    options = StoppingOptions
    tables = {
        "decisions": lambda page: _decision_table(page.result),
        "kappa": lambda page: _kappa_table(page.result),
    }
    plots = {
        "contests": lambda page: plots.contests(
            [(row.a, row.b, row.decision.mean, (row.decision.low, row.decision.high))
             for row in page.result.system_pairs]
        )
    }  # fmt: skip

    def compute(self, scope: Scope, options: StoppingOptions) -> StoppingPage:
        result = apply_stopping_rule(scope, options.alpha, options.wanted)
        differing = find_differing_pairs(result.system_pairs, compute_results(scope).comparisons)
        return StoppingPage(scope, result, differing)

    def document(self, page: StoppingPage) -> dict[str, Any]:  # Any: JSON
        return {**stopping_document(page.result), "differs_from_results": list(page.differing)}


def apply_stopping_rule(scope: Scope, alpha: float = ALPHA, wanted: float = HALF_WIDTH) -> StoppingResult:
    """Apply the rule to the current answers.

    Open pairs are queried each time, since a slot can be finished without a new answer.
    """
    study, system_pairs = get_study(scope), get_system_pairs(scope)
    awaited = find_open_pairs(scope.tasks, study)

    def compute() -> StoppingResult:
        return evaluate_stopping_rule(study, system_pairs, awaited, alpha=alpha, wanted=wanted)

    return scope.cached("stopping", compute, alpha, wanted, np.packbits(awaited).tobytes())


def _decision_table(result: StoppingResult) -> Table:
    columns = (
        "system", "against", "better", "sentences", "under way", "mean difference", "low", "high",
        "decided after", "about more",
    )  # fmt: skip
    rows = tuple(
        (row.a, row.b, row.better, row.decision.n, row.under_way, row.decision.mean, row.decision.low,
         row.decision.high, row.decision.decided_after, row.decision.more)
        for row in result.system_pairs
    )  # fmt: skip
    return Table("Better system of each pair, valid at any time", columns, rows)


def _kappa_table(result: StoppingResult) -> Table:
    columns = ("kappa", "low", "high", "sentences", "half-width", "wanted", "enough", "about more")
    known = result.precision
    kappa = (result.kappa, *(result.interval or (None, None)), result.sentences)
    precision = (
        (None,) * 4
        if known is None
        else (known.half_width, known.wanted, "yes" if known.enough else "no", known.more)
    )
    return Table("Precision of kappa", columns, ((*kappa, *precision),))


def stopping_document(result: StoppingResult) -> dict[str, object]:
    """Return JSON values for the command, the API and the stored result of the monitor page."""
    return {
        "alpha": result.alpha,
        "undecided": result.undecided,
        "systems": [
            {"a": row.a, "b": row.b, "better": row.better, "under_way": row.under_way}
            | {k: v for k, v in row.decision._asdict().items() if k != "better"}
            for row in result.system_pairs
        ],
        "kappa": result.kappa,
        "kappa_ci": None if result.interval is None else list(result.interval),
        "sentences": result.sentences,
        "precision": None if result.precision is None else result.precision._asdict(),
    }


def update_running_tasks() -> int:
    """Update the stored result of each task with new answers, but not too often; returns how many."""
    updated = 0
    for task in _running_tasks():
        version = _answer_version(task)
        if _is_due(task, version):
            store_stopping_status(task, version)
            updated += 1
    return updated


def _answer_version(task: Task) -> int:
    """Return a number that grows with each answer and each finished slot; 0 before the first answer.

    The answer's id counts twice, because a withdrawn answer reopens its slot: the two must not cancel out.
    """
    answer = Ranking.objects.filter(pair__task=task).aggregate(n=Max("pk"))["n"]
    return 2 * answer + task.slots.filter(state=Slot.State.DONE).count() if answer else 0


def store_stopping_status(task: Task, version: int) -> StoppingStatus:
    """Apply the stopping rule to a task and store the result."""
    start = time.perf_counter()
    study = load_study([task])
    result = evaluate_stopping_rule(study, load_system_pairs([task], study), find_open_pairs([task], study))
    values = {
        "result": stopping_document(result) | ({} if task.is_open else {"closed": True}),
        "newest": version,
        "seconds": time.perf_counter() - start,
        "made_at": timezone.now(),
    }
    return StoppingStatus.objects.update_or_create(task=task, defaults=values)[0]


def _running_tasks() -> QuerySet[Task]:
    """Open tasks, and those that were closed since their result was stored."""
    tasks = Task.objects.select_related("campaign", "stopping_status")
    is_stale = Q(stopping_status__isnull=True) | ~Q(stopping_status__result__has_key="closed")
    closed = Q(state=Task.State.CLOSED) & is_stale
    return tasks.filter(Q(state=Task.State.OPEN) | closed).order_by("pk")


def _is_due(task: Task, version: int) -> bool:
    stored: StoppingStatus | None = getattr(task, "stopping_status", None)
    if stored is None:
        return version > 0
    if not task.is_open:
        return True
    pause = max(UPDATE_INTERVAL, timedelta(seconds=stored.seconds * IDLE_FACTOR))
    return stored.newest != version and timezone.now() - stored.made_at > pause
