"""Consistency of votes: cyclic triads, and the side bias of annotators.

A triad is cyclic if A beats B, B beats C and C beats A (Kendall & Babington Smith 1940). Many cyclic triads
mean that the systems have no order, or that an annotator is careless. The sides of a comparison are shuffled,
so without a side bias each side wins half of the decided comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import sqrt

import numpy as np

from appraise.lib.resampling import Interval
from evaluation.agreement.judgements import Codes, Floats, Ints
from evaluation.results.votes import Votes

CHUNK = 4_000_000  # cells of preference tables held at a time
LEFT, TIE, RIGHT, NOT_APPLICABLE = 1, 0, -1, 2
Z = 1.959964  # two-sided 95 %


@dataclass(frozen=True, slots=True)
class Triads:
    """Cyclic triads among those in which all three comparisons are decided."""

    cyclic: int
    decided: int

    @property
    def share(self) -> float | None:
        return self.cyclic / self.decided if self.decided else None


class PreferredSide(StrEnum):
    EVEN = "even"
    LEFT = "prefers left"
    RIGHT = "prefers right"


@dataclass(frozen=True, slots=True)
class SideBias:
    """Choices of one annotator by the side of the screen; shares are None without data."""

    left: int
    right: int
    ties: int
    not_applicable: int
    left_share: float | None
    interval: Interval | None
    side: PreferredSide | None

    @property
    def judgements(self) -> int:
        return self.left + self.right + self.ties + self.not_applicable

    @property
    def is_one_sided(self) -> bool:
        return self.side not in (None, PreferredSide.EVEN)

    @property
    def tie_share(self) -> float | None:
        return self.ties / self.judgements if self.judgements else None

    @property
    def not_applicable_share(self) -> float | None:
        return self.not_applicable / self.judgements if self.judgements else None


def count_triads(preferences: Ints) -> Triads:
    """Count triads in tables (… × systems × systems) of signs: 1 if the row is preferred, 0 if undecided.

    >>> count_triads(np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]))
    Triads(cyclic=1, decided=1)
    """
    beats = (preferences > 0).astype(np.float64)
    decided = (preferences != 0).astype(np.float64)
    return Triads(_count_closed_walks(beats) // 3, _count_closed_walks(decided) // 6)


def count_system_triads(votes: Votes) -> Triads:
    """Count triads of systems by the majority of all votes."""
    wins = votes.wins
    return count_triads(np.sign(wins - wins.T))


def count_annotator_triads(votes: Votes) -> dict[str, Triads]:
    """Count triads of each annotator within sentences, by the majority of the annotator's own votes."""
    return {
        name: _count_within_sentences(votes, np.flatnonzero(votes.annotators == code))
        for code, name in enumerate(votes.annotator_names)
    }


def measure_side_bias(sides: Codes) -> SideBias:
    """Measure the share of wins of the left side, with Wilson's 95 % interval.

    >>> measure_side_bias(np.array([LEFT] * 30 + [RIGHT] * 10 + [TIE])).side
    <PreferredSide.LEFT: 'prefers left'>
    """
    left, right, ties, other = (int((sides == code).sum()) for code in (LEFT, RIGHT, TIE, NOT_APPLICABLE))
    n = left + right
    interval = wilson_interval(left, n)
    side = None
    if interval is not None:
        is_left, is_right = interval[0] > 0.5, interval[1] < 0.5
        side = PreferredSide.LEFT if is_left else PreferredSide.RIGHT if is_right else PreferredSide.EVEN
    return SideBias(left, right, ties, other, left / n if n else None, interval, side)


def measure_side_bias_by_annotator(annotators: Codes, sides: Codes) -> dict[int, SideBias]:
    """Measure the side bias of each annotator code."""
    return {int(code): measure_side_bias(sides[annotators == code]) for code in np.unique(annotators)}


def wilson_interval(successes: int, n: int, z: float = Z) -> Interval | None:
    """Wilson's score interval of a share; None without data.

    >>> [round(end, 4) for end in wilson_interval(8, 10)]
    [0.4902, 0.9433]
    """
    if not n:
        return None
    p = successes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def _count_within_sentences(votes: Votes, rows: Ints) -> Triads:
    size = len(votes.system_names)
    sentences = np.unique(votes.sentences[rows], return_inverse=True)[1].reshape(-1)
    total = int(sentences.max(initial=-1)) + 1
    step = max(1, CHUNK // max(1, size * size))
    cyclic = decided = 0
    for start in range(0, total, step):
        in_chunk = (sentences >= start) & (sentences < start + step)
        net = np.zeros((min(step, total - start), size, size), dtype=np.int64)
        chunk, sentence = rows[in_chunk], sentences[in_chunk] - start
        np.add.at(net, (sentence, votes.first[chunk], votes.second[chunk]), votes.signs[chunk])
        triads = count_triads(np.sign(net - net.transpose(0, 2, 1)))
        cyclic, decided = cyclic + triads.cyclic, decided + triads.decided
    return Triads(cyclic, decided)


def _count_closed_walks(adjacency: Floats) -> int:
    """Count closed walks of length three: the trace of the cube."""
    return round(float(np.einsum("...ij,...ji->...", adjacency @ adjacency, adjacency).sum()))
