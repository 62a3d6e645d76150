"""Association of two words: Dice, t, χ² and the log-likelihood ratio (paper 002, metrics I–IV).

Every function takes counts over sentences: ``c12`` sentences contain both words, ``c1`` and ``c2`` each of
them, ``n`` is the size of the corpus; scalars and arrays both work. The contingency table behind them is

    O11 = c12        O12 = c2 − c12
    O21 = c1 − c12   O22 = n − c1 − c2 + c12

The slides leave two points open. They were decided by recovering the counts of their example "jones point"
(c12 = 67, c1 = 336, c2 = 796, n = 49,722), which reproduce all four printed values to the last digit:

- the t score takes x̄ as its variance (for rare events x̄(1 − x̄) ≈ x̄), and
- log-likelihood ratios are in base 2; the printed χ², however, used O22 = n − c12. We use the proper
  table; a test compares with the printed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

Association = Callable[[ArrayLike, ArrayLike, ArrayLike, int], FloatArray]


class AssociationMeasure(StrEnum):
    """The four association scores of the paper."""

    DICE = "dice"
    T = "t"
    CHI2 = "chi2"
    LLR = "llr"


LLR_BASE = 2

CUTOFFS: dict[AssociationMeasure, float | None] = {
    AssociationMeasure.DICE: None,  # Dice has no null hypothesis
    AssociationMeasure.T: 2.576,
    AssociationMeasure.CHI2: 7.88,
    AssociationMeasure.LLR: 7.88
    / math.log(LLR_BASE),  # −2 ln λ follows χ² with one degree of freedom; ours is in bits
}
"""99.5 % confidence, as in the slides; a pair with a lower score is not a collocation."""


def dice(c12: ArrayLike, c1: ArrayLike, c2: ArrayLike, n: int) -> FloatArray:
    """2 c12 / (c1 + c2): 1 if the words occur only together.

    >>> float(dice(1, 1, 1, 49722))
    1.0
    """
    o, a, b = _floats(c12, c1, c2, n)
    return 2 * o / (a + b)


def t_score(c12: ArrayLike, c1: ArrayLike, c2: ArrayLike, n: int) -> FloatArray:
    """(x̄ − μ) / √(σ²/n) with x̄ = c12/n, μ = c1 c2/n², σ² = x̄; negative where words avoid each other.

    >>> f"{t_score(67, 336, 796, 49722):.6f}"
    '7.528200'
    """
    o, a, b = _floats(c12, c1, c2, n)
    return (o - a * b / n) / np.sqrt(o)


def chi_square(c12: ArrayLike, c1: ArrayLike, c2: ArrayLike, n: int) -> FloatArray:
    """Pearson's χ² of the 2×2 table; 0 if a word occurs in every sentence, where nothing can be tested.

    >>> f"{chi_square(172, 172, 181, 49722):.2f}"
    '47241.05'
    """
    o, a, b = _floats(c12, c1, c2, n)
    return _ratio(n * (o * n - a * b) ** 2, a * b * (n - a) * (n - b))


def log_likelihood_ratio(
    c12: ArrayLike, c1: ArrayLike, c2: ArrayLike, n: int, base: float = LLR_BASE
) -> FloatArray:
    """−2 log(L(H1)/L(H2)), independence against dependence, in logarithms to ``base``.

    Equals Σ 2 O log(O/E) over the table. Each cell deviates by the same amount ±d from its expectation, so
    the sum is taken over O log(O/E) − (O − E), whose terms are never negative and do not cancel.

    >>> f"{log_likelihood_ratio(67, 336, 796, 49722):.9f}"
    '334.726841926'
    """
    o, a, b = _floats(c12, c1, c2, n)
    d = (o * n - a * b) / n
    total = _surprise(o, a * b / n, d)
    total += _surprise(a - o, a * (n - b) / n, -d)
    total += _surprise(b - o, (n - a) * b / n, -d)
    total += _surprise(n - a - b + o, (n - a) * (n - b) / n, d)
    return 2 * total / math.log(base)


FUNCTIONS: dict[AssociationMeasure, Association] = {
    AssociationMeasure.DICE: dice,
    AssociationMeasure.T: t_score,
    AssociationMeasure.CHI2: chi_square,
    AssociationMeasure.LLR: log_likelihood_ratio,
}


def _surprise(observed: FloatArray, expected: FloatArray, deviation: FloatArray) -> FloatArray:
    """O ln(O/E) − (O − E), which is E where nothing was observed."""
    change = np.divide(deviation, expected, out=np.zeros_like(expected), where=expected > 0)
    log = np.log1p(change, out=np.zeros_like(change), where=observed > 0)
    return np.asarray(np.maximum(observed * log - deviation, 0.0))


def _floats(c12: ArrayLike, c1: ArrayLike, c2: ArrayLike, n: int) -> tuple[FloatArray, ...]:
    """The counts as float64; raises ``ValueError`` unless 1 ≤ c12 ≤ c1, c2 and no cell is negative."""
    o, a, b = np.broadcast_arrays(*(np.asarray(c, dtype=np.float64) for c in (c12, c1, c2)))
    if not (np.all(o >= 1) and np.all(o <= np.minimum(a, b)) and np.all(a + b - o <= n)):
        wrong = np.argmin((o >= 1) & (o <= np.minimum(a, b)) & (a + b - o <= n))
        counts = tuple(int(c.flat[wrong]) for c in (o, a, b))
        raise ValueError(f"(c12, c1, c2) = {counts} is impossible in {n} sentences")
    return o, a, b


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
