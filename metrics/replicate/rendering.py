"""Renders a replication as Markdown, LaTeX and CSV; JSON is ``Replication.as_dict``.

Every column of a table becomes two, printed and ours; the interval follows our number in brackets.
"""

from __future__ import annotations

from appraise.lib.tables import Table, to_csv, to_latex, to_markdown
from metrics.replicate.report import PaperCell, PaperTable, Replication


def render_markdown(report: Replication) -> str:
    """Render the report as one Markdown page."""
    parts = [f"# {report.title}", report.citation]
    for table in report.tables:
        parts += [f"## {table.title}", to_markdown(as_table(table)), *table.notes]
    if report.missing:
        lines = (f"- {part.part}: not run, because {part.because}" for part in report.missing)
        parts += ["## Not run", "\n".join(lines)]
    parts += ["## Made from", "\n".join(f"- {name}: {value}" for name, value in list_provenance(report))]
    return "\n\n".join(parts) + "\n"


def render_latex(report: Replication) -> str:
    """Render all tables as ``tabular`` environments that need no package, with captions as comments."""
    parts = [f"% {report.title}\n% {report.citation}"]
    for table in report.tables:
        notes = "".join(f"% {note}\n" for note in table.notes)
        parts.append(to_latex(as_table(table)) + notes)
    parts += [f"% not run: {part.part}, because {part.because}" for part in report.missing]
    return "\n".join(parts) + "\n"


def render_csv(report: Replication) -> str:
    """One line for each cell, numbers unrounded: table, row, column, paper, ours, low, high."""
    columns = ("table", "row", "column", "paper", "ours", "low", "high")
    rows = tuple(
        (table.title, row.label, column, cell.paper, cell.ours, cell.low, cell.high)
        for table in report.tables
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
    )
    return to_csv(Table(report.title, columns, rows))


FORMS = {"md": render_markdown, "tex": render_latex, "csv": render_csv}


def list_provenance(report: Replication) -> list[tuple[str, str]]:
    """Data, settings, signatures and versions, as pairs of name and value."""
    return [
        ("recipe", report.recipe),
        *((data.name, f"SHA-256 {data.sha256}") for data in report.data),
        *((name, str(value)) for name, value in report.settings.items()),
        *report.signatures.items(),
        *((package, version or "not installed") for package, version in report.software.items()),
    ]


def as_table(table: PaperTable) -> Table:
    """The table with formatted cells, two columns for each of its own.

    >>> from metrics.replicate.report import PaperRow
    >>> as_table(PaperTable("t", ("k",), (PaperRow("r", (PaperCell(0.5, 0.25, 0.2, 0.3),)),), digits=2)).rows
    (('r', '.50', '.25 [.20, .30]'),)
    """
    columns = [table.corner, *(f"{column}, {side}" for column in table.columns for side in ("paper", "ours"))]
    rows = [
        (row.label, *(text for cell in row.cells for text in format_cell(cell, table.digits)))
        for row in table.rows
    ]
    return Table(table.title, tuple(columns), tuple(rows))


def format_cell(cell: PaperCell, digits: int) -> tuple[str, str]:
    """The printed number and ours, with a dash for a missing one."""
    ours = format_number(cell.ours, digits)
    if cell.ours is not None and cell.low is not None and cell.high is not None:
        ours += f" [{format_number(cell.low, digits)}, {format_number(cell.high, digits)}]"
    return format_number(cell.paper, digits), ours


def format_number(value: float | None, digits: int) -> str:
    """A number without its leading zero, as the papers print coefficients; integers with commas.

    >>> [format_number(*cell) for cell in ((-0.25, 2), (1.0, 2), (15325, 0), (None, 3), (-0.001, 2))]
    ['−.25', '1.00', '15,325', '–', '.00']
    """
    if value is None:
        return "–"
    if digits == 0:
        return f"{value:,.0f}"
    text = f"{abs(value):.{digits}f}"
    sign = "−" if value < 0 and float(text) else ""
    return sign + text.removeprefix("0")
