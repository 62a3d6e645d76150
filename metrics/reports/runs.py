"""Which runs count: of each signature the newest, because an older one scored other texts or alignments.

Of scores that were imported under one name, the newest file counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Case, F, Max, QuerySet, Subquery, When

from evaluation.models import Job
from metrics.models import MetricRun


def newest_runs(task_id: int) -> list[MetricRun]:
    """One run of each signature or imported name, in the order of the metrics' names; one query."""
    return _newest(MetricRun.objects.filter(task=task_id))


def runs_and_work(task_id: int) -> tuple[list[MetricRun], Job | None]:
    """The same, and the newest scoring that is not over, of which id and title are known; one query."""
    unfinished = (Job.State.WAITING, Job.State.RUNNING)
    work = Job.objects.filter(task=task_id, kind="score", state__in=unfinished).only("pk", "title")
    runs = _newest(
        MetricRun.objects.filter(task=task_id).annotate(
            work=Subquery(work.values("pk")[:1]), title=Subquery(work.values("title")[:1])
        )
    )
    if not runs:
        return runs, work.first()
    pk, title = (getattr(runs[0], name) for name in ("work", "title"))
    return runs, None if pk is None else Job(pk=pk, title=title)


def _newest(runs: QuerySet[MetricRun]) -> list[MetricRun]:
    newest: dict[str, MetricRun] = {}
    for run in runs.order_by("pk"):
        newest[f"imported {run.metric}" if run.imported else run.signature] = run
    return sorted(newest.values(), key=lambda run: (run.metric, run.signature))


def newest_ids(task_ids: Sequence[int]) -> QuerySet[MetricRun, Any]:  # Any: as django-stubs has it
    """The same runs as a part of another query."""
    named = Case(When(imported=True, then=F("metric")), default=F("signature"))
    runs = MetricRun.objects.filter(task__in=task_ids).order_by()
    return runs.values("task", "imported", named=named).annotate(newest=Max("pk")).values("newest")
