"""Votes and scores of runs as columns, and the side that people took between two candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Max

from evaluation.models import Alignment, Occurrence, Task
from evaluation.schemes import SIX_WAY, Choice
from metrics.models import PhraseVote, SegmentScore
from metrics.sidebyside import NONE, Floats, Ints

SIGN = {choice.value: NONE if choice.sign is None else choice.sign for choice in Choice}
SIGNS = np.array([choice.sign or 0 for choice in SIX_WAY.choices])


@dataclass(frozen=True, slots=True, eq=False)
class MachineVotes:
    """Runs × pairs: votes (``NONE`` where there is none) and Δ (NaN there)."""

    runs: tuple[int, ...]
    votes: Ints
    deltas: Floats

    def of(self, run: int) -> tuple[Ints, Floats] | None:
        """The votes and Δ of a run; None where it votes on no pair."""
        if run not in self.runs:
            return None
        place = self.runs.index(run)
        return self.votes[place], self.deltas[place]


def machine_votes_of(runs: Sequence[int], pair_keys: Ints) -> MachineVotes:
    """One query; ``pair_keys`` are the ids of the pairs, ascending."""
    rows = PhraseVote.objects.filter(run__in=runs).order_by()
    found = list(rows.values_list("run_id", "pair_id", "choice", "delta"))
    voting = tuple(run for run in runs if run in {row[0] for row in found})
    votes = np.full((len(voting), len(pair_keys)), NONE, dtype=np.int64)
    deltas = np.full((len(voting), len(pair_keys)), np.nan)
    if found:
        places = np.array([voting.index(row[0]) for row in found])
        pairs = np.searchsorted(pair_keys, [row[1] for row in found])
        votes[places, pairs] = [SIGN[row[2]] for row in found]
        deltas[places, pairs] = [row[3] for row in found]
    return MachineVotes(voting, votes, deltas)


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """(run, candidate) → score; systems that wrote the same text share it."""

    values: dict[tuple[int, int], float]

    def of(self, run: int, candidates: Ints, *, higher_is_better: bool) -> Floats:
        """Scores turned so that higher is better, NaN where there is none."""
        sign = 1.0 if higher_is_better else -1.0
        return np.array([sign * self.values.get((run, one), np.nan) for one in candidates.tolist()])


def sentence_scores(runs: Sequence[int]) -> SentenceScores:
    rows = SegmentScore.objects.filter(run__in=runs, value__isnull=False).order_by()
    return SentenceScores(
        {
            (run, candidate): value
            for run, candidate, value in rows.values_list("run_id", "output__candidate_id", "value")
            if value is not None
        }
    )


def sides_of(tasks: Sequence[Task], pair_keys: Ints, counts: Ints) -> tuple[Ints, Ints, Ints]:
    """(better candidate, worse candidate, item) of comparisons in which one side got more of people's votes.

    Every vote on a phrase pair counts wherever the pair stands in the newest alignment of two candidates.
    """
    newest = (
        Alignment.objects.filter(comparison__item__task__in=[t.pk for t in tasks], comparison__check_kind="")
        .values("comparison")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    place = "alignment__comparison"
    rows = Occurrence.objects.filter(alignment__in=newest).order_by()
    columns = (
        "pair_id",
        "flipped",
        f"{place}_id",
        f"{place}__first_id",
        f"{place}__second_id",
        f"{place}__item_id",
    )
    found = np.array(list(rows.values_list(*columns)), dtype=np.int64).reshape(-1, 6)
    net = (counts @ SIGNS)[np.searchsorted(pair_keys, found[:, 0])] * np.where(found[:, 1], -1, 1)
    _, where, codes = np.unique(found[:, 2], return_index=True, return_inverse=True)
    sums = np.bincount(codes.reshape(-1), net, minlength=len(where))
    decided = np.flatnonzero(sums)
    first, second, item = found[where[decided], 3], found[where[decided], 4], found[where[decided], 5]
    ahead = sums[decided] > 0
    return np.where(ahead, first, second), np.where(ahead, second, first), item
