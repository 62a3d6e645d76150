"""Compact brackets: one tree a line, the relation with its parts' nuclearity in front, EDUs as JSON strings.

    (Elaboration[N][S] "Voices are coming" (Attribution[S][N] "suggesting" "that help comes"))

A sentence of one EDU is ``("text")``. Where the parts have relations of their own (several satellites), each
names it: ``([N:span][S:Cause][S:Purpose] …)``. This is also what the command ``parse --discourse`` prints.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace

from metrics.discourse.formats.scanner import Group, Word, fault, scan
from metrics.discourse.trees import Node, Nuclearity, edu, relations_of

HEAD = re.compile(r"(?P<relation>[^\[\]]*)(?P<parts>(?:\[[NS](?::[^\[\]]+)?\])+)")
PART = re.compile(r"\[([NS])(?::([^\[\]]+))?\]")
NAME = re.compile(r'[^\s()\[\]":]+')
ROLE = {"N": Nuclearity.NUCLEUS, "S": Nuclearity.SATELLITE}


def read(text: str, name: str = "") -> list[Node]:
    """All trees, one on each line that is not blank; raises ``InputError``."""
    trees = []
    for number, line in enumerate(text.split("\n"), 1):
        trees += [_tree(group, name) for group in scan(line, name, number)]
    return trees


def write(trees: Iterable[Node]) -> str:
    """One line per tree.

    >>> from metrics.discourse.trees import join
    >>> write([join("Cause", "SN", [edu("as it rained"), edu("we stayed")])])
    '(Cause[S][N] "as it rained" "we stayed")\\n'
    """
    return "".join((_text(tree) if tree.children else f"({_text(tree)})") + "\n" for tree in trees)


def _tree(group: Group, name: str) -> Node:
    if len(group.items) == 1 and isinstance(group.items[0], Word):
        return _edu(group.items[0], name)
    return _inner(group, name)


def _inner(group: Group, name: str) -> Node:
    head = group.items[0] if group.items else None
    matched = HEAD.fullmatch(head.value) if isinstance(head, Word) and not head.quote else None
    if matched is None:
        raise fault(
            "bad_relation", "expected a relation like Elaboration[N][S]", "name it", name, head or group
        )
    roles = PART.findall(matched["parts"])
    letters = "".join(letter for letter, _ in roles)
    parts = [_inner(item, name) if isinstance(item, Group) else _edu(item, name) for item in group.items[1:]]
    if len(parts) != len(roles):
        message = f"{matched.group()} announces {len(roles)} parts, found {len(parts)}"
        raise fault("part_count", message, "name each part's nuclearity", name, group)
    if "N" not in letters:
        raise fault("no_nucleus", "none of the parts is a nucleus", "mark at least one [N]", name, group)
    if not matched["relation"] and not all(own for _, own in roles):
        raise fault("no_relation", "the relation has no name", "write it before the first [", name, group)
    shared = relations_of(matched["relation"], letters)
    named = [own or common for (_, own), common in zip(roles, shared, strict=True)]
    placed = zip(parts, letters, named, strict=True)
    return Node(
        children=tuple(replace(p, nuclearity=ROLE[letter], relation=own) for p, letter, own in placed)
    )


def _edu(word: Word, name: str) -> Node:
    if word.quote != '"':
        raise fault(
            "unquoted_text", f"expected quoted text, found {word.value!r}", 'write it as "…"', name, word
        )
    try:
        return edu(json.loads(f'"{word.value}"'))
    except json.JSONDecodeError as error:
        raise fault(
            "bad_string", f"not a JSON string: {error.msg}", "escape it as JSON does", name, word
        ) from error


def _text(node: Node) -> str:
    if node.is_edu:
        return json.dumps(node.text, ensure_ascii=False)
    inside = " ".join(_text(child) for child in node.children)
    return f"({_head(node)} {inside})"


def _head(node: Node) -> str:
    relations = [child.relation for child in node.children]
    for relation in relations:
        if not NAME.fullmatch(relation):
            raise ValueError(f"compact brackets cannot hold this relation: {relation!r}")
    if relations == relations_of(node.linked_by, node.pattern):
        return node.linked_by + "".join(f"[{letter}]" for letter in node.pattern)
    return "".join(f"[{letter}:{own}]" for letter, own in zip(node.pattern, relations, strict=True))
