"""Which systems are better, by Wilcoxon's tests: ranks and clusters as WMT prints them.

Direct assessment compares two systems by the rank-sum test of their segment means, because they were scored
on different segments; protocols that score every output use the signed-rank test on common segments. A system
beats another if its mean is higher and the one-sided p is below .05. Its rank lies between one more than
the systems that beat it, and the number of systems less those that it beats. A cluster ends where every
system above the line beats every one below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from appraise.lib.resampling import Floats

ALPHA = 0.05
_ENUMERATED = 12  # pairs up to which all signs of the signed-rank test are tried
_EXACT = 50  # pairs without ties up to which its distribution is computed
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
    from scipy.stats import mannwhitneyu  # here, because it takes half a second to load

    first, second = (_round_digits(values[~np.isnan(values)]) for values in (a, b))
    if not len(first) or not len(second):
        return WilcoxonResult(None, None)
    return WilcoxonResult(
        *(
            float(mannwhitneyu(first, second, alternative=side, method="asymptotic").pvalue)
            for side in ("two-sided", "greater")
        )
    )


def signed_rank(a: Floats, b: Floats) -> WilcoxonResult:
    """Wilcoxon's signed-rank test on the segments that both have; equal scores are left out.

    >>> result = signed_rank(np.array([3.0, 4.0, 5.0, 6.0]), np.array([1.0, 2.0, 2.5, np.nan]))
    >>> result.p, result.p_greater
    (0.25, 0.125)
    """
    from scipy.stats import wilcoxon

    difference = a - b
    difference = difference[~np.isnan(difference)]
    if not len(difference):
        return WilcoxonResult(None, None)
    if not difference.any():
        return WilcoxonResult(1.0, 1.0)
    changed = difference[difference != 0]
    if len(changed) <= _ENUMERATED:
        return _enumerate_signs(changed)
    is_exact = len(changed) <= _EXACT and len(np.unique(np.abs(changed))) == len(changed)
    method = "exact" if is_exact else "asymptotic"
    return WilcoxonResult(
        *(
            float(wilcoxon(changed, alternative=side, method=method).pvalue)
            for side in ("two-sided", "greater")
        )
    )


def _enumerate_signs(changed: Floats) -> WilcoxonResult:
    """The exact p-values, ties or not: every difference could as well have had the other sign."""
    from scipy.stats import rankdata

    ranks = rankdata(np.abs(changed))
    signs = np.array(list(product((False, True), repeat=len(changed))))
    sums, observed = signs @ ranks, ranks[changed > 0].sum()
    greater, less = float((sums >= observed).mean()), float((sums <= observed).mean())
    return WilcoxonResult(min(1.0, 2 * min(greater, less)), greater)


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
