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

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

DEPTH = 4
TOKEN = re.compile(r"\(|\)|[^\s()]+")


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A sentence's words, tags, heads (a root is its own head) and relations."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


class Constituent(NamedTuple):
    label: str
    children: tuple[Constituent, ...] = ()


def subtree_match(hypothesis: Constituent | None, reference: Constituent | None, depth: int = DEPTH) -> float:
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


def constituents(bracketed: str) -> Constituent:
    """Read a bracketed parse without its words; the label of the root is kept."""
    stack: list[list[Constituent]] = [[]]
    labels: list[str] = []
    fresh = False
    for token in TOKEN.findall(bracketed):
        if token == "(":
            stack.append([])
            fresh = True
        elif token == ")":
            children = stack.pop()
            if not stack or not labels:
                raise ValueError(f"unbalanced brackets in {bracketed[:80]!r}")
            stack[-1].append(Constituent(labels.pop(), tuple(children)))
        elif fresh:
            labels.append(token)
            fresh = False
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError(f"not one bracketed tree: {bracketed[:80]!r}")
    return stack[0][0]


def subtrees(tree: Constituent, depth: int) -> Iterator[str]:
    """Yield every subtree that is at least this deep, cut there; a single label has depth 1."""
    cut = _cut(tree, depth)
    if cut is not None:
        yield cut
    for child in tree.children:
        yield from subtrees(child, depth)


def _cut(tree: Constituent, depth: int) -> str | None:
    """Return the tree down to this depth as a string; None if no branch reaches it."""
    if _height(tree) < depth:
        return None
    return _format(tree, depth)


def _height(tree: Constituent) -> int:
    return 1 + max(map(_height, tree.children), default=0)


def _format(tree: Constituent, depth: int) -> str:
    if depth == 1 or not tree.children:
        return tree.label
    return f"({tree.label} {' '.join(_format(child, depth - 1) for child in tree.children)})"


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
