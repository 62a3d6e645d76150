"""Which runs count: of each signature the newest, because an older one scored other texts or alignments.

Of scores that were imported under one name, the newest file counts.
"""

from __future__ import annotations

from metrics.models import MetricRun


def newest_runs(task_id: int) -> list[MetricRun]:
    """One run of each signature or imported name, in the order of the metrics' names; one query."""
    newest: dict[str, MetricRun] = {}
    for run in MetricRun.objects.filter(task=task_id).order_by("pk"):
        newest[f"imported {run.metric}" if run.imported else run.signature] = run
    return sorted(newest.values(), key=lambda run: (run.metric, run.signature))
