"""Typed access to JSON values; every deviation is reported with its JSON pointer (RFC 6901)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

from appraise.lib.problems import shorten
from evaluation.importers.model import SourcePosition
from evaluation.importers.state import ImportState

T = TypeVar("T")

_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "an integer",
    float: "a number",
    type(None): "nothing",
}


@dataclass(frozen=True, slots=True)
class JsonValue:
    """A value of the file with its pointer and position; its methods report a value of the wrong type."""

    value: object
    pointer: str
    position: SourcePosition
    state: ImportState

    def at(self, key: str | int) -> JsonValue:
        """Return a member or an element; its value is None if it is absent."""
        inner: object = None
        if isinstance(self.value, Mapping):
            inner = self.value.get(key)
        elif isinstance(self.value, list) and isinstance(key, int):
            inner = self.value[key]
        escaped = str(key).replace("~", "~0").replace("/", "~1")
        return JsonValue(inner, f"{self.pointer}/{escaped}", self.position, self.state)

    def has(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def text(self, default: str | None = None) -> str:
        """Return a text; ``default``, if it is not None, for an absent value."""
        if self.value is None and default is not None:
            return default
        if isinstance(self.value, str):
            return self.value.replace("\r\n", "\n").replace("\r", "\n") if "\r" in self.value else self.value
        return self.report_type("a text", "")

    def name(self) -> str:
        """Return a text, or an integer as a text (an id, a batch number)."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        return self.text()

    def name_at(self, key: str, default: str = "") -> str:
        """Return the name of a member, ``default`` if it is absent."""
        return self.at(key).name() if self.has(key) else default

    def number(self) -> float:
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return float(self.value)
        return self.report_type("a number", 0.0)

    def integer(self) -> int:
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return self.value
        return self.report_type("an integer", 0)

    def boolean(self) -> bool:
        return self.value if isinstance(self.value, bool) else self.report_type("true or false", False)

    def items(self) -> list[JsonValue]:
        """Return the elements of a list; none if the value is absent."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            return self.report_type("a list", [])
        return [self.at(index) for index in range(len(self.value))]

    def members(self) -> list[tuple[str, JsonValue]]:
        """Return the members of an object."""
        if not isinstance(self.value, dict):
            return self.report_type("an object", [])
        return [(key, self.at(key)) for key in self.value]

    def report_unknown_keys(self, known: Collection[str]) -> None:
        """Report members that no reader uses, because a misspelt key would otherwise be lost silently."""
        for key, member in self.members():
            if key not in known:
                remedy = f"use one of: {', '.join(sorted(known))}"
                member.report(f"the key {shorten(key)!r} is unknown", remedy)

    def report_type(self, expected: str, instead: T) -> T:
        """Report the type of the value and return ``instead``."""
        actual = _KINDS.get(type(self.value), "something else")
        self.report(f"expected {expected}, found {actual}", f"put {expected} there")
        return instead

    def report(self, message: str, remedy: str) -> None:
        pointer = shorten(self.pointer, 120) or "/"
        self.state.report("schema", f"{message} ({pointer})", remedy, self.position)
