"""How often each label was given to each item, and which judgements are compared with each other.

Two readings of "compared" are offered by name. ``different`` pairs judgements of different annotators,
which is what *inter*-annotator agreement means. ``all`` also pairs two judgements of one annotator, as
the organisers of WMT did until 2015. Pairs are never listed: they follow from counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from evaluation.agreement.judgements import Floats, Ints, Judgements

BLOCK = 8_192  # items at a time: what one block needs stays in the processor's cache


class Pairing(StrEnum):
    """Which two judgements on one item are compared."""

    DIFFERENT = "different"
    ALL = "all"


@dataclass(frozen=True, eq=False)
class Tally:
    """``counts`` is labels × items; ``own`` the (agreeing pairs, pairs) × items that are left out."""

    counts: Ints
    own: Floats | None = None

    @classmethod
    def of(cls, judgements: Judgements, pairing: Pairing = Pairing.DIFFERENT) -> Tally:
        leaves_out = pairing is Pairing.DIFFERENT and judgements.where_repeated.any()
        return cls(judgements.counts, own_pairs(judgements) if leaves_out else None)

    @classmethod
    def of_matrix(cls, matrix: ArrayLike, size: int) -> Iterator[Tally]:
        """Tallies of a table annotators × items of label codes, −1 where nobody judged.

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
        found = np.empty((2, self.counts.shape[1]))
        found[0] = _twos(self.counts).sum(axis=0)
        found[1] = _twos(self.counts.sum(axis=0))
        return found if self.own is None else found - self.own

    def blocks(self) -> Iterator[Tally]:
        """The same tally in pieces that are quick to work on."""
        for start in range(0, self.counts.shape[1], BLOCK):
            part = slice(start, start + BLOCK)
            yield Tally(self.counts[:, part], None if self.own is None else self.own[:, part])


def own_pairs(judgements: Judgements) -> Floats:
    """(agreeing pairs, pairs) × items among judgements that one annotator gave to one item.

    >>> j = Judgements.from_rows([("a", 1, "x"), ("a", 1, "y"), ("b", 1, "x")], ("x", "y"))
    >>> own_pairs(j).tolist()
    [[0.0], [1.0]]
    """
    repeated = judgements.where_repeated
    items = judgements.items[repeated].astype(np.int64)
    cells = items * len(judgements.annotator_names) + judgements.annotators[repeated]
    first, cell = np.unique(cells, return_index=True, return_inverse=True)[1:]
    table = np.bincount(
        cell.reshape(-1) * judgements.size + judgements.labels[repeated],
        minlength=len(first) * judgements.size,
    ).reshape(len(first), judgements.size)
    length = judgements.counts.shape[1]
    agreeing, pairs = _twos(table).sum(axis=1), _twos(table.sum(axis=1))
    where = items[first]
    return np.array([np.bincount(where, weights, minlength=length) for weights in (agreeing, pairs)])


def _twos(n: Ints) -> Ints:
    """n over 2, element by element."""
    return n * (n - 1) // 2
