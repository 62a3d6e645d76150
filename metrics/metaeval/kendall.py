"""Segment-level agreement with pairwise human judgements: Kendall's τ with tie rules, and accuracy.

A metric agrees with a decisive human pair (concordant, C), contradicts it (discordant, D) or gives both
translations the same score (metric tie, T). τ always excludes human ties. The rules differ by one to nine
points on the same data:

| rule | τ | used by |
|---|---|---|
| ``drop`` | (C − D) / (C + D) | metric ties are ignored |
| ``wmt14`` | (C − D) / (C + D + T) | Macháček and Bojar 2014 |
| ``wmt12`` | (C − D − T) / (C + D + T) | Callison-Burch et al. 2012; a metric tie is an error |

Intervals and tests resample segments, because the judgements of one segment are not independent: five systems
ranked by one person give ten pairs. τ is a function of summed counts, so a matrix of weights times the counts
of the segments gives all resamples at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from appraise.lib.resampling import block_sizes, multinomial_counts, percentile_interval, sample_counts
from metrics.metaeval.datasets import Comparisons, FloatArray, IntArray


class TieRule(StrEnum):
    """How a metric tie on a decisive human pair counts."""

    WMT12 = "wmt12"
    WMT14 = "wmt14"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class CalibratedAccuracy:
    """Pairwise accuracy with the best tie threshold, the largest difference that counts as a tie."""

    accuracy: float
    threshold: float
    pairs: int


def outcome_counts(scores: FloatArray, human: Comparisons, segments: IntArray) -> IntArray:
    """Return rows (C, D, T), one per segment with a decisive pair; higher scores are better.

    ``segments`` gives the segment of every cell. The sum of the rows gives the counts of the whole set. A
    pair with an undefined score (NaN) is in no column.

    >>> human = Comparisons(np.array([0, 0, 1]), np.array([1, 2, 2]))
    >>> outcome_counts(np.array([0.9, 0.5, 0.5]), human, np.array([0, 0, 0])).tolist()
    [[2, 0, 1]]
    """
    difference = scores[human.better] - scores[human.worse]
    _, rows = np.unique(segments[human.better], return_inverse=True)
    size = int(rows.max()) + 1 if rows.size else 0
    kinds = (difference > 0, difference < 0, difference == 0)
    return np.column_stack([np.bincount(rows[kind], minlength=size) for kind in kinds]).astype(np.int64)


def tau(counts: IntArray | FloatArray, rule: TieRule) -> FloatArray:
    """Return τ of counts (C, D, T) on the last axis; NaN without pairs.

    >>> tau(np.array([6, 2, 2]), TieRule.DROP).item(), tau(np.array([6, 2, 2]), TieRule.WMT14).item()
    (0.5, 0.4)
    >>> tau(np.array([6, 2, 2]), TieRule.WMT12).item()
    0.2
    """
    concordant, discordant, tied = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    over = concordant + discordant + (0 if rule is TieRule.DROP else tied)
    won = concordant - discordant - (tied if rule is TieRule.WMT12 else 0)
    return np.asarray(np.divide(won, over, out=np.full_like(over, np.nan), where=over > 0))


def tau_b(metric: FloatArray, human: FloatArray) -> float | None:
    """Return Kendall's τ-b of two score vectors; None for fewer than two values or a constant side.

    >>> round(tau_b(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0])), 4)
    0.8165
    """
    if len(metric) < 2 or np.ptp(metric) == 0 or np.ptp(human) == 0:
        return None
    from scipy import stats  # here, because it takes half a second to load

    return float(stats.kendalltau(metric, human).statistic)


def calibrated_accuracy(
    scores: FloatArray, human: Comparisons, segments: IntArray | None = None
) -> CalibratedAccuracy | None:
    """Return the pairwise accuracy with tie calibration (Deutsch, Foster and Freitag 2023); human ties count.

    The metric ties a pair if its scores differ by at most ε. ε is the (smallest) value with the highest
    accuracy on the same set, so the figure is an upper bound. With ``segments``, which gives the segment of
    every cell, the accuracies of the segments are averaged, else all pairs count alike.
    """
    decisive = scores[human.better] - scores[human.worse]
    tied = np.abs(scores[human.tied[:, 0]] - scores[human.tied[:, 1]])
    total = len(decisive) + len(tied)
    if total == 0:
        return None
    weights = weigh_pairs(human, segments)
    # Raising ε past |d| gains the human ties at |d| and loses the decisive pairs that were right there.
    size = np.concatenate([[0.0], np.abs(decisive), tied])
    gain = np.concatenate([[0.0], -weights[: len(decisive)] * (decisive > 0), weights[len(decisive) :]])
    thresholds, place = np.unique(size, return_inverse=True)
    right = weights[: len(decisive)][decisive > 0].sum() + np.cumsum(np.bincount(place, weights=gain))
    best = int(np.flatnonzero(right >= right.max() - ROUNDING)[0])
    return CalibratedAccuracy(float(right[best]), float(thresholds[best]), total)


ROUNDING = 1e-12  # sums of shares that are equal


def weigh_pairs(human: Comparisons, segments: IntArray | None) -> FloatArray:
    """Return the weight of every pair, decisive ones first, so that all segments, or all pairs, weigh alike.

    >>> human = Comparisons(np.array([0, 0]), np.array([1, 2]), np.array([[3, 4]]))
    >>> weigh_pairs(human, np.array([0, 0, 0, 1, 1])).tolist()
    [0.25, 0.25, 0.5]
    """
    if segments is None:
        total = len(human.better) + len(human.tied)
        return np.full(total, 1 / total)
    groups = segments[np.concatenate([human.better, human.tied[:, 0]])]
    _, places, counts = np.unique(groups, return_inverse=True, return_counts=True)
    return np.asarray(1 / counts[places] / len(counts))


def accuracy_by_segment(
    scores: FloatArray, human: Comparisons, segments: IntArray, threshold: float
) -> dict[int, float]:
    """Return the accuracy of each segment with pairs, with this tie threshold."""
    right = np.concatenate(
        [
            scores[human.better] - scores[human.worse] > threshold,
            np.abs(scores[human.tied[:, 0]] - scores[human.tied[:, 1]]) <= threshold,
        ]
    )
    groups = segments[np.concatenate([human.better, human.tied[:, 0]])]
    names, places, counts = np.unique(groups, return_inverse=True, return_counts=True)
    shares = np.bincount(places, weights=right) / counts if len(names) else np.empty(0)
    return dict(zip(names.tolist(), shares.tolist(), strict=True))


CELLS_AT_ONCE = 4_000_000  # weights in memory at a time: 32 MB


def bootstrap_tau(
    counts: IntArray, rule: TieRule, *, resamples: int = 1000, seed: int = 1
) -> tuple[float, float] | None:
    """Return the 95 % interval of τ from rows (C, D, T); None without resamples or two segments."""
    return percentile_interval(bootstrap_sums(counts, lambda sums: tau(sums, rule), resamples, seed))


def bootstrap_tau_with_systems(
    scores: FloatArray,
    human: Comparisons,
    segments: IntArray,
    systems: IntArray,
    rule: TieRule,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> tuple[float, float] | None:
    """Return the 95 % interval of τ if segments and systems are resampled together.

    A pair counts as often as its segment and both of its systems were drawn. ``segments`` and ``systems`` are
    the codes of every cell. None without resamples, two segments or two systems.
    """
    difference = scores[human.better] - scores[human.worse]
    known = ~np.isnan(difference)
    better, worse = human.better[known], human.worse[known]
    kinds = np.stack([difference[known] > 0, difference[known] < 0, difference[known] == 0], axis=1)
    names, segment = np.unique(segments[better], return_inverse=True)
    both, system = np.unique(np.stack([systems[better], systems[worse]]), return_inverse=True)
    first, second = system.reshape(2, -1)
    if len(names) < 2 or len(both) < 2:
        return None
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(resamples):
        of_segment, of_system = (
            multinomial_counts(len(names), 1, rng)[0],
            multinomial_counts(len(both), 1, rng)[0],
        )
        weights = of_segment[segment] * of_system[first] * of_system[second]
        values.append(float(tau(weights @ kinds, rule)))
    return percentile_interval(np.array(values))


def bootstrap_sums(
    rows: IntArray | FloatArray, statistic: Callable[[FloatArray], FloatArray], resamples: int, seed: int
) -> FloatArray:
    """Return the statistic of the summed rows for each bootstrap resample.

    A single row has no resamples, because all of them would be equal and the statistic would seem certain.
    """
    if len(rows) < 2 or resamples == 0:
        return np.empty(0)
    rng, values = np.random.default_rng(seed), np.asarray(rows, dtype=np.float64)
    blocks = sample_counts(len(rows), resamples, rng, CELLS_AT_ONCE)
    return np.concatenate([statistic(weights @ values) for weights in blocks])


def bootstrap_share(
    right: FloatArray, groups: IntArray, resamples: int, seed: int
) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of values, resampling groups of them."""
    _, codes = np.unique(groups, return_inverse=True)
    rows = np.column_stack([np.bincount(codes, right), np.bincount(codes)])
    return percentile_interval(bootstrap_sums(rows, lambda sums: sums[:, 0] / sums[:, 1], resamples, seed))


def permutation_p(
    first: IntArray, second: IntArray, rule: TieRule, *, resamples: int = 1000, seed: int = 1
) -> float | None:
    """Return the two-sided p of a permutation test that swaps the counts of two metrics by segment."""
    _check(first, second)
    if len(first) == 0 or resamples == 0:
        return None
    total, change = first.sum(0) + second.sum(0), (first - second).astype(np.float64)
    observed = abs(_gap(change.sum(0)[None], total, rule)[0])
    rng = np.random.default_rng(seed)
    extreme = 0
    for size in block_sizes(len(first), resamples, CELLS_AT_ONCE):
        signs = rng.choice([-1.0, 1.0], size=(size, len(first)))
        extreme += int(np.count_nonzero(np.abs(_gap(signs @ change, total, rule)) >= observed - 1e-12))
    return (1 + extreme) / (1 + resamples)


def _gap(change: FloatArray, total: IntArray, rule: TieRule) -> FloatArray:
    """Return τ of the first minus τ of the second, from the difference and the sum of their counts."""
    return np.nan_to_num(tau((total + change) / 2, rule)) - np.nan_to_num(tau((total - change) / 2, rule))


def _check(first: IntArray, second: IntArray) -> None:
    if first.shape != second.shape:
        raise ValueError(
            f"two metrics on one set need counts of one shape, not {first.shape} and {second.shape}"
        )
