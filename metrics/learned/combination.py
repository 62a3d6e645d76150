"""Combining features into one metric (Guzmán et al. 2014, paper 004, sections 4.1 and 4.2).

*Uniform*: every metric is stretched over 0 … 1 within the set that is scored, and the mean is taken.
*Tuned*: a maximum-entropy model on pairwise differences. For each pair that people decided, better − worse is
one example; the weights maximise Σ log σ(w · (x_better − x_worse)) − ‖w‖²/2C. There is no intercept, because
the same pair the other way round must get the opposite verdict. All pairs are used, none is sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from metrics.datasets import Comparisons, FloatArray, IntArray
from metrics.learned.scaling import Scaling

BLOCK = 30  # consecutive segments that stand in for a document where a set names none
STRENGTH = 0.01  # C: the smaller, the more the weights are pulled towards 0


class NothingToLearn(ValueError):
    """The verdicts say nothing about weights; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTable:
    """Features of the cells of one set, with the verdicts between them and the document of each cell."""

    rows: FloatArray
    human: Comparisons
    documents: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """A linear metric: Σ wᵢ xᵢ over scaled features; a weight is per standard deviation of its feature."""

    values: FloatArray
    scaling: Scaling

    def __call__(self, rows: FloatArray) -> FloatArray:
        if rows.ndim != 2 or rows.shape[1] != len(self.values):
            raise ValueError(f"expected rows of {len(self.values)} features, got shape {rows.shape}")
        result: FloatArray = self.scaling(rows) @ self.values
        return result


def uniform(rows: FloatArray) -> FloatArray:
    """The mean of the columns after each is stretched over 0 … 1; a constant column counts as ½.

    >>> uniform(np.array([[0.0, 30.0], [1.0, 10.0], [0.5, 20.0]])).tolist()
    [0.5, 0.5, 0.5]
    """
    span = np.ptp(rows, axis=0)
    stretched = np.where(span > 0, (rows - rows.min(axis=0)) / np.where(span > 0, span, 1.0), 0.5)
    result: FloatArray = stretched.mean(axis=1)
    return result


def tune(sets: Sequence[JudgedTable], *, strength: float = STRENGTH) -> Weights:
    """Learn one set of weights from the pairs of all sets; each set has the same total weight.

    Otherwise a language pair that was judged more often would decide for the others. Pairs whose features
    are all equal say nothing and are left out; ``NothingToLearn`` when none is left.
    """
    if not 0 < strength < np.inf:
        raise ValueError(f"the strength C is a positive number, not {strength}")
    scaling = Scaling.fit(np.concatenate([table.rows for table in sets]), "standard")
    told = [part for part in (_differences(table, scaling) for table in sets) if part[1].size]
    if not told:
        raise NothingToLearn("there is no decided pair whose features differ")
    differences = np.concatenate([rows for rows, _ in told])
    pairs = sum(float(times.sum()) for _, times in told)
    importance = np.concatenate([times * pairs / len(told) / times.sum() for _, times in told])
    # The solver wants two classes; turning every other example round leaves the objective as it is.
    turned = np.where(np.arange(len(differences)) % 2 == 0, 1.0, -1.0)
    model = LogisticRegression(C=strength, fit_intercept=False, solver="newton-cholesky", max_iter=100)
    if len(differences) == 1:
        differences, importance = np.repeat(differences, 2, axis=0), np.repeat(importance / 2, 2)
        turned = np.array([1.0, -1.0])
    model.fit(differences * turned[:, None], turned, sample_weight=importance)
    return Weights(model.coef_[0].copy(), scaling)


def cross_validate(
    sets: Sequence[JudgedTable], *, folds: int = 10, strength: float = STRENGTH
) -> list[FloatArray]:
    """Scores of every set, each document scored by weights learned from the other folds.

    Whole documents stay together; a fold is made of consecutive documents. Returned in the order of the sets.
    The weights of two folds differ, so scores may only be compared within a document, as τ does.
    """
    if folds < 2:
        raise ValueError(f"at least two folds are needed, not {folds}")
    places = [_folds(table.documents, folds) for table in sets]
    if len(np.unique(np.concatenate(places))) < 2:
        raise NothingToLearn("all that was judged is one document, and folds are made of whole documents")
    found = [np.full(len(table.rows), np.nan) for table in sets]
    for fold in range(folds):
        kept = [_without(table, place == fold) for table, place in zip(sets, places, strict=True)]
        weights = tune(kept, strength=strength)
        for scores, table, place in zip(found, sets, places, strict=True):
            scores[place == fold] = weights(table.rows[place == fold])
    return found


def _differences(table: JudgedTable, scaling: Scaling) -> tuple[FloatArray, FloatArray]:
    """Better − worse of every different pair, and how often people decided so."""
    verdicts = np.column_stack([table.human.better, table.human.worse])
    different, times = np.unique(verdicts, axis=0, return_counts=True)
    scaled = scaling(table.rows)
    found: FloatArray = scaled[different[:, 0]] - scaled[different[:, 1]]
    telling = np.any(found != 0, axis=1)
    return found[telling], times[telling].astype(np.float64)


def _folds(documents: IntArray, folds: int) -> IntArray:
    """The fold of every cell: documents in order, about equally many cells a fold."""
    _, place, sizes = np.unique(documents, return_inverse=True, return_counts=True)
    middle = np.cumsum(sizes) - sizes / 2
    fold: IntArray = np.minimum(middle * folds // max(1, len(documents)), folds - 1).astype(np.int64)[place]
    return fold


def _without(table: JudgedTable, held_out: NDArray[np.bool_]) -> JudgedTable:
    """The same cells with only those verdicts that concern none of the held-out cells."""
    human = table.human
    kept = ~(held_out[human.better] | held_out[human.worse])
    return JudgedTable(
        table.rows, Comparisons(human.better[kept], human.worse[kept], human.tied), table.documents
    )
