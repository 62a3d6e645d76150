"""How well a parser's trees agree with gold trees: spans, nuclearity, relations.

Counted over the inner nodes of binarised trees, each with its nuclearity pattern and relation (the standard
Parseval of Morey et al. 2017); units and their roles add nothing on their own. Units are compared by the
words they cover, so the measure also serves where the segmentation is the parser's own. A figure without
data is None.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from metrics.discourse.trees import Node, edu, join

VIEWS = ((0, 1), (0, 1, 2), (0, 1, 3), (0, 1, 2, 3))  # of (first word, last word, pattern, relation)


@dataclass(frozen=True, slots=True)
class Agreement:
    """F1 of spans alone, with nuclearity, with relation, and with both; ``nodes`` counts the gold nodes."""

    span: float | None
    nuclearity: float | None
    relation: float | None
    full: float | None
    nodes: int


def agreement(pairs: Iterable[tuple[Node, Node]]) -> Agreement:
    """F1 over all (gold, guess) pairs together; both are binarised trees over the same words.

    >>> gold = join("Cause", "NS", [edu("a b"), edu("c")])
    >>> agreement([(gold, join("Cause", "NN", [edu("a b"), edu("c")]))])
    Agreement(span=1.0, nuclearity=0.0, relation=1.0, full=0.0, nodes=1)
    """
    hits, gold_nodes, guess_nodes = [0] * len(VIEWS), 0, 0
    for gold, guess in pairs:
        true, found = _nodes(gold), _nodes(guess)
        gold_nodes += len(true)
        guess_nodes += len(found)
        for number, view in enumerate(VIEWS):
            seen = {tuple(node[part] for part in view) for node in true}
            hits[number] += len(seen & {tuple(node[part] for part in view) for node in found})
    total = gold_nodes + guess_nodes
    span, nuclearity, relation, full = (2 * hit / total if total else None for hit in hits)
    return Agreement(span, nuclearity, relation, full, gold_nodes)


def _nodes(tree: Node) -> set[tuple[int, int, str, str]]:
    """Every inner node as first word, last word, pattern and relation."""
    found: set[tuple[int, int, str, str]] = set()

    def visit(node: Node, start: int) -> int:
        end = start + len(node.text.split()) if node.is_edu else start
        for child in node.children:
            end = visit(child, end)
        if node.children:
            found.add((start, end, node.pattern, node.linked_by))
        return end

    visit(tree, 0)
    return found


def right_branching(units: list[str]) -> Node:
    """The baseline: every unit elaborated by all that follow."""
    tree = edu(units[-1]) if units else edu("")
    for text in reversed(units[:-1]):
        tree = join("Elaboration", "NS", [edu(text), tree])
    return tree
