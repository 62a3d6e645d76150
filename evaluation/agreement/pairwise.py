"""Annotator against annotator: confusion matrices and Cohen's κ, plain and weighted (Cohen 1960, 1968).

For two annotators who judged the same items, chance is the product of their own label distributions.
Where one of them judged an item twice, every combination counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import sparse

from evaluation.agreement.bootstrap import Unit, resampled_totals, unit_columns
from evaluation.agreement.coefficients import corrected, defined, ratio
from evaluation.agreement.judgements import Codes, Floats, Ints, Judgements
from evaluation.agreement.tally import BLOCK
from evaluation.agreement.threads import one_thread

CELLS = 30_000_000  # numbers that a dense table may hold
CROWD = 30  # judgements of an item, below which tables are too narrow to be worth it
FASTER = 100  # how many times faster a processor multiplies dense tables than sparse ones
EXACT = 1 << 16  # items; each annotator judges one a few times, and 32 bits count exactly to 2²⁴
LARGE = 10_000_000  # numbers from which an interval is drawn: 15,325 items of six annotators are a third


class Weights(StrEnum):
    """How much a disagreement weighs by the distance of the two labels."""

    NONE = "none"
    LINEAR = "linear"
    QUADRATIC = "quadratic"

    def disagreement(self, size: int) -> Floats:
        """Labels × labels, 0 on the diagonal.

        >>> Weights.QUADRATIC.disagreement(3).tolist()
        [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
        """
        distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
        powers = {Weights.NONE: np.sign(distance), Weights.LINEAR: distance, Weights.QUADRATIC: distance**2}
        return powers[self]


@dataclass(frozen=True, eq=False)
class PairTable:
    """Confusions of every two annotators (``first`` < ``second``) with an item in common."""

    first: Ints
    second: Ints
    confusion: Ints  # pairs of annotators × labels of the first × labels of the second

    @property
    def pairs(self) -> Ints:
        return np.asarray(self.confusion.sum(axis=(1, 2)))

    @property
    def agreeing(self) -> Ints:
        return np.asarray(np.trace(self.confusion, axis1=1, axis2=2))

    def among(self, codes: list[int]) -> PairTable:
        """Only judgements with these labels, in this order: the ordered part of a scheme."""
        return PairTable(self.first, self.second, self.confusion[:, codes][:, :, codes])

    def collapsed(self, code_of: Sequence[int], size: int) -> PairTable:
        """The same confusions with label ``i`` read as ``code_of[i]``."""
        reading = np.zeros((self.confusion.shape[1], size), dtype=np.int64)
        reading[np.arange(len(reading)), code_of] = 1
        return PairTable(self.first, self.second, reading.T @ self.confusion @ reading)

    def cohen(self, weights: Weights = Weights.NONE) -> Floats:
        """Cohen's κ of each two annotators, nan where undefined."""
        return cohen_of(self.confusion, weights)

    def cohen_mean(self, weights: Weights = Weights.NONE) -> float | None:
        """Mean over the pairs of annotators for which κ is defined; each pair weighs the same."""
        values = self.cohen(weights)
        known = values[~np.isnan(values)]
        return float(known.mean()) if len(known) else None


def cohen_kappa(first: Codes, second: Codes, size: int, weights: Weights = Weights.NONE) -> float | None:
    """Cohen's κ of two annotators who judged the same items in the same order.

    >>> cohen_kappa(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]), 2)
    0.5
    """
    if len(first) != len(second):
        raise ValueError(f"two columns of one length expected, found {len(first)} and {len(second)}")
    return defined(cohen_of(_confusion(first, second, size)[None], weights)[0])


def cohen_of(confusion: Ints, weights: Weights = Weights.NONE) -> Floats:
    """κ = 1 − Σ w·O / Σ w·E for each matrix, with E from the margins."""
    w = weights.disagreement(confusion.shape[-1])
    rows, columns = confusion.sum(axis=2), confusion.sum(axis=1)
    n = confusion.sum(axis=(1, 2))
    seen = ratio((confusion * w).sum(axis=(1, 2)), n)
    by_chance = ratio(np.einsum("pi,ij,pj->p", rows.astype(float), w, columns.astype(float)), n * 1.0 * n)
    return 1 - ratio(seen, by_chance)


def pair_table(judgements: Judgements) -> PairTable:
    """All confusions at once: (annotator, label) × item counts, multiplied with themselves."""
    return _dense_table(judgements) if _is_dense(judgements) else _sparse_table(judgements)


def _is_dense(judgements: Judgements) -> bool:
    """Whether many annotators meet on most items: then a dense product, zeros included, is six times as
    fast."""
    n = judgements.counts.sum(axis=0, dtype=np.int64)
    rows, meetings = len(judgements.annotator_names) * judgements.size, int((n * n).sum())
    few = meetings < CROWD * int(n.sum())
    return not few and rows * len(n) <= CELLS and rows * rows * len(n) <= FASTER * meetings


def _dense_table(judgements: Judgements) -> PairTable:
    size, people = judgements.size, len(judgements.annotator_names)
    rows = people * size
    cells = judgements.items.astype(np.int64) * rows
    cells += judgements.annotators.astype(np.int64) * size
    cells += judgements.labels
    items = judgements.counts.shape[1]
    given = np.bincount(cells, minlength=items * rows).astype(np.float32).reshape(items, rows)
    gram = np.zeros((rows, rows))
    with one_thread():
        for start in range(0, items, EXACT):  # sums in blocks in which 32 bits count exactly
            part = given[start : start + EXACT]
            gram += part.T @ part
    met = gram.reshape(people, size, people, size).transpose(0, 2, 1, 3)
    first, second = np.nonzero(np.triu(met.any(axis=(2, 3)), 1))
    return PairTable(first, second, met[first, second].astype(np.int64))


def _sparse_table(judgements: Judgements) -> PairTable:
    size, people = judgements.size, len(judgements.annotator_names)
    gram = _given(judgements)
    gram = (gram @ gram.T).tocoo()
    (a, k), (b, m) = np.divmod(gram.row, size), np.divmod(gram.col, size)
    upper = a < b
    codes, pair = np.unique(a[upper].astype(np.int64) * people + b[upper], return_inverse=True)
    confusion = np.zeros((len(codes), size, size), dtype=np.int64)
    confusion[pair.reshape(-1), k[upper], m[upper]] = gram.data[upper]
    return PairTable(codes // max(people, 1), codes % max(people, 1), confusion)


def cohen_mean_resampled(
    judgements: Judgements, table: PairTable, *, resamples: int, seed: int, unit: Unit = Unit.SENTENCE
) -> Floats | None:
    """Mean Cohen κ of each resample; None where there is nothing to draw or far too much."""
    people, items = len(judgements.annotator_names), judgements.counts.shape[1]
    numbers = max(len(table.first) * (2 + 2 * judgements.size), people * judgements.size) * items
    if not len(table.first) or numbers > LARGE:
        return None
    dense = _given(judgements).toarray().reshape(people, judgements.size, -1)
    columns = [
        unit_columns(_margins(dense[a], dense[b]), judgements, unit)
        for a, b in zip(table.first, table.second, strict=True)
    ]
    drawn = resampled_totals(np.vstack(columns), resamples, seed)
    return None if drawn is None else _mean_cohen(drawn.reshape(len(columns), -1, resamples))


def _confusion(first: Codes, second: Codes, size: int) -> Ints:
    """Labels × labels, counted in blocks of bytes that stay in the processor's cache."""
    narrow = np.dtype(np.uint8 if size * size <= 256 else np.int64)
    found = np.zeros(size * size, dtype=np.int64)
    for start in range(0, len(first), BLOCK):
        part = slice(start, start + BLOCK)
        cells = first[part].astype(narrow)
        cells *= size
        cells += second[part].astype(narrow)
        found += np.bincount(cells, minlength=size * size)
    return found.reshape(size, size)


def _given(judgements: Judgements) -> sparse.csr_array:
    """(annotator, label) × items: how often."""
    rows = judgements.annotators.astype(np.int64) * judgements.size + judgements.labels
    shape = (len(judgements.annotator_names) * judgements.size, judgements.counts.shape[1])
    return sparse.csr_array((np.ones(len(rows), dtype=np.int64), (rows, judgements.items)), shape=shape)


def _margins(a: Ints, b: Ints) -> Floats:
    """(agreeing, pairs, labels of a …, labels of b …) × items, over pairs of judgements of a and b."""
    n_a, n_b = a.sum(axis=0), b.sum(axis=0)
    return np.vstack([(a * b).sum(axis=0), n_a * n_b, a * n_b, b * n_a]).astype(np.float64)


def _mean_cohen(totals: Floats) -> Floats:
    """Annotator pairs × features × resamples -> mean κ of each resample."""
    agreeing, n = totals[:, 0], totals[:, 1]
    rows, columns = np.split(totals[:, 2:], 2, axis=1)
    values = corrected(ratio(agreeing, n), ratio((rows * columns).sum(axis=1), n * n))
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0).sum(axis=0), known.sum(axis=0).astype(np.float64))
