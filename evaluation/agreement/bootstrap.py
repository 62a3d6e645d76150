"""Intervals that respect sentences: whole sentences are resampled with all their judgements.

Phrases of one sentence are judged together and are not independent, so the unit that is resampled is
the sentence (or, by name, the item). Every coefficient is a function of totals, so a resample is a
weighted sum of columns, and a thousand resamples are one matrix product (Efron & Tibshirani 1993,
chapter 13: percentile interval).

There are three ways to draw totals of the same distribution: equal columns are drawn together (a multinomial
over the few kinds that occur), many different columns are drawn one by one, and above ``MANY`` units the
totals are drawn from their normal approximation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evaluation.agreement.coefficients import Coefficient, defined
from evaluation.agreement.judgements import Floats, Ints, Judgements
from evaluation.agreement.tally import BLOCK, Tally
from evaluation.agreement.threads import one_thread

MANY = 20_000
CHUNK = 2_000_000  # draws held at a time
NOTHING = 1e-12  # of the largest variance

Interval = tuple[float, float]


class Unit(StrEnum):
    """What is drawn again."""

    SENTENCE = "sentence"
    ITEM = "item"


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """A coefficient and its values in each resample (None: nothing was drawn)."""

    value: float | None
    draws: Floats | None

    @property
    def interval(self) -> Interval | None:
        return None if self.draws is None else percentile_interval(self.draws)


def sampled(
    asked: Sequence[tuple[Coefficient, Tally]],
    judgements: Judgements,
    *,
    resamples: int = 1000,
    seed: int = 1,
    unit: Unit = Unit.SENTENCE,
) -> list[Sampled]:
    """Value and resampled values of each coefficient; all see the same resamples.

    The tallies must be of the items of ``judgements``, in their order.
    """
    places: dict[tuple[object, int], slice] = {}
    parts: list[Floats] = []
    end = 0
    for coefficient, tally in asked:
        key = coefficient.features, id(tally)
        if key not in places:  # several coefficients read the same features
            parts.append(unit_columns(coefficient.features(tally), judgements, unit))
            places[key] = slice(end, end := end + len(parts[-1]))
    columns = np.vstack(parts)
    totals, drawn = columns.sum(axis=1), resampled_totals(columns, resamples, seed)
    found = []
    for coefficient, tally in asked:
        place = places[coefficient.features, id(tally)]
        draws = None if drawn is None else coefficient.value(drawn[place])
        found.append(Sampled(defined(coefficient.value(totals[place])), draws))
    return found


def unit_columns(features: Floats, judgements: Judgements, unit: Unit = Unit.SENTENCE) -> Floats:
    """Add up the columns of items that are drawn together; units without judgements do not appear."""
    seen, groups = judgements.seen_items
    known = features if len(seen) == features.shape[1] else features[:, seen]
    return known if unit is Unit.ITEM else grouped(known, groups)


def grouped(columns: Floats, groups: Ints) -> Floats:
    """Sum the columns of each group 0…n−1.

    >>> grouped(np.array([[1.0, 2.0, 3.0]]), np.array([0, 1, 0])).tolist()
    [[4.0, 2.0]]
    """
    length = int(groups.max()) + 1 if len(groups) else 0
    if length and (np.diff(groups) >= 0).all():  # in order, as a file or a database usually has them
        return np.add.reduceat(columns, np.flatnonzero(np.diff(groups, prepend=-1)), axis=1)
    found = np.empty((len(columns), length))
    for row, total in zip(columns, found, strict=True):
        total[:] = np.bincount(groups, row, minlength=length)
    return found


def resampled_totals(columns: Floats, resamples: int, seed: int) -> Floats | None:
    """Features × resamples: totals of as many columns as there are, drawn with replacement."""
    units = columns.shape[1]
    if resamples < 1 or units < 2:
        return None
    rng = np.random.default_rng(seed)
    with one_thread():
        if units > MANY:
            return _normal_totals(columns, resamples, rng)
        kinds, often = _kinds(columns)
        if kinds.shape[1] <= units // 4:
            return kinds @ rng.multinomial(units, often / units, size=resamples).T
        return np.hstack([columns @ weights.T for weights in _weights(units, resamples, rng)])


def percentile_interval(values: Floats, level: float = 0.95) -> Interval | None:
    """The middle ``level`` of the values that are defined.

    >>> percentile_interval(np.arange(5.0), 0.5)
    (1.0, 3.0)
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _weights(units: int, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Resamples × units, in chunks: how often each unit was drawn."""
    rows = max(1, CHUNK // units)
    for start in range(0, resamples, rows):
        chunk = min(rows, resamples - start)
        drawn = rng.integers(0, units, size=(chunk, units), dtype=np.int32)
        drawn += np.arange(chunk, dtype=np.int32)[:, None] * units
        yield np.bincount(drawn.ravel(), minlength=chunk * units).reshape(chunk, units).astype(np.float64)


def _normal_totals(columns: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """The central limit of the multinomial: mean n·m, covariance n·S, by a factor of S."""
    units = columns.shape[1]
    mean = columns.mean(axis=1, keepdims=True)
    spread = np.zeros((len(columns), len(columns)))
    for start in range(0, units, BLOCK):
        centred = columns[:, start : start + BLOCK] - mean
        spread += centred @ centred.T
    values, vectors = np.linalg.eigh(spread)
    values[values < NOTHING * values.max()] = (
        0  # features that others imply: what is left of them is rounding
    )
    factor = vectors * np.sqrt(values)
    return np.asarray(units * mean + factor @ rng.standard_normal((len(columns), resamples)))


def _kinds(columns: Floats) -> tuple[Floats, Ints]:
    """The different columns, and how often each occurs.

    Columns are grouped by one random projection, then compared: sorting numbers is much faster than sorting
    columns, and a collision (never seen) only means that nothing is merged. The projection is added up row by
    row: a matrix product rounds equal columns differently, on each processor in its own way.
    """
    marks = np.zeros(columns.shape[1])
    for weight, row in zip(np.random.default_rng(0).standard_normal(len(columns)), columns, strict=True):
        marks += weight * row
    _, first, kind, often = np.unique(marks, return_index=True, return_inverse=True, return_counts=True)
    kinds = columns[:, first]
    if not np.array_equal(kinds[:, kind.reshape(-1)], columns):
        return columns, np.ones(columns.shape[1], dtype=np.int64)
    return kinds, often
