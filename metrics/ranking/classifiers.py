"""Classifiers for the probability that the first output of a pair is the better one.

Paper 001, section 2.4: naïve Bayes whose class curves come from LOESS, and k nearest neighbours; beside them
logistic regression and gradient boosting. All take the same pairs, all allow missing values (NaN): naïve
Bayes leaves the feature out, boosting handles it itself, the others read "no difference".

Pairs come in both directions, so every classifier here is asked twice and answers
p(i, j) = ½ · (p̂(i, j) + 1 − p̂(j, i)): swapping the outputs swaps the verdict, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from metrics.ranking.loess import Curve, FloatArray, curve

CLIP = 0.01  # no single feature may be surer than 99 to 1
SEED = 1


class Classifier(Protocol):
    """Fitted on pairs; ``mirror`` turns pairs (i, j) into (j, i)."""

    def probability(self, pairs: FloatArray) -> FloatArray: ...


Trainer = Callable[[FloatArray, FloatArray], Classifier]


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayes:
    """log-odds = log-odds of the class + Σ over features of what LOESS says about p(class | feature).

    p(F|C) enters only as a ratio between the classes, and by Bayes' rule that ratio is the odds of
    p(C|F) over the odds of p(C): the LOESS curve of the class over the feature gives it directly.
    """

    prior: float
    curves: tuple[Curve | None, ...]

    @classmethod
    def fit(cls, pairs: FloatArray, won: FloatArray, *, span: float = 0.5) -> NaiveBayes:
        prior = _logit(np.array([won.mean()]))[0]
        return cls(float(prior), tuple(_odds(column, won, prior, span) for column in pairs.T))

    def probability(self, pairs: FloatArray) -> FloatArray:
        odds = np.full(len(pairs), self.prior)
        for column, odds_curve in zip(pairs.T, self.curves, strict=True):
            if odds_curve is not None:
                odds += np.nan_to_num(odds_curve(column), nan=0.0)
        return np.asarray(1 / (1 + np.exp(-odds)))


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A scikit-learn estimator with what it needs done to the pairs first."""

    estimator: Any  # scikit-learn has no types
    scale: FloatArray | None = None  # None: missing values stay missing
    never: npt.NDArray[np.bool_] | None = None  # features that no training pair had

    def probability(self, pairs: FloatArray) -> FloatArray:
        with threadpool_limits(1):  # a dozen pairs at a time: threads would only wait for each other
            found: FloatArray = self.estimator.predict_proba(self._prepared(pairs))[:, 1]
        return found

    def _prepared(self, pairs: FloatArray) -> FloatArray:
        if self.scale is not None:
            return _scaled(pairs, self.scale)
        return pairs if self.never is None else np.where(self.never, 0.0, pairs)


def neighbours(pairs: FloatArray, won: FloatArray, *, k: int = 51) -> Classifier:
    """k nearest neighbours on differences scaled by their spread."""
    from sklearn.neighbors import KNeighborsClassifier

    scale = _spread(pairs)
    estimator = KNeighborsClassifier(min(k, len(pairs)))
    return Fitted(estimator.fit(_scaled(pairs, scale), won), scale)


def logistic(pairs: FloatArray, won: FloatArray, *, strength: float = 1.0) -> Classifier:
    """Logistic regression without intercept: of two equal outputs neither is better."""
    from sklearn.linear_model import LogisticRegression

    scale = _spread(pairs)
    estimator = LogisticRegression(C=strength, fit_intercept=False, max_iter=1000)
    return Fitted(estimator.fit(_scaled(pairs, scale), won), scale)


def boosting(pairs: FloatArray, won: FloatArray) -> Classifier:
    """Gradient-boosted trees on histograms; they treat missing values as a value of their own."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    estimator = HistGradientBoostingClassifier(
        max_iter=150, learning_rate=0.05, max_leaf_nodes=8, min_samples_leaf=50, random_state=SEED
    )
    # The trees take missing values, but not a feature that is never there.
    never: npt.NDArray[np.bool_] = np.asarray(np.all(np.isnan(pairs), axis=0))
    with threadpool_limits(1):
        return Fitted(estimator.fit(np.where(never, 0.0, pairs), won), None, never)


CLASSIFIERS: Mapping[str, Trainer] = {
    "naive-bayes": NaiveBayes.fit,
    "knn": neighbours,
    "logistic": logistic,
    "boosting": boosting,
}


def _odds(column: FloatArray, won: FloatArray, prior: float, span: float) -> Curve | None:
    """What one feature adds to the log-odds, as a curve; None for a feature that is never there."""
    if np.isnan(column).all():
        return None
    found = curve(column, won, span=span)
    return Curve(found.grid, _logit(found.values) - prior)


def _logit(p: FloatArray) -> FloatArray:
    p = np.clip(p, CLIP, 1 - CLIP)
    return np.log(p / (1 - p))


def _spread(pairs: FloatArray) -> FloatArray:
    """Root mean square of every difference; 1 for a feature that never differs."""
    square = np.nanmean(np.where(np.isnan(pairs).all(axis=0), 0.0, pairs) ** 2, axis=0)
    return np.where(square > 0, np.sqrt(square), 1.0)


def _scaled(pairs: FloatArray, scale: FloatArray) -> FloatArray:
    return np.nan_to_num(pairs / scale, nan=0.0)
