"""Selects the collocations of a sentence: all of them, or those of a tree (paper 002, methods 1–4).

The tree approximates a parse: content words are vertices, collocations are weighted branches, and the maximum
spanning tree selects the strongest ones. Two branches cross if exactly one end of one lies strictly inside
the other. Without crossings the result may be several trees.

====================  ============================================================================
``simple``            every collocation
``mst``               maximum spanning tree (Kruskal)
``mst-ncb``           the same without branches that cross a selected one, as in the slides
``mst-ncb2``          the same after a first branch from ``<s>`` to the first verb, which only blocks
                      crossings and is not part of the average
====================  ============================================================================

Equal weights are selected from left to right: by first word, then by second.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np


class Method(StrEnum):
    """How the collocations of a sentence are chosen."""

    SIMPLE = "simple"
    MST = "mst"
    MST_NCB = "mst-ncb"
    MST_NCB2 = "mst-ncb2"

    @property
    def code(self) -> int:
        """The number of the method in ``trees_loops``."""
        return list(Method).index(self)


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
    from metrics.collocation import trees_loops  # imports numba

    _check(branches, words)
    ordered = sorted(branches)
    left = np.array([branch.left for branch in ordered], np.int32)
    right = np.array([branch.right for branch in ordered], np.int32)
    weight = np.array([branch.weight for branch in ordered], np.float64)
    order = trees_loops.strongest_first(weight)
    verb = trees_loops.NO_VERB if first_verb is None else first_verb
    marks = trees_loops.select(method.code, left, right, order, words, verb)
    return tuple(ordered[k] for k in order if marks[k])


def _check(branches: Sequence[Branch], words: int) -> None:
    for branch in branches:
        if not 0 <= branch.left < branch.right < words:
            raise ValueError(f"{branch} does not join two of {words} words from left to right")
