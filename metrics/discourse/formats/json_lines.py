"""Discourse trees as JSON, one tree per line, in the vocabulary of RST-DT files.

{"children": [{"role": "Nucleus", "relation": "span", "text": "Voices are coming"}, {"role": "Satellite", …}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from evaluation.problems import InputError, Problem
from metrics.discourse.trees import MAX_DEPTH, Node, Nuclearity

ROLES = {str(role): role for role in Nuclearity}


def read(text: str, name: str = "") -> list[Node]:
    """All trees, one on each line that is not blank; raises ``InputError``."""
    return [_line(line, name, n) for n, line in enumerate(text.split("\n"), 1) if line.strip()]


def write(trees: Iterable[Node]) -> str:
    """One line per tree.

    >>> write([Node(text="all")])
    '{"text": "all"}\\n'
    """
    return "".join(json.dumps(as_json(tree), ensure_ascii=False) + "\n" for tree in trees)


def as_json(node: Node) -> dict[str, object]:
    """A tree as plain values; the root's role is understood and left out."""
    found: dict[str, object] = {}
    if node.nuclearity is not Nuclearity.ROOT:
        found |= {"role": str(node.nuclearity), "relation": node.relation}
    if node.is_edu:
        return found | {"text": node.text}
    return found | {"children": [as_json(child) for child in node.children]}


def from_json(value: object, name: str = "", line: int | None = None, depth: int = 0) -> Node:
    """The tree of plain values; raises ``InputError``."""

    def refuse(code: str, message: str, remedy: str) -> InputError:
        return InputError(Problem(code, message, remedy, name, line))

    if not isinstance(value, dict):
        raise refuse("bad_node", f"expected an object, found {value!r:.80}", "write {…} for every node")
    if unknown := set(value) - {"role", "relation", "text", "children"}:
        raise refuse(
            "unknown_key", f"unknown keys {sorted(unknown)}", "use role, relation, text and children"
        )
    if depth > MAX_DEPTH:
        raise refuse("too_deep", f"more than {MAX_DEPTH} levels", "check the file")
    role, relation = value.get("role", "Root" if not depth else None), value.get("relation", "")
    if role not in ROLES or (role == "Root") != (depth == 0):
        raise refuse("unknown_role", f"role {role!r} cannot stand here", "inside: Nucleus or Satellite")
    children, text = value.get("children", []), value.get("text", "")
    if not isinstance(text, str) or not isinstance(relation, str) or not isinstance(children, list):
        raise refuse("bad_node", "text and relation are strings, children is a list", "mend the node")
    if bool(children) == ("text" in value) or (depth and not relation):
        raise refuse("bad_node", "a node has either text or children, and a relation", "mend the node")
    parts = tuple(from_json(child, name, line, depth + 1) for child in children)
    if parts and not any(part.nuclearity is Nuclearity.NUCLEUS for part in parts):
        raise refuse("no_nucleus", "none of the parts is a Nucleus", "mark at least one")
    return Node(ROLES[role], relation, text, parts)


def _line(line: str, name: str, number: int) -> Node:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        problem = Problem("bad_json", error.msg, "one JSON object per line", name, number, error.colno)
        raise InputError(problem) from error
    except RecursionError as error:
        raise InputError(Problem("too_deep", "nested too deeply", "check the file", name, number)) from error
    return from_json(value, name, number)
