"""Reads files of discourse trees: RST-DT brackets (``.dis``) and JSON lines.

A ``.dis`` file holds one tree, one node a line, its EDUs numbered from 1::

    ( Root (span 1 2)
      ( Nucleus (leaf 1) (rel2par span) (text _!Voices are coming_!) )
      ( Satellite (leaf 2) (rel2par elaboration) (text _!suggesting help_!) )
    )

The numbers are checked against the tree. A line of a ``.json`` or ``.jsonl`` file holds a tree in the same
vocabulary: ``{"children": [{"role": "Nucleus", "relation": "span", "text": "Voices are coming"}, …]}``. Both
may be gzipped. Every problem has its line, and in ``.dis`` files its column.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from appraise.lib.problems import InputError, Problem
from appraise.lib.streams import convert_read_errors
from metrics.discourse.trees import MAX_DEPTH, Node, Nuclearity

TOKEN = re.compile(r'_!(?P<quoted>.*?)_!|(?P<bracket>[()])|(?P<word>[^\s()"]+)|\S')
ATTRIBUTES = ("span", "leaf", "rel2par", "text")
ROLES = {str(role): role for role in Nuclearity}


def read_trees(path: Path) -> list[Node]:
    """All trees of a file, plain or gzipped; raises ``InputError``."""
    suffix = Path(path.name.removesuffix(".gz")).suffix
    if suffix not in READERS:
        message = f"no tree format has the suffix of {path.name!r}"
        raise InputError(Problem("unknown_format", message, f"use {' '.join(READERS)}", str(path)))
    with convert_read_errors(path):
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = Problem("bad_utf8", f"not UTF-8: {error}", "save the file as UTF-8", str(path))
        raise InputError(problem) from error
    return READERS[suffix](text, str(path))


def read_dis(text: str, name: str = "") -> list[Node]:
    """All trees of a ``.dis`` file; raises ``InputError`` with every problem of the first bad tree."""
    return [_DisReader(name).read(group) for group in _scan_brackets(text, name)]


def read_json_lines(text: str, name: str = "") -> list[Node]:
    """All trees, one on each line that is not blank; raises ``InputError``."""
    trees = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            problem = Problem("bad_json", error.msg, "one JSON object per line", name, number, error.colno)
            raise InputError(problem) from error
        except RecursionError as error:
            problem = Problem("too_deep", "nested too deeply", "check the file", name, number)
            raise InputError(problem) from error
        trees.append(from_json(value, name, number))
    return trees


READERS: dict[str, Callable[[str, str], list[Node]]] = {
    ".dis": read_dis,
    ".json": read_json_lines,
    ".jsonl": read_json_lines,
}
"""The reader of each suffix."""


def as_json(node: Node) -> dict[str, object]:
    """A tree as JSON values; the role of the root is omitted."""
    values: dict[str, object] = {}
    if node.nuclearity is not Nuclearity.ROOT:
        values |= {"role": str(node.nuclearity), "relation": node.relation}
    if node.is_edu:
        return values | {"text": node.text}
    return values | {"children": [as_json(child) for child in node.children]}


def from_json(value: object, name: str = "", line: int | None = None, depth: int = 0) -> Node:
    """The tree of JSON values; raises ``InputError``."""

    def refuse(code: str, message: str, remedy: str) -> InputError:
        return InputError(Problem(code, message, remedy, name, line))

    if not isinstance(value, dict):
        raise refuse("bad_node", f"expected an object, found {value!r:.80}", "write {…} for every node")
    if unknown := set(value) - {"role", "relation", "text", "children"}:
        remedy = "use role, relation, text and children"
        raise refuse("unknown_key", f"unknown keys {sorted(unknown)}", remedy)
    if depth > MAX_DEPTH:
        raise refuse("too_deep", f"more than {MAX_DEPTH} levels", "check the file")
    role, relation = value.get("role", "Root" if not depth else None), value.get("relation", "")
    if role not in ROLES or (role == "Root") != (depth == 0):
        remedy = "use Nucleus or Satellite inside the tree"
        raise refuse("unknown_role", f"role {role!r} is not allowed here", remedy)
    children, text = value.get("children", []), value.get("text", "")
    if not isinstance(text, str) or not isinstance(relation, str) or not isinstance(children, list):
        raise refuse("bad_node", "text and relation are strings, children is a list", "correct the node")
    if bool(children) == ("text" in value) or (depth and not relation):
        raise refuse("bad_node", "a node has either text or children, and a relation", "correct the node")
    parts = tuple(from_json(child, name, line, depth + 1) for child in children)
    if parts and not any(part.nuclearity is Nuclearity.NUCLEUS for part in parts):
        raise refuse("no_nucleus", "none of the parts is a Nucleus", "mark at least one")
    return Node(ROLES[role], relation, text, parts)


@dataclass(frozen=True, slots=True)
class BracketWord:
    """A word or a quoted text, with its position."""

    value: str
    line: int
    column: int


@dataclass(slots=True)
class BracketGroup:
    """The words and groups between two brackets."""

    line: int
    column: int
    items: list[BracketWord | BracketGroup] = field(default_factory=list)

    def words(self) -> list[BracketWord]:
        return [item for item in self.items if isinstance(item, BracketWord)]

    def groups(self) -> list[BracketGroup]:
        return [item for item in self.items if isinstance(item, BracketGroup)]


def _scan_brackets(text: str, name: str) -> list[BracketGroup]:
    """All top-level groups; raises ``InputError`` for unbalanced brackets and for words outside them.

    A loop instead of a recursion, so that hostile input cannot exhaust the stack.
    """
    top = BracketGroup(1, 1)
    open_groups = [top]
    for number, line in enumerate(text.split("\n"), 1):
        for match in TOKEN.finditer(line):
            _add_token(match, open_groups, number, name)
    if len(open_groups) > 1:
        message = "this bracket is never closed"
        raise _problem_at(open_groups[-1], "unclosed_bracket", message, "add the missing )", name)
    for word in top.words():
        raise _problem_at(
            word, "outside_brackets", f"{word.value!r} is outside of brackets", "remove it", name
        )
    return top.groups()


def _add_token(match: re.Match[str], open_groups: list[BracketGroup], line: int, name: str) -> None:
    group = BracketGroup(line, match.start() + 1)
    if match.lastgroup in ("quoted", "word"):
        open_groups[-1].items.append(BracketWord(match[match.lastgroup], line, match.start() + 1))
    elif match.group() == "(":
        if len(open_groups) > MAX_DEPTH + 2:
            message = f"more than {MAX_DEPTH} levels of brackets"
            raise _problem_at(group, "too_deep", message, "check the file", name)
        open_groups[-1].items.append(group)
        open_groups.append(group)
    elif match.group() == ")" and len(open_groups) > 1:
        open_groups.pop()
    elif match.group() != ")":
        message = f"cannot read {match.group()!r} here"
        raise _problem_at(group, "stray_character", message, "quote the text: _!…_!", name)
    else:
        remedy = "remove it or add the missing ("
        raise _problem_at(group, "unopened_bracket", "a ) without its (", remedy, name)


def _problem_at(
    place: BracketWord | BracketGroup, code: str, message: str, remedy: str, name: str
) -> InputError:
    return InputError(Problem(code, message, remedy, name, place.line, place.column))


class _DisReader:
    """Reads one tree; counts its EDUs and collects its problems."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.edus = 0
        self.problems: list[Problem] = []

    def read(self, group: BracketGroup) -> Node:
        root = self._node(group, 0)
        if root.nuclearity is not Nuclearity.ROOT:
            self._add("no_root", f"the tree begins with {root.nuclearity}", "begin it with ( Root", group)
        if self.problems:
            raise InputError(self.problems)
        return root

    def _node(self, group: BracketGroup, depth: int) -> Node:
        if depth > MAX_DEPTH:
            message = f"more than {MAX_DEPTH} levels"
            raise _problem_at(group, "too_deep", message, "check the file", self.name)
        role, attributes, parts = self._sort_items(group)
        if depth and role is Nuclearity.ROOT:
            self._add("inner_root", "a Root inside the tree", "make it Nucleus or Satellite", group)
        before = self.edus
        self.edus += not parts
        children = tuple(self._node(part, depth + 1) for part in parts)
        self._check_numbers(group, attributes, before, bool(parts))
        relation = self._value(group, attributes, "rel2par", needed=depth > 0)
        if children and not any(child.nuclearity is Nuclearity.NUCLEUS for child in children):
            self._add("no_nucleus", "none of the parts is a Nucleus", "mark at least one", group)
        return Node(role, relation, self._value(group, attributes, "text", needed=not parts), children)

    def _sort_items(
        self, group: BracketGroup
    ) -> tuple[Nuclearity, dict[str, list[BracketWord]], list[BracketGroup]]:
        head = group.items[0] if group.items else None
        if not isinstance(head, BracketWord) or head.value not in ROLES:
            message = "expected Root, Nucleus or Satellite"
            raise _problem_at(group, "unknown_role", message, "name the role", self.name)
        attributes: dict[str, list[BracketWord]] = {}
        parts = []
        for inner in group.groups():
            first = inner.items[0] if inner.items else None
            if isinstance(first, BracketWord) and first.value in ATTRIBUTES:
                attributes[first.value] = inner.words()[1:]
            else:
                parts.append(inner)
        return ROLES[head.value], attributes, parts

    def _check_numbers(
        self, group: BracketGroup, attributes: dict[str, list[BracketWord]], before: int, is_inner: bool
    ) -> None:
        key, expected = ("span", [before + 1, self.edus]) if is_inner else ("leaf", [self.edus])
        numbers = [word.value for word in attributes.get(key, [])]
        if numbers != [str(number) for number in expected]:
            wanted = f"({key} {' '.join(map(str, expected))})"
            message = f"expected {wanted}, found {' '.join(numbers) or 'nothing'}"
            self._add("wrong_numbers", message, f"the brackets mean {wanted}", group)

    def _value(
        self, group: BracketGroup, attributes: dict[str, list[BracketWord]], key: str, *, needed: bool
    ) -> str:
        words = attributes.get(key, [])
        if needed and not words:
            self._add("missing_attribute", f"the node has no ({key} …)", f"add ({key} …)", group)
        return " ".join(word.value for word in words)

    def _add(self, code: str, message: str, remedy: str, place: BracketGroup) -> None:
        self.problems.append(Problem(code, message, remedy, self.name, place.line, place.column))
