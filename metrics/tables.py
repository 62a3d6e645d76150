"""Lines and tab-separated rows of UTF-8 files, plain or gzipped, with the place of every fault.

The floor under ``metrics.datasets``: a reader iterates over a ``Table`` and adds what it dislikes to
``Faults``; the faults of one file are raised together as one ``InputError``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.problems import InputError, Problem
from evaluation.streams import HINDRANCES, hindrance, unpacked

MOST_PROBLEMS = 20


class Faults:
    """Collects problems of one file; raises at the end, or as soon as there are enough to see the pattern."""

    def __init__(self, path: str | Path) -> None:
        self.file = Path(path).name
        self.problems: list[Problem] = []

    def add(self, code: str, message: str, remedy: str, line: int | None = None) -> None:
        self.problems.append(Problem(code, message, remedy, self.file, line))
        if len(self.problems) >= MOST_PROBLEMS:
            self.raise_if_any()

    def raise_if_any(self) -> None:
        if self.problems:
            raise InputError(self.problems)


class Table:
    """Rows of a tab-separated file as dictionaries with their line numbers; the header is checked at once."""

    def __init__(self, path: str | Path, wanted: Sequence[str]) -> None:
        self.path = path
        self.lines = lines(path)
        faults = Faults(path)
        first = next(self.lines, None)
        if first is None:
            faults.add("empty_file", "the file is empty", "give a header line and at least one row")
            faults.raise_if_any()
        self.header = first[1].split("\t") if first else []
        for name in wanted:
            if name not in self.header:
                faults.add(
                    "bad_header", f"there is no column {name!r}", f"found: {', '.join(self.header)}", 1
                )
        if len(set(self.header)) < len(self.header):
            faults.add("bad_header", "a column name stands twice", "rename one of them", 1)
        faults.raise_if_any()

    def __iter__(self) -> Iterator[tuple[int, dict[str, str]]]:
        faults, width = Faults(self.path), len(self.header)
        for line, text in self.lines:
            row = text.split("\t")
            if len(row) == width:
                yield line, dict(zip(self.header, row, strict=True))
            else:
                remedy = "write a space for a tab inside a text"
                faults.add("column_count", f"expected {width} columns, found {len(row)}", remedy, line)
        faults.raise_if_any()


def lines(path: str | Path, *, blank: bool = False) -> Iterator[tuple[int, str]]:
    """Lines without their ends, counted from 1; ``\\n`` and ``\\r\\n`` end one.

    Blank ones are dropped, unless ``blank``: where line i of one file belongs to line i of another.
    """
    faults = Faults(path)
    line = 0
    try:
        with unpacked(path) as stream:
            for line, content in enumerate(stream, start=1):
                text = content.decode("utf-8-sig" if line == 1 else "utf-8").rstrip("\r\n")
                if text or blank:
                    yield line, text
    except UnicodeDecodeError as error:
        faults.add("encoding_unsupported", f"not UTF-8: {error.reason}", "save the file as UTF-8", line)
    except HINDRANCES as error:
        raise InputError(hindrance(error, faults.file)) from error
    faults.raise_if_any()
