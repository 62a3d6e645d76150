"""Reads text files that are matched by line: parallel text and n-best lists.

In parallel text, line i of every file is segment i, so an empty line is an empty segment. Files are UTF-8,
plain or gzipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from appraise.lib.problems import InputError, Problem
from appraise.lib.streams import read_lines

SEPARATOR = " ||| "


def read_segments(path: str | Path) -> list[str]:
    """Return all lines of a file; ``InputError`` for one that is missing, damaged, empty or not UTF-8."""
    segments = [text for _, text in read_lines(path, blank=True, file=str(path))]
    if not segments:
        raise InputError.of("empty_file", "the file has no lines", "give one segment per line", str(path))
    return segments


def check_parallel(files: Mapping[str, list[str]]) -> None:
    """Raise ``InputError`` if the numbers of lines differ, with a problem for each file unlike the first."""
    first = next(iter(files), None)
    problems = [
        Problem(
            "line_count",
            f"expected {len(files[first])} lines as in {first}, found {len(lines)}",
            "line i of every file must be segment i",
            name,
        )
        for name, lines in files.items()
        if first is not None and len(lines) != len(files[first])
    ]
    if problems:
        raise InputError(problems)


def read_nbest(path: Path, sources: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the source number and the lines of every n-best list.

    The format is that of Moses, ``id ||| text ||| …``: ids count from 0, the lines of a list are adjacent.
    """

    def source_of(numbered: tuple[int, str]) -> int:
        line, row = numbered
        head = row.split(SEPARATOR)[0].strip()
        if SEPARATOR not in row or not (head.isascii() and head.isdigit()):
            message = f"expected id ||| text, found {row[:40]!r}"
            raise InputError.of("bad_nbest", message, "", path.name, line)
        if int(head) >= sources:
            message = f"list {head} has no source; there are {sources} lines"
            raise InputError.of("unknown_segment", message, "ids count from 0", path.name, line)
        return int(head)

    for source, rows in groupby(read_lines(path), key=source_of):
        yield source, [row for _, row in rows]
