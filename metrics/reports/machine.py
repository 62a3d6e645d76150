"""Votes and scores of runs as columns, and which of two candidates people preferred."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Value

from evaluation.models import Output
from evaluation.reports.votes import Places, Writers, writers
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


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """(run, candidate) → score; systems that wrote the same text share it."""

    values: dict[tuple[int, int], float]

    def of(self, run: int, candidates: Ints, *, higher_is_better: bool) -> Floats:
        """Scores turned so that higher is better, NaN where there is none."""
        sign = 1.0 if higher_is_better else -1.0
        return np.array([sign * self.values.get((run, one), np.nan) for one in candidates.tolist()])


@dataclass(frozen=True, slots=True)
class Said:
    """Everything stored for some runs, and which systems wrote the scored candidates."""

    votes: list[tuple[int, int, str, float]]  # run, pair, choice, Δ
    scores: SentenceScores
    writers: Writers


def read(task_id: int, runs: Sequence[int]) -> Said:
    """Votes on phrases, scores of candidates and outputs, in one query."""
    votes = PhraseVote.objects.filter(run__in=runs).order_by()
    scores = SegmentScore.objects.filter(run__in=runs, value__isnull=False).order_by()
    outputs = Output.objects.filter(item__task=task_id).order_by()
    kind = {name: Value(name) for name in ("vote", "score", "output")}
    nothing = Value(0.0)
    rows = outputs.values_list(kind["output"], Value(0), "candidate_id", "system__name", nothing).union(
        votes.values_list(kind["vote"], "run_id", "pair_id", "choice", "delta"),
        scores.values_list(kind["score"], "run_id", "output__candidate_id", Value(""), "value"),
        all=True,
    )
    found: dict[str, list[tuple[int, int, str, float]]] = {name: [] for name in kind}
    for name, *row in rows:
        found[name].append(tuple(row))
    written: dict[str, list[int]] = defaultdict(list)
    for _, candidate, system, _ in found["output"]:
        written[system].append(candidate)
    return Said(
        found["vote"],
        SentenceScores({(run, candidate): value for run, candidate, _, value in found["score"]}),
        writers([(name, np.array(candidates)) for name, candidates in written.items()]),
    )


def machine_votes_of(
    runs: Sequence[int], found: Sequence[tuple[int, int, str, float]], pair_keys: Ints
) -> MachineVotes:
    """``found`` is (run, pair, choice, Δ) of each vote; ``pair_keys`` are the ids of the pairs, ascending."""
    heard = {row[0] for row in found}
    voting = tuple(run for run in runs if run in heard)
    votes = np.full((len(voting), len(pair_keys)), NONE, dtype=np.int64)
    deltas = np.full((len(voting), len(pair_keys)), np.nan)
    if found:
        places = np.array([voting.index(row[0]) for row in found])
        pairs = np.searchsorted(pair_keys, [row[1] for row in found])
        votes[places, pairs] = [SIGN[row[2]] for row in found]
        deltas[places, pairs] = [row[3] for row in found]
    return MachineVotes(voting, votes, deltas)


def sides_of(where: Places, pair_keys: Ints, counts: Ints) -> tuple[Ints, Ints, Ints]:
    """(better candidate, worse candidate, item) of comparisons in which one side got more of people's votes.

    Every vote on a phrase pair counts wherever the pair stands in the newest alignment of two candidates.
    """
    net = (counts @ SIGNS)[np.searchsorted(pair_keys, where.pairs)]
    # A comparison is its two candidates; which of them holds the pair's first text changes from pair to pair.
    low, high = np.minimum(where.first, where.second), np.maximum(where.first, where.second)
    _, start, codes = np.unique(np.stack([low, high]), axis=1, return_index=True, return_inverse=True)
    sums = np.bincount(codes.reshape(-1), np.where(where.first == low, net, -net), minlength=len(start))
    decided = np.flatnonzero(sums)
    one, other, item = low[start[decided]], high[start[decided]], where.items[start[decided]]
    ahead = sums[decided] > 0
    return np.where(ahead, one, other), np.where(ahead, other, one), item
