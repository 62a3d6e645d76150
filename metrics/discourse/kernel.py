"""The all-subtree kernel of Collins and Duffy (2001): how many tree fragments two trees share.

A fragment is a connected part of a tree in which every node has all of its children or none. With decay λ,

    K(a, b) = Σ over pairs of nodes C(n, m)
    C(n, m) = 0 where the productions of n and m differ, else λ · Π over their children (1 + C(nᵢ, mᵢ))

so a fragment of s productions weighs λˢ; small decays keep large fragments from ruling the sum. The
similarity is K(a, b) / √(K(a, a) · K(b, b)).

Values are kept as logarithms, since K of a long sentence with itself exceeds any float. Productions are
numbered over all trees of a ``Forest``; a pair of trees is compared only at nodes of equal production, found
by merging two sorted lists (after Moschitti 2006). The loops are compiled, and imported only when they are
needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from metrics.discourse.representation import Tree

DECAY = 0.1  # the paper prints none; chosen on WMT13, see docs/discourse.md
Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Many trees as arrays: nodes with children only, each tree's from the bottom up.

    ``starts[t]`` is the first node of tree t, ``productions`` the number of each node's production,
    ``order`` each tree's nodes sorted by production, ``ranks`` the place of each node in ``order``;
    ``child_starts`` and ``children`` give the children as numbers within the tree, −1 for a leaf. Node
    numbers in ``order`` and ``children`` count from 0 in each tree.
    """

    starts: Longs
    productions: Longs
    order: Longs
    ranks: Longs
    child_starts: Longs
    children: Longs

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> Forest:
        """Number the productions of all trees and flatten them.

        >>> from metrics.discourse.representation import Tree
        >>> float(Forest.of([Tree("S", (Tree("a"),))] * 2).similarity([0], [1])[0])
        1.0
        """
        return _Encoder().encode(trees)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def log_kernel(self, left: npt.ArrayLike, right: npt.ArrayLike, decay: float = DECAY) -> Floats:
        """log K of each pair of trees, given by number; −∞ where they share nothing."""
        if not 0 < decay < math.inf:
            raise ValueError(f"the decay must be a positive number, got {decay}")
        a, b = np.broadcast_arrays(np.asarray(left, np.int64), np.asarray(right, np.int64))
        if a.size and not (min(a.min(), b.min()) >= 0 and max(a.max(), b.max()) < len(self)):
            raise IndexError(f"tree numbers must lie in [0, {len(self)})")
        from metrics.discourse.kernel_loops import log_kernels  # compiled on first use

        result = np.empty(a.shape)
        arrays = (self.starts, self.productions, self.order, self.ranks, self.child_starts, self.children)
        log_kernels(a.ravel(), b.ravel(), *arrays, np.log(decay), result.reshape(-1))
        return result

    def similarity(self, left: npt.ArrayLike, right: npt.ArrayLike, decay: float = DECAY) -> Floats:
        """Normalised kernel in [0, 1]; 1 for two empty trees, 0 for an empty and another."""
        a, b = np.broadcast_arrays(np.asarray(left, np.int64), np.asarray(right, np.int64))
        own = np.zeros(len(self))
        used = np.union1d(a, b)
        own[used] = self.log_kernel(used, used, decay)
        both_empty = np.isneginf(own[a]) & np.isneginf(own[b])
        shared = self.log_kernel(a, b, decay)
        with np.errstate(invalid="ignore"):  # −∞ − −∞ where a tree is empty; replaced below
            value = np.exp(shared - (own[a] + own[b]) / 2)
        value = np.where(np.isneginf(shared), 0.0, np.minimum(value, 1.0))
        return np.where(both_empty, 1.0, value)

    def gram(self, decay: float = DECAY) -> Floats:
        """The similarity of every tree with every other."""
        above, beside = np.triu_indices(len(self))
        gram = np.empty((len(self), len(self)))
        gram[above, beside] = gram[beside, above] = self.similarity(above, beside, decay)
        return gram


class _Encoder:
    def __init__(self) -> None:
        self.numbers: dict[tuple[str, ...], int] = {}
        self.productions: list[int] = []
        self.children: list[int] = []
        self.widths: list[int] = []
        self.first = 0

    def encode(self, trees: Iterable[Tree]) -> Forest:
        starts: list[int] = [0]
        order: list[int] = []
        ranks: list[int] = []
        for tree in trees:
            self.first = starts[-1]
            self.add(tree)
            own = self.productions[self.first :]
            places = sorted(range(len(own)), key=own.__getitem__)
            order += places
            ranks += own  # room; filled in on the next line
            for place, node in enumerate(places, self.first):
                ranks[self.first + node] = place
            starts.append(len(self.productions))
        child_starts = [0, *accumulate(self.widths)]
        lists = (starts, self.productions, order, ranks, child_starts, self.children)
        return Forest(*(np.array(values, np.int64) for values in lists))

    def add(self, tree: Tree) -> int:
        """Append a tree from the bottom up; its number within the tree, −1 for a leaf."""
        if not tree.children:
            return -1
        below = [self.add(child) for child in tree.children]
        rule = (tree.label, *(child.label for child in tree.children))
        self.productions.append(self.numbers.setdefault(rule, len(self.numbers)))
        self.children += below
        self.widths.append(len(below))
        return len(self.productions) - 1 - self.first
