"""Draws an order of questions at random from their scores, with known probabilities.

Questions are drawn one after another without replacement. A part ``uniform`` of each draw ignores the scores,
so no question is ever impossible; the rest is proportional to them. Each draw comes with the probability that
it had among those still left, which is all that unbiased estimates need (``weights``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

UNIFORM = 0.2


class Draw(NamedTuple):
    question: int  # index into the scores
    probability: float  # that it was this one, given those drawn before


def drawn_order(
    scores: ArrayLike, *, uniform: float = UNIFORM, seed: int = 0, most: int | None = None
) -> list[Draw]:
    """Draw questions (all, or the first ``most``) with probabilities that grow with their scores.

    >>> [draw.probability for draw in drawn_order([1.0, 1.0], seed=1)]
    [0.5, 1.0]
    """
    left = np.asarray(scores, dtype=np.float64).copy()
    if left.size and not (np.isfinite(left).all() and left.min() >= 0):
        raise ValueError("scores must be finite and not negative")
    if not 0 < uniform <= 1:
        raise ValueError(f"a share above 0 must be drawn regardless of scores, found {uniform}")
    random = np.random.default_rng(seed)
    open_ = np.ones(len(left), dtype=bool)
    draws: list[Draw] = []
    for remaining in range(len(left), len(left) - min(most or len(left), len(left)), -1):
        total = left.sum()
        chances = np.where(open_, uniform / remaining, 0.0)
        chances += (1 - uniform) * (left / total if total > 0 else open_ / remaining)
        question = min(int(np.searchsorted(chances.cumsum(), random.random())), len(left) - 1)
        while not open_[question]:  # rounding at the very end of the sum
            question -= 1
        draws.append(Draw(question, float(chances[question])))
        open_[question], left[question] = False, 0.0
    return draws
