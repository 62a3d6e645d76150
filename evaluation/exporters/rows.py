"""The columns of an export: a phrase pair with its item and systems, and every answer to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

# A plain tuple with the fields of ``ExportedAnswer``: a million of them are created in half the time.
AnswerRow = tuple[
    str, int, int, bool, str | None, str, str, bool, int | None, int | None, int | None, int, str | None
]  # fmt: skip


class ExportedAnswer(NamedTuple):
    """One version of one answer. ``label`` is None if withdrawn; ``received_at`` only in identified exports.

    The label is relative to the pair as stored; ``left`` says which of its texts was shown as A.
    """

    annotator: str
    presentation: int
    version: int
    current: bool
    label: str | None
    reason: str
    left: str
    surplus: bool
    alignment: int | None
    active_ms: int | None
    elapsed_ms: int | None
    order: int
    received_at: str | None = None


class ExportedPair(NamedTuple):
    """Two texts of an item, the systems that wrote them, and the answers.

    ``question`` is the number of its first phrase in the newest alignment of the comparison that asks it.
    """

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
    question: int | None
    answers: Sequence[AnswerRow]

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of the pair; systems with the same text are joined by “+”."""
        systems = "+".join(self.systems_first), "+".join(self.systems_second)
        question = "" if self.question is None else str(self.question)
        return (*self[:7], *systems, self.check, question)


PAIR_COLUMNS = ExportedPair._fields[:-1]
COLUMNS = (*PAIR_COLUMNS, *ExportedAnswer._fields)
