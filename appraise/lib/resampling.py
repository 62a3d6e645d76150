"""Bootstrap, permutation tests and Holm's correction: the parts that every statistic here shares.

What is resampled (a sentence, a segment, an item) is a column or row of sums, so that a resample is a
weighted sum and a thousand resamples are one matrix product (Efron & Tibshirani 1993, chapter 13). Callers
choose the unit and the statistic.

Callers of permutation tests generate the signs themselves, each in its own layout: published tables depend on
the order in which a seed's random numbers are used.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from appraise.lib.parallel import limit_to_one_thread

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Interval = tuple[float, float]

NORMAL_APPROXIMATION_UNITS = 20_000  # units above which totals are sampled from their normal approximation
CHUNK = 2_000_000  # random numbers held at a time
BLOCK = 8_192  # columns at a time, so that a block fits into the processor's cache
VARIANCE_TOLERANCE = 1e-12  # share of the largest variance below which a variance is rounding error


def percentile_interval(values: Floats, level: float = 0.95) -> Interval | None:
    """The central interval that holds the share ``level`` of the values; nan is ignored.

    >>> percentile_interval(np.arange(5.0), 0.5)
    (1.0, 3.0)
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def p_value(null_values: Floats, observed: float) -> float:
    """The share of values under the null hypothesis that reach the observed one.

    The observed value counts among them, so that the share is never 0.

    >>> p_value(np.array([0.1, 0.2, 0.9]), 0.5)
    0.5
    """
    return (int((null_values >= observed).sum()) + 1) / (len(null_values) + 1)


def holm(values: Floats) -> Floats:
    """Holm's step-down correction; nan stays nan and does not count as a comparison.

    >>> holm(np.array([0.01, 0.04, 0.03, np.nan])).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    adjusted = np.full(len(values), np.nan)
    order = np.argsort(values)[: int((~np.isnan(values)).sum())]  # nan sorts last
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(values[order] * factors))
    return adjusted


def block_sizes(units: int, resamples: int, cells: int = CHUNK) -> Iterator[int]:
    """Split the resamples into blocks that hold at most ``cells`` numbers.

    >>> list(block_sizes(1_000_000, 10, 4_000_000))
    [4, 4, 2]
    """
    rows = max(1, cells // max(units, 1))
    for start in range(0, resamples, rows):
        yield min(rows, resamples - start)


def sample_counts(
    units: int, resamples: int, rng: np.random.Generator, cells: int = CHUNK
) -> Iterator[Floats]:
    """Bootstrap weights, resamples × units, in blocks: how often each unit occurs in a resample."""
    for rows in block_sizes(units, resamples, cells):
        choices = rng.integers(0, units, size=(rows, units), dtype=np.int32)
        choices += np.arange(rows, dtype=np.int32)[:, None] * units
        yield np.bincount(choices.ravel(), minlength=rows * units).reshape(rows, units).astype(np.float64)


def multinomial_counts(units: int, resamples: int, rng: np.random.Generator) -> Floats:
    """The same distribution in one step, from other random numbers than ``sample_counts``."""
    return rng.multinomial(units, np.full(units, 1 / units), size=resamples).astype(np.float64)


def resample_totals(columns: Floats, resamples: int, seed: int) -> Floats | None:
    """Bootstrap totals, features × resamples: sums over as many columns as there are, with replacement.

    Three ways sample the same distribution: equal columns together (a multinomial over the few distinct
    ones), many distinct columns one by one, and above ``NORMAL_APPROXIMATION_UNITS`` units the normal
    approximation of the totals.
    None without resamples or with fewer than two units.
    """
    units = columns.shape[1]
    if resamples < 1 or units < 2:
        return None
    rng = np.random.default_rng(seed)
    with limit_to_one_thread():
        if units > NORMAL_APPROXIMATION_UNITS:
            return _sample_normal_totals(columns, resamples, rng)
        distinct, counts = _find_distinct_columns(columns)
        if distinct.shape[1] <= units // 4:
            return distinct @ rng.multinomial(units, counts / units, size=resamples).T
        return np.hstack([columns @ weights.T for weights in sample_counts(units, resamples, rng)])


def _sample_normal_totals(columns: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """The normal approximation of the multinomial: mean n·m, covariance n·S, sampled by a factor of S."""
    units = columns.shape[1]
    mean = columns.mean(axis=1, keepdims=True)
    spread = np.zeros((len(columns), len(columns)))
    for start in range(0, units, BLOCK):
        centred = columns[:, start : start + BLOCK] - mean
        spread += centred @ centred.T
    values, vectors = np.linalg.eigh(spread)
    values[values < VARIANCE_TOLERANCE * values.max()] = 0  # linear combinations of other features
    factor = vectors * np.sqrt(values)
    return np.asarray(units * mean + factor @ rng.standard_normal((len(columns), resamples)))


def _find_distinct_columns(columns: Floats) -> tuple[Floats, Ints]:
    """The distinct columns, and how often each occurs.

    Columns are grouped by one random projection, then compared: sorting numbers is much faster than sorting
    columns, and a collision (never seen) only means that nothing is merged.
    """
    keys = np.zeros(columns.shape[1])
    # Row by row, because a matrix product may round equal columns differently.
    for weight, row in zip(np.random.default_rng(0).standard_normal(len(columns)), columns, strict=True):
        keys += weight * row
    _, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    distinct = columns[:, first]
    if not np.array_equal(distinct[:, inverse.reshape(-1)], columns):
        return columns, np.ones(columns.shape[1], dtype=np.int64)
    return distinct, counts
