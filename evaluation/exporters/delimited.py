"""CSV, TSV and the spreadsheet's CSV.

CSV and TSV hold every text verbatim. A spreadsheet would run a cell that begins with ``=`` as a formula, so
there is a third, labelled format in which such cells begin with an apostrophe.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence

from evaluation.exporters.model import COLUMNS, AskedPair

BLOCK = 500  # pairs written together
RISKY = ("=", "+", "-", "@", "\t", "\r", "\0")


def as_csv(pairs: Iterable[AskedPair]) -> Iterator[str]:
    """RFC 4180 with a header and line feeds; a withdrawn answer has an empty label."""
    return _written(pairs, "\n", defuse=False)


def as_spreadsheet(pairs: Iterable[AskedPair]) -> Iterator[str]:
    """For spreadsheets: a byte order mark, carriage returns, and no cell that could be a formula."""
    yield "\ufeff"
    yield from _written(pairs, "\r\n", defuse=True)


def as_tsv(pairs: Iterable[AskedPair]) -> Iterator[str]:
    """Tabs between cells and nothing quoted; line breaks and tabs inside a text become ``\\n``, ``\\t``.

    A backslash of the text is doubled, so that every text can be read back exactly.
    """
    yield "\t".join(COLUMNS) + "\n"
    for block in _blocks(pairs):
        lines = []
        for pair in block:
            start = "\t".join(_escaped(cell) for cell in pair.cells)
            for answer in pair.answers:
                cells = "\t".join(_text(value) for value in answer)
                lines.append(f"{start}\t{cells}\n")
        yield "".join(lines)


class _Echo:
    """A file that hands back what is written."""

    def write(self, text: str) -> str:
        return text


def _written(pairs: Iterable[AskedPair], end: str, *, defuse: bool) -> Iterator[str]:
    # The writer quotes the characters of its own line end, so it must know both of them.
    writer = csv.writer(_Echo(), lineterminator="\r\n")

    def line(row: Iterable[object]) -> str:
        text: str = writer.writerow(map(defused, row) if defuse else row)
        return text[:-2] + end

    yield line(COLUMNS)
    for block in _blocks(pairs):
        yield "".join(line((*pair.cells, *map(_flag, answer))) for pair in block for answer in pair.answers)


def defused(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula.

    >>> defused("=1+1"), defused("- Ja"), defused("a=b"), defused(-3)
    ("'=1+1", "'- Ja", 'a=b', -3)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(RISKY) else cell


def _flag(value: object) -> object:
    return ("no", "yes")[value] if isinstance(value, bool) else value


def _text(value: object) -> str:
    if value is None:
        return ""
    return _escaped(value) if isinstance(value, str) else str(_flag(value))


def _escaped(text: str) -> str:
    if "\\" in text or not text.isprintable():
        for sign, name in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
            text = text.replace(sign, name)
    return text


def _blocks(pairs: Iterable[AskedPair]) -> Iterator[Sequence[AskedPair]]:
    block: list[AskedPair] = []
    for pair in pairs:
        block.append(pair)
        if len(block) == BLOCK:
            yield block
            block = []
    if block:
        yield block
