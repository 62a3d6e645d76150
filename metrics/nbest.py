"""N-best lists in Moses' form: ``id ||| text ||| …``, ids counting from 0, the lines of a list together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from evaluation.problems import InputError, Problem
from metrics.tables import lines

SEPARATOR = " ||| "


def read_nbest(path: Path, sources: int) -> Iterator[tuple[int, list[str]]]:
    """(source number, its lines) for every list; raises InputError with the line that is wrong."""

    def number_of(numbered: tuple[int, str]) -> int:
        line, row = numbered
        head = row.split(SEPARATOR)[0].strip()
        if SEPARATOR not in row or not (head.isascii() and head.isdigit()):
            raise InputError(
                Problem("bad_nbest", f"expected id ||| text, found {row[:40]!r}", "", path.name, line)
            )
        if int(head) >= sources:
            message = f"list {head} has no source; there are {sources} lines"
            raise InputError(Problem("unknown_segment", message, "ids count from 0", path.name, line))
        return int(head)

    for number, rows in groupby(lines(path), key=number_of):
        yield number, [row for _, row in rows]
