r"""A strict reader for JSON: it walks arrays and objects of any length and builds only their elements.

It refuses what the standard library accepts silently: duplicate keys, NaN and Infinity, numbers beyond a
float, integers of thousands of digits and deep nesting. Every problem has line and column.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from appraise.lib.problems import shorten
from evaluation.importers.decode import chunks
from evaluation.importers.model import SourceFile, SourcePosition
from evaluation.importers.state import ImportState

_SPACE = re.compile(r"[ \t\n\r]*")
_MAX_DIGITS = 300


class _Refused(ValueError):
    """Raised by the hooks of the decoder, which have no position."""

    def __init__(self, code: str, message: str, remedy: str) -> None:
        super().__init__(message)
        self.code, self.message, self.remedy = code, message, remedy


class JsonReader:
    """A cursor in a JSON text: ``elements`` and ``members`` walk, ``value`` builds.

    While walking, the caller must read each value.
    """

    def __init__(
        self,
        file: SourceFile,
        state: ImportState,
        text: str | None = None,
        line: int = 1,
        column: int = 1,
    ) -> None:
        """Begin at the first character of the file, or of a ``text`` that is one of its lines or cells."""
        self._text = "".join(chunks(file, state)) if text is None else text
        self._state = state
        self._file = file.name
        self._at = 0
        # A place that was passed, with its line and column: positions are counted from there.
        self._passed, self._line, self._column = 0, line, column

    @property
    def position(self) -> SourcePosition:
        """The position at which the next value begins."""
        self.peek()
        self._line, self._column = self._find_position(self._at)
        self._passed = self._at
        return SourcePosition(self._file, self._line, self._column)

    def peek(self) -> str:
        """Return the next character that is not white space, '' at the end."""
        if space := _SPACE.match(self._text, self._at):
            self._at = space.end()
        return self._text[self._at : self._at + 1]

    def elements(self) -> Iterator[int]:
        """Yield the indices of an array; read the value of each before the next."""
        self._expect("[")
        index = 0
        while self.peek() != "]" or index:
            yield index
            index += 1
            if self._skip_separator("]"):
                return
        self._at += 1

    def members(self) -> Iterator[str]:
        """Yield the keys of an object; read the value of each before the next."""
        self._expect("{")
        seen: set[str] = set()
        while self.peek() != "}" or seen:
            position = self.position
            if self.peek() != '"':
                self._refuse_syntax("a key in double quotes is expected")
            key = self.value()
            if key in seen:
                message = f"the key {shorten(str(key))!r} occurs twice"
                self._state.refuse("duplicate_key", message, "keep one of the two", position)
            seen.add(str(key))
            self._expect(":")
            yield str(key)
            if self._skip_separator("}"):
                return
        self._at += 1

    def value(self) -> Any:  # Any: any JSON value; the schema is checked later
        """Build the next value."""
        if not self.peek():
            self._refuse_syntax("a value is expected, but the text ends")
        try:
            value, end = _DECODER.raw_decode(self._text, self._at)
        except json.JSONDecodeError as error:
            self._refuse_syntax(error.msg, error.pos)
        except _Refused as refused:
            self._state.refuse(refused.code, refused.message, refused.remedy, self.position)
        except RecursionError:
            self._refuse_depth()
        if _depth(value) > self._state.limits.max_depth:
            self._refuse_depth()
        self._at = end
        return value

    def end(self) -> None:
        """Refuse anything but white space up to the end."""
        if self.peek():
            self._refuse_syntax("there is text after the end of the document")

    def end_of_line(self) -> None:
        """Do the same for one line of JSON lines, where a comma after the object is a common mistake."""
        if self.peek() == ",":
            self._refuse_syntax(
                "a comma follows the object",
                remedy="JSON lines are not separated by commas: remove them, or put [ before the first "
                "object and ] after the last",
            )
        self.end()

    def _expect(self, sign: str) -> None:
        if self.peek() != sign:
            self._refuse_syntax(f"'{sign}' is expected")
        self._at += 1

    def _skip_separator(self, close: str) -> bool:
        """Skip a comma (False) or the closing sign (True)."""
        sign = self.peek()
        if sign not in (",", close) or not sign:
            self._refuse_syntax(f"',' or '{close}' is expected")
        self._at += 1
        if sign == "," and self.peek() == close:
            self._refuse_syntax(f"there is a comma before '{close}'")
        return sign == close

    def _find_position(self, index: int) -> tuple[int, int]:
        breaks = self._text.count("\n", self._passed, index)
        if breaks:
            return self._line + breaks, index - self._text.rfind("\n", self._passed, index)
        return self._line, self._column + index - self._passed

    def _refuse_syntax(
        self, message: str, index: int | None = None, remedy: str = "correct the JSON"
    ) -> NoReturn:
        index = self._at if index is None else index
        line, column = self._find_position(index)
        code = "control_char" if message.startswith("Invalid control") else "json_syntax"
        begin = self._text.rfind("\n", 0, index) + 1
        excerpt = self._text[max(begin, index - 40) : index + 20].split("\n")[0]
        message, position = message[:1].lower() + message[1:], SourcePosition(self._file, line, column)
        self._state.refuse(code, message, remedy, position, excerpt)

    def _refuse_depth(self) -> NoReturn:
        message = f"values are nested more than {self._state.limits.max_depth} deep"
        self._state.refuse("too_deep", message, "flatten the file", self.position)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _Refused("duplicate_key", f"the key {shorten(twice)!r} occurs twice", "keep one of the two")
    return members


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _bad_number(f"an integer has {len(digits):,} digits")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _bad_number(f"{shorten(digits, 40)} is too large for a number")
    return number


def _constant(name: str) -> float:
    raise _bad_number(f"{name} is not a JSON number")


def _bad_number(message: str) -> _Refused:
    return _Refused("bad_number", message, "write a finite number, or null")


def _depth(value: object) -> int:
    """Return how deep lists and objects are nested; 0 for a plain value."""
    depth, level = 0, [value]
    while level := [part for part in level if isinstance(part, list | dict)]:
        depth += 1
        level = [inner for part in level for inner in (part.values() if isinstance(part, dict) else part)]
    return depth


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_integer, parse_float=_float, parse_constant=_constant
)
