"""Bounds on a mean that stay valid when checked after every observation: testing by betting.

If values in [0, 1] have the mean m, to win λ · (next value − m) is a fair bet. We bet, in both directions,
against each m: the capital after t bets is

    K±(m) = ∏ (1 ± λ_i (Y_i − m)),

where λ_i depends on earlier values only. If m is the true mean, the capital is a non-negative martingale, so
the chance that it *ever* exceeds 1/α is at most α (Ville's inequality), however often one looks and whatever
makes one stop. The m that are not yet refuted form a confidence sequence. The bets λ_i and the even split
over the two directions are those of Waudby-Smith & Ramdas 2024 ("Estimating means of bounded random variables
by betting", the hedged process with plug-in bets).

What is assumed: each value, given those before it, has the same mean. That holds for sentences that arrive in
random order; it does not for phrases or annotators of one sentence, which is why a sentence is one value.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

CAUTION = 0.5  # of the capital is the most that one bet may lose
GRID = 1001  # means that are tried
BLOCK = 1000  # values at a time, so that memory stays small


def confidence_sequence(values: ArrayLike, alpha: float = 0.05, grid: int = GRID) -> tuple[Floats, Floats]:
    """Lower and upper bound of the mean after each of the values in [0, 1], valid at all times together.

    The bounds only ever tighten. They are as fine as the grid, rounded outwards.

    >>> low, high = confidence_sequence([1.0] * 40)
    >>> bool(low[0] == 0.0), bool(low[-1] > 0.5), float(high[-1])
    (True, True, 1.0)
    """
    y = _checked(values)
    means = np.linspace(0.0, 1.0, grid)
    low, high = np.empty(len(y)), np.empty(len(y))
    alive = np.ones(grid, dtype=bool)
    for start, capital in _capital(y, means, alpha):
        survivors = np.logical_and.accumulate(capital < 1 / alpha, axis=0) & alive
        end = start + len(survivors)
        low[start:end], high[start:end] = _ends(survivors, means)
        alive = survivors[-1]
    return np.maximum.accumulate(low), np.minimum.accumulate(high)


def _ends(alive: NDArray[np.bool_], means: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest mean still possible, one step of the grid outwards.

    That no mean survives can only happen where the assumption fails; then the last bounds are kept.
    """
    step = means[1] - means[0]
    some = alive.any(axis=1)
    low = np.where(some, means[alive.argmax(axis=1)] - step, 0.0)
    high = np.where(some, means[len(means) - 1 - alive[:, ::-1].argmax(axis=1)] + step, 1.0)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def evidence(values: ArrayLike, mean: float = 0.5, alpha: float = 0.05) -> Floats:
    """The capital won against ``mean`` after each value: an e-value at every time.

    >>> bool(evidence([1.0] * 40)[-1] > 20), bool(evidence([1.0, 0.0] * 20).max() < 20)
    (True, True)
    """
    blocks = [capital[:, 0] for _, capital in _capital(_checked(values), np.array([mean]), alpha)]
    return np.concatenate(blocks) if blocks else np.zeros(0)


def _checked(values: ArrayLike) -> Floats:
    y = np.asarray(values, dtype=np.float64)
    if y.size and not (y.min() >= 0 and y.max() <= 1):  # also refuses NaN
        raise ValueError(f"values must lie in [0, 1], found {y.min()} … {y.max()}")
    return y


def _capital(y: Floats, means: Floats, alpha: float) -> Iterator[tuple[int, Floats]]:
    """times × means, in blocks: half of the money on "more than m", half on "less than m"."""
    bets = _bets(y, alpha)
    with np.errstate(divide="ignore"):
        most_up, most_down = CAUTION / means, CAUTION / (1 - means)
    more = less = np.zeros(len(means))
    for start in range(0, len(y), BLOCK):
        bet = bets[start : start + BLOCK, None]
        gap = y[start : start + BLOCK, None] - means
        grown = more + np.cumsum(np.log1p(np.minimum(bet, most_up) * gap), axis=0)
        shrunk = less + np.cumsum(np.log1p(-np.minimum(bet, most_down) * gap), axis=0)
        more, less = grown[-1], shrunk[-1]
        yield start, 0.5 * (_exp(grown) + _exp(shrunk))


def _exp(logs: Floats) -> Floats:
    return np.exp(np.minimum(logs, 600.0))  # enough to refute anything, and no overflow


def _bets(y: Floats, alpha: float) -> Floats:
    """How much to bet on value t, from the spread of the values before it (½ before the first)."""
    t = np.arange(1, len(y) + 1)
    running_mean = (0.5 + np.cumsum(y)) / (t + 1)
    spread = (0.25 + np.cumsum((y - running_mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], spread[:-1]])[: len(y)]
    return np.asarray(np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log1p(t))))
