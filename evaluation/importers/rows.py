"""Rows of a table with a header. TSV has no quoting at all; CSV is RFC 4180 with a comma or a semicolon.

A reader that honours quotes in TSV swallows everything between two inch marks; so a quote there is a
character like any other. What a spreadsheet pads a table with is no part of it: rows without content, and
columns behind the last name in which nothing stands. Nor is the line ``sep=;`` above the header, which tells
a spreadsheet what separates the columns.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile
from typing import NoReturn

from evaluation.importers.decode import lines as text_lines
from evaluation.importers.model import Place
from evaluation.importers.reading import Reading, shown
from evaluation.importers.source import SourceFile

_SEPARATOR = re.compile(r'"?sep=.?"?', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one row under the names of the header."""

    cells: dict[str, str]
    place: Place

    def get(self, name: str) -> str:
        return self.cells.get(name, "")


@dataclass(frozen=True, slots=True)
class Table:
    """A header, and the rows below it as they are read."""

    header: tuple[str, ...]
    place: Place
    rows: Iterator[Row]


def table(file: SourceFile, reading: Reading, *, quoted: bool) -> Table:
    """A table whose header is checked; blank lines are skipped."""
    lines = _quoted(file, reading) if quoted else _plain(file, reading)
    found = next((line for line in lines if any(cell.strip() for cell in line[1])), None)
    if found is None:
        reading.refuse("no_items", "the file is blank", "choose a file with sentences", Place(file.name))
    place = Place(file.name, found[0])
    cells = tuple(cell.strip() for cell in found[1])
    header = cells[: max(number for number, name in enumerate(cells, 1) if name)]
    _check_header(header, place, reading)
    return Table(header, place, _rows(lines, header, len(cells), place, reading))


def _rows(
    lines: Iterator[tuple[int, list[str]]],
    header: tuple[str, ...],
    width: int,
    top: Place,
    reading: Reading,
) -> Iterator[Row]:
    """The rows, as wide as the line of the header, cut to its names."""
    empty = True
    for number, row in lines:
        place = Place(top.file, number)
        if not any(cell.strip() for cell in row):
            continue
        empty = False
        if len(row) != width:
            _fault_ragged(row, width, place, reading)
            continue
        cells, behind = row[: len(header)], row[len(header) :]
        if any(cell.strip() for cell in behind):
            _refuse_unnamed(len(header), top, reading)
        for cell in cells:
            if len(cell) > reading.limits.max_field:
                _refuse_long(place, reading, cell)
        yield Row(dict(zip(header, cells, strict=True)), place)
    if empty:
        reading.fault("no_items", "the table has no rows", "add rows below the header", Place(top.file))


def first_line(start: bytes) -> str:
    """The first line that says something, for looking at a header before reading."""
    text = start.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return next((line for line in text.split("\n") if _says_something(line)), "")


def _says_something(line: str) -> bool:
    """Whether a line above the header is the header: neither blank nor a spreadsheet's own.

    >>> [_says_something(line) for line in ("id;source;a", "sep=;", "", "sep=id;source")]
    [True, False, False, True]
    """
    return bool(line.strip()) and _SEPARATOR.fullmatch(line) is None


def separator(header: str) -> str:
    """The separator of a CSV header: a semicolon where spreadsheets use the comma for decimals.

    >>> separator("id;source;a"), separator("id,source,a")
    (';', ',')
    """
    return ";" if header.count(";") > header.count(",") else ","


def looks_like_rows(start: bytes) -> bool:
    """Whether every line at the beginning has the same number of semicolons or of commas: a table, not text.

    >>> looks_like_rows(b"ein Haus;a house\\nein Hund;a dog\\n"), looks_like_rows(b"Yes, well.\\nNo.\\n")
    (True, False)
    """
    text = start.decode("utf-8-sig", "replace").replace("\r", "\n")
    lines = [line for line in text.split("\n")[:-1] if line.strip()]
    numbers = [{line.count(sign) for line in lines} for sign in ";,"]
    return len(lines) > 1 and any(len(found) == 1 and 0 not in found for found in numbers)


def _plain(file: SourceFile, reading: Reading) -> Iterator[tuple[int, list[str]]]:
    numbered = text_lines(file, reading, cr_ends=True)
    for number, line in dropwhile(lambda one: not _says_something(one[1]), numbered):
        cells = line.split("\t")
        if '""' in line and any(map(_is_quoted, cells)):
            reading.warn(
                "quoted_cells",
                "a cell is quoted as in CSV, and annotators will see these quotes",
                "if they do not belong to the text, save the table as CSV instead",
                Place(file.name, number),
            )
        yield number, cells


def _is_quoted(cell: str) -> bool:
    """Whether quotes surround the cell and those inside it are doubled; "Ja." may well be what was said."""
    inner = cell[1:-1]
    return cell[:1] == cell[-1:] == '"' and '""' in inner and '"' not in inner.replace('""', "")


def _quoted(file: SourceFile, reading: Reading) -> Iterator[tuple[int, list[str]]]:
    numbered = text_lines(file, reading, cr_ends=True)
    number, first = next(((n, line) for n, line in numbered if _says_something(line)), (1, ""))
    last = number

    def text() -> Iterator[str]:
        nonlocal last
        yield first + "\n"
        for line_number, line in numbered:
            last = line_number
            yield line + "\n"

    reader = csv.reader(text(), delimiter=separator(first), strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            _refuse_csv(error, Place(file.name, number), reading)
        yield number, cells
        number = last + 1


def _refuse_csv(error: csv.Error, place: Place, reading: Reading) -> NoReturn:
    if "field limit" in str(error):
        _refuse_long(place, reading, "")
    reading.refuse(
        "csv_quote",
        f"the quotes of the row that begins here are not balanced ({error})",
        'close the quote; a quote inside a cell is written ""',
        place,
    )


def _refuse_long(place: Place, reading: Reading, cell: str) -> NoReturn:
    reading.refuse(
        "field_too_long",
        f"a cell has more than {reading.limits.max_field:,} characters",
        "check the line ends and quotes of the file",
        place,
        cell,
    )


def _check_header(header: tuple[str, ...], place: Place, reading: Reading) -> None:
    times = Counter(name.casefold() for name in header)
    twice = next((name for name in header if times[name.casefold()] > 1), None)
    if "" in header:
        _refuse_unnamed(header.index(""), place, reading)
    if twice is not None:
        reading.refuse("bad_header", f"two columns are called {shown(twice)!r}", "rename one of them", place)


def _refuse_unnamed(column: int, place: Place, reading: Reading) -> NoReturn:
    reading.refuse("bad_header", f"column {column + 1} has no name", "name every column, or delete it", place)


def _fault_ragged(cells: list[str], width: int, place: Place, reading: Reading) -> None:
    extra = len(cells) > width
    column = sum(len(cell) + 1 for cell in cells[:width]) + (0 if extra else 1)
    reading.fault(
        "column_count",
        f"the row has {len(cells)} columns, the header names {width}",
        "remove the extra separator" if extra else "add the missing cell",
        place._replace(column=column),
        "\t".join(cells),
    )
