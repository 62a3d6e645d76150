"""Provides the votes of metrics on phrase pairs to ``evaluation``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from django.db.models import Exists, OuterRef

from evaluation.schemes import Choice
from evaluation.voters import Vote, rank_confidences
from metrics.models import MetricRun, PhraseVote
from metrics.scoring.queries import newest_run_ids


def metric_votes(task_ids: Sequence[int], pair_ids: Sequence[int] | None) -> Mapping[int, Sequence[Vote]]:
    """Return the votes of the newest run of each metric, by pair; one query."""
    rows = PhraseVote.objects.filter(run__in=newest_run_ids(task_ids)).order_by("run__metric", "run_id")
    if pair_ids is not None:
        rows = rows.filter(pair__in=pair_ids)
    votes = list(rows.values_list("pair_id", "run_id", "run__metric", "choice", "delta"))
    shares = confidences([run for _, run, *_ in votes], [delta for *_, delta in votes])
    is_complete = pair_ids is None  # confidence compares a vote with all others of its run
    by_pair: dict[int, list[Vote]] = defaultdict(list)
    for (pair, _, metric, choice, _), share in zip(votes, shares, strict=True):
        by_pair[pair].append(Vote(metric, Choice(choice), share if is_complete else None))
    return by_pair


def metric_voters(task_ids: Sequence[int]) -> list[str]:
    """Return every metric that has voted on phrases of the tasks; one query."""
    voted = MetricRun.objects.filter(Exists(PhraseVote.objects.filter(run=OuterRef("pk"))), task__in=task_ids)
    return list(voted.order_by("metric").values_list("metric", flat=True).distinct())


def confidences(runs: Sequence[int], deltas: Sequence[float]) -> list[float]:
    """Return for each vote the share of votes of its run with a smaller |Δ|, since metrics differ in scale.

    >>> confidences([1, 1, 1, 1, 2], [0.5, -2.0, 0.0, 0.5, 9.0])
    [0.25, 0.75, 0.0, 0.25, 0.0]
    """
    of_run, sizes = np.asarray(runs), np.abs(np.asarray(deltas, dtype=np.float64))
    shares = np.zeros(len(sizes))
    for run in np.unique(of_run):
        rows = np.flatnonzero(of_run == run)
        shares[rows] = rank_confidences(sizes[rows].tolist())
    result: list[float] = shares.tolist()
    return result
