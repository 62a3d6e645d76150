"""An agreement report as JSON values, and its tables as CSV, LaTeX and plain text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from evaluation.agreement.bootstrap import Interval
from evaluation.agreement.report import AgreementReport

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """A title, column names and rows; None is an empty cell."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def as_json(report: AgreementReport) -> dict[str, object]:
    """Values as the command and the API print them; numbers unrounded, missing ones None."""
    kappa = report.kappa
    return {
        "scheme": report.scheme,
        "labels": list(report.labels),
        "items": report.items,
        "annotators": len(report.annotators),
        "judgements": report.judgements,
        "pairs": report.pairs,
        "p_a": report.p_a,
        "p_e": report.p_e,
        "kappa": kappa.value,
        "kappa_ci": _pair(kappa.interval),
        "kappa_prime": kappa.prime,
        "kappa_prime_ci": _pair(kappa.prime_interval),
        "band": report.band,
        "band_prime": report.band_prime,
        **{name: report.line(name).value for name in _NAMED},
        "intra": {"pairs": report.intra.pairs, "p_a": report.intra.p_a, "kappa": report.intra.kappa},
        "by_annotator_pair": [asdict(pair) for pair in report.by_annotator_pair],
        "confusion": {
            label: dict(zip(report.labels, row, strict=True))
            for label, row in zip(report.labels, report.confusion, strict=True)
        },
        **_beyond(report),
    }


_NAMED = ("cohen_mean", "scott_pi", "fleiss", "krippendorff_alpha", "gwet_ac1")


def _beyond(report: AgreementReport) -> dict[str, object]:
    """Figures beyond the headline."""
    return {
        "chance": report.chance.value,
        "pairing": report.pairing.value,
        "resampled": report.unit.value,
        "sentences": report.sentences,
        "label_totals": dict(zip(report.labels, report.label_totals, strict=True)),
        "coefficients": [
            {
                "name": line.name,
                "chance": line.chance,
                "value": line.value,
                "ci": _pair(line.interval),
                "prime": line.prime,
                "prime_ci": _pair(line.prime_interval),
            }
            for line in report.lines
        ],
        "collapse": None if report.collapse is None else asdict(report.collapse),
        "leave_one_out": [asdict(without) for without in report.leave_one_out],
    }


def coefficient_table(report: AgreementReport) -> Table:
    """Every coefficient with its chance model and intervals."""
    columns = ("coefficient", "chance", "value", "low", "high", "prime", "prime low", "prime high")
    rows = [
        (line.title, line.chance, line.value, *_ends(line.interval), line.prime, *_ends(line.prime_interval))
        for line in report.lines
    ]
    observed: tuple[Cell, ...] = (
        "P(A)",
        f"of {report.pairs} pairs",
        report.p_a,
        None,
        None,
        None,
        None,
        None,
    )
    return Table(_headline(report), columns, (observed, *rows))


def annotator_table(report: AgreementReport) -> Table:
    rows = tuple((p.a, p.b, p.pairs, p.p_a, p.kappa, p.cohen) for p in report.by_annotator_pair)
    return Table("Annotator by annotator", ("a", "b", "pairs", "P(A)", "kappa", "Cohen"), rows)


def confusion_table(report: AgreementReport) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (label, *row) for label, row in zip(report.labels, report.confusion, strict=True)
    )
    return Table("Confusion, each pair in both directions", ("label", *report.labels), rows)


def tables(report: AgreementReport) -> tuple[Table, ...]:
    return coefficient_table(report), annotator_table(report), confusion_table(report)


def as_csv(table: Table) -> str:
    r"""Comma-separated, numbers unrounded.

    >>> as_csv(Table("t", ("a", "b"), ((1, None), (0.25, "x,y"))))
    'a,b\n1,\n0.25,"x,y"\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return text.getvalue()


def as_latex(table: Table) -> str:
    """A ``tabular`` that needs no package; numbers with four digits as in the paper's Table 2."""
    lines = [
        f"% {table.title}",
        rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}",
        r"\hline",
        _latex_row(table.columns),
        r"\hline",
        *(_latex_row([_set(cell) for cell in row]) for row in table.rows),
        r"\hline",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def as_text(table: Table) -> str:
    """Columns in line, for a terminal."""
    rows = [table.columns, *([_shown(cell) for cell in row] for row in table.rows)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([table.title, *(line.rstrip() for line in lines)]) + "\n"


def _headline(report: AgreementReport) -> str:
    kappa, prime = _shown(report.kappa.value), _shown(report.kappa.prime)
    return (
        f"Agreement of {len(report.annotators)} annotators: {report.judgements} judgements "
        f"on {report.items} items, {report.pairs} pairs; kappa {kappa} ({report.band or 'no data'})"
        + (f", kappa' {prime} ({report.band_prime})" if report.kappa.prime is not None else "")
        + (f"; 95% intervals over {report.unit}s" if report.resamples else "")
    )


def _pair(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _ends(interval: Interval | None) -> tuple[Cell, Cell]:
    return (None, None) if interval is None else interval


def _shown(cell: Cell) -> str:
    if cell is None:
        return "–"
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def _set(cell: Cell) -> str:
    """As shown, but with a minus sign: LaTeX sets a hyphen shorter."""
    return _shown(cell).replace("-", "−") if isinstance(cell, int | float) else _shown(cell)


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
