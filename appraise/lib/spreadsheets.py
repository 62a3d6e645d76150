"""Write spreadsheets (.xlsx). A text is a text: nothing is run as a formula, whatever it begins with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain, count, islice
from typing import IO

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from appraise.lib.tables import Cell

MOST_ROWS = 1_048_576
"""The limit of the format for one sheet."""
MOST_CHARACTERS = 32_767
"""The limit of the format for one cell."""
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # in XML, although a text may contain a form feed
_TITLE = re.compile(r"[\\/*?:\[\]]")


Sheet = tuple[str, Sequence[str], Iterable[Sequence[Cell]]]
"""A title, column names and rows."""


def write_workbook(sheets: Iterable[Sheet], stream: IO[bytes]) -> None:
    """Write sheets; a long one continues on a second sheet with the same columns.

    Rows are written as they come, to a temporary file.
    """
    workbook = Workbook(write_only=True)
    for title, columns, rows in sheets:
        remaining, is_first = iter(rows), True
        while (row := next(remaining, None)) is not None or is_first:
            sheet = workbook.create_sheet(_make_title(title, workbook.sheetnames))
            first = [columns] if row is None else [columns, row]
            for cells in chain(first, islice(remaining, MOST_ROWS - 2)):
                _append(sheet, cells)
            is_first = False
    workbook.save(stream)


def _append(sheet: WriteOnlyWorksheet, row: Sequence[Cell]) -> None:
    sheet.append([_make_cell(sheet, value) for value in row])


def _make_cell(sheet: WriteOnlyWorksheet, value: Cell) -> object:
    if not isinstance(value, str):
        return value
    cell = WriteOnlyCell(sheet, value=_ILLEGAL.sub(" ", value)[:MOST_CHARACTERS])
    cell.data_type = "s"  # openpyxl takes what begins with "=" for a formula
    return cell


def _make_title(title: str, taken: Sequence[str]) -> str:
    """Return a title that the format accepts and that no other sheet has.

    >>> _make_title("Wins: A/B", ["answers"]), _make_title("answers", ["answers"])
    ('Wins A B', 'answers 2')
    """
    plain = re.sub(" +", " ", _TITLE.sub(" ", title)).strip()[:26] or "sheet"
    names = chain([plain], (f"{plain} {number}" for number in count(2)))
    used = {name.casefold() for name in taken}
    return next(name for name in names if name.casefold() not in used)
