"""Classifiers for the probability that the first output of a pair is the better one.

Paper 001, section 2.4: naïve Bayes with class curves from LOESS, and k nearest neighbours; in addition
logistic regression and gradient boosting. All accept missing values (NaN): naïve Bayes leaves the feature
out, boosting handles them itself, the others treat them as "no difference".

``pairs.preferences_of`` asks a classifier in both directions and averages, p(i, j) = ½ · (p̂(i, j) + 1 −
p̂(j, i)), so that exchanging the outputs exchanges the verdict exactly.

LOESS is locally weighted linear regression of one variable (Cleveland 1979), without robustness iterations:
at a point x₀ the nearest examples are fitted by a straight line, weighted by the tricube (1 − (d/d_max)³)³ of
their distance; the curve is the value of the line at x₀. Curves are computed on a grid and interpolated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

FloatArray = npt.NDArray[np.float64]

CLIP = 0.01  # odds of a single feature are at most 99 to 1
SEED = 1


class Classifier(Protocol):
    """Fitted on feature differences of pairs of outputs."""

    def probability(self, pairs: FloatArray) -> FloatArray: ...


Trainer = Callable[[FloatArray, FloatArray], Classifier]


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayes:
    """log-odds = log-odds of the class + Σ over features of the log-odds that LOESS gives.

    p(F|C) enters only as a ratio between the classes; by Bayes' rule that ratio is the odds of p(C|F)
    divided by the odds of p(C), which the LOESS curve of the class over the feature gives directly.
    """

    prior: float
    curves: tuple[Curve | None, ...]

    @classmethod
    def fit(cls, pairs: FloatArray, won: FloatArray, *, span: float = 0.5) -> NaiveBayes:
        prior = _logit(np.array([won.mean()]))[0]
        return cls(float(prior), tuple(_fit_odds(column, won, prior, span) for column in pairs.T))

    def probability(self, pairs: FloatArray) -> FloatArray:
        odds = np.full(len(pairs), self.prior)
        for column, odds_curve in zip(pairs.T, self.curves, strict=True):
            if odds_curve is not None:
                odds += np.nan_to_num(odds_curve(column), nan=0.0)
        return np.asarray(1 / (1 + np.exp(-odds)))


@dataclass(frozen=True, slots=True, eq=False)
class FittedEstimator:
    """A scikit-learn estimator with the preprocessing of its pairs."""

    estimator: Any  # scikit-learn has no types
    scale: FloatArray | None = None  # None: missing values stay missing
    absent: npt.NDArray[np.bool_] | None = None  # features that no training pair has

    def probability(self, pairs: FloatArray) -> FloatArray:
        with threadpool_limits(1):  # threads do not pay off for a dozen pairs
            probabilities: FloatArray = self.estimator.predict_proba(self._preprocess(pairs))[:, 1]
        return probabilities

    def _preprocess(self, pairs: FloatArray) -> FloatArray:
        if self.scale is not None:
            return _scale(pairs, self.scale)
        return pairs if self.absent is None else np.where(self.absent, 0.0, pairs)


def fit_neighbours(pairs: FloatArray, won: FloatArray, *, k: int = 51) -> Classifier:
    """k nearest neighbours on differences scaled by their root mean square."""
    from sklearn.neighbors import KNeighborsClassifier

    scale = _root_mean_square(pairs)
    estimator = KNeighborsClassifier(min(k, len(pairs)))
    return FittedEstimator(estimator.fit(_scale(pairs, scale), won), scale)


def fit_logistic(pairs: FloatArray, won: FloatArray, *, strength: float = 1.0) -> Classifier:
    """Logistic regression without intercept, because of two equal outputs neither is better."""
    from sklearn.linear_model import LogisticRegression

    scale = _root_mean_square(pairs)
    estimator = LogisticRegression(C=strength, fit_intercept=False, max_iter=1000)
    return FittedEstimator(estimator.fit(_scale(pairs, scale), won), scale)


def fit_boosting(pairs: FloatArray, won: FloatArray) -> Classifier:
    """Gradient-boosted trees on histograms, which treat "missing" as a value."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    estimator = HistGradientBoostingClassifier(
        max_iter=150, learning_rate=0.05, max_leaf_nodes=8, min_samples_leaf=50, random_state=SEED
    )
    # The trees accept missing values, but not a feature that is always missing.
    absent: npt.NDArray[np.bool_] = np.asarray(np.all(np.isnan(pairs), axis=0))
    with threadpool_limits(1):
        return FittedEstimator(estimator.fit(np.where(absent, 0.0, pairs), won), None, absent)


CLASSIFIERS: Mapping[str, Trainer] = {
    "naive-bayes": NaiveBayes.fit,
    "knn": fit_neighbours,
    "logistic": fit_logistic,
    "boosting": fit_boosting,
}


def _fit_odds(column: FloatArray, won: FloatArray, prior: float, span: float) -> Curve | None:
    """What one feature adds to the log-odds, as a curve; None for a feature that is always missing."""
    if np.isnan(column).all():
        return None
    shares = fit_curve(column, won, span=span)
    return Curve(shares.grid, _logit(shares.values) - prior)


def _logit(p: FloatArray) -> FloatArray:
    p = np.clip(p, CLIP, 1 - CLIP)
    return np.log(p / (1 - p))


def _root_mean_square(pairs: FloatArray) -> FloatArray:
    """Root mean square of every difference; 1 for a feature that never differs."""
    square = np.nanmean(np.where(np.isnan(pairs).all(axis=0), 0.0, pairs) ** 2, axis=0)
    return np.where(square > 0, np.sqrt(square), 1.0)


def _scale(pairs: FloatArray, scale: FloatArray) -> FloatArray:
    return np.nan_to_num(pairs / scale, nan=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A piecewise linear function, constant outside its grid; NaN in gives NaN out."""

    grid: FloatArray
    values: FloatArray

    def __call__(self, x: FloatArray) -> FloatArray:
        return np.where(np.isnan(x), np.nan, np.interp(x, self.grid, self.values))


def fit_curve(x: FloatArray, y: FloatArray, *, span: float = 0.5, points: int = 50) -> Curve:
    """LOESS curve of y over x on a grid of quantiles of x; examples with NaN are ignored.

    >>> c = fit_curve(np.arange(10.0), 2 * np.arange(10.0) + 1)
    >>> c(np.array([4.5])).round(6).tolist()
    [10.0]
    """
    known = ~np.isnan(x)
    x, y = x[known], y[known]
    if len(x) == 0:
        raise ValueError("LOESS needs at least one example with a value")
    grid = np.unique(np.quantile(x, np.linspace(0, 1, points)))
    return Curve(grid, loess(x, y, grid, span=span))


def loess(x: FloatArray, y: FloatArray, at: FloatArray, *, span: float = 0.5) -> FloatArray:
    """Values of the local lines at the points ``at``.

    ``span`` is the share of examples that a line is fitted to. Where these all have the same x, the value is
    their mean, so that callers need no special case for categories.
    """
    if not 0 < span <= 1:
        raise ValueError(f"span is a share of the examples, in (0, 1]; got {span}")
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    size = max(2, min(len(x), round(span * len(x))))
    return np.array(
        [_fit_line(x, y, point, reach) for point, reach in zip(at, _reach(x, at, size), strict=True)]
    )


def _fit_line(x: FloatArray, y: FloatArray, point: float, reach: float) -> float:
    """Weighted line through the examples of a sorted x within reach, read at ``point``."""
    # All examples within reach: with ties a window of exactly `size` would be arbitrary.
    inside = slice(*np.searchsorted(x, (point - reach, np.nextafter(point + reach, np.inf))))
    if reach == 0:
        return float(np.mean(y[inside]))
    dx = x[inside] - point
    relative = np.minimum(np.abs(dx) / reach, 1.0)
    weight = (1 - relative * relative * relative) ** 3
    total = weight.sum()
    if total == 0:  # all examples at the very edge
        return float(np.mean(y[inside]))
    mean_x, mean_y = weight @ dx / total, weight @ y[inside] / total
    spread = weight @ (dx - mean_x) ** 2 / total
    if spread <= 1e-12 * reach**2:
        return float(mean_y)
    slope = weight @ ((dx - mean_x) * (y[inside] - mean_y)) / total / spread
    return float(mean_y - slope * mean_x)


def _reach(x: FloatArray, at: FloatArray, size: int) -> FloatArray:
    """Distance from each point to its ``size``-th nearest value of a sorted x.

    The nearest values are consecutive; bisection finds the window whose ends are equally far away.
    """
    ends = x[: len(x) - size + 1] + x[size - 1 :]
    right = np.clip(np.searchsorted(ends, 2 * at), 0, len(ends) - 1)
    both = np.stack([np.maximum(right - 1, 0), right])
    return np.asarray(np.maximum(at - x[both], x[both + size - 1] - at).min(axis=0))
