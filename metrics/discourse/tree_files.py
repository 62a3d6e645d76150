"""Reads files of discourse trees in the brackets of RST-DT (``.dis``), plain or gzipped.

A file holds one tree or several, one node a line, EDUs numbered from 1::

    ( Root (span 1 2)
      ( Nucleus (leaf 1) (rel2par span) (text _!Voices are coming_!) )
      ( Satellite (leaf 2) (rel2par elaboration) (text _!suggesting help_!) )
    )

The numbers are checked against the tree. The first problem of a file is reported with its line and column.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, NoReturn

from appraise.lib.problems import InputError
from appraise.lib.streams import read_lines
from metrics.discourse.trees import MAX_DEPTH, Node, Nuclearity

TOKEN = re.compile(r'_!(?P<quoted>.*?)_!|(?P<bracket>[()])|(?P<word>[^\s()"]+)|\S')
ATTRIBUTES = ("span", "leaf", "rel2par", "text")
Warn = Callable[[str], None]
ROLES = {str(role): role for role in Nuclearity}


def read_trees(path: Path, warn: Warn | None = None) -> list[Node]:
    """All trees of a file; raises ``InputError``, except that ``warn`` gets wrong numbers."""
    lines = (line for _, line in read_lines(path, blank=True, file=str(path)))
    return read_dis("\n".join(lines), str(path), warn)


def read_dis(text: str, name: str = "", warn: Warn | None = None) -> list[Node]:
    """All trees of a text; raises ``InputError`` with its first problem."""
    reader, trees = _DisReader(text, name, warn), []
    while reader.token.kind != "end":
        trees.append(reader.read_tree())
    return trees


class BracketToken(NamedTuple):
    """A word, a quoted text, a bracket or the end, with its position."""

    kind: str
    value: str
    line: int
    column: int


class _DisReader:
    """Reads a text token by token, and counts the EDUs of the tree."""

    def __init__(self, text: str, name: str, warn: Warn | None) -> None:
        self.name = name
        self.warn = warn
        self.edus = 0
        self.tokens = self._scan(text)
        self.at = 0

    @property
    def token(self) -> BracketToken:
        return self.tokens[self.at]

    def read_tree(self) -> Node:
        self.edus = 0
        return self._read_node(0)

    def _scan(self, text: str) -> list[BracketToken]:
        tokens, lines = [], text.split("\n")
        for number, line in enumerate(lines, 1):
            for match in TOKEN.finditer(line):
                kind = match.lastgroup or ""
                token = BracketToken(kind, match[kind or 0], number, match.start() + 1)
                if not kind:
                    message = f"cannot read {token.value!r} here"
                    self._refuse(token, "stray_character", message, "quote the text: _!…_!")
                tokens.append(token)
        return [*tokens, *[BracketToken("end", "", len(lines), 1)] * 2]  # twice, to look one token ahead

    def _read_node(self, depth: int) -> Node:
        start, before = self.token, self.edus
        role = self._read_role(depth)
        attributes, children = self._read_parts(start, depth)
        self.edus += not children
        relation = self._find(start, attributes, "rel2par", needed=depth > 0)
        text = self._find(start, attributes, "text", needed=not children)
        key, numbers = ("span", [before + 1, self.edus]) if children else ("leaf", [self.edus])
        found, wanted = attributes.get(key), " ".join(map(str, numbers))
        if found != wanted:
            message = f"expected ({key} {wanted}), found {found or 'nothing'}"
            if self.warn is None:
                self._refuse(start, "wrong_numbers", message, "number the EDUs from 1, or use --lenient")
            self.warn(f"{self.name}:{start.line}:{start.column}: wrong_numbers: {message}")
        if children and not any(child.nuclearity is Nuclearity.NUCLEUS for child in children):
            self._refuse(start, "no_nucleus", "none of the parts is a Nucleus", "mark at least one")
        return Node(role, relation, text, children)

    def _read_role(self, depth: int) -> Nuclearity:
        start = self._take("(")
        if depth > MAX_DEPTH:
            self._refuse(start, "too_deep", f"more than {MAX_DEPTH} levels", "check the file")
        role = ROLES.get(self._take().value)
        if role is None:
            self._refuse(start, "unknown_role", "expected Root, Nucleus or Satellite", "name the role")
        if (role is Nuclearity.ROOT) != (depth == 0):
            remedy = "use Nucleus or Satellite" if depth else "begin the tree with ( Root"
            self._refuse(start, "wrong_role", f"the role {role} is not allowed here", remedy)
        return role

    def _read_parts(self, start: BracketToken, depth: int) -> tuple[dict[str, str], tuple[Node, ...]]:
        """The attributes and children of a node, up to its closing bracket."""
        attributes: dict[str, str] = {}
        children: list[Node] = []
        while (self.token.kind, self.token.value) != ("bracket", ")"):
            if self.token.kind == "end":
                self._refuse(start, "unclosed_bracket", "this bracket is never closed", "add the missing )")
            if self.tokens[self.at + 1].value in ATTRIBUTES:
                self._take("(")
                key, words = self._take().value, []
                while self.token.kind in ("word", "quoted"):
                    words.append(self._take().value)
                attributes[key] = " ".join(words)
                self._take(")")
            else:
                children.append(self._read_node(depth + 1))
        self._take(")")
        return attributes, tuple(children)

    def _find(self, start: BracketToken, attributes: dict[str, str], key: str, *, needed: bool) -> str:
        if needed and key not in attributes:
            self._refuse(start, "missing_attribute", f"the node has no ({key} …)", f"add ({key} …)")
        return attributes.get(key, "")

    def _take(self, bracket: str = "") -> BracketToken:
        """The next token, which must be this bracket if one is given."""
        token = self.token
        if bracket and (token.kind, token.value) != ("bracket", bracket):
            message = f"expected {bracket}, found {token.value or 'the end'!r}"
            self._refuse(token, "wrong_bracket", message, "correct the brackets")
        self.at += 1
        return token

    def _refuse(self, token: BracketToken, code: str, message: str, remedy: str) -> NoReturn:
        raise InputError.of(code, message, remedy, self.name, token.line, token.column)
