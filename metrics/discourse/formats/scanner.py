"""Bracketed text into nested lists that remember where they stood.

Shared by the two bracket formats. Words are kept as they are; quoted text is ``_!…_!`` (RST-DT) or a JSON
string. The scan is a loop, not a recursion: hostile input ends in a message, never in an exhausted stack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from evaluation.problems import InputError, Problem
from metrics.discourse.trees import MAX_DEPTH

TOKEN = re.compile(
    r'_!(?P<marked>.*?)_!|"(?P<quoted>(?:[^"\\\n]|\\.)*)"|(?P<bracket>[()])|(?P<word>[^\s()"]+)|\S'
)


@dataclass(frozen=True, slots=True)
class Word:
    """A bare word (``quote`` empty) or quoted text (``quote`` is ``_!`` or a double quotation mark)."""

    value: str
    line: int
    column: int
    quote: str = ""


@dataclass(slots=True)
class Group:
    """What stands between two brackets."""

    line: int
    column: int
    items: list[Word | Group] = field(default_factory=list)

    def words(self) -> list[Word]:
        return [item for item in self.items if isinstance(item, Word)]

    def groups(self) -> list[Group]:
        return [item for item in self.items if isinstance(item, Group)]


def scan(text: str, name: str, first_line: int = 1) -> list[Group]:
    """All top-level groups; raises ``InputError`` for unbalanced brackets and for words outside them."""
    found = Group(first_line, 1)
    open_groups = [found]
    for number, line in enumerate(text.split("\n"), first_line):
        for match in TOKEN.finditer(line):
            _take(match, open_groups, number, name)
    if len(open_groups) > 1:
        last = open_groups[-1]
        raise fault("unclosed_bracket", "this bracket is never closed", "add the missing )", name, last)
    for word in found.words():
        raise fault("outside_brackets", f"{word.value!r} stands outside any bracket", "remove it", name, word)
    return found.groups()


def _take(match: re.Match[str], open_groups: list[Group], line: int, name: str) -> None:
    kind, column = match.lastgroup, match.start() + 1
    here = Word(match.group(), line, column)
    if kind == "marked":
        open_groups[-1].items.append(Word(match["marked"], line, column, "_!"))
    elif kind == "quoted":
        open_groups[-1].items.append(Word(match["quoted"], line, column, '"'))
    elif kind == "word":
        open_groups[-1].items.append(here)
    elif match.group() == "(":
        if len(open_groups) > MAX_DEPTH + 2:
            raise fault("too_deep", f"more than {MAX_DEPTH} levels of brackets", "check the file", name, here)
        group = Group(line, column)
        open_groups[-1].items.append(group)
        open_groups.append(group)
    elif match.group() == ")" and len(open_groups) > 1:
        open_groups.pop()
    elif match.group() == ")":
        raise fault("unopened_bracket", "a ) without its (", "remove it or add the missing (", name, here)
    else:
        raise fault(
            "stray_character", f"cannot read {match.group()!r} here", "close the quotation", name, here
        )


def fault(code: str, message: str, remedy: str, name: str, place: Word | Group) -> InputError:
    """One problem at one place, ready to be raised."""
    return InputError(Problem(code, message, remedy, name, place.line, place.column))
