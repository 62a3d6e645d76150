"""What an export says: a phrase pair with where it stands, and every answer to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

# In the order of columns; the first ones are about the pair, the others about one answer to it.
PAIR_COLUMNS = (
    "task",
    "item",
    "document",
    "pair",
    "kind",
    "first",
    "second",
    "systems_first",
    "systems_second",
    "check",
)
ANSWER_COLUMNS = (
    "annotator",
    "presentation",
    "version",
    "current",
    "label",
    "left",
    "surplus",
    "alignment",
    "active_ms",
    "elapsed_ms",
    "order",
    "received_at",
)
COLUMNS = (*PAIR_COLUMNS, *ANSWER_COLUMNS)


# What writers read. A plain tuple, because creating a million of them takes half the time.
AnswerRow = tuple[
    str, int, int, bool, str | None, str, bool, int | None, int | None, int | None, int, str | None
]  # fmt: skip


class Answer(NamedTuple):
    """One version of one answer. ``label`` is None where it was withdrawn; ``received_at`` only with names.

    The label is relative to the pair as stored; ``left`` says which of its texts the annotator saw as A.
    """

    annotator: str
    presentation: int
    version: int
    current: bool
    label: str | None
    left: str
    surplus: bool
    alignment: int | None
    active_ms: int | None
    elapsed_ms: int | None
    order: int
    received_at: str | None = None


class AskedPair(NamedTuple):
    """Two texts of an item of the input file, the systems that wrote them, and the answers."""

    task: str
    item: str
    document: str
    pair: str
    kind: str
    first: str
    second: str
    systems_first: tuple[str, ...]
    systems_second: tuple[str, ...]
    check: str
    answers: Sequence[AnswerRow]

    @property
    def cells(self) -> tuple[str, ...]:
        """The pair's part of a row; systems that wrote the same are joined by “+”."""
        return (
            self.task,
            self.item,
            self.document,
            self.pair,
            self.kind,
            self.first,
            self.second,
            "+".join(self.systems_first),
            "+".join(self.systems_second),
            self.check,
        )


class Once(dict[str, str]):
    """Caches what a function makes of a text, for the first ten thousand different texts (names recur).

    >>> names = Once(str.upper)
    >>> names["ann"], len(names)
    ('ANN', 1)
    """

    def __init__(self, make: Callable[[str], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, text: str) -> str:
        found = self._make(text)
        if len(self) < 10_000:  # times of day are all different
            self[text] = found
        return found
