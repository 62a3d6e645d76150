"""Provides the votes of metrics on phrase pairs to ``evaluation``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from django.db.models import Exists, OuterRef

from evaluation.schemes import Choice
from evaluation.votes import Vote
from metrics.models import MetricRun, PhraseVote
from metrics.reports.runs import newest_ids


def metric_votes(task_ids: Sequence[int], pair_ids: Sequence[int] | None) -> Mapping[int, Sequence[Vote]]:
    """The votes of the newest run of each metric, by pair; one query."""
    rows = PhraseVote.objects.filter(run__in=newest_ids(task_ids)).order_by("run__metric", "run_id")
    if pair_ids is not None:
        rows = rows.filter(pair__in=pair_ids)
    said = list(rows.values_list("pair_id", "run_id", "run__metric", "choice", "delta"))
    sure = confidences([run for _, run, *_ in said], [delta for *_, delta in said])
    known = pair_ids is None  # confidence compares a vote with all others of its run
    found: dict[int, list[Vote]] = defaultdict(list)
    for (pair, _, metric, choice, _), share in zip(said, sure, strict=True):
        found[pair].append(Vote(metric, Choice(choice), share if known else None))
    return found


def metric_voters(task_ids: Sequence[int]) -> list[str]:
    """Every metric that has voted on phrases of the tasks; one query."""
    voted = MetricRun.objects.filter(Exists(PhraseVote.objects.filter(run=OuterRef("pk"))), task__in=task_ids)
    return list(voted.order_by("metric").values_list("metric", flat=True).distinct())


def confidences(runs: Sequence[int], deltas: Sequence[float]) -> list[float]:
    """Of each vote the share of votes of its run with a smaller |Δ|: scales of metrics do not compare.

    >>> confidences([1, 1, 1, 1, 2], [0.5, -2.0, 0.0, 0.5, 9.0])
    [0.25, 0.75, 0.0, 0.25, 0.0]
    """
    of_run, sizes = np.asarray(runs), np.abs(np.asarray(deltas, dtype=np.float64))
    shares = np.zeros(len(sizes))
    for run in np.unique(of_run):
        mine = np.flatnonzero(of_run == run)
        shares[mine] = np.searchsorted(np.sort(sizes[mine]), sizes[mine], side="left") / len(mine)
    found: list[float] = shares.tolist()
    return found
