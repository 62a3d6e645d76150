"""Ratings of whole sentences by system, made comparable between raters.

Strict and lenient raters use the scale differently, so each rating becomes its percentile among the ratings
of the same rater before systems are compared (Kulesza 2004, paper 000, section 3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.agreement import percentile_normalised
from evaluation.agreement.bootstrap import Interval, percentile_interval, resampled_totals
from evaluation.agreement.rendering import Table


class Rating(NamedTuple):
    """One rater on one candidate, which one or more systems wrote."""

    rater: int
    sentence: int
    systems: Sequence[str]
    value: float


@dataclass(frozen=True, slots=True)
class RatingLine:
    """``mean`` on the scale as used, ``percentile`` from 0 to 1; the interval is of the percentile."""

    system: str
    ratings: int
    raters: int
    mean: float
    percentile: float
    interval: Interval | None


def rating_lines(ratings: Sequence[Rating], *, resamples: int = 1000, seed: int = 1) -> list[RatingLine]:
    """Systems, best first. The interval holds the middle 95 % of resamples of whole sentences.

    >>> kind, strict = Rating(1, 1, ["x"], 5), Rating(2, 1, ["x"], 2)
    >>> others = [Rating(1, 2, ["y"], 4), Rating(2, 2, ["y"], 1)]
    >>> [(line.system, line.mean, line.percentile) for line in rating_lines([kind, strict, *others])]
    [('x', 3.5, 0.75), ('y', 2.5, 0.25)]
    """
    names = sorted({system for rating in ratings for system in rating.systems})
    if not names:
        return []
    values = np.array([rating.value for rating in ratings])
    normal = percentile_normalised(values, np.array([rating.rater for rating in ratings]))
    sentences = np.unique([rating.sentence for rating in ratings], return_inverse=True)[1].reshape(-1)
    row, system = np.array(
        [(n, names.index(name)) for n, rating in enumerate(ratings) for name in rating.systems]
    ).T
    columns = np.zeros((2 * len(names), int(sentences.max()) + 1))
    np.add.at(columns, (system, sentences[row]), normal[row])
    np.add.at(columns, (len(names) + system, sentences[row]), 1)
    drawn = resampled_totals(columns, resamples, seed)
    lines = []
    for code, name in enumerate(names):
        own = row[system == code]
        with np.errstate(invalid="ignore", divide="ignore"):  # a resample without this system
            shares = None if drawn is None else drawn[code] / drawn[len(names) + code]
        lines.append(
            RatingLine(
                name,
                len(own),
                len({ratings[n].rater for n in own}),
                float(values[own].mean()),
                float(normal[own].mean()),
                None if shares is None else percentile_interval(shares),
            )
        )
    return sorted(lines, key=lambda line: (-line.percentile, line.system))


def rating_table(lines: Sequence[RatingLine]) -> Table:
    return Table(
        "Ratings of whole sentences, normalised by each rater's percentiles",
        ("system", "ratings", "raters", "mean", "percentile", "low", "high"),
        tuple(
            (
                line.system,
                line.ratings,
                line.raters,
                line.mean,
                line.percentile,
                *(line.interval or (None, None)),
            )
            for line in lines
        ),
    )
