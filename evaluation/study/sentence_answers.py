"""Ratings of whole sentences by system, made comparable between raters.

Strict and lenient raters use the scale differently, so each rating is replaced by its percentile among the
ratings of the same rater before systems are compared (Kulesza 2004, paper 000, section 3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from appraise.lib.resampling import Interval, percentile_interval, resample_totals
from appraise.lib.tables import Table
from evaluation.agreement.judgements import Floats
from evaluation.agreement.report import interval_cells


class Rating(NamedTuple):
    """One rating of a candidate that one or more systems wrote."""

    rater: int
    sentence: int
    systems: Sequence[str]
    value: float


@dataclass(frozen=True, slots=True)
class RatingLine:
    """``mean`` on the original scale, ``percentile`` from 0 to 1; the interval is that of the percentile."""

    system: str
    ratings: int
    raters: int
    mean: float
    percentile: float
    interval: Interval | None


def compute_rating_lines(
    ratings: Sequence[Rating], *, resamples: int = 1000, seed: int = 1
) -> list[RatingLine]:
    """Compute the mean ratings of systems, best first, with 95 % intervals over resampled sentences.

    >>> lenient, strict = Rating(1, 1, ["x"], 5), Rating(2, 1, ["x"], 2)
    >>> others = [Rating(1, 2, ["y"], 4), Rating(2, 2, ["y"], 1)]
    >>> lines = compute_rating_lines([lenient, strict, *others])
    >>> [(line.system, line.mean, line.percentile) for line in lines]
    [('x', 3.5, 0.75), ('y', 2.5, 0.25)]
    """
    names = sorted({system for rating in ratings for system in rating.systems})
    if not names:
        return []
    values = np.array([rating.value for rating in ratings])
    percentiles = normalise_by_percentile(values, np.array([rating.rater for rating in ratings]))
    sentences = np.unique([rating.sentence for rating in ratings], return_inverse=True)[1].reshape(-1)
    rows, systems = np.array(
        [(n, names.index(name)) for n, rating in enumerate(ratings) for name in rating.systems]
    ).T
    columns = np.zeros((2 * len(names), int(sentences.max()) + 1))
    np.add.at(columns, (systems, sentences[rows]), percentiles[rows])
    np.add.at(columns, (len(names) + systems, sentences[rows]), 1)
    resampled = resample_totals(columns, resamples, seed)
    lines = []
    for code, name in enumerate(names):
        own = rows[systems == code]
        with np.errstate(invalid="ignore", divide="ignore"):  # a resample may lack this system
            means = None if resampled is None else resampled[code] / resampled[len(names) + code]
        lines.append(
            RatingLine(
                name,
                len(own),
                len({ratings[n].rater for n in own}),
                float(values[own].mean()),
                float(percentiles[own].mean()),
                None if means is None else percentile_interval(means),
            )
        )
    return sorted(lines, key=lambda line: (-line.percentile, line.system))


def normalise_by_percentile(ratings: ArrayLike, raters: ArrayLike | None = None) -> Floats:
    """Replace each rating by its percentile among the ratings of the same rater.

    The percentile is the share of smaller ratings plus half the share of equal ratings.

    >>> normalise_by_percentile([1, 2, 2, 5]).tolist()
    [0.125, 0.5, 0.5, 0.875]
    """
    values = np.asarray(ratings, dtype=np.float64)
    rater_codes = np.zeros(len(values), dtype=np.int64) if raters is None else np.asarray(raters)
    if len(rater_codes) != len(values):
        raise ValueError(f"expected one rater for each rating, found {len(rater_codes)} for {len(values)}")
    percentiles = np.empty(len(values))
    for rater in np.unique(rater_codes):
        own = rater_codes == rater
        _, position, counts = np.unique(values[own], return_inverse=True, return_counts=True)
        percentiles[own] = ((np.cumsum(counts) - counts / 2) / own.sum())[position.reshape(-1)]
    return percentiles


def build_rating_table(lines: Sequence[RatingLine]) -> Table:
    columns = ("system", "ratings", "raters", "mean", "percentile", "low", "high")
    rows = tuple(
        (line.system, line.ratings, line.raters, line.mean, line.percentile, *interval_cells(line.interval))
        for line in lines
    )
    return Table("Ratings of whole sentences, normalised by each rater's percentiles", columns, rows)
