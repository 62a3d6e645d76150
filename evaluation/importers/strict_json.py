r"""Strict JSON, read by pulling: arrays and objects of any length are walked, only their small parts are
built.

Stricter than the standard library where it is silently lenient: a key given twice, NaN and Infinity, numbers
beyond a float, integers of thousands of digits and deep nesting are refused. Every value is reported with
line and column.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from evaluation.importers.decode import chunks
from evaluation.importers.model import Place
from evaluation.importers.reading import Reading, shown
from evaluation.importers.source import SourceFile

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER_END = re.compile(r"[-+.eE0-9]*\Z")
_MAX_DIGITS = 300


class _Refused(ValueError):
    """Raised by the decoder's hooks, which do not know where they are."""

    def __init__(self, code: str, message: str, remedy: str) -> None:
        super().__init__(message)
        self.code, self.message, self.remedy = code, message, remedy


class JsonReader:
    """A cursor in a JSON text. ``elements`` and ``members`` walk; ``value`` builds; the caller must take each
    value.
    """

    def __init__(self, file: SourceFile, reading: Reading) -> None:
        self._chunks = chunks(file, reading)
        self._reading = reading
        self._file = file.name
        self._text = ""
        self._at = 0
        self._line, self._column = 1, 1
        self._ended = False
        self._cap = 64 * reading.limits.max_field

    @classmethod
    def of_line(cls, line: str, number: int, file: SourceFile, reading: Reading) -> JsonReader:
        """A cursor on one line of JSON lines."""
        reader = cls(file, reading)
        reader._text, reader._line, reader._ended = line, number, True
        return reader

    @property
    def place(self) -> Place:
        """Where the next value begins."""
        self.peek()
        line, column = self._position(self._at)
        return Place(self._file, line, column)

    def peek(self) -> str:
        """The next character that is not white space, '' at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def elements(self) -> Iterator[int]:
        """The indices of an array; take the value of each before asking for the next."""
        self._expect("[")
        index = 0
        while self.peek() != "]" or index:
            yield index
            index += 1
            if self._separator("]"):
                return
        self._at += 1

    def members(self) -> Iterator[str]:
        """The keys of an object; take the value of each before asking for the next."""
        self._expect("{")
        seen: set[str] = set()
        while self.peek() != "}" or seen:
            place = self.place
            key = self.value() if self.peek() == '"' else self._syntax("a key in double quotes is expected")
            if key in seen:
                self._reading.refuse(
                    "duplicate_key",
                    f"the key {shown(str(key))!r} is given twice",
                    "keep one of the two",
                    place,
                )
            seen.add(str(key))
            self._expect(":")
            yield str(key)
            if self._separator("}"):
                return
        self._at += 1

    def value(self) -> Any:  # Any: whatever the file says; the schema decides
        """The next value, built."""
        if not self.peek():
            self._syntax("a value is expected, the text ends")
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                ahead = error.pos - self._at
                if self._complete(error) or not self._more():
                    self._syntax(error.msg, self._at + ahead)
            except _Refused as refused:
                self._reading.refuse(refused.code, refused.message, refused.remedy, self.place)
            except RecursionError:
                self._too_deep()
            else:
                if _is_number(value) and _NUMBER_END.match(self._text, end) and self._more():
                    continue  # its digits may go on in the next piece
                if _depth(value) > self._reading.limits.max_depth:
                    self._too_deep()
                self._at = end
                return value

    def end(self) -> None:
        """Nothing but white space may follow."""
        if self.peek():
            self._syntax("something follows the end of the document")

    def end_of_line(self) -> None:
        """The same for one line of JSON lines, where people like to write a comma."""
        if self.peek() == ",":
            self._syntax(
                "a comma follows the object",
                remedy="JSON lines are not separated by commas: take them away, or put [ before the first "
                "object and ] after the last",
            )
        self.end()

    def _more(self) -> bool:
        """Take in more text; drop what is behind the cursor."""
        if self._ended:
            return False
        self._line, self._column = self._position(self._at)
        self._text = self._text[self._at :]
        self._at = 0
        if len(self._text) > self._cap:
            self._reading.refuse(
                "field_too_long",
                "a value is too long",
                "split it",
                Place(self._file, self._line, self._column),
            )
        before = max(len(self._text), 1)
        parts = [self._text]
        while sum(map(len, parts)) < 2 * before:  # doubling keeps the repeated attempts linear
            part = next(self._chunks, None)
            if part is None:
                self._ended = True
                break
            parts.append(part)
        self._text = "".join(parts)
        return len(parts) > 1

    def _complete(self, error: json.JSONDecodeError) -> bool:
        """Whether the error would remain if more text followed."""
        return error.pos < len(self._text) - 16 and not error.msg.startswith("Unterminated string")

    def _expect(self, sign: str) -> None:
        if self.peek() != sign:
            self._syntax(f"'{sign}' is expected")
        self._at += 1

    def _separator(self, close: str) -> bool:
        """Step over a comma, or over the closing sign (True)."""
        sign = self.peek()
        if sign not in (",", close) or not sign:
            self._syntax(f"',' or '{close}' is expected")
        self._at += 1
        if sign == "," and self.peek() == close:
            self._syntax(f"a comma stands before '{close}'")
        return sign == close

    def _position(self, index: int) -> tuple[int, int]:
        breaks = self._text.count("\n", 0, index)
        if breaks:
            return self._line + breaks, index - self._text.rfind("\n", 0, index)
        return self._line, self._column + index

    def _syntax(self, message: str, index: int | None = None, remedy: str = "correct the JSON") -> Any:
        index = self._at if index is None else index
        line, column = self._position(index)
        code = "control_char" if message.startswith("Invalid control") else "json_syntax"
        begin = self._text.rfind("\n", 0, index) + 1
        excerpt = self._text[max(begin, index - 40) : index + 20].split("\n")[0]
        self._reading.refuse(
            code,
            message[:1].lower() + message[1:],
            remedy,
            Place(self._file, line, column),
            excerpt,
        )

    def _too_deep(self) -> None:
        cap = self._reading.limits.max_depth
        self._reading.refuse("too_deep", f"nested more than {cap} deep", "flatten the file", self.place)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _Refused("duplicate_key", f"the key {shown(twice)!r} is given twice", "keep one of the two")
    return made


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _bad_number(f"an integer of {len(digits):,} digits")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _bad_number(f"{shown(digits, 40)} is beyond any number we can keep")
    return number


def _constant(name: str) -> float:
    raise _bad_number(f"{name} is not a JSON number")


def _bad_number(message: str) -> _Refused:
    return _Refused("bad_number", message, "write a finite number, or null")


def _depth(value: object) -> int:
    """How deep lists and objects are nested; 0 for a plain value."""
    depth, level = 0, [value]
    while level := [part for part in level if isinstance(part, list | dict)]:
        depth += 1
        level = [inner for part in level for inner in (part.values() if isinstance(part, dict) else part)]
    return depth


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_integer, parse_float=_float, parse_constant=_constant
)
