"""Label counts per item, and which judgements are compared with each other.

``different`` pairs judgements of different annotators, which is *inter*-annotator agreement. ``all`` also
pairs two judgements of one annotator, as the WMT organisers did until 2015. Pairs are never enumerated: their
numbers follow from the counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from evaluation.agreement.judgements import Floats, Ints, Judgements

BLOCK = 8_192  # items at a time, so that a block fits into the processor's cache


class Pairing(StrEnum):
    """Which two judgements of an item are compared."""

    DIFFERENT = "different"
    ALL = "all"


@dataclass(frozen=True, eq=False)
class Tally:
    """``counts`` is labels × items; ``own`` is (agreeing pairs, pairs) × items that are not compared."""

    counts: Ints
    own: Floats | None = None

    @classmethod
    def of(cls, judgements: Judgements, pairing: Pairing = Pairing.DIFFERENT) -> Tally:
        excludes_own = pairing is Pairing.DIFFERENT and judgements.is_repeated.any()
        return cls(judgements.counts, count_own_pairs(judgements) if excludes_own else None)

    @classmethod
    def of_matrix(cls, matrix: ArrayLike, size: int) -> Iterator[Tally]:
        """Yield tallies of a matrix annotators × items of label codes, −1 for a missing judgement.

        >>> [tally.counts.tolist() for tally in Tally.of_matrix([[0, 1], [0, -1]], 2)]
        [[[2, 0], [0, 1]]]
        """
        table = np.asarray(matrix)
        narrow = np.uint8 if len(table) < 256 else np.int64
        for start in range(0, table.shape[1], BLOCK):
            block = table[:, start : start + BLOCK]
            counts = np.empty((size, block.shape[1]), dtype=np.int64)
            for code in range(size):
                counts[code] = np.add.reduce((block == code).view(np.uint8), axis=0, dtype=narrow)
            yield cls(counts)

    @property
    def pairs(self) -> Floats:
        """(agreeing pairs, compared pairs) × items.

        >>> Tally(np.array([[2], [1]])).pairs.tolist()
        [[1.0], [3.0]]
        """
        pairs = np.empty((2, self.counts.shape[1]))
        pairs[0] = _choose_two(self.counts).sum(axis=0)
        pairs[1] = _choose_two(self.counts.sum(axis=0))
        return pairs if self.own is None else pairs - self.own

    def blocks(self) -> Iterator[Tally]:
        """Yield the tally in blocks of items that fit into the processor's cache."""
        for start in range(0, self.counts.shape[1], BLOCK):
            part = slice(start, start + BLOCK)
            yield Tally(self.counts[:, part], None if self.own is None else self.own[:, part])


def count_own_pairs(judgements: Judgements) -> Floats:
    """Return (agreeing pairs, pairs) × items among the judgements of the same annotator on an item.

    >>> j = Judgements.from_rows([("a", 1, "x"), ("a", 1, "y"), ("b", 1, "x")], ("x", "y"))
    >>> count_own_pairs(j).tolist()
    [[0.0], [1.0]]
    """
    repeated = judgements.is_repeated
    items = judgements.items[repeated].astype(np.int64)
    cells = items * len(judgements.annotator_names) + judgements.annotators[repeated]
    first, cell = np.unique(cells, return_index=True, return_inverse=True)[1:]
    table = np.bincount(
        cell.reshape(-1) * judgements.size + judgements.labels[repeated],
        minlength=len(first) * judgements.size,
    ).reshape(len(first), judgements.size)
    length = judgements.counts.shape[1]
    agreeing, pairs = _choose_two(table).sum(axis=1), _choose_two(table.sum(axis=1))
    return np.array([np.bincount(items[first], weights, minlength=length) for weights in (agreeing, pairs)])


def _choose_two(n: Ints) -> Ints:
    """Return n over 2, element by element."""
    return n * (n - 1) // 2
