"""Segment-level agreement with pairwise human verdicts: Kendall's τ under named tie rules, and accuracy.

A metric agrees with a decisive human pair (concordant, C), contradicts it (discordant, D) or gives both
translations the same score (metric tie, T). Human ties are always left out of τ. The rules, which move τ by
one to nine points on the same data:

| rule | τ | used by |
|---|---|---|
| ``drop`` | (C − D) / (C + D) | metric ties are forgiven |
| ``wmt14`` | (C − D) / (C + D + T) | Macháček and Bojar 2014 |
| ``wmt12`` | (C − D − T) / (C + D + T) | Callison-Burch et al. 2012; a metric tie is an error |
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from metrics.datasets import Comparisons, FloatArray, IntArray


class TieRule(StrEnum):
    """What a metric tie on a decisive human pair counts."""

    WMT12 = "wmt12"
    WMT14 = "wmt14"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Pairwise accuracy at the best tie threshold; ``threshold`` is the largest difference called a tie."""

    accuracy: float
    threshold: float
    pairs: int


def outcome_counts(scores: FloatArray, human: Comparisons, segments: IntArray) -> IntArray:
    """Rows (C, D, T), one per segment that has a decisive pair; scores are higher-is-better.

    ``segments`` gives the segment of every cell. Summing the rows gives the counts of the whole set, so that
    resampling segments is adding rows. A pair with a score that is NaN is in no column.

    >>> human = Comparisons(np.array([0, 0, 1]), np.array([1, 2, 2]), np.empty((0, 2), dtype=np.int64))
    >>> outcome_counts(np.array([0.9, 0.5, 0.5]), human, np.array([0, 0, 0])).tolist()
    [[2, 0, 1]]
    """
    difference = scores[human.better] - scores[human.worse]
    _, rows = np.unique(segments[human.better], return_inverse=True)
    size = int(rows.max()) + 1 if rows.size else 0
    kinds = (difference > 0, difference < 0, difference == 0)
    return np.column_stack([np.bincount(rows[kind], minlength=size) for kind in kinds]).astype(np.int64)


def tau(counts: IntArray | FloatArray, rule: TieRule) -> FloatArray:
    """τ of counts (C, D, T) on the last axis; NaN where no pair is left.

    >>> tau(np.array([6, 2, 2]), TieRule.DROP).item(), tau(np.array([6, 2, 2]), TieRule.WMT14).item()
    (0.5, 0.4)
    >>> tau(np.array([6, 2, 2]), TieRule.WMT12).item()
    0.2
    """
    concordant, discordant, tied = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    over = concordant + discordant + (0 if rule is TieRule.DROP else tied)
    won = concordant - discordant - (tied if rule is TieRule.WMT12 else 0)
    result: FloatArray = np.divide(won, over, out=np.full_like(over, np.nan), where=over > 0)
    return result


def tau_b(metric: FloatArray, human: FloatArray) -> float | None:
    """Kendall's τ-b of two score vectors; None for fewer than two values or a constant side.

    >>> round(tau_b(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0])), 4)
    0.8165
    """
    if len(metric) < 2 or np.ptp(metric) == 0 or np.ptp(human) == 0:
        return None
    from scipy import stats  # takes half a second to load, so only where it is needed

    return float(stats.kendalltau(metric, human).statistic)


def calibrated_accuracy(scores: FloatArray, human: Comparisons) -> Calibrated | None:
    """Pairwise accuracy with tie calibration (Deutsch, Foster and Freitag 2023); human ties count.

    The metric calls a pair tied when its scores differ by at most ε; ε is the value that makes most pairs
    right on this very set, the smallest one if several do. So the figure is an upper bound: it says what the
    metric could do if its ties were known.
    """
    decisive = scores[human.better] - scores[human.worse]
    tied = np.abs(scores[human.tied[:, 0]] - scores[human.tied[:, 1]])
    total = len(decisive) + len(tied)
    if total == 0:
        return None
    # Raising ε past |d| gains the human ties at |d| and loses the decisive pairs that were right there.
    size = np.concatenate([[0.0], np.abs(decisive), tied])
    gain = np.concatenate([[0], -(decisive > 0).astype(np.int64), np.ones(len(tied), dtype=np.int64)])
    thresholds, place = np.unique(size, return_inverse=True)
    right = np.count_nonzero(decisive > 0) + np.cumsum(np.bincount(place, weights=gain))
    best = int(np.argmax(right))
    return Calibrated(float(right[best]) / total, float(thresholds[best]), total)


def ranked_list_accuracy(gold: Sequence[Hashable], answer: Sequence[Hashable]) -> float | None:
    """The share of pairs that an answer puts in the gold order (Han and Lavie 2005, paper 002).

    >>> ranked_list_accuracy("abc", "bca") == 1 / 3
    True
    """
    if sorted(map(repr, gold)) != sorted(map(repr, answer)) or len(set(gold)) < len(gold):
        raise ValueError(f"expected one order of the same different things, got {gold!r} and {answer!r}")
    place = {thing: number for number, thing in enumerate(answer)}
    pairs = [place[first] < place[second] for first, second in combinations(gold, 2)]
    return sum(pairs) / len(pairs) if pairs else None
