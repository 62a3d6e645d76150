"""CSV, TSV, and CSV for spreadsheets.

CSV and TSV contain every text verbatim. A spreadsheet would run a cell that begins with ``=`` as a formula,
so a third format puts an apostrophe before such cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from appraise.lib.tables import Cell, defuse_formula, delimited_lines
from evaluation.exporters.rows import COLUMNS, ExportedPair

BLOCK = 500  # lines written together
TSV_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_FLAG = {True: "yes", False: "no"}


def as_csv(pairs: Iterable[ExportedPair]) -> Iterator[str]:
    """RFC 4180 with a header and line feeds; a withdrawn answer has an empty label."""
    return _join(delimited_lines(list_rows(pairs, str), ","))


def as_spreadsheet(pairs: Iterable[ExportedPair]) -> Iterator[str]:
    """For spreadsheets: a byte order mark, CRLF line ends, and no cell that could be a formula."""
    yield "\ufeff"
    yield from _join(delimited_lines(list_rows(pairs, defuse_formula), ",", "\r\n"))


def as_tsv(pairs: Iterable[ExportedPair]) -> Iterator[str]:
    """Without quotes; line breaks and tabs inside a text become ``\\n``, ``\\t``.

    Backslashes are doubled, so that every text can be read back exactly.
    """
    rows = list_rows(pairs, escape_tsv)
    return _join("\t".join(["" if cell is None else str(cell) for cell in row]) + "\n" for row in rows)


def list_rows(pairs: Iterable[ExportedPair], write: Callable[[str], str]) -> Iterator[tuple[Cell, ...]]:
    """Yield the header and a row for each answer; ``write`` is applied to names and texts."""
    yield COLUMNS
    for pair in pairs:
        cells = tuple([write(cell) for cell in pair.cells])  # the same in every row of the pair
        for answer in pair.answers:
            annotator, presentation, version, current, label, reason, left, surplus, *numbers, at = answer
            yield (
                *cells, write(annotator), presentation, version, _FLAG[current], label, reason, left,
                _FLAG[surplus], *numbers, at and write(at),
            )  # fmt: skip


def _join(lines: Iterator[str]) -> Iterator[str]:
    while block := list(islice(lines, BLOCK)):
        yield "".join(block)


def escape_tsv(text: str) -> str:
    r"""Escape a cell of a TSV file.

    >>> escape_tsv("a\tb"), escape_tsv("\\")
    ('a\\tb', '\\\\')
    """
    return text.translate(TSV_ESCAPES)
