"""A tiny made-up discourse corpus from which the parsers can learn something."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from metrics.discourse.trees import Node, edu, join, relations_of

PEOPLE = ("he", "she", "they", "we", "you")
VERBS = ("stayed", "left", "waited", "slept", "worked", "laughed")
REASONS = ("because it rained", "because he was tired", "because nobody came", "because it was late")


def sentence(number: int) -> Node:
    """A sentence with one relation, or two."""
    who, did = PEOPLE[number % len(PEOPLE)], VERBS[number % len(VERBS)]
    reason = REASONS[number % len(REASONS)]
    core = join("causal-cause", "NS", [edu(f"that {who} {did}"), edu(f"{reason} .")])
    if number % 3:
        return join("causal-cause", "NS", [edu(f"{who} {did}"), edu(f"{reason} .")])
    return join("attribution-positive", "SN", [edu("people say"), core])


def documents(count: int = 12, sentences: int = 6) -> list[Node]:
    """Documents whose sentences form a list."""
    return [
        join("joint-list", "N" * sentences, [sentence(number * sentences + n) for n in range(sentences)])
        for number in range(count)
    ]


def write_corpus(folder: Path, count: int = 12) -> Path:
    """One ``.dis`` file per document."""
    folder.mkdir(exist_ok=True)
    for number, document in enumerate(documents(count)):
        (folder / f"doc{number:02}.dis").write_text(write_dis(document), encoding="utf-8")
    return folder


def write_dis(tree: Node) -> str:
    """A tree in the format of RST-DT, in the layout of the published corpora."""
    return "\n".join(_lines(tree, 1, 0)) + "\n"


def _lines(node: Node, first: int, depth: int) -> Iterator[str]:
    """The lines of a node whose first EDU has this number."""
    indent, relation = "  " * depth, f" (rel2par {node.relation})" if depth else " "
    if node.is_edu:
        yield f"{indent}( {node.nuclearity} (leaf {first}){relation} (text _!{node.text}_!) )"
        return
    last = first + sum(1 for _ in node.edus()) - 1
    yield f"{indent}( {node.nuclearity} (span {first} {last}){relation}"
    for child in node.children:
        yield from _lines(child, first, depth + 1)
        first += sum(1 for _ in child.edus())
    yield f"{indent})"


def format_brackets(tree: Node) -> str:
    """A tree on one line, for people: each relation with the nuclearity of its parts, EDUs quoted.

    >>> format_brackets(join("Cause", "SN", [edu("as it rained"), edu("we stayed")]))
    '(Cause[S][N] "as it rained" "we stayed")'
    >>> format_brackets(edu("we stayed"))
    '("we stayed")'
    """
    return _format(tree) if tree.children else f"({_format(tree)})"


def _format(node: Node) -> str:
    if node.is_edu:
        return json.dumps(node.text, ensure_ascii=False)
    relations = [child.relation for child in node.children]
    if relations == relations_of(node.linked_by, node.pattern):
        head = node.linked_by + "".join(f"[{letter}]" for letter in node.pattern)
    else:  # several satellites, each with its own relation
        head = "".join(f"[{letter}:{own}]" for letter, own in zip(node.pattern, relations, strict=True))
    return f"({head} {' '.join(map(_format, node.children))})"
