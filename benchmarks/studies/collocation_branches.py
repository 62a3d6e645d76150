"""The branches of single sentences, for studies of the trees that ``metrics.collocation`` only sums up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metrics.collocation import loops
from metrics.collocation.association import AssociationMeasure
from metrics.collocation.content_words import ContentWords
from metrics.collocation.scoring import Method, find_pairs
from metrics.collocation.table import CollocationTable


class Branch(NamedTuple):
    """A collocation between the words at two places, ``left`` before ``right``."""

    left: int
    right: int
    weight: float


def select_branches(
    method: Method, branches: Sequence[Branch], words: int, first_verb: int | None = None
) -> tuple[Branch, ...]:
    """The branches that a method selects, strongest first.

    >>> ring = [Branch(0, 1, 5.0), Branch(0, 2, 9.0), Branch(1, 2, 7.0), Branch(1, 3, 8.0)]
    >>> [tuple(branch[:2]) for branch in select_branches(Method.MST, ring, 4)]
    [(0, 2), (1, 3), (1, 2)]
    >>> [tuple(branch[:2]) for branch in select_branches(Method.MST_NCB, ring, 4)]
    [(0, 2), (1, 2)]
    """
    _check(branches, words)
    ordered = sorted(branches)
    left = np.array([branch.left for branch in ordered], np.int32)
    right = np.array([branch.right for branch in ordered], np.int32)
    weight = np.array([branch.weight for branch in ordered], np.float64)
    order = loops.strongest_first(weight)
    verb = loops.NO_VERB if first_verb is None else first_verb
    marks = loops.select(method.code, left, right, order, words, verb)
    return tuple(ordered[k] for k in order if marks[k])


def find_branches(
    table: CollocationTable, sentence: ContentWords, measure: AssociationMeasure, *, cutoff: bool = True
) -> tuple[Branch, ...]:
    """All collocations of one sentence with their strengths."""
    pairs = find_pairs(table, [sentence])
    weights = pairs.weights(measure, cutoff=cutoff)
    rows = zip(pairs.left.tolist(), pairs.right.tolist(), weights.tolist(), strict=True)
    return tuple(Branch(*row) for row in rows if not np.isnan(row[2]))


def _check(branches: Sequence[Branch], words: int) -> None:
    for branch in branches:
        if not 0 <= branch.left < branch.right < words:
            raise ValueError(f"{branch} does not join two of {words} words from left to right")
