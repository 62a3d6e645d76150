"""Sentences with their gold trees, cut out of documents with discourse trees.

``.dis`` files do not mark sentences: a sentence is taken to end at a unit that ends in a full stop, question
or exclamation mark (quotation marks and brackets may follow). Headings therefore run into the next sentence.
The tree of a sentence is the subtree that spans exactly its units; a sentence without one (about one in
eight of GUM, headings included) serves the segmenter only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from metrics.discourse.relations import coarse
from metrics.discourse.trees import Node, as_root, binarised, relabelled
from metrics.discourse.words import words

END = re.compile(r"[.?!…][\"'”’)\]»\s]*$")


@dataclass(frozen=True, slots=True)
class Gold:
    """The units of a sentence as words, and their tree if they have one: binarised, coarse relations."""

    units: tuple[tuple[str, ...], ...]
    tree: Node | None


def sentences(document: Node) -> Iterator[Gold]:
    """The sentences of a document, in order; the text of their units is words with spaces between them."""
    plain = _worded(relabelled(binarised(document), coarse))
    spans = _spans(plain)
    leaves = list(plain.edus())
    start = 0
    for end, leaf in enumerate(leaves, 1):
        if end < len(leaves) and not END.search(leaf.text):
            continue
        units = tuple(tuple(unit.text.split()) for unit in leaves[start:end])
        tree = spans.get((start, end)) if all(units) else None
        yield Gold(tuple(filter(None, units)), as_root(tree) if tree else None)
        start = end


def _worded(node: Node) -> Node:
    return replace(node, text=" ".join(words(node.text)), children=tuple(map(_worded, node.children)))


def _spans(document: Node) -> dict[tuple[int, int], Node]:
    """Every node by the units that it covers."""
    found: dict[tuple[int, int], Node] = {}

    def visit(node: Node, start: int) -> int:
        end = start + 1 if node.is_edu else start
        for child in node.children:
            end = visit(child, end)
        found.setdefault((start, end), node)
        return end

    visit(document, 0)
    return found
