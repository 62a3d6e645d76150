"""Correlations of scores with scores, their intervals, and tests of their differences.

Kulesza 2004 (paper 000, chapter 4) reports Pearson and Spearman with intervals by Fisher's z′. Two metrics
that are measured on the same items share the human scores, so their difference is tested by Williams's t
(Steiger 1980), which accounts for the dependence.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from metrics.metaeval.datasets import FloatArray


def pearson(a: FloatArray, b: FloatArray) -> float | None:
    """Return Pearson's r; None for fewer than two values or a constant side.

    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    1.0
    >>> pearson(np.array([1.0, 1.0]), np.array([2.0, 4.0])) is None
    True
    """
    _check(a, b)
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    # Divide by the range first, so that squares of tiny differences do not underflow.
    x, y = ((values - values.mean()) / np.ptp(values) for values in (a, b))
    r = float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))
    return min(1.0, max(-1.0, r))


def spearman(a: FloatArray, b: FloatArray) -> float | None:
    """Return Spearman's ρ: Pearson's r of the ranks, with mean ranks for equal values.

    >>> spearman(np.array([1.0, 2.0, 9.0]), np.array([2.0, 4.0, 5.0]))
    1.0
    """
    _check(a, b)
    return pearson(_ranks(a), _ranks(b))


def _ranks(values: FloatArray) -> FloatArray:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])


def fisher_interval(r: float | None, n: int, *, level: float = 0.95) -> tuple[float, float] | None:
    """Return the confidence interval of a correlation by Fisher's z′ = artanh r, standard error 1/√(n − 3).

    None if n < 4 or |r| = 1, where the transformation is undefined.

    >>> low, high = fisher_interval(0.3771, 633)
    >>> round(low, 3), round(high, 3)
    (0.308, 0.442)
    """
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level}")
    if r is None or n < 4 or abs(r) >= 1:
        return None
    half = NormalDist().inv_cdf((1 + level) / 2) / math.sqrt(n - 3)
    z = math.atanh(r)
    return math.tanh(z - half), math.tanh(z + half)


def williams_test(r12: float, r13: float, r23: float, n: int) -> float | None:
    """Return the one-sided p that metric 2 correlates with the human scores 1 no better than metric 3.

    ``r12`` and ``r13`` are the metrics' correlations with people, ``r23`` that of the metrics with each
    other, all over the same n items (Williams 1959, as given by Steiger 1980). None if it is undefined.

    >>> round(williams_test(0.5, 0.4, 0.8, 200), 4)
    0.0056
    """
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23  # the determinant of the correlation matrix
    if n < 4 or not -1 < r23 < 1:
        return None
    mean = (r12 + r13) / 2
    under = 2 * max(k, 0.0) * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    if under <= 0:
        return None
    from scipy.special import stdtr  # scipy.stats has the same and takes long to load

    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / under)
    return float(stdtr(n - 3, -t))


def _check(a: FloatArray, b: FloatArray) -> None:
    if len(a) != len(b):
        raise ValueError(f"two score vectors of one set must have equal lengths, not {len(a)} and {len(b)}")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("a score is not finite")
