"""Rows of uploaded tables: TSV without quoting, CSV as in RFC 4180 with commas or semicolons.

A reader that interprets quotes in TSV loses everything between two inch marks, so there a quote is an
ordinary character. ``appraise.lib.tables.TableReader`` checks header and rows; this module splits lines into
cells, enforces limits, and skips the line ``sep=;`` above the header, which declares the separator.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from itertools import dropwhile
from typing import NamedTuple, NoReturn

from appraise.lib.tables import TableReader
from evaluation.importers.decode import lines
from evaluation.importers.model import SourceFile, SourcePosition
from evaluation.importers.state import ImportState

_SEPARATOR = re.compile(r'"?sep=.?"?', re.IGNORECASE)


CellReader = Callable[[SourceFile, ImportState], Iterator[tuple[int, list[str]]]]
"""Yields the cells of each row of a file with the number of its line."""


class TableRow(NamedTuple):
    """The cells of one row by column name."""

    cells: dict[str, str]
    position: SourcePosition

    def get(self, name: str) -> str:
        return self.cells.get(name, "")


class SourceTable:
    """A checked header; iterate to read the rows below it."""

    def __init__(self, file: SourceFile, state: ImportState, read_cells: CellReader) -> None:
        self._reader = TableReader(read_cells(file, state), state.log_for(file))
        self._file, self._state = file.name, state
        self.header = self._reader.header
        self.position = SourcePosition(file.name, self._reader.line)
        if not self.header:
            position = SourcePosition(file.name)
            state.refuse("no_items", "the file is blank", "choose a file with sentences", position)

    def __iter__(self) -> Iterator[TableRow]:
        is_empty, problems = True, len(self._state.problems)
        for line, cells in self._reader:
            is_empty, position = False, SourcePosition(self._file, line)
            for cell in cells.values():
                if len(cell) > self._state.limits.max_field:
                    _refuse_long(position, self._state, cell)
            yield TableRow(cells, position)
        # Otherwise rows of a wrong width were reported.
        if is_empty and len(self._state.problems) == problems:
            position = SourcePosition(self._file)
            self._state.report("no_items", "the table has no rows", "add rows below the header", position)


def first_line(start: bytes) -> str:
    """Return the first line with content, to inspect a header before reading."""
    text = start.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return next((line for line in text.split("\n") if _has_content(line)), "")


def _has_content(line: str) -> bool:
    """Whether a line is neither blank nor a spreadsheet's declaration of the separator.

    >>> [_has_content(line) for line in ("id;source;a", "sep=;", "", "sep=id;source")]
    [True, False, False, True]
    """
    return bool(line.strip()) and _SEPARATOR.fullmatch(line) is None


def find_separator(header: str) -> str:
    """Return the separator of a CSV header: a semicolon where spreadsheets use the comma for decimals.

    >>> find_separator("id;source;a"), find_separator("id,source,a")
    (';', ',')
    """
    return ";" if header.count(";") > header.count(",") else ","


def looks_like_rows(start: bytes) -> bool:
    """Whether all lines at the beginning have the same number of semicolons or of commas: a table, not text.

    >>> looks_like_rows(b"ein Haus;a house\\nein Hund;a dog\\n"), looks_like_rows(b"Yes, well.\\nNo.\\n")
    (True, False)
    """
    text = start.decode("utf-8-sig", "replace").replace("\r", "\n")
    rows = [line for line in text.split("\n")[:-1] if line.strip()]
    numbers = [{line.count(sign) for line in rows} for sign in ";,"]
    return len(rows) > 1 and any(len(counts) == 1 and 0 not in counts for counts in numbers)


def read_plain(file: SourceFile, state: ImportState) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of TSV."""
    numbered = lines(file, state, cr_ends=True)
    for number, line in dropwhile(lambda entry: not _has_content(entry[1]), numbered):
        cells = line.split("\t")
        if '""' in line and any(map(_is_quoted, cells)):
            state.warn(
                "quoted_cells",
                "a cell is quoted as in CSV, and annotators will see these quotes",
                "if they do not belong to the text, save the table as CSV instead",
                SourcePosition(file.name, number),
            )
        yield number, cells


def _is_quoted(cell: str) -> bool:
    """Whether quotes surround the cell and those inside are doubled; "Ja." may be a quotation in the text."""
    inner = cell[1:-1]
    return cell[:1] == cell[-1:] == '"' and '""' in inner and '"' not in inner.replace('""', "")


def read_quoted(file: SourceFile, state: ImportState, separator: str = "") -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of CSV rows, each with its first line; the first row decides about the separator."""
    numbered = lines(file, state, cr_ends=True)
    number, first = next(((n, line) for n, line in numbered if _has_content(line)), (1, ""))
    last = number

    def text() -> Iterator[str]:
        nonlocal last
        yield first + "\n"
        for line_number, line in numbered:
            last = line_number
            yield line + "\n"

    reader = csv.reader(text(), delimiter=separator or find_separator(first), strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            _refuse_csv(error, SourcePosition(file.name, number), state)
        yield number, cells
        number = last + 1  # a quoted cell may span lines; a row is reported at its first line


def _refuse_csv(error: csv.Error, position: SourcePosition, state: ImportState) -> NoReturn:
    if "field limit" in str(error):
        _refuse_long(position, state, "")
    message = f"the quotes of the row that begins here are not balanced ({error})"
    state.refuse("csv_quote", message, 'close the quote; a quote inside a cell is written ""', position)


def _refuse_long(position: SourcePosition, state: ImportState, cell: str) -> NoReturn:
    message = f"a cell has more than {state.limits.max_field:,} characters"
    state.refuse("field_too_long", message, "check the line ends and quotes of the file", position, cell)
