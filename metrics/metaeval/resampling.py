"""Intervals and tests by resampling segments.

Judgements of one segment are not independent (five systems ranked by one person give ten pairs), so the unit
is always the segment. Kendall's τ is a function of summed counts; one matrix of resampling weights times the
segments' counts gives all resampled values at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from evaluation.agreement.bootstrap import percentile_interval
from metrics.datasets import FloatArray, IntArray
from metrics.metaeval.kendall import TieRule, tau

CELLS_AT_ONCE = 4_000_000  # weights held in memory at one time: 32 MB


def bootstrap_tau(
    counts: IntArray, rule: TieRule, *, resamples: int = 1000, seed: int = 1
) -> tuple[float, float] | None:
    """95 % interval of τ from rows (C, D, T) per segment; None without resamples or two segments."""
    return percentile_interval(resampled(counts, lambda sums: tau(sums, rule), resamples, seed))


def resampled(
    rows: IntArray | FloatArray, statistic: Callable[[FloatArray], FloatArray], resamples: int, seed: int
) -> FloatArray:
    """The statistic of summed rows, for ``resamples`` draws of the rows with replacement.

    Nothing is drawn from a single row: it would seem certain, because it can only be drawn again.
    """
    if len(rows) < 2 or resamples == 0:
        return np.empty(0)
    rng, values = np.random.default_rng(seed), np.asarray(rows, dtype=np.float64)
    return np.concatenate([statistic(weights @ values) for weights in _draws(len(rows), resamples, rng)])


def permutation_p(
    first: IntArray, second: IntArray, rule: TieRule, *, resamples: int = 1000, seed: int = 1
) -> float | None:
    """Two-sided p that two metrics are interchangeable: swap their counts segment by segment at random."""
    _check(first, second)
    if len(first) == 0 or resamples == 0:
        return None
    total, change = first.sum(0) + second.sum(0), (first - second).astype(np.float64)
    observed = abs(_gap(change.sum(0)[None], total, rule)[0])
    rng = np.random.default_rng(seed)
    extreme = 0
    for size in _sizes(len(first), resamples):
        signs = rng.choice([-1.0, 1.0], size=(size, len(first)))
        extreme += int(np.count_nonzero(np.abs(_gap(signs @ change, total, rule)) >= observed - 1e-12))
    return (1 + extreme) / (1 + resamples)


def _gap(change: FloatArray, total: IntArray, rule: TieRule) -> FloatArray:
    """τ of the first minus τ of the second, from the difference and the sum of their counts."""
    return np.nan_to_num(tau((total + change) / 2, rule)) - np.nan_to_num(tau((total - change) / 2, rule))


def _draws(size: int, resamples: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """How often each of ``size`` rows is drawn, in blocks of resamples that fit in memory."""
    for block in _sizes(size, resamples):
        places = rng.integers(0, size, (block, size)) + np.arange(block)[:, None] * size
        yield np.bincount(places.ravel(), minlength=block * size).reshape(block, size)


def _sizes(size: int, resamples: int) -> Iterator[int]:
    """Split the resamples into blocks that hold at most ``CELLS_AT_ONCE`` weights.

    >>> list(_sizes(1_000_000, 10))
    [4, 4, 2]
    """
    block = max(1, CELLS_AT_ONCE // size)
    for start in range(0, resamples, block):
        yield min(block, resamples - start)


def _check(first: IntArray, second: IntArray) -> None:
    if first.shape != second.shape:
        raise ValueError(f"two metrics on one set have one shape, not {first.shape} and {second.shape}")
