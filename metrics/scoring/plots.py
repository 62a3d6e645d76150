"""Plots of metrics and trained models.

For a trained model: weights, importance, the grid of an SVM, its ROC curve, and accuracy against correlation.
For the metrics report: human votes against the change of a metric, and systems by expected wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from appraise.lib import svg
from appraise.lib.resampling import Floats, Interval
from appraise.lib.tables import Table
from evaluation.reports.agreement import heat_level
from evaluation.reports.plots import Plot
from evaluation.web import numeral
from metrics.models import TrainedModel

LEFT, RIGHT, TOP, BOTTOM = 60.0, 440.0, 12.0, 272.0
STEP = 0.001  # the least distance of two numbers on an axis
MAX_POINTS = 400
Points = Sequence[dict[str, Any]]  # Any: JSON, as the training wrote it
PlottedSystem = tuple[str, float | None, Interval | None, int | None]
"""A system, its expected wins with their interval, and its cluster."""


def plot_model(model: TrainedModel) -> dict[str, Plot]:
    """Return every plot that the model has data for, by the name of its file."""
    known, name = model.evaluation, {"name": model.name}
    plots: dict[str, Plot] = {}
    if known.get("weights"):
        label = _("Weights of the features in %(name)s") % name
        plots["weights"] = bars(label, _("weight"), known["weights"])
    if known.get("relieff"):
        label = _(
            "ReliefF: how well each feature identifies the better sentence in the training"
            " examples of %(name)s"
        )
        plots["relieff"] = bars(label % name, "ReliefF", known["relieff"])
    if known.get("importance"):
        label = _("Accuracy that %(name)s loses when a feature is shuffled")
        plots["importance"] = bars(label % name, _("loss of accuracy"), known["importance"])
    if known.get("grid"):
        plots["grid"] = grid_map(model.name, known["grid"], known["chosen"])
        if any(point.get("correlation") is not None for point in known["grid"]):
            plots["accuracy"] = accuracy_scatter(known["grid"], known.get("meta_correlation"))
    if known.get("roc"):
        plots["roc"] = roc_curve(known["roc"]["points"], known["roc"]["area"])
    return plots


def bars(label: str, value: str, values: Sequence[tuple[str, float]]) -> Plot:
    """Plot one bar per feature, in the given order; negative bars grow to the left."""
    most = max((abs(number) for _name, number in values), default=1.0) or 1.0
    digits = 3 if most >= 0.1 else 5  # small values must remain distinguishable
    low, high = (end([0.0, *(number for _name, number in values)]) for end in (min, max))
    names = min(280.0, 16 + 9.0 * max((len(name) for name, _number in values), default=0))
    unit = (375 - names) / ((high - low) or 1.0)  # on a phone, the numbers need the rest of the width
    axis, height = names - low * unit, 26 * len(values) + 8
    marks = [svg.line("axis", axis, axis, 0, height)]
    for row, (name, number) in enumerate(values):
        y, width = 4 + 26 * row, abs(number) * unit
        x, kind = (axis, "bar1") if number >= 0 else (axis - width, "bar0")
        marks.append(svg.rect(kind, x, y, width, 18, 2))
        marks.append(svg.text(0, y + 13, name, anchor="start", ink=True))
        marks.append(svg.text(460, y + 13, numeral(f"{number:+.{digits}f}"), anchor="end"))
    table = Table(label, (_("feature"), value), tuple((name, number) for name, number in values))
    return Plot(label, 460, height, "".join(marks), table, narrow=True)


def grid_map(name: str, points: Points, chosen: dict[str, Any]) -> Plot:
    """Plot the accuracy at each C (columns) and σ (rows); the chosen point has a frame."""
    costs, sigmas = (sorted({float(point[key]) for point in points}) for key in ("c", "sigma"))
    low, high = (end(float(point["accuracy"]) for point in points) for end in (min, max))
    width, step = 400.0 / len(costs), 30
    bottom = 10 + step * len(sigmas)
    marks, frame = [], ""
    for point in points:
        x, y = 56 + width * costs.index(point["c"]), 10 + step * sigmas.index(point["sigma"])
        shade = heat_level(point["accuracy"], low, high)
        marks.append(svg.rect(f"h{shade}", x, y, width - 2, step - 2, 0))
        shown = numeral(f"{point['accuracy'] * 100:.1f}")
        kind = "h-hi" if shade in "45" else "h-lo"
        marks.append(svg.text(x + width / 2 - 1, y + 18, shown, kind=kind))
        if (point["c"], point["sigma"]) == (chosen["c"], chosen["sigma"]):
            frame = svg.rect("h-best", x, y, width - 2, step - 2, 0)
    marks += [svg.text(56 + width * (n + 0.5), bottom + 16, numeral(f"{c:g}")) for n, c in enumerate(costs)]
    marks += [
        svg.text(48, 28 + step * n, numeral(f"{sigma:g}"), anchor="end") for n, sigma in enumerate(sigmas)
    ]
    marks += [frame, svg.text(256, bottom + 36, "C"), svg.text(8, bottom / 2, "σ", anchor="start")]
    rows = tuple(
        (point["c"], point["sigma"], point["accuracy"], point["human"], point["machine"], point["support"])
        for point in points
    )
    columns = (
        "C",
        "σ",
        _("accuracy"),
        _("of human translations"),
        _("of machine translations"),
        _("support vectors"),
    )
    label = _("Validation accuracy of %(name)s in percent over the grid; the frame marks the chosen point")
    label = label % {"name": name}
    return Plot(label, 460, bottom + 44, "".join(marks), Table(label, columns, rows), narrow=True)


def roc_curve(points: Sequence[tuple[float, float]], area: float) -> Plot:
    """Plot recognised human against recognised machine translations; the dashed line is chance."""
    marks = _frame(
        0.0, 1.0, 0.0, 1.0, _("machine translations recognised"), _("human translations recognised")
    )
    x, y = _axes(0.0, 1.0, 0.0, 1.0)
    marks.append(f'<path class="line l2 dash" d="M{x(0):.1f} {y(1):.1f}L{x(1):.1f} {y(0):.1f}"/>')
    path = " ".join(f"{x(machine):.1f},{y(human):.1f}" for machine, human in points)
    marks.append(f'<polyline class="line l1" points="{path}"/>')
    label = _("ROC curve for telling human from machine translations; area %(area)s")
    label = label % {"area": numeral(f"{area:.3f}")}
    columns = (_("machine translations recognised"), _("human translations recognised"))
    table = Table(label, columns, tuple((machine, human) for machine, human in points))
    return Plot(label, 460, 322, "".join(marks), table, narrow=True)


def accuracy_scatter(points: Points, together: float | None) -> Plot:
    """Plot each point of the grid: its validation accuracy, and its correlation with people."""
    known = [(point, point["correlation"]) for point in points if point["correlation"] is not None]
    across, up = [point["accuracy"] for point, _r in known], [r for _point, r in known]
    ends = (*_with_margin(across), *_with_margin(up))
    x, y = _axes(*ends)
    marks = _frame(*ends, _("accuracy"), _("correlation with annotators"))
    marks += [svg.circle("d1 dot", x(a), y(r), 4) for a, r in zip(across, up, strict=True)]
    shown = _("no data") if together is None else numeral(f"{together:.3f}")
    label = _("Accuracy and correlation with annotators over the grid; the two correlate at %(r)s")
    label = label % {"r": shown}
    columns = ("C", "σ", _("accuracy"), _("correlation with annotators"))
    rows = tuple((point["c"], point["sigma"], point["accuracy"], r) for point, r in known)
    return Plot(label, 460, 322, "".join(marks), Table(label, columns, rows), narrow=True)


def scatter(metric: str, deltas: Floats, mean: Floats, names: Sequence[str]) -> Plot:
    """Plot the mean human vote (1: the first text is best) against Δ; crosses where the signs differ."""
    known = np.flatnonzero(np.isfinite(deltas) & np.isfinite(mean))
    if len(known) > MAX_POINTS:  # spread evenly over the task, the same points each time
        known = known[np.linspace(0, len(known) - 1, MAX_POINTS).astype(int)]
    reach = round_reach(float(np.abs(deltas[known]).max()) if len(known) else 0.0)
    left, right, top, bottom = 46.0, 446.0, 10.0, 278.0
    x, y = svg.axis(-reach, reach, left, right), svg.axis(-1, 1, bottom, top)
    marks = []
    for tick in (-1, -0.5, 0, 0.5, 1):
        kind = "grid" if tick else "axis"
        marks += [
            svg.line(kind, x(tick * reach), x(tick * reach), top, bottom),
            svg.text(x(tick * reach), 295, numeral(f"{tick * reach:g}")),
            svg.line(kind, left, right, y(tick), y(tick)),
            svg.text(39, y(tick) + 4, numeral(f"{tick:g}"), anchor="end"),
        ]
    for pair in known.tolist():
        h, v = x(deltas[pair]), y(mean[pair])
        if deltas[pair] * mean[pair] < 0:
            cross = f"M{h - 3.2:.1f} {v - 3.2:.1f}l6.4 6.4m0-6.4l-6.4 6.4"
            marks.append(f'<path class="line l2 dotx" d="{cross}"/>')
        else:
            marks.append(f'<circle class="d1 dot" cx="{h:.1f}" cy="{v:.1f}" r="3.6"/>')
    marks.append(svg.text((left + right) / 2, 315, f"Δ {metric}"))
    rows = tuple((names[pair], float(deltas[pair]), float(mean[pair])) for pair in known.tolist())
    label = _("Mean vote of annotators and change of %(metric)s; crosses mark opposite signs")
    table = Table(f"Δ {metric}", (_("pair"), _("change"), _("mean vote")), rows)
    return Plot(label % {"metric": metric}, 460, 322, "".join(marks), table, narrow=True)


def wins_plot(systems: Sequence[PlottedSystem]) -> Plot:
    """Plot expected wins with their intervals, best first, with lines between clusters."""
    shown = [row for row in systems if row[1] is not None]
    ends = [end for _name, wins, interval, _ in shown for end in (wins, *(interval or ())) if end is not None]
    low, high = svg.round_ends(ends)
    x, height = svg.axis(low, high, 132, 382), 40 * len(shown) + 36
    marks = svg.grid(low, high, x, 4, height - 30, height - 10, write=numeral)
    for row, (name, wins, interval, cluster) in enumerate(shown):
        y = 24 + 40 * row
        marks.append(svg.text(118, y + 4, svg.shorten(name, 16), anchor="end", ink=True))
        if interval:
            marks.append(svg.line("ci", x(interval[0]), x(interval[1]), y, y))
        marks.append(svg.circle("pt", x(wins or 0.0), y))
        if cluster is not None:
            marks.append(svg.text(460, y + 4, _("cluster %d") % cluster, anchor="end"))
        if row and cluster != shown[row - 1][3]:
            marks.append(svg.line("axis", 0, 460, 4 + 40 * row, 4 + 40 * row))
    columns = (_("system"), _("expected wins"), _("low"), _("high"), _("cluster"))
    rows = tuple(
        (name, wins, *(interval or (None, None)), cluster) for name, wins, interval, cluster in shown
    )
    table = Table(_("expected wins"), columns, rows)
    label = _("Systems by expected wins in the votes of annotators")
    return Plot(label, 460, height, "".join(marks), table, narrow=True)


def round_reach(most: float) -> float:
    """Return a round number that is not smaller than ``most``.

    >>> round_reach(0.0), round_reach(0.07), round_reach(11.7), round_reach(20.0)
    (1.0, 0.1, 15.0, 20.0)
    """
    if most <= 0:
        return 1.0
    unit = 10.0 ** np.floor(np.log10(most))
    return float(next(unit * step for step in (1, 1.5, 2, 3, 5, 10) if most <= unit * step * (1 + 1e-9)))


def _axes(left: float, right: float, low: float, high: float) -> tuple[svg.Axis, svg.Axis]:
    return svg.axis(left, right, LEFT, RIGHT), svg.axis(low, high, BOTTOM, TOP)


def _frame(left: float, right: float, low: float, high: float, across: str, up: str) -> list[str]:
    """Return lines at round numbers in both directions, and the names of the axes."""
    x, y = _axes(left, right, low, high)
    marks = svg.grid(left, right, x, TOP, BOTTOM, BOTTOM + 18, STEP, write=numeral)
    for tick in svg.ticks(low, high, STEP):
        marks.append(svg.line("grid", LEFT, RIGHT, y(tick), y(tick)))
        marks.append(svg.text(LEFT - 8, y(tick) + 4, numeral(f"{tick:g}"), anchor="end"))
    turned = svg.text(14, 142, up).replace("<text", '<text transform="rotate(-90 14 142)"')
    return [*marks, svg.text((LEFT + RIGHT) / 2, BOTTOM + 40, across), turned]


def _with_margin(values: Sequence[float]) -> tuple[float, float]:
    margin = (max(values) - min(values)) * 0.08 or 0.05
    return min(values) - margin, max(values) + margin
