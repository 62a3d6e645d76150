r"""A replication as Markdown, LaTeX and CSV; JSON is ``Report.as_dict``.

Every column of a table becomes two, the paper's and ours; an interval stands in brackets behind ours.
"""

from __future__ import annotations

import csv
import io

from evaluation.agreement import rendering
from metrics.replicate.values import Cell, Report, Table


def as_markdown(report: Report) -> str:
    """The whole report as one Markdown page."""
    parts = [f"# {report.title}", report.citation]
    for table in report.tables:
        parts += [f"## {table.title}", markdown_table(table), *table.notes]
    if report.missing:
        lines = (f"- {one.part}: not run, because {one.because}" for one in report.missing)
        parts += ["## Not run", "\n".join(lines)]
    parts += ["## Made from", "\n".join(f"- {name}: {value}" for name, value in provenance(report))]
    return "\n\n".join(parts) + "\n"


def as_latex(report: Report) -> str:
    """All tables as ``tabular`` environments that need no package, with captions as comments."""
    parts = [f"% {report.title}\n% {report.citation}"]
    for table in report.tables:
        notes = "".join(f"% {note}\n" for note in table.notes)
        parts.append(rendering.as_latex(plain(table)) + notes)
    parts += [f"% not run: {one.part}, because {one.because}" for one in report.missing]
    return "\n".join(parts) + "\n"


def as_csv(report: Report) -> str:
    """One line for each cell, numbers unrounded: table, row, column, paper, ours, low, high."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("table", "row", "column", "paper", "ours", "low", "high"))
    for table in report.tables:
        for row in table.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                writer.writerow((table.title, row.label, column, cell.paper, cell.ours, cell.low, cell.high))
    return text.getvalue()


FORMS = {
    "md": ("text/markdown; charset=utf-8", as_markdown),
    "tex": ("application/x-tex; charset=utf-8", as_latex),
    "csv": ("text/csv; charset=utf-8", as_csv),
}


def provenance(report: Report) -> list[tuple[str, str]]:
    """Data, settings, signatures and versions, as pairs of words."""
    return [
        ("recipe", report.recipe),
        *((one.name, f"SHA-256 {one.sha256}") for one in report.data),
        *((name, str(value)) for name, value in report.settings.items()),
        *report.signatures.items(),
        *((package, found or "not installed") for package, found in report.software.items()),
    ]


def plain(table: Table) -> rendering.Table:
    """The table as text: two columns for each of its own.

    >>> from metrics.replicate.values import Row
    >>> plain(Table("t", ("k",), (Row("r", (Cell(0.5, 0.25, 0.2, 0.3),)),), digits=2)).rows
    (('r', '.50', '.25 [.20, .30]'),)
    """
    columns = [table.corner, *(f"{column}, {side}" for column in table.columns for side in ("paper", "ours"))]
    rows = [
        (row.label, *(text for cell in row.cells for text in shown(cell, table.digits))) for row in table.rows
    ]
    return rendering.Table(table.title, tuple(columns), tuple(rows))


def markdown_table(table: Table) -> str:
    """A Markdown table; bars inside a cell are escaped."""
    found = plain(table)
    lines = [found.columns, ("---",) * len(found.columns), *found.rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def shown(cell: Cell, digits: int) -> tuple[str, str]:
    """The paper's number and ours, as they are read; a dash where there is none."""
    ours = figure(cell.ours, digits)
    if cell.ours is not None and cell.low is not None and cell.high is not None:
        ours += f" [{figure(cell.low, digits)}, {figure(cell.high, digits)}]"
    return figure(cell.paper, digits), ours


def figure(value: float | None, digits: int) -> str:
    """A number without its leading zero, as the papers print coefficients; whole numbers with commas.

    >>> figure(-0.25, 2), figure(1.0, 2), figure(15325, 0), figure(None, 3), figure(-0.001, 2)
    ('−.25', '1.00', '15,325', '–', '.00')
    """
    if value is None:
        return "–"
    if digits == 0:
        return f"{value:,.0f}"
    text = f"{abs(value):.{digits}f}"
    sign = "−" if value < 0 and float(text) else ""
    return sign + text.removeprefix("0")
