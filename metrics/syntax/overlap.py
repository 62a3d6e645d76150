"""Overlap of two parsed sentences: the measures of ASIYA's syntactic family.

After Liu and Gildea (2005) and Giménez and Màrquez (2007, 2010); paper 004 (section 4.1) sums four of them.

* CP-STM-d, subtree matching: subtrees of a constituency tree, cut at each depth 1…d.
* DP-HWCM_c-d and DP-HWCM_r-d, head-word chain matching: chains of 1…d nodes from a head down to a dependant,
  of word categories (tags) or of grammatical relations.
* DP-Or(*): words in the same grammatical relation.

The first two are means over depths of clipped precision, as their authors define them; a depth at which the
hypothesis has nothing is left out. The last is the number of matched items over that of the union.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.tree import Tree

DEPTH = 4


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A sentence's words, tags, heads (a root is its own head) and relations."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


def subtree_match(hypothesis: Tree | None, reference: Tree | None, depth: int = DEPTH) -> float:
    """Return CP-STM: the mean over depths of the share of the hypothesis's subtrees in the reference.

    Words are ignored. The result is 1 if both sentences have no tree, and 0 if one has none.

    >>> tree = constituents("(ROOT (S (NP (PRP It)) (VP (VBD rained))))")
    >>> subtree_match(tree, tree), subtree_match(tree, constituents("(ROOT (NP (NN rain)))"))
    (1.0, 0.08333333333333333)
    """
    if hypothesis is None or reference is None:
        return float(hypothesis is reference)
    return _mean_precision(
        (Counter(subtrees(hypothesis, n)), Counter(subtrees(reference, n))) for n in range(1, depth + 1)
    )


def chain_match(hypothesis: Dependencies, reference: Dependencies, kind: str, depth: int = DEPTH) -> float:
    """Return DP-HWCM: the mean over lengths of the share of the hypothesis's chains in the reference.

    ``kind`` is ``c`` for categories, ``r`` for relations or ``w`` for words.

    >>> parsed = Dependencies(("it", "rained"), ("PRP", "VBD"), (1, 1), ("nsubj", "ROOT"))
    >>> chain_match(parsed, parsed, "r")
    1.0
    """
    if not hypothesis.words or not reference.words:
        return float(hypothesis.words == reference.words)
    return _mean_precision(
        (Counter(chains(hypothesis, kind, n)), Counter(chains(reference, kind, n)))
        for n in range(1, depth + 1)
    )


def relation_overlap(hypothesis: Dependencies, reference: Dependencies) -> float:
    """Return DP-Or(*): matched (relation, word) items over their union, for all relations.

    >>> rained = Dependencies(("it", "rained"), ("PRP", "VBD"), (1, 1), ("nsubj", "ROOT"))
    >>> relation_overlap(rained, Dependencies(("it", "poured"), ("PRP", "VBD"), (1, 1), ("nsubj", "ROOT")))
    0.3333333333333333
    """
    ours = Counter(zip(hypothesis.relations, map(str.lower, hypothesis.words), strict=True))
    theirs = Counter(zip(reference.relations, map(str.lower, reference.words), strict=True))
    union = (ours | theirs).total()
    return (ours & theirs).total() / union if union else 1.0


def constituents(bracketed: str) -> Tree:
    """Read a bracketed parse; the label of the root is kept. Raises ``ValueError``."""
    from nltk.tree import Tree  # here, because it is slow to import

    return Tree.fromstring(bracketed)


def subtrees(tree: Tree, depth: int) -> Iterator[str]:
    """Yield every subtree that is at least this deep, cut there; a single label has depth 1."""
    for node in tree.subtrees():
        if node.height() > depth:  # which counts the words, too
            yield _format(node, depth)


def _format(node: Tree, depth: int) -> str:
    children = [child for child in node if not isinstance(child, str)]
    if depth == 1 or not children:
        return str(node.label())
    return f"({node.label()} {' '.join(_format(child, depth - 1) for child in children)})"


def chains(parsed: Dependencies, kind: str, length: int) -> Iterator[tuple[str, ...]]:
    """Yield every chain of this many nodes, from the dependant up to the head."""
    names = {"c": parsed.tags, "r": parsed.relations, "w": parsed.words}[kind]
    for place in range(len(names)):
        chain = [names[place]]
        while len(chain) < length and parsed.heads[place] != place:
            place = parsed.heads[place]
            chain.append(names[place])
        if len(chain) == length:
            yield tuple(chain)


def _mean_precision(depths: Iterator[tuple[Counter[Hashable], Counter[Hashable]]]) -> float:
    shares = [(ours & theirs).total() / ours.total() for ours, theirs in depths if ours]
    return sum(shares) / len(shares) if shares else 0.0
