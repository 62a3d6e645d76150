"""Annotator pairs: confusion matrices and Cohen's κ, plain and weighted (Cohen 1960, 1968).

For two annotators who judged the same items, chance is the product of their own label distributions. Where
one of them judged an item twice, every combination counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evaluation.agreement.coefficients import none_if_nan, ratio
from evaluation.agreement.judgements import Codes, Floats, Ints, Judgements
from evaluation.agreement.tally import BLOCK


class DisagreementWeights(StrEnum):
    """How much a disagreement counts by the distance of the two labels."""

    NONE = "none"
    LINEAR = "linear"
    QUADRATIC = "quadratic"

    def matrix(self, size: int) -> Floats:
        """Labels × labels, 0 on the diagonal.

        >>> DisagreementWeights.QUADRATIC.matrix(3).tolist()
        [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
        """
        distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
        if self is DisagreementWeights.NONE:
            return np.sign(distance)
        return distance if self is DisagreementWeights.LINEAR else distance**2


@dataclass(frozen=True, eq=False)
class PairTable:
    """Confusion matrices of every two annotators (``first`` < ``second``) with an item in common."""

    first: Ints
    second: Ints
    confusion: Ints  # annotator pairs × labels of the first × labels of the second

    @property
    def pairs(self) -> Ints:
        return np.asarray(self.confusion.sum(axis=(1, 2)))

    @property
    def agreeing(self) -> Ints:
        return np.asarray(np.trace(self.confusion, axis1=1, axis2=2))

    def select_labels(self, codes: list[int]) -> PairTable:
        """Keep only judgements with these labels, in this order."""
        return PairTable(self.first, self.second, self.confusion[:, codes][:, :, codes])

    def collapse(self, code_of: Sequence[int], size: int) -> PairTable:
        """Replace label ``i`` by label ``code_of[i]`` of a smaller label set."""
        indicator = np.zeros((self.confusion.shape[1], size), dtype=np.int64)
        indicator[np.arange(len(indicator)), code_of] = 1
        return PairTable(self.first, self.second, indicator.T @ self.confusion @ indicator)

    def cohen(self, weights: DisagreementWeights = DisagreementWeights.NONE) -> Floats:
        """Cohen's κ of each annotator pair, nan where undefined."""
        return cohen_from_confusions(self.confusion, weights)

    def cohen_mean(self, weights: DisagreementWeights = DisagreementWeights.NONE) -> float | None:
        """The unweighted mean over the annotator pairs for which κ is defined."""
        values = self.cohen(weights)
        values = values[~np.isnan(values)]
        return float(values.mean()) if len(values) else None


def cohen_kappa(
    first: Codes, second: Codes, size: int, weights: DisagreementWeights = DisagreementWeights.NONE
) -> float | None:
    """Cohen's κ of two annotators who judged the same items in the same order.

    >>> cohen_kappa(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]), 2)
    0.5
    """
    if len(first) != len(second):
        raise ValueError(f"expected two columns of one length, found {len(first)} and {len(second)}")
    return none_if_nan(cohen_from_confusions(_count_confusions(first, second, size)[None], weights)[0])


def cohen_from_confusions(confusion: Ints, weights: DisagreementWeights = DisagreementWeights.NONE) -> Floats:
    """κ = 1 − Σ w·O / Σ w·E for each matrix, with E from the margins."""
    w = weights.matrix(confusion.shape[-1])
    rows, columns = confusion.sum(axis=2), confusion.sum(axis=1)
    n = confusion.sum(axis=(1, 2))
    observed = ratio((confusion * w).sum(axis=(1, 2)), n)
    expected = ratio(np.einsum("pi,ij,pj->p", rows.astype(float), w, columns.astype(float)), n * 1.0 * n)
    return 1 - ratio(observed, expected)


def build_pair_table(judgements: Judgements) -> PairTable:
    """Compute all confusion matrices at once, from every two judgements of one item."""
    size, annotators = judgements.size, max(len(judgements.annotator_names), 1)
    cells, counts = _count_judgement_pairs(judgements)
    cells, labels = np.divmod(cells, size * size)
    codes, pair = np.unique(cells, return_inverse=True)
    confusion = np.zeros((len(codes), size * size), dtype=np.int64)
    confusion[pair.reshape(-1), labels] = counts
    return PairTable(codes // annotators, codes % annotators, confusion.reshape(-1, size, size))


def _count_judgement_pairs(judgements: Judgements) -> tuple[Ints, Ints]:
    """Return the different (annotator, later annotator, their labels), coded as numbers, and their counts."""
    size, annotators = judgements.size, len(judgements.annotator_names)
    order = np.lexsort((judgements.annotators, judgements.items))
    items, who = judgements.items[order], judgements.annotators[order].astype(np.int64)
    labels = judgements.labels[order].astype(np.int64)
    found = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    for distance in range(1, len(items)):  # between two judgements of an item, in this order
        earlier = np.flatnonzero(items[distance:] == items[:-distance])
        if not len(earlier):
            break
        earlier = earlier[who[earlier] < who[earlier + distance]]  # not the same annotator twice
        later = earlier + distance
        codes = ((who[earlier] * annotators + who[later]) * size + labels[earlier]) * size + labels[later]
        found.append(np.unique(codes, return_counts=True))
    cells, place = np.unique(np.concatenate([cells for cells, _ in found]), return_inverse=True)
    counts = np.bincount(place.reshape(-1), np.concatenate([counts for _, counts in found]), len(cells))
    return cells, counts.astype(np.int64)


def count_labels(judgements: Judgements) -> Ints:
    """Count annotators × labels × items."""
    shape = (len(judgements.annotator_names), judgements.size, judgements.counts.shape[1])
    rows = judgements.annotators.astype(np.int64) * judgements.size + judgements.labels
    cells = rows * shape[2] + judgements.items
    return np.bincount(cells, minlength=math.prod(shape)).reshape(shape)


def _count_confusions(first: Codes, second: Codes, size: int) -> Ints:
    """Labels × labels, counted in blocks of bytes that fit into the processor's cache."""
    narrow = np.dtype(np.uint8 if size * size <= 256 else np.int64)
    counts = np.zeros(size * size, dtype=np.int64)
    for start in range(0, len(first), BLOCK):
        part = slice(start, start + BLOCK)
        cells = first[part].astype(narrow)
        cells *= size
        cells += second[part].astype(narrow)
        counts += np.bincount(cells, minlength=size * size)
    return counts.reshape(size, size)
