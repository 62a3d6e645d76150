"""Combining features into one metric (Guzmán et al. 2014, paper 004, sections 4.1 and 4.2).

*Uniform*: every metric is mapped to 0 … 1 within the set that is scored, and the mean is taken. *Tuned*: a
maximum-entropy model on pairwise differences. For each decisive pair, better − worse is one example; the
weights maximise Σ log σ(w · (x_better − x_worse)) − ‖w‖²/2C. There is no intercept, because a pair in the
opposite order must get the opposite result. All pairs are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.learned.features import Scaling
from metrics.metaeval.datasets import Comparisons, FloatArray, IntArray

BLOCK = 30  # consecutive segments that replace a document if a set names none
STRENGTH = 0.01  # C: a smaller value draws the weights towards 0


class NothingToLearn(ValueError):
    """The judgements do not determine weights; the message states why."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTable:
    """Features of the cells of one set, the comparisons between them, and the document of each cell."""

    rows: FloatArray
    human: Comparisons
    documents: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class FeatureWeights:
    """A linear metric: Σ wᵢ xᵢ over scaled features, so a weight refers to one unit of its scaling."""

    values: FloatArray
    scaling: Scaling

    def __call__(self, rows: FloatArray) -> FloatArray:
        if rows.ndim != 2 or rows.shape[1] != len(self.values):
            raise ValueError(f"expected rows of {len(self.values)} features, got shape {rows.shape}")
        return np.asarray(self.scaling(rows) @ self.values)


def uniform(rows: FloatArray) -> FloatArray:
    """Return the mean of the columns after mapping each to 0 … 1; a constant column counts as ½.

    >>> uniform(np.array([[0.0, 30.0], [1.0, 10.0], [0.5, 20.0]])).tolist()
    [0.5, 0.5, 0.5]
    """
    span = np.ptp(rows, axis=0)
    stretched = np.where(span > 0, (rows - rows.min(axis=0)) / np.where(span > 0, span, 1.0), 0.5)
    return np.asarray(stretched.mean(axis=1))


def tune(sets: Sequence[JudgedTable], *, strength: float = STRENGTH) -> FeatureWeights:
    """Learn one set of weights from the pairs of all sets; each set has the same total weight.

    Otherwise a language pair with more judgements would dominate. Pairs whose features are all equal are left
    out; ``NothingToLearn`` if no pair remains.
    """
    from sklearn.linear_model import LogisticRegression  # here, because only training needs it

    if not 0 < strength < np.inf:
        raise ValueError(f"the strength C is a positive number, not {strength}")
    scaling = Scaling.fit(np.concatenate([table.rows for table in sets]), "standard")
    parts = [part for part in (_differences(table, scaling) for table in sets) if part[1].size]
    if not parts:
        raise NothingToLearn("there is no decided pair whose features differ")
    differences = np.concatenate([rows for rows, _ in parts])
    pairs = sum(float(times.sum()) for _, times in parts)
    importance = np.concatenate([times * pairs / len(parts) / times.sum() for _, times in parts])
    # The solver needs two classes; negating every other example does not change the objective.
    signs = np.where(np.arange(len(differences)) % 2 == 0, 1.0, -1.0)
    model = LogisticRegression(C=strength, fit_intercept=False, solver="newton-cholesky", max_iter=100)
    if len(differences) == 1:
        differences, importance = np.repeat(differences, 2, axis=0), np.repeat(importance / 2, 2)
        signs = np.array([1.0, -1.0])
    model.fit(differences * signs[:, None], signs, sample_weight=importance)
    return FeatureWeights(model.coef_[0].copy(), scaling)


def cross_validate(
    sets: Sequence[JudgedTable], *, folds: int = 10, strength: float = STRENGTH
) -> list[FloatArray]:
    """Score every set; each document is scored with weights learned from the other folds.

    A fold consists of consecutive whole documents. The weights of two folds differ, so scores may only be
    compared within a document, as τ does.
    """
    if folds < 2:
        raise ValueError(f"at least two folds are needed, not {folds}")
    places = [_folds(table.documents, folds) for table in sets]
    if len(np.unique(np.concatenate(places))) < 2:
        raise NothingToLearn("all judgements are of one document, and folds consist of whole documents")
    results = [np.full(len(table.rows), np.nan) for table in sets]
    for fold in range(folds):
        training = [_drop_held_out(table, place == fold) for table, place in zip(sets, places, strict=True)]
        weights = tune(training, strength=strength)
        for scores, table, place in zip(results, sets, places, strict=True):
            scores[place == fold] = weights(table.rows[place == fold])
    return results


def _differences(table: JudgedTable, scaling: Scaling) -> tuple[FloatArray, FloatArray]:
    """Return better − worse of every distinct pair, and its number of judgements."""
    pairs = np.column_stack([table.human.better, table.human.worse])
    different, times = np.unique(pairs, axis=0, return_counts=True)
    scaled = scaling(table.rows)
    gaps: FloatArray = scaled[different[:, 0]] - scaled[different[:, 1]]
    nonzero = np.any(gaps != 0, axis=1)
    return gaps[nonzero], times[nonzero].astype(np.float64)


def _folds(documents: IntArray, folds: int) -> IntArray:
    """Return the fold of every cell: documents in order, about equally many cells per fold."""
    _, place, sizes = np.unique(documents, return_inverse=True, return_counts=True)
    middle = np.cumsum(sizes) - sizes / 2
    return np.asarray(np.minimum(middle * folds // max(1, len(documents)), folds - 1).astype(np.int64)[place])


def _drop_held_out(table: JudgedTable, held_out: NDArray[np.bool_]) -> JudgedTable:
    """Return the same cells without the comparisons that involve a held-out cell."""
    human = table.human
    kept = ~(held_out[human.better] | held_out[human.worse])
    return JudgedTable(
        table.rows, Comparisons(human.better[kept], human.worse[kept], human.tied), table.documents
    )
