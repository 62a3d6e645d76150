"""Bounds on a mean that stay valid when checked after every observation: testing by betting.

If values in [0, 1] have the mean m, a bet that pays λ · (next value − m) is fair. We bet in both directions
against each m: the capital after t bets is

    K±(m) = ∏ (1 ± λ_i (Y_i − m)),

where λ_i depends on earlier values only. If m is the true mean, the capital is a non-negative martingale, so
the probability that it *ever* exceeds 1/α is at most α (Ville's inequality), whenever one checks or stops.
The m that are not yet rejected form a confidence sequence. The bets λ_i and the even split between the two
directions are those of Waudby-Smith & Ramdas 2024 ("Estimating means of bounded random variables by betting",
the hedged process with plug-in bets).

Assumption: each value, given the earlier ones, has the same mean. This holds for sentences that arrive in
random order, but not for the phrases or annotators of one sentence; therefore a sentence is one value.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

MAX_BET_SHARE = 0.5  # the largest share of the capital that one bet may lose
GRID = 1001  # number of tested means
BLOCK = 1000  # values at a time, to limit memory


def confidence_sequence(values: ArrayLike, alpha: float = 0.05, grid: int = GRID) -> tuple[Floats, Floats]:
    """Return lower and upper bounds of the mean after each value in [0, 1], valid at all times together.

    The bounds only tighten. They have the resolution of the grid, rounded outwards.

    >>> low, high = confidence_sequence([1.0] * 40)
    >>> bool(low[0] == 0.0), bool(low[-1] > 0.5), float(high[-1])
    (True, True, 1.0)
    """
    y = _check_values(values)
    means = np.linspace(0.0, 1.0, grid)
    low, high = np.empty(len(y)), np.empty(len(y))
    is_possible = np.ones(grid, dtype=bool)
    for start, capital in _capital(y, means, alpha):
        possible = np.logical_and.accumulate(capital < 1 / alpha, axis=0) & is_possible
        end = start + len(possible)
        low[start:end], high[start:end] = _find_bounds(possible, means)
        is_possible = possible[-1]
    return np.maximum.accumulate(low), np.minimum.accumulate(high)


def _find_bounds(possible: NDArray[np.bool_], means: Floats) -> tuple[Floats, Floats]:
    """Return the smallest and the largest possible mean (times × means), one step of the grid outwards.

    All means can be rejected only if the assumption fails; the caller then keeps the last bounds.
    """
    step = means[1] - means[0]
    has_any = possible.any(axis=1)
    low = np.where(has_any, means[possible.argmax(axis=1)] - step, 0.0)
    high = np.where(has_any, means[len(means) - 1 - possible[:, ::-1].argmax(axis=1)] + step, 1.0)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def evidence(values: ArrayLike, mean: float = 0.5, alpha: float = 0.05) -> Floats:
    """Return the capital against ``mean`` after each value: an e-value at every time.

    >>> bool(evidence([1.0] * 40)[-1] > 20), bool(evidence([1.0, 0.0] * 20).max() < 20)
    (True, True)
    """
    blocks = [capital[:, 0] for _, capital in _capital(_check_values(values), np.array([mean]), alpha)]
    return np.concatenate(blocks) if blocks else np.zeros(0)


def _check_values(values: ArrayLike) -> Floats:
    y = np.asarray(values, dtype=np.float64)
    if y.size and not (y.min() >= 0 and y.max() <= 1):  # also refuses NaN
        raise ValueError(f"values must be in [0, 1], found {y.min()} … {y.max()}")
    return y


def _capital(y: Floats, means: Floats, alpha: float) -> Iterator[tuple[int, Floats]]:
    """Yield times × means in blocks: half of the capital is bet on "above m", half on "below m"."""
    bets = _bets(y, alpha)
    with np.errstate(divide="ignore"):
        max_up, max_down = MAX_BET_SHARE / means, MAX_BET_SHARE / (1 - means)
    above = below = np.zeros(len(means))
    for start in range(0, len(y), BLOCK):
        bet = bets[start : start + BLOCK, None]
        gap = y[start : start + BLOCK, None] - means
        log_above = above + np.cumsum(np.log1p(np.minimum(bet, max_up) * gap), axis=0)
        log_below = below + np.cumsum(np.log1p(-np.minimum(bet, max_down) * gap), axis=0)
        above, below = log_above[-1], log_below[-1]
        yield start, 0.5 * (_exp(log_above) + _exp(log_below))


def _exp(logs: Floats) -> Floats:
    return np.exp(np.minimum(logs, 600.0))  # enough to reject any mean, without overflow


def _bets(y: Floats, alpha: float) -> Floats:
    """Return the bet on value t, from the variance of the earlier values (¼ before the first)."""
    t = np.arange(1, len(y) + 1)
    running_mean = (0.5 + np.cumsum(y)) / (t + 1)
    variance = (0.25 + np.cumsum((y - running_mean) ** 2)) / (t + 1)
    earlier = np.concatenate([[0.25], variance[:-1]])[: len(y)]
    return np.asarray(np.sqrt(2 * np.log(2 / alpha) / (earlier * t * np.log1p(t))))
