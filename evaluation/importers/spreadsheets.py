"""Spreadsheets (.xlsx): the rows of the first sheet, as a table.

Numbers become texts as people see them (a whole number has no decimals). A cell with a formula is refused:
what it shows depends on the program that computed it. The archive may not unpack to more than the limit of
the import.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator
from struct import error as StructError
from typing import NoReturn
from zlib import error as ZlibError

from openpyxl import load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.utils.exceptions import InvalidFileException

from evaluation.importers.decode import CONTROL
from evaluation.importers.model import SourceFile, SourcePosition
from evaluation.importers.state import ImportState

_DAMAGED = (
    *(zipfile.BadZipFile, ZlibError, StructError, EOFError, OSError, RuntimeError),  # the archive
    *(
        SyntaxError,
        InvalidFileException,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
    ),  # its XML (errors of any parser are SyntaxErrors) and values
)


def is_spreadsheet(start: bytes) -> bool:
    """Whether a file begins as an archive does; ``read_cells`` refuses those that are no spreadsheet."""
    return start.startswith(b"PK\x03\x04")


def read_cells(file: SourceFile, state: ImportState) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row of the first sheet."""
    position = SourcePosition(file.name)
    with file.open(state.limits) as stream:
        data = stream.read(state.limits.max_bytes + 1)
    _check_archive(data, state, position)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of parts of the file that are not read
            workbook = load_workbook(io.BytesIO(data), read_only=True, keep_links=False)
            sheet = workbook.worksheets[0]
            for number, row in enumerate(sheet.iter_rows(), 1):
                yield (
                    number,
                    [_read_value(cell, number, column, file, state) for column, cell in enumerate(row, 1)],
                )
    except _DAMAGED as error:
        _refuse_damaged(error, state, position)


def _check_archive(data: bytes, state: ImportState, position: SourcePosition) -> None:
    """Refuse what is no spreadsheet, or declares more content than the limit (zlib holds it to that)."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names, size = archive.namelist(), sum(part.file_size for part in archive.infolist())
    except _DAMAGED:
        names, size = [], 0
    if "xl/workbook.xml" not in names:
        message = "the file is a ZIP archive, but no .xlsx spreadsheet"
        remedy = "unpack it, or save the table as .xlsx or “CSV UTF-8”"
        state.refuse("type_mismatch", message, remedy, position)
    if max(len(data), size) > state.limits.max_bytes:
        message = f"the spreadsheet unpacks to more than {state.limits.max_bytes:,} bytes"
        state.refuse("too_large", message, "split it, or save it as CSV", position)


def _refuse_damaged(error: Exception, state: ImportState, position: SourcePosition) -> NoReturn:
    message = f"the spreadsheet cannot be read ({str(error)[:80] or type(error).__name__})"
    state.refuse("bad_spreadsheet", message, "open it and save it again as .xlsx, or as CSV UTF-8", position)


def _read_value(cell: object, row: int, column: int, file: SourceFile, state: ImportState) -> str:
    value = getattr(cell, "value", None)
    position = SourcePosition(file.name, row, column)
    if getattr(cell, "data_type", "") == "f":
        message = f"the cell {get_column_letter(column)}{row} contains a formula"
        state.report("formula", message, "paste its value instead", position, str(value))
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = "" if value is None else str(value)
    if CONTROL.search(text) and state.options.controls == "replace":
        state.warn("control_char", "a control character is replaced by a space", "", position)
        return CONTROL.sub(" ", text)
    return text.replace("\r\n", "\n").replace("\r", "\n")
