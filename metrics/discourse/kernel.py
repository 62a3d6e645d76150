"""The all-subtree kernel of Collins and Duffy (2001): how many tree fragments two trees share.

A fragment is a connected part of a tree in which every node has all of its children or none. With decay λ,

    K(a, b) = Σ over pairs of nodes C(n, m)
    C(n, m) = 0 where the productions of n and m differ, else λ · Π over their children (1 + C(nᵢ, mᵢ))

so a fragment of s productions weighs λˢ; a small decay reduces the influence of large fragments. The
similarity is K(a, b) / √(K(a, a) · K(b, b)).

Values are logarithms, because K of a long sentence with itself exceeds the largest float. Productions are
numbered over all trees of a ``Forest``; a pair of trees is compared only at nodes of equal production, found
by merging two sorted lists (after Moschitti 2006). The compiled loops are imported on first use.

The kernel matches a node with all or none of its children, so the shape of the tree decides what can match.
Guzmán et al. 2014 (paper 004, section 3.2) use two shapes:

* *DR* has structure, nuclearity and relations, but no words. A unit is a node with its nuclearity; below it
  is its relation with the units that the relation links, or ``EDU``. Two trees with the same upper relation
  match there, whatever is below.
* *DR-LEX* separates the skeleton from its labels: ``SPAN`` has the properties ``NUC`` and ``REL`` beside its
  units, ``EDU`` has ``NUC`` and its words under ``NGRAM``. Each word has a dummy leaf, so that single words
  match on their own; trees with different labels still match in their skeletons.

The printed figure does not show every node; ``docs/discourse.md`` states how the rest was filled in. A
sentence without words has the empty tree, which is similar only to itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics.discourse.trees import Node

DECAY = 0.1  # not in the paper; chosen on WMT13, see docs/discourse.md
DUMMY = "*"
Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


class Tree(NamedTuple):
    """A node with a label; a leaf has no children."""

    label: str
    children: tuple[Tree, ...] = ()


def to_dr_tree(node: Node) -> Tree:
    """The representation DR, of a binarised tree or of one with more parts.

    >>> from metrics.discourse.trees import edu, join
    >>> print(format_tree(to_dr_tree(join("Attribution", "SN", [edu("suggest"), edu("the ECB should be")]))))
    (Root (Attribution (Satellite EDU) (Nucleus EDU)))
    """
    if _is_empty(node):
        return Tree(str(node.nuclearity))
    if node.is_edu:
        return Tree(str(node.nuclearity), (Tree("EDU"),))
    return Tree(
        str(node.nuclearity), (Tree(node.linked_by, tuple(to_dr_tree(child) for child in node.children)),)
    )


def to_dr_lex_tree(node: Node, *, lowercase: bool = False) -> Tree:
    """The representation DR-LEX.

    >>> from metrics.discourse.trees import edu, join
    >>> for part in to_dr_lex_tree(join("Attribution", "SN", [edu("suggest"), edu("the ECB")])).children:
    ...     print(format_tree(part))
    (NUC Root)
    (REL Attribution)
    (EDU (NUC Satellite) (NGRAM (suggest *)))
    (EDU (NUC Nucleus) (NGRAM (the *) (ECB *)))
    """
    if _is_empty(node):
        return Tree("EDU")
    role = Tree("NUC", (Tree(str(node.nuclearity)),))
    if node.is_edu:
        text = node.text.lower() if lowercase else node.text
        return Tree("EDU", (role, Tree("NGRAM", tuple(map(_word, text.split())))))
    relation = Tree("REL", (Tree(node.linked_by),))
    return Tree(
        "SPAN", (role, relation, *(to_dr_lex_tree(child, lowercase=lowercase) for child in node.children))
    )


def format_tree(tree: Tree) -> str:
    """A tree on one line."""
    inside = " ".join([tree.label, *map(format_tree, tree.children)])
    return f"({inside})" if tree.children else inside


@lru_cache(maxsize=1 << 16)
def _word(word: str) -> Tree:
    return Tree(word, (Tree(DUMMY),))


def _is_empty(node: Node) -> bool:
    return node.is_edu and not node.text.strip()


class Forest(NamedTuple):
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

        >>> float(Forest.of([Tree("S", (Tree("a"),))] * 2).similarity([0], [1])[0])
        1.0
        """
        return _Encoder().encode(trees)

    def log_kernel(self, left: npt.ArrayLike, right: npt.ArrayLike, decay: float = DECAY) -> Floats:
        """log K of each pair of trees, given by number; −∞ where they share nothing."""
        if not 0 < decay < math.inf:
            raise ValueError(f"the decay must be a positive number, got {decay}")
        a, b = np.broadcast_arrays(np.asarray(left, np.int64), np.asarray(right, np.int64))
        trees = len(self.starts) - 1
        if a.size and not (min(a.min(), b.min()) >= 0 and max(a.max(), b.max()) < trees):
            raise IndexError(f"tree numbers must lie in [0, {trees})")
        from metrics.discourse.kernel_loops import log_kernels  # compiled on first use

        result = np.empty(a.shape)
        log_kernels(a.ravel(), b.ravel(), self, np.log(decay), result.reshape(-1))
        return result

    def similarity(self, left: npt.ArrayLike, right: npt.ArrayLike, decay: float = DECAY) -> Floats:
        """Normalised kernel in [0, 1]; 1 for two empty trees, 0 for an empty and a non-empty one."""
        a, b = np.broadcast_arrays(np.asarray(left, np.int64), np.asarray(right, np.int64))
        own = np.zeros(len(self.starts) - 1)
        used = np.union1d(a, b)
        own[used] = self.log_kernel(used, used, decay)
        both_empty = np.isneginf(own[a]) & np.isneginf(own[b])
        shared = self.log_kernel(a, b, decay)
        with np.errstate(invalid="ignore"):  # −∞ − −∞ where a tree is empty; replaced below
            value = np.exp(shared - (own[a] + own[b]) / 2)
        value = np.where(np.isneginf(shared), 0.0, np.minimum(value, 1.0))
        return np.where(both_empty, 1.0, value)


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
            ranks += own  # placeholders, filled in below
            for place, node in enumerate(places, self.first):
                ranks[self.first + node] = place
            starts.append(len(self.productions))
        child_starts = [0, *accumulate(self.widths)]
        lists = (starts, self.productions, order, ranks, child_starts, self.children)
        return Forest(*(np.array(values, np.int64) for values in lists))

    def add(self, tree: Tree) -> int:
        """Append a tree from the bottom up; returns its number within the tree, −1 for a leaf."""
        if not tree.children:
            return -1
        below = [self.add(child) for child in tree.children]
        rule = (tree.label, *(child.label for child in tree.children))
        self.productions.append(self.numbers.setdefault(rule, len(self.numbers)))
        self.children += below
        self.widths.append(len(below))
        return len(self.productions) - 1 - self.first
