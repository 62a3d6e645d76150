"""Sentences of discourse trees that people made, and how well parsers agree with them (Parseval).

``.dis`` files do not mark sentences. A sentence ends at a unit that ends in a full stop, question or
exclamation mark (quotation marks and brackets may follow); a heading is therefore part of the next sentence.
The tree of a sentence is the subtree that spans exactly its units; a sentence without one (about one in
eight of GUM) can only be used for segmentation.

Agreement is counted over the inner nodes of binarised trees, each with its nuclearity pattern and relation
(the standard Parseval of Morey et al. 2017). Units are compared by the words that they cover, so that the
measure also applies to the parser's own segmentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace

from metrics.discourse.trees import Node, as_root, binarise, coarse, rename_relations
from metrics.discourse.words import split_words

VIEWS = ((0, 1), (0, 1, 2), (0, 1, 3), (0, 1, 2, 3))  # of (first word, last word, pattern, relation)
END = re.compile(r"[.?!…][\"'”’)\]»\s]*$")


@dataclass(frozen=True, slots=True)
class GoldSentence:
    """The units of a sentence as words, and its binarised tree with coarse relations, if it has one."""

    units: tuple[tuple[str, ...], ...]
    tree: Node | None


def split_sentences(document: Node) -> Iterator[GoldSentence]:
    """The sentences of a document, in order; the text of a unit is its words, joined by spaces."""
    plain = _split_text(rename_relations(binarise(document), coarse))
    spans: dict[tuple[int, int], Node] = {}
    for first, last, node in _walk(plain, lambda unit: 1):
        spans.setdefault((first, last), node)
    leaves = list(plain.edus())
    start = 0
    for end, leaf in enumerate(leaves, 1):
        if end < len(leaves) and not END.search(leaf.text):
            continue
        units = tuple(tuple(unit.text.split()) for unit in leaves[start:end])
        tree = spans.get((start, end)) if all(units) else None
        yield GoldSentence(tuple(filter(None, units)), as_root(tree) if tree else None)
        start = end


def _split_text(node: Node) -> Node:
    return replace(
        node, text=" ".join(split_words(node.text)), children=tuple(map(_split_text, node.children))
    )


Spans = Generator[tuple[int, int, Node], None, int]


def _walk(node: Node, size: Callable[[Node], int], start: int = 0) -> Spans:
    """Yield the start and end of every node, children first; returns the end. ``size`` measures a unit."""
    end = start + size(node) if node.is_edu else start
    for child in node.children:
        end = yield from _walk(child, size, end)
    yield start, end, node
    return end


@dataclass(frozen=True, slots=True)
class TreeAgreement:
    """F1 of spans alone, with nuclearity, with relation, and with both; None without data.

    ``nodes`` is the number of gold nodes.
    """

    span: float | None
    nuclearity: float | None
    relation: float | None
    full: float | None
    nodes: int


def tree_agreement(pairs: Iterable[tuple[Node, Node]]) -> TreeAgreement:
    """F1 over all (gold, guess) pairs together; both are binarised trees over the same words.

    >>> from metrics.discourse.trees import edu, join
    >>> gold = join("Cause", "NS", [edu("a b"), edu("c")])
    >>> tree_agreement([(gold, join("Cause", "NN", [edu("a b"), edu("c")]))])
    TreeAgreement(span=1.0, nuclearity=0.0, relation=1.0, full=0.0, nodes=1)
    """
    hits, gold_nodes, guess_nodes = [0] * len(VIEWS), 0, 0
    for gold, guess in pairs:
        true, guessed = _inner_nodes(gold), _inner_nodes(guess)
        gold_nodes += len(true)
        guess_nodes += len(guessed)
        for number, view in enumerate(VIEWS):
            parts = {tuple(node[part] for part in view) for node in true}
            hits[number] += len(parts & {tuple(node[part] for part in view) for node in guessed})
    total = gold_nodes + guess_nodes
    span, nuclearity, relation, full = (2 * hit / total if total else None for hit in hits)
    return TreeAgreement(span, nuclearity, relation, full, gold_nodes)


def _inner_nodes(tree: Node) -> set[tuple[int, int, str, str]]:
    """Every inner node as first word, last word, pattern and relation."""
    words = _walk(tree, lambda unit: len(unit.text.split()))
    return {(start, end, node.pattern, node.linked_by) for start, end, node in words if node.children}
