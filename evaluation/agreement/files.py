"""Reading judgements from a tab-separated file, plain or gzipped.

The header names the columns ``annotator``, ``item`` and ``label`` in any order, and may name
``sentence``, the unit that is resampled; other columns are not read. Every judgement counts, repeats
included. A row with an empty label was skipped by its annotator: that is no judgement, and not *N/A*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.agreement.judgements import Judgements
from evaluation.problems import InputError, Problem
from evaluation.streams import read, readable

NEEDED = ("annotator", "item", "label")
AT_MOST = 100  # problems reported from one file

Row = tuple[str, ...]


def read_judgements(path: Path, label_names: Sequence[str]) -> Judgements:
    """Read a file whole, or refuse it with every problem that was found (up to a hundred)."""
    problems: list[Problem] = []
    rows = list(_rows(path, frozenset(label_names), problems))
    if problems:
        raise InputError(problems[:AT_MOST])
    return Judgements.from_rows(rows, label_names)


def _rows(path: Path, labels: frozenset[str], problems: list[Problem]) -> Iterator[Row]:
    """(annotator, item, label[, sentence]) of each row that carries a judgement."""
    name = str(path)
    lines = _lines(path)
    header = lines[0].split("\t") if lines else []
    columns = _columns(header, name)
    home: dict[str, str] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) != len(header):
            message = f"expected {len(header)} columns, found {len(cells)}"
            problems.append(
                Problem("column_count", message, "one cell for each name in the header", name, number)
            )
        else:
            row = tuple(cells[place] for place in columns)
            problem = _problem(row, columns, labels, home, name, number)
            if problem is not None:
                problems.append(problem)
            elif row[2]:
                yield row
        if len(problems) >= AT_MOST:
            return


def _columns(header: list[str], name: str) -> list[int]:
    """Places of annotator, item, label and, if there is one, sentence."""
    missing = [column for column in NEEDED if column not in header]
    if missing:
        raise InputError(
            Problem(
                "missing_column",
                f"no column {', '.join(missing)} in the header {' '.join(header)!r}",
                f"name {', '.join(NEEDED)} in the first line, separated by tabs",
                name,
                1,
            )
        )
    wanted = (*NEEDED, "sentence") if "sentence" in header else NEEDED
    if twice := [column for column in wanted if header.count(column) > 1]:
        message = f"column {', '.join(twice)} stands twice in the header"
        raise InputError(Problem("bad_header", message, "rename one of them", name, 1))
    return [header.index(column) for column in wanted]


def _problem(
    row: Row, columns: list[int], labels: frozenset[str], home: dict[str, str], name: str, number: int
) -> Problem | None:
    for place, (cell, column) in enumerate(zip(row, columns, strict=True)):
        if not cell and place != 2:
            what = (*NEEDED, "sentence")[place]
            return Problem("empty_cell", f"no {what}", f"name the {what}", name, number, column + 1)
    if row[2] and row[2] not in labels:
        remedy = f"use one of {', '.join(sorted(labels))}"
        return Problem(
            "unknown_label", f"label {row[2]!r} is not in the label set", remedy, name, number, columns[2] + 1
        )
    if len(row) > 3 and home.setdefault(row[1], row[3]) != row[3]:
        message = f"item {row[1]!r} stands in sentence {row[3]!r} and in {home[row[1]]!r}"
        return Problem(
            "item_in_two_sentences", message, "give each item one sentence", name, number, columns[3] + 1
        )
    return None


def _lines(path: Path) -> list[str]:
    """The lines of the file without their ends; a file that cannot be read is a problem, too."""
    with readable(path):
        data = read(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(Problem("not_utf8", "not UTF-8 text", "save as UTF-8", str(path), line)) from error
    if not text:
        raise InputError(
            Problem("empty_file", "nothing in it", "a header and one row for each judgement", str(path))
        )
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
