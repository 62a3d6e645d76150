"""The shape of JSON values: every deviation is reported with its JSON pointer (RFC 6901)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

from evaluation.importers.model import Place
from evaluation.importers.reading import Reading, shown

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
class Shape:
    """A value of the file, with its pointer and place; asks for what it should be and reports what it is."""

    value: object
    pointer: str
    place: Place
    reading: Reading

    def at(self, key: str | int) -> Shape:
        """A member or an element; a value of None where there is none."""
        inner: object = None
        if isinstance(self.value, Mapping):
            inner = self.value.get(key)
        elif isinstance(self.value, list) and isinstance(key, int):
            inner = self.value[key]
        escaped = str(key).replace("~", "~0").replace("/", "~1")
        return Shape(inner, f"{self.pointer}/{escaped}", self.place, self.reading)

    def has(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def text(self, default: str | None = None) -> str:
        """A text; ``default`` if the value is absent and a default is given."""
        if self.value is None and default is not None:
            return default
        if isinstance(self.value, str):
            return self.value.replace("\r\n", "\n").replace("\r", "\n") if "\r" in self.value else self.value
        return self.wrong("a text", "")

    def name(self) -> str:
        """A text, or an integer standing for one (an id, a batch number)."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        return self.text()

    def number(self) -> float:
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return float(self.value)
        return self.wrong("a number", 0.0)

    def integer(self) -> int:
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return self.value
        return self.wrong("an integer", 0)

    def truth(self) -> bool:
        return self.value if isinstance(self.value, bool) else self.wrong("true or false", False)

    def items(self) -> list[Shape]:
        """The elements of a list; none if the value is absent."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            return self.wrong("a list", [])
        return [self.at(index) for index in range(len(self.value))]

    def members(self) -> list[tuple[str, Shape]]:
        """The members of an object."""
        if not isinstance(self.value, dict):
            return self.wrong("an object", [])
        return [(key, self.at(key)) for key in self.value]

    def only(self, keys: Collection[str]) -> None:
        """Report members that nobody reads: a misspelt key must not be lost in silence."""
        for key, member in self.members():
            if key not in keys:
                member.fault(f"the key {shown(key)!r} is unknown", f"known keys: {', '.join(sorted(keys))}")

    def wrong(self, expected: str, instead: T) -> T:
        self.fault(
            f"expected {expected}, found {_KINDS.get(type(self.value), 'something else')}",
            f"put {expected} there",
        )
        return instead

    def fault(self, message: str, remedy: str) -> None:
        self.reading.fault("schema", f"{message} ({shown(self.pointer, 120) or '/'})", remedy, self.place)
