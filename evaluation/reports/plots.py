"""Plots as SVG, rendered on the server with classes only: no script, no inline style (strict CSP).

Each plot has its data as a table too. ``standalone`` renders a file with the colours of the light theme,
because a downloaded file has no style sheet. Words and numbers are in the active language.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from appraise.lib import svg
from appraise.lib.resampling import Interval
from appraise.lib.tables import Cell, Table
from evaluation.agreement import name_band
from evaluation.agreement.kappa import BANDS
from evaluation.agreement.stability import TimeWindow
from evaluation.power.plan import PowerPlan
from evaluation.results import SystemLine
from evaluation.web import numeral

STYLE = Path(__file__).with_suffix(".css").read_text("utf-8").replace("\n", "")


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot: its description, its size, its SVG elements, and its data as a table."""

    label: str
    width: int
    height: int
    marks: str
    table: Table
    narrow: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it would show only names and no values."""
        return all(cell is None for _name, *cells in self.table.rows for cell in cells)

    @property
    def svg(self) -> SafeString:
        """For a page, coloured by its style sheet. Safe: ``svg.text`` escapes every text in ``marks``."""
        kind = "plot plot-narrow" if self.narrow else "plot"
        return mark_safe(
            f'<svg class="{kind}" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{escape(self.label)}">{self.marks}</svg>'
        )

    @property
    def standalone(self) -> str:
        """The content of an SVG file."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}"><title>{escape(self.label)}</title>'
            f"<style>{STYLE}</style>{self.marks}</svg>\n"
        )


def kappa_scale(name: str, value: float | None, interval: Interval | None) -> Plot:
    """Plot κ on the scale of Landis and Koch; values below 0 are at the left end."""
    here = name_band(value)
    marks, left = [], 0.0
    for right, label in (*BANDS, (1.0, "perfect")):
        on = label == here
        marks.append(svg.rect("band-on" if on else "band", _scale(left) + 1, 26, 87.6, 24))
        marks.append(svg.text((_scale(left) + _scale(right)) / 2, 70, _(label), ink=on))
        left = right
    anchors = ("start", *["middle"] * 4, "end")
    marks += [svg.text(_scale(n / 5), 88, numeral(f"{n / 5:.1f}"), anchor=anchors[n]) for n in range(6)]
    if value is not None:
        marks += svg.whisker(interval, _scale, 38)
        marks.append(svg.circle("pt", _scale(value), 38))
        low, high = value < 0.1, value > 0.9  # there the label would run over the edge
        anchor = "start" if low else "end" if high else "middle"
        shown = f"{name} = {numeral(f'{value:.2f}')}"
        marks.append(svg.text(_scale(value) - 6 * low + 6 * high, 16, shown, anchor=anchor, ink=True))
    band_name = here and _(here)
    description = _("no data") if value is None else f"{numeral(f'{value:.2f}')}, {band_name}"
    rows: tuple[tuple[Cell, ...], ...] = ((name, value, *(interval or (None, None)), band_name),)
    table = Table(name, (_("coefficient"), _("value"), _("low"), _("high"), _("band")), rows)
    label = _("%(name)s on the Landis and Koch scale: %(description)s") % {
        "name": name,
        "description": description,
    }
    return Plot(label, 460, 92, "".join(marks), table, narrow=True)


def _scale(value: float) -> float:
    return 6 + 448 * min(1.0, max(0.0, value))


NamedValue = tuple[str, float | None, Interval | None]


def _value_table(title: str, name: str, value: str, rows: Sequence[NamedValue]) -> Table:
    """Return the data of a plot of named values."""
    cells = tuple((name, mean, *(interval or (None, None))) for name, mean, interval in rows)
    return Table(title, (name, value, _("low"), _("high")), cells)


def two_values(first: NamedValue, second: NamedValue) -> Plot:
    """Plot two coefficients with their intervals on one axis that leaves out what is empty."""
    values = [(value, *(interval or ())) for _name, value, interval in (first, second)]
    low, high = svg.round_ends([end for ends in values for end in ends if end is not None])
    x = svg.axis(low, high, 40, 410)
    marks = svg.grid(low, high, x, 8, 92, 112, write=numeral)
    for (name, value, interval), y, dot in ((first, 30, "pt"), (second, 70, "pt-o")):
        marks.append(svg.text(26, y + 4, name, anchor="end", ink=True))
        if value is not None:
            marks += [*svg.whisker(interval, x, y), svg.circle(dot, x(value), y)]
            end, shown = x((interval or (value, value))[1]) + 10, numeral(f"{value:.2f}")
            marks.append(svg.text(end, y + 4, shown, anchor="start", ink=True))
    table = _value_table(_("six and four choices"), _("coefficient"), _("value"), (first, second))
    label = _("%(first)s against %(second)s") % {"first": first[0], "second": second[0]}
    return Plot(label, 460, 120, "".join(marks), table, narrow=True)


def label_bars(labels: Sequence[str], counts: Sequence[int]) -> Plot:
    """Plot how often each label was chosen."""
    total = sum(counts)
    shares = [count / total if total else None for count in counts]
    description = ", ".join(f"{label} {count}" for label, count in zip(labels, counts, strict=True))
    names = [re.sub("([≫>=<≪])", r" \1 ", label.replace(">>", "≫").replace("<<", "≪")) for label in labels]
    rows = tuple(zip(names, counts, shares, strict=True))
    table = Table(_("label distribution"), (_("label"), _("answers"), _("share")), rows)
    return _bars(
        _("Answers by choice: %(description)s") % {"description": description}, names, list(counts), table
    )


def time_bars(times: Sequence[tuple[float, float | None, int]]) -> Plot:
    """Plot a histogram of the seconds per answer."""
    # On a phone there is no room for both ends of a bar.
    names = [numeral(f"{low:g}" if high is not None else f"{low:g}+") for low, high, _count in times]
    counts = [count for *_, count in times]
    table = Table(_("seconds per answer"), (_("from"), _("to"), _("answers")), tuple(times))
    return _bars(
        _("Seconds per answer, excluding idle time; each bar spans from its number to the next"),
        names,
        counts,
        table,
    )


def _bars(label: str, names: list[str], counts: list[int], table: Table) -> Plot:
    step, most = 640 / max(1, len(names)), max([*counts, 1])
    marks = [svg.line("axis", 10, 650, 132, 132)]
    for place, (name, count) in enumerate(zip(names, counts, strict=True)):
        height, x = 100 * count / most, 10 + step * place
        marks.append(svg.rect("bar1", x + step * 0.15, 132 - height, step * 0.7, height, 2))
        marks.append(svg.text(x + step / 2, 150, name))
        marks.append(svg.text(x + step / 2, 126 - height, numeral(f"{count:,}"), ink=True))
    return Plot(label, 660, 158, "".join(marks), table)


def over_time(windows: Sequence[TimeWindow]) -> Plot:
    """Plot κ of each tenth of the answers with all earlier answers."""
    rows = tuple((n + 1, w.judgements, w.pairs, w.p_a, w.kappa) for n, w in enumerate(windows))
    table = Table(_("agreement over time"), (_("part"), _("answers"), _("pairs"), "P(A)", "κ"), rows)
    known = [(n, w.kappa) for n, w in enumerate(windows) if w.kappa is not None]
    low, high = svg.round_ends([value for _, value in known])
    y = svg.axis(low, high, 120, 14)
    x = svg.axis(0, max(1, len(windows) - 1), 50, 640)
    marks = []
    for tick in svg.ticks(low, high, parts=5):
        marks += [
            svg.line("grid", 40, 650, y(tick), y(tick)),
            svg.text(32, y(tick) + 4, numeral(f"{tick:.1f}"), anchor="end"),
        ]
    points = " ".join(f"{x(n):.1f},{y(value):.1f}" for n, value in known)
    marks.append(f'<polyline class="line l1" points="{points}"/>')
    marks += [svg.circle("d1", x(n), y(value), 4) for n, value in known]
    marks += [svg.text(x(n), 142, str(n + 1)) for n in range(len(windows))]
    return Plot(_("κ over time, by tenth of the answers"), 660, 150, "".join(marks), table)


def side_bars(rows: Sequence[NamedValue]) -> Plot:
    """Plot the share of wins that each annotator gave to the left side, with its interval; half is even."""
    marks, _x, height = _value_rows(rows, 0, 1, start=150, end=640, step=0.25)
    table = _value_table(_("wins for the left side"), _("annotator"), _("share"), rows)
    return Plot(_("Share of wins for the left side, by annotator"), 660, height, "".join(marks), table)


def strengths(systems: Sequence[SystemLine]) -> Plot:
    """Plot the strength of each ranked system, with lines between clusters."""
    ranked = [line for line in systems if line.ability is not None]
    values = [line.ability for line in ranked if line.ability is not None]
    low, high = svg.round_ends(values, 0.5)
    start = svg.axis_start([line.system for line in ranked], 170)
    x = svg.axis(low, high, start, 560)
    height = 28 * len(ranked) + 34
    marks = svg.grid(low, high, x, 6, height - 24, height - 6, 0.5, write=numeral)
    for n, (line, value) in enumerate(zip(ranked, values, strict=True)):
        y = 20 + 28 * n
        marks.append(svg.add_name_label(line.system, start, y, ink=True))
        marks.append(svg.circle("pt", x(value), y))
        best, worst = line.rank_range or (0, 0)
        rank = _("rank %d") % best if best == worst else _("rank %d–%d") % (best, worst)
        marks.append(svg.text(575, y + 4, rank if line.rank_range else "", anchor="start"))
        if n and line.cluster != ranked[n - 1].cluster:
            marks.append(svg.line("axis", 10, 650, y - 14, y - 14))
    table = Table(
        _("strength of systems"),
        (_("system"), _("strength"), _("cluster")),
        tuple((line.system, line.ability, line.cluster) for line in ranked),
    )
    return Plot(
        _("Strength of systems (Bradley–Terry with ties), clusters separated by lines"),
        660,
        height,
        "".join(marks),
        table,
    )


def contests(rows: Sequence[tuple[str, str, float | None, Interval]]) -> Plot:
    """Plot two systems per row: the mean difference and its bounds between −1 and 1; 0 is even."""
    values = [(f"{a} / {b}", mean, bounds) for a, b, mean, bounds in rows]
    marks, x, height = _value_rows(values, -1, 1, start=150, end=640, step=0.5)
    marks.insert(0, svg.line("axis", x(0), x(0), 6, height - 24))
    table = Table(
        _("difference between systems"),
        (_("first system"), _("second system"), _("mean"), _("low"), _("high")),
        tuple((a, b, mean, *bounds) for a, b, mean, bounds in rows),
    )
    return Plot(_("Lead of the first system, with bounds that are valid at any time"), 660, height,
                "".join(marks), table)  # fmt: skip


def named_values(label: str, value: str, name: str, rows: Sequence[NamedValue]) -> Plot:
    """Plot one value per row, with its interval, on an axis that leaves out what is empty."""
    ends = [end for _name, mean, interval in rows for end in (mean, *(interval or ())) if end is not None]
    low, high = svg.round_ends(ends)
    high = min(high, 1.0) if max(ends, default=0.0) <= 1 else high
    marks, _x, height = _value_rows(rows, low, high, start=190, end=600)
    for n, (_name, mean, _interval) in enumerate(rows):
        if mean is not None:
            marks.append(svg.text(655, 24 + 26 * n, numeral(f"{mean:.2f}"), anchor="end", ink=True))
    return Plot(label, 660, height, "".join(marks), _value_table(label, name, value, rows))


def _value_rows(
    rows: Sequence[NamedValue], low: float, high: float, *, start: int, end: int, step: float = 0.1
) -> tuple[list[str], svg.Axis, int]:
    """Return a row per value with its name, point and whisker, the axis, and the height of the plot."""
    start = svg.axis_start([name for name, *_rest in rows], start)
    x, height = svg.axis(low, high, start, end), 26 * len(rows) + 34
    marks = svg.grid(low, high, x, 6, height - 24, height - 6, step, write=numeral)
    for n, (name, value, interval) in enumerate(rows):
        y = 20 + 26 * n
        marks += [svg.add_name_label(name, start, y), *svg.whisker(interval, x, y)]
        if value is not None:
            marks.append(svg.circle("pt", x(value), y, 4))
    return marks, x, height


def power_curve(plan: PowerPlan) -> Plot:
    """Plot power against cost, or against hours where work is free; the simulation is a whisker."""
    paid = plan.requirements.price_per_hour > 0
    costs = [point.money if paid else point.hours for point in plan.curve]
    x, y = svg.axis(0, max(costs), 50, 640), svg.axis(0, 1, 170, 14)
    marks = []
    for tick in svg.ticks(0, 1, 0.2):
        marks += [
            svg.line("grid", 50, 640, y(tick), y(tick)),
            svg.text(42, y(tick) + 4, numeral(f"{tick:.1f}"), anchor="end"),
        ]
    most = max(costs) or 1.0
    for tick in svg.ticks(0, most, 10 ** (math.floor(math.log10(most)) - 1), parts=6):
        marks.append(svg.text(x(tick), 188, numeral(f"{tick:,.0f}" if tick >= 10 else f"{tick:g}")))
    points = " ".join(
        f"{x(cost):.1f},{y(point.power):.1f}" for cost, point in zip(costs, plan.curve, strict=True)
    )
    marks.append(f'<polyline class="line l1" points="50,170 {points}"/>')
    if plan.required_point is not None:
        here = x(plan.required_point.money if paid else plan.required_point.hours)
        marks.append(svg.line("axis", here, here, 14, 170))
        if plan.simulated_power is not None:
            marks.append(
                svg.line("ci", here, here, y(plan.simulated_power.low), y(plan.simulated_power.high))
            )
        marks.append(svg.circle("pt", here, y(plan.required_point.power)))
    marks.append(svg.text(640, 206, _("cost") if paid else _("hours of work"), anchor="end"))
    marks.append(svg.text(56, 26, _("power"), anchor="start"))
    columns = (_("sentences"), _("judgements"), _("hours"), _("cost"), _("power"))
    rows = tuple(
        (point.sentences, point.judgements, point.hours, point.money, point.power) for point in plan.curve
    )
    return Plot(_("Power by budget"), 660, 212, "".join(marks), Table(_("power"), columns, rows))
