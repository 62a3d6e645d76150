"""Feature importance and agreement with people: figures for the page of a trained model.

*Permutation importance* (Breiman 2001): how much accuracy is lost when one feature is shuffled among the
validation examples. Of two redundant features, each looks unimportant, because the other stays. *Accuracy and
correlation* over a grid: the thesis chooses machines by accuracy alone, because over its grid accuracy and
the correlation with people go together (Kulesza 2004, section 4.2, Table A.1: r = 0.854).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics.datasets import FloatArray
from metrics.learned.ratings import Roc, roc
from metrics.learned.svm import Labelled, Machine
from metrics.metaeval.correlation import pearson

SHUFFLES = 10
MOST_POINTS = 200


def permutation_importance(
    machine: Machine, validation: Labelled, *, shuffles: int = SHUFFLES, seed: int = 1
) -> FloatArray:
    """Mean loss of accuracy per feature; near zero, or below it, where the feature does not matter."""
    rng = np.random.default_rng(seed)
    whole = _accuracy(machine, validation.rows, validation)
    losses = np.zeros(validation.rows.shape[1])
    for column in range(len(losses)):
        for _ in range(shuffles):
            rows = validation.rows.copy()
            rows[:, column] = rng.permutation(rows[:, column])
            losses[column] += whole - _accuracy(machine, rows, validation)
    return losses / shuffles


def validation_roc(machine: Machine, validation: Labelled) -> Roc | None:
    """Human against machine translations of the validation set."""
    values, human = machine.decision(validation.rows), validation.classes > 0
    return roc(values[human], values[~human])


def thinned(curve: Roc, most: int = MOST_POINTS) -> list[tuple[float, float]]:
    """A curve reduced to at most so many points, both ends included, as (machine, human) recognised.

    >>> found = roc(np.arange(500.0) + 100, np.arange(500.0))
    >>> points = thinned(found) if found else []
    >>> len(points), points[0], points[-1]
    (200, (0.0, 1.0), (1.0, 0.0))
    """
    places = np.unique(np.linspace(0, len(curve.human) - 1, min(most, len(curve.human))).astype(int))
    return list(zip(curve.machine[places].tolist(), curve.human[places].tolist(), strict=True))


def correlations(machines: Sequence[Machine], rows: FloatArray, truth: FloatArray) -> list[float | None]:
    """Pearson's r of each machine's values with what people think of the same translations."""
    return [pearson(machine.decision(rows), truth) if len(truth) else None for machine in machines]


def _accuracy(machine: Machine, rows: FloatArray, validation: Labelled) -> float:
    return float(((machine.decision(rows) > 0) == (validation.classes > 0)).mean())
