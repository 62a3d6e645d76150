"""The plots of the compare page: votes of people against a metric's change, and systems by expected wins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.utils.translation import gettext as _

from evaluation.agreement.rendering import Table
from evaluation.numerals import numeral
from evaluation.reports import draw
from evaluation.reports.plots import Plot
from metrics.reports.compare import HumanSystem
from metrics.sidebyside import Floats

MOST_POINTS = 400
LEFT, RIGHT, TOP, BOTTOM = 46.0, 446.0, 10.0, 278.0


def scatter(metric: str, deltas: Floats, mean: Floats, names: Sequence[str]) -> Plot:
    """Mean human vote (1: the first text is best) against Δ; crosses where the two have opposite signs."""
    known = np.flatnonzero(np.isfinite(deltas) & np.isfinite(mean))
    if len(known) > MOST_POINTS:  # spread evenly over the task, the same points each time
        known = known[np.linspace(0, len(known) - 1, MOST_POINTS).astype(int)]
    reach = nice_reach(float(np.abs(deltas[known]).max()) if len(known) else 0.0)
    x_of, y_of = (RIGHT - LEFT) / (2 * reach), (BOTTOM - TOP) / 2
    marks = []
    for step in range(-2, 3):
        x, y = LEFT + (step / 2 + 1) * reach * x_of, BOTTOM - (step / 2 + 1) * y_of
        kind = "grid" if step else "axis"
        marks += [draw.line(kind, x, x, TOP, BOTTOM), draw.text(x, 295, numeral(f"{step / 2 * reach:g}"))]
        marks += [
            draw.line(kind, LEFT, RIGHT, y, y),
            draw.text(39, y + 4, numeral(f"{step / 2:g}"), anchor="end"),
        ]
    for place in known.tolist():
        x, y = LEFT + (deltas[place] + reach) * x_of, BOTTOM - (mean[place] + 1) * y_of
        marks.append(_cross(x, y) if deltas[place] * mean[place] < 0 else _dot(x, y))
    marks.append(draw.text((LEFT + RIGHT) / 2, 315, f"Δ {metric}"))
    rows = tuple((names[place], float(deltas[place]), float(mean[place])) for place in known.tolist())
    label = _("Mean human vote against the change of %(metric)s; crosses mark opposite signs")
    table = Table(f"Δ {metric}", (_("pair"), _("change"), _("mean vote")), rows)
    return Plot(label % {"metric": metric}, 460, 322, "".join(marks), table, narrow=True)


def system_chart(systems: Sequence[HumanSystem]) -> Plot:
    """Expected wins with their intervals, best first; a line between clusters."""
    shown = [one for one in systems if one.line.expected_wins is not None]
    ends = [e for one in shown for e in (one.line.expected_wins, *(one.interval or ())) if e is not None]
    low = max(0.0, np.floor((min(ends, default=0.0)) * 10) / 10)
    high = min(1.0, np.ceil((max(ends, default=1.0)) * 10) / 10)
    if high <= low:
        low, high = max(0.0, low - 0.1), min(1.0, high + 0.1)
    height = 40 * len(shown) + 36
    marks = []
    for tick in np.arange(low, high + 0.01, 0.1 if high - low <= 0.6 else 0.2).tolist():
        marks += [draw.line("grid", _wins(tick, low, high), _wins(tick, low, high), 4, height - 30)]
        marks.append(draw.text(_wins(tick, low, high), height - 10, numeral(f"{tick:.1f}")))
    for place, one in enumerate(shown):
        marks += _system(one, 24 + 40 * place, low, high)
        if place and one.line.cluster != shown[place - 1].line.cluster:
            marks.append(draw.line("axis", 0, 460, 4 + 40 * place, 4 + 40 * place))
    rows = tuple(
        (one.line.system, one.line.expected_wins, *(one.interval or (None, None)), one.line.cluster)
        for one in shown
    )
    columns = (_("system"), _("expected wins"), _("low"), _("high"), _("cluster"))
    table = Table(_("expected wins"), columns, rows)
    return Plot(_("Systems by expected wins in human votes"), 460, height, "".join(marks), table, narrow=True)


def nice_reach(most: float) -> float:
    """A round number that holds all values.

    >>> nice_reach(0.0), nice_reach(0.07), nice_reach(11.7), nice_reach(20.0)
    (1.0, 0.1, 15.0, 20.0)
    """
    if most <= 0:
        return 1.0
    unit = 10.0 ** np.floor(np.log10(most))
    return float(next(unit * step for step in (1, 1.5, 2, 3, 5, 10) if most <= unit * step * (1 + 1e-9)))


def _system(one: HumanSystem, y: float, low: float, high: float) -> list[str]:
    marks = [draw.text(118, y + 4, draw.shortened(one.line.system, 16), anchor="end", ink=True)]
    if one.interval:
        left, right = (_wins(end, low, high) for end in one.interval)
        marks.append(draw.line("ci", left, right, y, y))
    x = _wins(one.line.expected_wins or 0.0, low, high)
    marks.append(f'<circle class="pt" cx="{x:.1f}" cy="{y:.1f}" r="5"/>')
    if one.line.cluster is not None:
        marks.append(draw.text(460, y + 4, _("cluster %d") % one.line.cluster, anchor="end"))
    return marks


def _wins(value: float, low: float, high: float) -> float:
    return 132 + (value - low) / (high - low) * 250


def _dot(x: float, y: float) -> str:
    return f'<circle class="d1 dot" cx="{x:.1f}" cy="{y:.1f}" r="3.6"/>'


def _cross(x: float, y: float) -> str:
    return f'<path class="line l2 dotx" d="M{x - 3.2:.1f} {y - 3.2:.1f}l6.4 6.4m0-6.4l-6.4 6.4"/>'
