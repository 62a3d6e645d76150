"""Human ratings as the standard (Kulesza 2004, sections 2.3, 3.1 and 4.2): a human metric, and ROC curves.

Ratings on a scale are first made comparable by each rater's percentiles
(``evaluation.agreement.ratings.percentile_normalised``). Items with two or more ratings are then split at
random: one rating is the truth, another one is "the human metric", the row that automatic metrics are
compared with. It is not the best that people could do, because it is a single rating.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.agreement.ratings import percentile_normalised
from metrics.datasets import FloatArray
from metrics.metaeval.correlation import fisher_interval, pearson, spearman


@dataclass(frozen=True, slots=True, eq=False)
class SplitRatings:
    """Items rated at least twice: the true rating and the human metric's, aligned."""

    items: tuple[Hashable, ...]
    truth: FloatArray
    human: FloatArray


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table like Table 4.1."""

    metric: str
    n: int
    pearson: float | None
    pearson_ci: tuple[float, float] | None
    spearman: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Roc:
    """Figure 2.2: for every threshold the share of humans and of machines that are recognised as such."""

    human: FloatArray
    machine: FloatArray
    area: float


def split_ratings(
    raters: Sequence[Hashable], items: Sequence[Hashable], ratings: Sequence[float], *, seed: int
) -> SplitRatings:
    """Normalise by rater, then draw two ratings of every item that has at least two."""
    rng = np.random.default_rng(seed)
    normal = percentile_normalised(list(ratings), [repr(rater) for rater in raters])
    by_item: dict[Hashable, list[float]] = {}
    for item, value in zip(items, normal.tolist(), strict=True):
        by_item.setdefault(item, []).append(value)
    twice = {item: values for item, values in by_item.items() if len(values) > 1}
    drawn = [rng.choice(values, 2, replace=False) for values in twice.values()]
    truth, human = np.array(drawn, dtype=np.float64).reshape(-1, 2).T
    return SplitRatings(tuple(twice), truth, human)


def row(metric: str, scores: FloatArray, truth: FloatArray) -> Row:
    """Correlations of one metric with the truth, the interval by Fisher's z′."""
    r = pearson(scores, truth)
    return Row(metric, len(truth), r, fisher_interval(r, len(truth)), spearman(scores, truth))


def roc(human: FloatArray, machine: FloatArray) -> Roc | None:
    """The curve over all thresholds: scores at or above one are taken for human. None without both classes.

    ``area`` is the chance that a human translation scores higher than a machine's, ties counting half.

    >>> curve = roc(np.array([3.0, 2.0]), np.array([1.0, 2.0]))
    >>> curve.human.tolist(), curve.machine.tolist(), curve.area
    ([1.0, 1.0, 0.5, 0.0], [0.0, 0.5, 1.0, 1.0], 0.875)
    """
    if not len(human) or not len(machine):
        return None
    thresholds = np.unique(np.concatenate([human, machine]))
    people, machines = np.sort(human), np.sort(machine)
    recognised = 1 - np.searchsorted(people, thresholds, side="left") / len(people)
    refused = np.searchsorted(machines, thresholds, side="left") / len(machines)
    curve_human, curve_machine = np.append(recognised, 0.0), np.append(refused, 1.0)
    below = np.searchsorted(machines, human, side="left") + np.searchsorted(machines, human, side="right")
    return Roc(curve_human, curve_machine, float(below.mean()) / 2 / len(machines))
