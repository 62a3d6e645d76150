"""The table of figures with its renderings (CSV, TSV, LaTeX, JSON, Markdown, plain text), and a table reader.

Every report, bundle, command and download makes a ``Table`` and renders it here; pages render it with the
template ``_table.html``. Files keep numbers unrounded; LaTeX and plain text print four digits.

``TableReader`` reads the rows of every table in the project, with the position of every problem; where the
cells come from (``TsvReader`` for files on the command line, ``evaluation.importers.tables`` for uploads) is
its caller's choice. Tab-separated files have no quoting: a quote is a character like any other.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from appraise.lib.problems import ProblemLog, shorten
from appraise.lib.streams import read_lines

Cell = str | int | float | None
# A spreadsheet runs a cell that begins with one of these as a formula, or hides what follows it.
FORMULA_STARTS = frozenset(("=", "+", "-", "@", "\t", "\r", "\n", "\0"))


@dataclass(frozen=True, slots=True)
class Table:
    """A title, column names and rows; None is an empty cell."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class TableFormat(NamedTuple):
    """How a table becomes a file."""

    content_type: str
    render: Callable[[Table], str]


def defuse_formula(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    >>> defuse_formula("=1+1"), defuse_formula("- Ja"), defuse_formula("a=b")
    ("'=1+1", "'- Ja", 'a=b')
    """
    return f"'{text}" if text[:1] in FORMULA_STARTS else text


def to_csv(table: Table) -> str:
    r"""Render comma-separated values, numbers unrounded and no text that a spreadsheet would run.

    >>> to_csv(Table("t", ("a", "b"), ((1, None), (-0.25, "=x,y"))))
    'a,b\n1,\n-0.25,"\'=x,y"\n'
    """
    return _write_delimited(table, ",")


def to_tsv(table: Table) -> str:
    r"""Render tab-separated values, otherwise like ``to_csv``.

    >>> to_tsv(Table("t", ("a", "b"), ((1, "x y"),)))
    'a\tb\n1\tx y\n'
    """
    return _write_delimited(table, "\t")


def to_json(table: Table) -> str:
    """Render one JSON object: title, columns and rows; a missing value is null.

    >>> to_json(Table("t", ("a",), ((None,), (0.5,))))
    '{"title": "t", "columns": ["a"], "rows": [[null], [0.5]]}'
    """
    return json.dumps(as_document(table), ensure_ascii=False)


def as_document(table: Table) -> dict[str, object]:
    """Return the values that ``to_json`` writes."""
    return {"title": table.title, "columns": list(table.columns), "rows": [list(row) for row in table.rows]}


def to_latex(table: Table) -> str:
    """Render a ``tabular`` that needs no package; numbers with four digits as in the paper's Table 2."""
    lines = [
        f"% {table.title}",
        rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}",
        r"\hline",
        _latex_row(table.columns),
        r"\hline",
        *(_latex_row([_latex_cell(cell) for cell in row]) for row in table.rows),
        r"\hline",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def to_markdown(table: Table) -> str:
    """Render a Markdown table without its title; bars inside a cell are escaped."""
    rows = [table.columns, ("---",) * len(table.columns), *table.rows]
    return "\n".join(
        "| " + " | ".join(format_cell(cell).replace("|", "\\|") for cell in row) + " |" for row in rows
    )


def to_text(table: Table) -> str:
    """Render aligned columns for a terminal."""
    rows = [table.columns, *([format_cell(cell) for cell in row] for row in table.rows)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([table.title, *(line.rstrip() for line in lines)]) + "\n"


FORMATS = {
    "csv": TableFormat("text/csv; charset=utf-8", to_csv),
    "tsv": TableFormat("text/tab-separated-values; charset=utf-8", to_tsv),
    "tex": TableFormat("application/x-tex; charset=utf-8", to_latex),
    "json": TableFormat("application/json", to_json),
}
"""The formats that a table can be downloaded in, by file extension."""


class TableReader:
    """Rows as dictionaries with their line numbers, from numbered cells whose first row is the header.

    Rows without content are skipped, and so are columns after the last name in which all cells are empty:
    spreadsheets pad tables with both. Problems go to ``log``; rows with a wrong number of cells are left out.
    ``header`` is empty if there is no row at all.
    """

    def __init__(self, cells: Iterator[tuple[int, list[str]]], log: ProblemLog) -> None:
        self.log = log
        self._cells = ((line, row) for line, row in cells if any(map(str.strip, row)))
        self.line, first = next(self._cells, (1, []))
        self._width = len(first)
        names = [cell.strip() for cell in first]
        while names and not names[-1]:
            names.pop()
        self.header = tuple(names)
        self._check_names()

    def __iter__(self) -> Iterator[tuple[int, dict[str, str]]]:
        named = len(self.header)
        for line, row in self._cells:
            if len(row) != self._width:
                self._report_width(line, row)
                continue
            if any(map(str.strip, row[named:])):
                self._refuse_unnamed(named)
            yield line, dict(zip(self.header, row[:named], strict=True))

    def _check_names(self) -> None:
        if "" in self.header:
            self._refuse_unnamed(self.header.index(""))
        names: set[str] = set()
        for name in self.header:
            if name.casefold() in names:
                message = f"two columns are called {shorten(name)!r}"
                self.log.add("bad_header", message, "rename one of them", self.line)
                self.log.raise_if_any()
            names.add(name.casefold())

    def _refuse_unnamed(self, number: int) -> None:
        message = f"column {number + 1} has no name"
        self.log.add("bad_header", message, "name every column, or delete it", self.line)
        self.log.raise_if_any()

    def _report_width(self, line: int, row: list[str]) -> None:
        has_extra = len(row) > self._width
        column = sum(len(cell) + 1 for cell in row[: self._width]) + (0 if has_extra else 1)
        message = f"the row has {len(row)} columns, the header names {self._width}"
        remedy = "remove the extra separator" if has_extra else "add the missing cell"
        self.log.add("column_count", message, remedy, line, column, "\t".join(row))


class TsvReader(TableReader):
    """The rows of a tab-separated file; raises ``InputError`` at once if a required column is missing."""

    def __init__(self, path: str | Path, required: Sequence[str], log: ProblemLog | None = None) -> None:
        super().__init__(read_cells(path), log or ProblemLog(path))
        if not self.header:
            self.log.add("empty_file", "the file is empty", "add a header line and at least one row")
        for name in required if self.header else ():
            if name not in self.header:
                remedy = f"add it to the header, which names: {', '.join(self.header)}"
                self.log.add("bad_header", f"there is no column {name!r}", remedy, self.line)
        self.log.raise_if_any()

    def __iter__(self) -> Iterator[tuple[int, dict[str, str]]]:
        yield from super().__iter__()
        self.log.raise_if_any()


def read_cells(path: str | Path, *, file: str = "") -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of every line that is not blank, header included, with its number."""
    for line, text in read_lines(path, file=file):
        yield line, text.split("\t")


def read_score(text: str, column: str, line: int, problems: ProblemLog) -> float | None:
    """Read a score; an empty cell is None, anything but a finite number adds a problem."""
    return read_number(text, column, line, problems) if text.strip() else None


def read_number(text: str, column: str, line: int, problems: ProblemLog) -> float | None:
    """Read a finite number; anything else is None and adds a problem."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    problems.add("bad_number", f"{column} is {text!r}", "write a finite number", line)
    return None


def format_cell(cell: Cell) -> str:
    """Return a cell as people read it: four digits, and a dash where there is nothing."""
    if cell is None:
        return "–"
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


class _Lines(list[str]):
    """What a ``csv.writer`` writes, one row an element."""

    def write(self, line: str) -> None:
        self.append(line)


def delimited_lines(rows: Iterable[Sequence[Cell]], delimiter: str, end: str = "\n") -> Iterator[str]:
    """Yield rows as lines; a cell with a line break of any kind is quoted."""
    # The writer quotes the characters of its own line end only, so it must know the carriage return too.
    lines = _Lines()
    writer = csv.writer(lines, delimiter=delimiter, lineterminator="\r\n")
    for row in rows:
        writer.writerow(row)
        yield lines.pop().removesuffix("\r\n") + end


def _write_delimited(table: Table, delimiter: str) -> str:
    rows = (table.columns, *table.rows)
    defused = ([defuse_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return "".join(delimited_lines(defused, delimiter))


def _latex_cell(cell: Cell) -> str:
    """Return the formatted cell with a minus sign, because LaTeX sets a hyphen shorter."""
    return format_cell(cell).replace("-", "−") if isinstance(cell, int | float) else format_cell(cell)


_LATEX = {
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "−": "$-$",
    "κ": r"$\kappa$",
    "π": r"$\pi$",
    "α": r"$\alpha$",
    "″": "''",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join("".join(_LATEX.get(sign, sign) for sign in cell) for cell in cells) + r" \\"
