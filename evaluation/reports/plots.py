"""Plots as SVG text, drawn on the server: classes only, no script, no inline style (strict CSP).

Each plot carries its data as a table too. ``standalone`` makes a file of one, with the colours of the light
theme inside, because a downloaded file has no stylesheet beside it. Words and numbers are in the reader's
language; coordinates are not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from evaluation.agreement import band
from evaluation.agreement.bands import BANDS
from evaluation.agreement.bootstrap import Interval
from evaluation.agreement.rendering import Cell, Table
from evaluation.agreement.stability import Window
from evaluation.numerals import numeral
from evaluation.power import Plan
from evaluation.reports import draw
from evaluation.results import SystemLine

STYLE = (
    "text{font:12px sans-serif;fill:#67625a}.t-ink{fill:#1e1d1a;font-weight:600}.grid{stroke:#dfdbd2}"
    ".axis{stroke:#8b867b}.band{fill:#f2f0ea}.band-on{fill:#e5eefa}.ci{stroke:#1e1d1a;stroke-width:2}"
    ".pt{fill:#1e1d1a}.pt-o{fill:#fff;stroke:#1e1d1a;stroke-width:2}.bar1{fill:#3d6ca8}.bar0{fill:#b9cfe8}"
    ".line{fill:none;stroke-width:2.25}.l1{stroke:#0b5690}.l2{stroke:#9a3d00}.dash{stroke-dasharray:6 4}"
    ".d1{fill:#0b5690}"
    ".h0{fill:#f4f2ec}.h1{fill:#dbe6f3}.h2{fill:#b9cfe8}.h3{fill:#8fb2da}.h4{fill:#3d6ca8}.h5{fill:#1d4f91}"
    "text.h-lo{fill:#1e1d1a}text.h-hi{fill:#fff}.h-best{fill:none;stroke:#9a3d00;stroke-width:3}"
)


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing: what it shows in words, its size, its marks, and the numbers behind it."""

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
        """For a page, coloured by its stylesheet. Safe: every text in ``marks`` was escaped on its way in."""
        kind = "plot plot-narrow" if self.narrow else "plot"
        return mark_safe(
            f'<svg class="{kind}" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{escape(self.label)}">{self.marks}</svg>'
        )

    @property
    def standalone(self) -> str:
        """A file of its own."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}"><title>{escape(self.label)}</title>'
            f"<style>{STYLE}</style>{self.marks}</svg>\n"
        )


def kappa_scale(name: str, value: float | None, interval: Interval | None) -> Plot:
    """A κ on the scale of Landis and Koch; values below 0 stand at the left end."""
    here = band(value)
    marks, left = [], 0.0
    for right, label in (*BANDS, (1.0, "perfect")):
        on = label == here
        marks.append(draw.rect("band-on" if on else "band", _scale(left) + 1, 26, 87.6, 24))
        marks.append(draw.text((_scale(left) + _scale(right)) / 2, 70, _(label), ink=on))
        left = right
    anchors = ("start", *["middle"] * 4, "end")
    marks += [draw.text(_scale(n / 5), 88, numeral(f"{n / 5:.1f}"), anchor=anchors[n]) for n in range(6)]
    if value is not None:
        marks += draw.whisker(interval, _scale, 38)
        marks.append(draw.circle("pt", _scale(value), 38))
        low, high = value < 0.1, value > 0.9  # there the label would run over the edge
        anchor = "start" if low else "end" if high else "middle"
        shown = f"{name} = {numeral(f'{value:.2f}')}"
        marks.append(draw.text(_scale(value) - 6 * low + 6 * high, 16, shown, anchor=anchor, ink=True))
    called = here and _(here)
    said = _("no data") if value is None else f"{numeral(f'{value:.2f}')}, {called}"
    rows: tuple[tuple[Cell, ...], ...] = ((name, value, *(interval or (None, None)), called),)
    table = Table(name, (_("coefficient"), _("value"), _("low"), _("high"), _("band")), rows)
    label = _("%(name)s on the Landis and Koch scale: %(said)s") % {"name": name, "said": said}
    return Plot(label, 460, 92, "".join(marks), table, narrow=True)


def _scale(value: float) -> float:
    return 6 + 448 * min(1.0, max(0.0, value))


Named = tuple[str, float | None, Interval | None]


def two_values(first: Named, second: Named) -> Plot:
    """Two coefficients with their intervals on one axis that leaves out what is empty."""
    ends = [
        end
        for _name, value, interval in (first, second)
        for end in (value, *(interval or ()))
        if end is not None
    ]
    low, high = draw.round_ends(ends)
    x = draw.axis(low, high, 40, 410)
    marks = draw.grid(low, high, x, 8, 92, 112)
    for (name, value, interval), y, dot in ((first, 30, "pt"), (second, 70, "pt-o")):
        marks.append(draw.text(26, y + 4, name, anchor="end", ink=True))
        if value is not None:
            marks += [*draw.whisker(interval, x, y), draw.circle(dot, x(value), y)]
            end, shown = x((interval or (value, value))[1]) + 10, numeral(f"{value:.2f}")
            marks.append(draw.text(end, y + 4, shown, anchor="start", ink=True))
    rows = tuple((name, value, *(interval or (None, None))) for name, value, interval in (first, second))
    table = Table(_("six against four choices"), (_("coefficient"), _("value"), _("low"), _("high")), rows)
    label = _("%(first)s against %(second)s") % {"first": first[0], "second": second[0]}
    return Plot(label, 460, 120, "".join(marks), table, narrow=True)


def label_bars(labels: Sequence[str], counts: Sequence[int]) -> Plot:
    """How often each label was given."""
    total = sum(counts)
    shares = [count / total if total else None for count in counts]
    said = ", ".join(f"{label} {count}" for label, count in zip(labels, counts, strict=True))
    names = [re.sub("([≫>=<≪])", r" \1 ", label.replace(">>", "≫").replace("<<", "≪")) for label in labels]
    rows = tuple(zip(names, counts, shares, strict=True))
    table = Table(_("label distribution"), (_("label"), _("answers"), _("share")), rows)
    return _bars(_("Answers by label: %(said)s") % {"said": said}, names, list(counts), table)


def time_bars(times: Sequence[tuple[float, float | None, int]]) -> Plot:
    """How long an answer took."""
    # On a phone there is no room for both ends of a bar.
    names = [numeral(f"{low:g}" if high is not None else f"{low:g}+") for low, high, _count in times]
    counts = [count for *_, count in times]
    table = Table(_("seconds for one answer"), (_("from"), _("to"), _("answers")), tuple(times))
    return _bars(
        _("Seconds for one answer, idle time left out; a bar reaches from its number to the next"),
        names,
        counts,
        table,
    )


def _bars(label: str, names: list[str], counts: list[int], table: Table) -> Plot:
    step, most = 640 / max(1, len(names)), max([*counts, 1])
    marks = [draw.line("axis", 10, 650, 132, 132)]
    for place, (name, count) in enumerate(zip(names, counts, strict=True)):
        height, x = 100 * count / most, 10 + step * place
        marks.append(draw.rect("bar1", x + step * 0.15, 132 - height, step * 0.7, height, 2))
        marks.append(draw.text(x + step / 2, 150, name))
        marks.append(draw.text(x + step / 2, 126 - height, numeral(f"{count:,}"), ink=True))
    return Plot(label, 660, 158, "".join(marks), table)


def over_time(windows: Sequence[Window]) -> Plot:
    """κ of each tenth of the answers with all answers up to then."""
    rows = tuple((n + 1, w.judgements, w.pairs, w.p_a, w.kappa) for n, w in enumerate(windows))
    table = Table(_("agreement over time"), (_("part"), _("answers"), _("pairs"), "P(A)", "κ"), rows)
    known = [(n, w.kappa) for n, w in enumerate(windows) if w.kappa is not None]
    low, high = draw.round_ends([value for _, value in known])
    y = draw.axis(low, high, 120, 14)
    x = draw.axis(0, max(1, len(windows) - 1), 50, 640)
    marks = []
    for tick in draw.ticks(low, high, parts=5):
        marks += [
            draw.line("grid", 40, 650, y(tick), y(tick)),
            draw.text(32, y(tick) + 4, numeral(f"{tick:.1f}"), anchor="end"),
        ]
    points = " ".join(f"{x(n):.1f},{y(value):.1f}" for n, value in known)
    marks.append(f'<polyline class="line l1" points="{points}"/>')
    marks += [draw.circle("d1", x(n), y(value), 4) for n, value in known]
    marks += [draw.text(x(n), 142, str(n + 1)) for n in range(len(windows))]
    return Plot(_("κ over time, in tenths of the answers"), 660, 150, "".join(marks), table)


def side_bars(rows: Sequence[Named]) -> Plot:
    """Share of wins that each annotator gave to the left side, with its interval; half is even."""
    start = draw.room([name for name, *_rest in rows], 150)
    x = draw.axis(0, 1, start, 640)
    height = 26 * len(rows) + 34
    marks = draw.grid(0, 1, x, 6, height - 24, height - 6, 0.25)
    for n, (name, share, interval) in enumerate(rows):
        y = 20 + 26 * n
        marks.append(draw.name(name, start, y))
        if share is not None:
            marks += [*draw.whisker(interval, x, y), draw.circle("pt", x(share), y, 4)]
    table = Table(
        _("wins given to the left side"),
        (_("annotator"), _("share"), _("low"), _("high")),
        tuple((name, share, *(interval or (None, None))) for name, share, interval in rows),
    )
    return Plot(_("Share of wins given to the left side, by annotator"), 660, height, "".join(marks), table)


def strengths(systems: Sequence[SystemLine]) -> Plot:
    """Strength of each ranked system; a line under a cluster."""
    ranked = [line for line in systems if line.ability is not None]
    values = [line.ability for line in ranked if line.ability is not None]
    low, high = draw.round_ends(values, 0.5)
    start = draw.room([line.system for line in ranked], 170)
    x = draw.axis(low, high, start, 560)
    height = 28 * len(ranked) + 34
    marks = draw.grid(low, high, x, 6, height - 24, height - 6, 0.5)
    for n, (line, value) in enumerate(zip(ranked, values, strict=True)):
        y = 20 + 28 * n
        marks.append(draw.name(line.system, start, y, ink=True))
        marks.append(draw.circle("pt", x(value), y))
        said = "" if line.rank_range is None else _rank(*line.rank_range)
        marks.append(draw.text(575, y + 4, said, anchor="start"))
        if n and line.cluster != ranked[n - 1].cluster:
            marks.append(draw.line("axis", 10, 650, y - 14, y - 14))
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


def _rank(best: int, worst: int) -> str:
    return _("rank %d") % best if best == worst else _("rank %d–%d") % (best, worst)


def contests(rows: Sequence[tuple[str, str, float | None, Interval]]) -> Plot:
    """Two systems to a row: the mean difference and its bounds between −1 and 1; 0 is even."""
    start = draw.room([f"{a} / {b}" for a, b, *_rest in rows], 150)
    x = draw.axis(-1, 1, start, 640)
    height = 26 * len(rows) + 34
    marks = draw.grid(-1, 1, x, 6, height - 24, height - 6, 0.5)
    marks.append(draw.line("axis", x(0), x(0), 6, height - 24))
    for n, (a, b, mean, bounds) in enumerate(rows):
        y = 20 + 26 * n
        marks.append(draw.name(f"{a} / {b}", start, y))
        marks += draw.whisker(bounds, x, y)
        if mean is not None:
            marks.append(draw.circle("pt", x(mean), y, 4))
    table = Table(
        _("difference of systems"),
        (_("first system"), _("second system"), _("mean"), _("low"), _("high")),
        tuple((a, b, mean, *bounds) for a, b, mean, bounds in rows),
    )
    return Plot(_("How far the first system is ahead, with bounds that hold at all times"), 660, height,
                "".join(marks), table)  # fmt: skip


def named_values(label: str, value: str, name: str, rows: Sequence[Named]) -> Plot:
    """One value to a row, with its interval, on an axis that leaves out what is empty."""
    ends = [end for _name, mean, interval in rows for end in (mean, *(interval or ())) if end is not None]
    low, high = draw.round_ends(ends)
    high = min(high, 1.0) if max(ends, default=0.0) <= 1 else high
    start = draw.room([named for named, *_rest in rows], 190)
    x = draw.axis(low, high, start, 600)
    height = 26 * len(rows) + 34
    marks = draw.grid(low, high, x, 6, height - 24, height - 6)
    for n, (named, mean, interval) in enumerate(rows):
        y = 20 + 26 * n
        marks.append(draw.name(named, start, y))
        if mean is not None:
            marks += [*draw.whisker(interval, x, y), draw.circle("pt", x(mean), y, 4)]
            marks.append(draw.text(655, y + 4, numeral(f"{mean:.2f}"), anchor="end", ink=True))
    found = tuple((named, mean, *(interval or (None, None))) for named, mean, interval in rows)
    return Plot(label, 660, height, "".join(marks), Table(label, (name, value, _("low"), _("high")), found))


def power_curve(plan: Plan) -> Plot:
    """Power against what it costs, or against hours where work is free; the simulation as a whisker."""
    paid = plan.wishes.price_an_hour > 0
    costs = [point.bill.money if paid else point.bill.hours for point in plan.curve]
    x, y = draw.axis(0, max(costs), 50, 640), draw.axis(0, 1, 170, 14)
    marks = []
    for tick in draw.ticks(0, 1, 0.2):
        marks += [
            draw.line("grid", 50, 640, y(tick), y(tick)),
            draw.text(42, y(tick) + 4, numeral(f"{tick:.1f}"), anchor="end"),
        ]
    most = max(costs) or 1.0
    for tick in draw.ticks(0, most, 10 ** (math.floor(math.log10(most)) - 1), parts=6):
        marks.append(draw.text(x(tick), 188, numeral(f"{tick:,.0f}" if tick >= 10 else f"{tick:g}")))
    points = " ".join(
        f"{x(cost):.1f},{y(point.power):.1f}" for cost, point in zip(costs, plan.curve, strict=True)
    )
    marks.append(f'<polyline class="line l1" points="50,170 {points}"/>')
    if plan.enough is not None:
        here = x(plan.enough.bill.money if paid else plan.enough.bill.hours)
        marks.append(draw.line("axis", here, here, 14, 170))
        if plan.checked is not None:
            marks.append(draw.line("ci", here, here, y(plan.checked.low), y(plan.checked.high)))
        marks.append(draw.circle("pt", here, y(plan.enough.power)))
    marks.append(draw.text(640, 206, _("cost") if paid else _("hours of work"), anchor="end"))
    marks.append(draw.text(56, 26, _("power"), anchor="start"))
    columns = (_("sentences"), _("judgements"), _("hours"), _("cost"), _("power"))
    rows = tuple(
        (point.sentences, point.bill.judgements, point.bill.hours, point.bill.money, point.power)
        for point in plan.curve
    )
    return Plot(_("Power against budget"), 660, 212, "".join(marks), Table(_("power"), columns, rows))
