"""Stored scores in the form that the command ``score`` and the API print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.models import Task
from metrics.models import MetricRun, SegmentScore


def task_scores(task: Task, runs: Mapping[str, int]) -> dict[str, Any]:
    """``{metric: {"signature", "higher_is_better", "corpus", "segments": {system: [x…]}}}``; two queries.

    Segments stand in the order of the task's items; what a system did not translate is left out.
    """
    found = MetricRun.objects.filter(task=task).in_bulk(list(runs.values()))
    segments: dict[int, dict[str, list[float | None]]] = {run: {} for run in found}
    rows = SegmentScore.objects.filter(run__in=found).order_by(
        "output__system__name", "output__item__position"
    )
    for run, system, value in rows.values_list("run_id", "output__system__name", "value"):
        segments[run].setdefault(system, []).append(value)
    return {
        name: {
            "signature": found[run].signature,
            "higher_is_better": found[run].higher_is_better,
            "corpus": found[run].corpus,
            "segments": segments[run],
        }
        for name, run in runs.items()
    }
