"""Reading parallel text: files where line i is segment i.

UTF-8, plain or gzipped; ``\\n`` or ``\\r\\n`` ends a line; an empty line is an empty segment. What cannot
be read is refused with the place.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluation.problems import InputError, Problem
from evaluation.streams import read, readable


def read_lines(path: str | Path) -> list[str]:
    """All lines of a file; raises ``InputError`` for a missing, damaged, empty or wrongly encoded one."""
    name = str(path)
    with readable(path):
        data = read(path)
    if not data:
        raise InputError(Problem("empty_file", "the file has no lines", "give one segment per line", name))
    lines = data.removesuffix(b"\n").split(b"\n")
    return [_decoded(line.removesuffix(b"\r"), name, number) for number, line in enumerate(lines, 1)]


def check_parallel(files: Mapping[str, list[str]]) -> None:
    """Refuse files with different numbers of lines, naming each that differs from the first."""
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


def _decoded(line: bytes, name: str, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        column = len(error.object[: error.start].decode("utf-8")) + 1  # a mark at the beginning is no column
        raise InputError(
            Problem(
                "encoding_unsupported", f"not UTF-8: {error.reason}", "save as UTF-8", name, number, column
            )
        ) from error
