"""Which systems are better, by Wilcoxon's tests: ranks and clusters as WMT prints them.

Direct assessment compares two systems by the rank-sum test of their segment means, because they were scored
on different segments; protocols that score every output use the signed-rank test on common segments. A system
beats another if its mean is higher and the one-sided p is below .05. Its rank lies between one more than
the systems that beat it, and the number of systems less those that it beats. A cluster ends where every
system above the line beats every one below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from appraise.lib.resampling import Floats

ALPHA = 0.05
_ALWAYS_EXACT = 12  # pairs up to which the distribution of the signed-rank test is computed
_EXACT = 50  # the same without ties
_DIGITS = 15  # of the files from which WMT computes its tests; more digits would separate ties


class WilcoxonResult(NamedTuple):
    """The two-sided p, and the one-sided p that the first system is not better; None without data."""

    p: float | None
    p_greater: float | None


@dataclass(frozen=True, slots=True)
class PairTest:
    """Two systems, the better one first, and the p-values of their test."""

    a: str
    b: str
    p: float | None
    p_one_sided: float | None

    @property
    def is_significant(self) -> bool:
        return self.p_one_sided is not None and self.p_one_sided < ALPHA


@dataclass(frozen=True, slots=True)
class SystemRank:
    """The range of ranks of a system, 1 is best, and its cluster."""

    best: int
    worst: int
    cluster: int


def rank_sum(a: Floats, b: Floats) -> WilcoxonResult:
    """Wilcoxon's rank-sum test with continuity correction; nan is ignored.

    >>> result = rank_sum(np.array([3.0, 4.0, 5.0, 6.0]), np.array([1.0, 2.0, 2.5, np.nan]))
    >>> round(result.p, 4), round(result.p_greater, 4)
    (0.0518, 0.0259)
    """
    first, second = (_round_digits(values[~np.isnan(values)]) for values in (a, b))
    if not len(first) or not len(second):
        return WilcoxonResult(None, None)
    ranks, ties = _rank(np.concatenate([first, second]))
    m, n, together = len(first), len(second), len(ranks)
    u = ranks[:m].sum() - m * (m + 1) / 2
    spread = math.sqrt(m * n / 12 * (together + 1 - ties / (together * (together - 1))))
    greater = _upper_tail(u - m * n / 2 - 0.5, spread)
    return WilcoxonResult(min(1.0, 2 * _upper_tail(abs(u - m * n / 2) - 0.5, spread)), greater)


def signed_rank(a: Floats, b: Floats) -> WilcoxonResult:
    """Wilcoxon's signed-rank test on the segments that both have; equal scores are left out.

    >>> result = signed_rank(np.array([3.0, 4.0, 5.0, 6.0]), np.array([1.0, 2.0, 2.5, np.nan]))
    >>> result.p, result.p_greater
    (0.25, 0.125)
    """
    difference = a - b
    difference = difference[~np.isnan(difference)]
    if not len(difference):
        return WilcoxonResult(None, None)
    if not difference.any():
        return WilcoxonResult(1.0, 1.0)
    changed = difference[difference != 0]
    ranks, ties = _rank(np.abs(changed))
    n, positive = len(changed), ranks[changed > 0].sum()
    if n <= _ALWAYS_EXACT or (n <= _EXACT and ties == 0):
        return _count_signs(ranks, positive)
    spread = math.sqrt((n * (n + 1) * (2 * n + 1) - ties / 2) / 24)
    above = positive - n * (n + 1) / 4
    return WilcoxonResult(2 * _upper_tail(abs(above), spread), _upper_tail(above, spread))


def _count_signs(ranks: Floats, positive: float) -> WilcoxonResult:
    """The exact p-values, ties or not: every difference could as well have had the other sign."""
    doubled = (2 * ranks).astype(np.int64)  # mean ranks are halves
    ways = np.zeros(doubled.sum() + 1)  # to reach each sum of doubled ranks
    ways[0] = 1
    for rank in doubled:
        ways[rank:] += ways[:-rank].copy()
    place = round(2 * positive)
    greater, less = (float(part.sum() / 2 ** len(ranks)) for part in (ways[place:], ways[: place + 1]))
    return WilcoxonResult(min(1.0, 2 * min(greater, less)), greater)


def _rank(values: Floats) -> tuple[Floats, int]:
    """Return ranks from 1, with mean ranks for equal values, and Σ t³ − t over groups of t equal values."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places.reshape(-1)]
    return ranks, int((counts**3 - counts).sum())


def _upper_tail(above: float, spread: float) -> float:
    """The probability that a normal variable is at least so far above its mean."""
    return math.erfc(above / spread / math.sqrt(2)) / 2 if spread > 0 else float(above <= 0)


SystemTest = Callable[[Floats, Floats], WilcoxonResult]


def compare_systems(
    names: Sequence[str], means: Sequence[float | None], outputs: Floats, test: SystemTest
) -> list[PairTest]:
    """Test all pairs of systems with scores, in order of their means."""
    order = order_systems(means)
    tests = []
    for a, b in combinations(order, 2):
        result = test(outputs[a], outputs[b])
        tests.append(PairTest(names[a], names[b], result.p, result.p_greater))
    return tests


def order_systems(means: Sequence[float | None]) -> list[int]:
    """The systems with scores, the best first.

    >>> order_systems([0.1, None, 0.5])
    [2, 0]
    """
    known = [(mean, system) for system, mean in enumerate(means) if mean is not None]
    return [system for _, system in sorted(known, key=lambda entry: (-entry[0], entry[1]))]


def rank_systems(ordered: Sequence[str], tests: Sequence[PairTest]) -> dict[str, SystemRank]:
    """The ranks and clusters of systems in order of their means.

    >>> tests = [PairTest("a", "b", 0.5, 0.25), PairTest("a", "c", 0.02, 0.01), PairTest("b", "c", 0.2, 0.1)]
    >>> rank_systems(["a", "b", "c"], tests)["c"]
    SystemRank(best=2, worst=3, cluster=1)
    """
    beats = {(test.a, test.b) for test in tests if test.is_significant}
    ranks, cluster = {}, 1
    for place, name in enumerate(ordered):
        above, below = ordered[:place], ordered[place:]
        if above and all((a, b) in beats for a in above for b in below):
            cluster += 1
        losses = sum((other, name) in beats for other in ordered)
        wins = sum((name, other) in beats for other in ordered)
        ranks[name] = SystemRank(1 + losses, len(ordered) - wins, cluster)
    return ranks


def _round_digits(values: Floats) -> Floats:
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values.tolist()])
