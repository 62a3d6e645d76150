"""Figures about learned metrics and their features: ROC curves and feature importance.

*Permutation importance* (Breiman 2001): the loss of accuracy when one feature is shuffled among the
validation examples. Of two redundant features, neither seems important. *Accuracy and correlation* over a
grid: the thesis selects machines by accuracy alone, because over its grid accuracy and the correlation with
people agree (section 4.2, Table A.1: r = 0.854).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

from metrics.learned.svm import Labelled, Svm
from metrics.metaeval.datasets import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Roc:
    """Figure 2.2: for every threshold the shares of human and of machine translations recognised as such."""

    human: FloatArray
    machine: FloatArray
    area: float


def compute_roc(human: FloatArray, machine: FloatArray) -> Roc | None:
    """Return the curve over all thresholds: scores at or above one count as human. None without both classes.

    ``area`` is the probability that a human translation scores higher than a machine's; ties count half.

    >>> curve = compute_roc(np.array([3.0, 2.0]), np.array([1.0, 2.0]))
    >>> curve.human.tolist(), curve.machine.tolist(), curve.area
    ([1.0, 1.0, 0.5, 0.0], [0.0, 0.5, 1.0, 1.0], 0.875)
    """
    if not len(human) or not len(machine):
        return None
    scores, is_human = np.concatenate([human, machine]), np.repeat([1, 0], [len(human), len(machine)])
    false, recognised, _ = roc_curve(is_human, scores, drop_intermediate=False)
    return Roc(recognised[::-1], 1 - false[::-1], float(roc_auc_score(is_human, scores)))


SHUFFLES = 10
MAX_POINTS = 200


def permutation_importance(svm: Svm, validation: Labelled, *, seed: int = 1) -> FloatArray:
    """Return the mean loss of accuracy per feature; near zero or below if the feature does not matter."""
    rng = np.random.default_rng(seed)
    full = _accuracy(svm, validation.rows, validation)
    losses = np.zeros(validation.rows.shape[1])
    for column in range(len(losses)):
        for _ in range(SHUFFLES):
            rows = validation.rows.copy()
            rows[:, column] = rng.permutation(rows[:, column])
            losses[column] += full - _accuracy(svm, rows, validation)
    return losses / SHUFFLES


def validation_roc(svm: Svm, validation: Labelled) -> Roc | None:
    """Return the curve of human against machine translations of the validation set."""
    values, human = svm.decision(validation.rows), validation.classes > 0
    return compute_roc(values[human], values[~human])


def thin_curve(curve: Roc, most: int = MAX_POINTS) -> list[tuple[float, float]]:
    """Reduce a curve to at most ``most`` points (machine, human), including both ends.

    >>> curve = compute_roc(np.arange(500.0) + 100, np.arange(500.0))
    >>> points = thin_curve(curve) if curve else []
    >>> len(points), points[0], points[-1]
    (200, (0.0, 1.0), (1.0, 0.0))
    """
    places = np.unique(np.linspace(0, len(curve.human) - 1, min(most, len(curve.human))).astype(int))
    return list(zip(curve.machine[places].tolist(), curve.human[places].tolist(), strict=True))


def _accuracy(svm: Svm, rows: FloatArray, validation: Labelled) -> float:
    return float(((svm.decision(rows) > 0) == (validation.classes > 0)).mean())
