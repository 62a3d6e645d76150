"""What a trained model learned, as drawings: weights, importance, the grid of an SVM, its ROC curve, and how
accuracy goes with correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from django.utils.translation import gettext as _

from evaluation.agreement.rendering import Table
from evaluation.numerals import numeral
from evaluation.reports.agreement import level
from evaluation.reports.plots import Plot
from metrics.models import TrainedModel

LEFT, RIGHT, TOP, BOTTOM = 60.0, 440.0, 12.0, 272.0
Valued = Sequence[tuple[str, float]]
Points = Sequence[dict[str, Any]]  # Any: JSON, as the training wrote it


def model_plots(model: TrainedModel) -> dict[str, Plot]:
    """Every drawing that the model has data for, by the name of its file."""
    known, called = model.evaluation, {"name": model.name}
    found: dict[str, Plot] = {}
    if known.get("weights"):
        found["weights"] = bars(
            _("Weights of the features in %(name)s") % called, _("weight"), known["weights"]
        )
    if known.get("relieff"):
        title = _("ReliefF: how well each feature recognises the better sentence in the examples of %(name)s")
        found["relieff"] = bars(title % called, "ReliefF", known["relieff"])
    if known.get("importance"):
        title = _("Accuracy that %(name)s loses when a feature is shuffled")
        found["importance"] = bars(title % called, _("loss of accuracy"), known["importance"])
    if known.get("grid"):
        found["grid"] = grid_map(model.name, known["grid"], known["chosen"])
        if any(point.get("correlation") is not None for point in known["grid"]):
            found["accuracy"] = accuracy_scatter(known["grid"], known.get("meta_correlation"))
    if known.get("roc"):
        found["roc"] = roc_curve(known["roc"]["points"], known["roc"]["area"])
    return found


def bars(label: str, value: str, values: Valued) -> Plot:
    """One bar a feature, in the order given; negative ones grow to the left."""
    most = max((abs(number) for _name, number in values), default=1.0) or 1.0
    digits = 3 if most >= 0.1 else 5  # small values must remain distinguishable
    low, high = (end([0.0, *(number for _name, number in values)]) for end in (min, max))
    names = min(280.0, 16 + 9.0 * max((len(name) for name, _number in values), default=0))
    unit = (375 - names) / ((high - low) or 1.0)  # the numbers need the rest on a phone
    axis, height = names - low * unit, 26 * len(values) + 8
    marks = [f'<line class="axis" x1="{axis:.1f}" x2="{axis:.1f}" y1="0" y2="{height}"/>']
    for place, (name, number) in enumerate(values):
        y, width = 4 + 26 * place, abs(number) * unit
        x = axis if number >= 0 else axis - width
        kind = "bar1" if number >= 0 else "bar0"
        marks.append(f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="18" rx="2"/>')
        marks.append(_text(0, y + 13, name, "start", "t-ink"))
        marks.append(_text(460, y + 13, numeral(f"{number:+.{digits}f}"), "end"))
    table = Table(label, (_("feature"), value), tuple((name, number) for name, number in values))
    return Plot(label, 460, height, "".join(marks), table, narrow=True)


def grid_map(name: str, points: Points, chosen: dict[str, Any]) -> Plot:
    """Accuracy at each C (columns) and σ (rows); the chosen point has a frame."""
    costs, sigmas = (sorted({float(point[key]) for point in points}) for key in ("c", "sigma"))
    low, high = (end(float(point["accuracy"]) for point in points) for end in (min, max))
    width, step = 400.0 / len(costs), 30
    bottom = 10 + step * len(sigmas)
    marks, frame = [], ""
    for point in points:
        x, y = 56 + width * costs.index(point["c"]), 10 + step * sigmas.index(point["sigma"])
        shade = level(point["accuracy"], low, high)
        marks.append(
            f'<rect class="h{shade}" x="{x:.1f}" y="{y}" width="{width - 2:.1f}" height="{step - 2}"/>'
        )
        shown = numeral(f"{point['accuracy'] * 100:.1f}")
        marks.append(_text(x + width / 2 - 1, y + 18, shown, kind="h-hi" if shade in "45" else "h-lo"))
        if (point["c"], point["sigma"]) == (chosen["c"], chosen["sigma"]):
            frame = f'<rect class="h-best" x="{x:.1f}" y="{y}" width="{width - 2:.1f}" height="{step - 2}"/>'
    marks += [_text(56 + width * (n + 0.5), bottom + 16, numeral(f"{c:g}")) for n, c in enumerate(costs)]
    marks += [_text(48, 28 + step * n, numeral(f"{sigma:g}"), "end") for n, sigma in enumerate(sigmas)]
    marks += [frame, _text(256, bottom + 36, "C"), _text(8, bottom / 2, "σ", "start")]
    rows = tuple(
        (point["c"], point["sigma"], point["accuracy"], point["human"], point["machine"], point["support"])
        for point in points
    )
    columns = ("C", "σ", _("accuracy"), _("of humans"), _("of machines"), _("support vectors"))
    label = _("Validation accuracy of %(name)s in percent over the grid; the frame marks the chosen point")
    label = label % {"name": name}
    return Plot(label, 460, bottom + 44, "".join(marks), Table(label, columns, rows), narrow=True)


def roc_curve(points: Sequence[tuple[float, float]], area: float) -> Plot:
    """Human translations recognised against machine translations recognised; the dashed line is chance."""
    marks = _frame(0.0, 1.0, 0.0, 1.0, _("machines recognised"), _("humans recognised"))
    x, y = _scales(0.0, 1.0, 0.0, 1.0)
    marks.append(f'<path class="line l2 dash" d="M{x(0):.1f} {y(1):.1f}L{x(1):.1f} {y(0):.1f}"/>')
    path = " ".join(f"{x(machine):.1f},{y(human):.1f}" for machine, human in points)
    marks.append(f'<polyline class="line l1" points="{path}"/>')
    label = _("ROC curve of human against machine translations; area %(area)s")
    label = label % {"area": numeral(f"{area:.3f}")}
    columns = (_("machines recognised"), _("humans recognised"))
    table = Table(label, columns, tuple((machine, human) for machine, human in points))
    return Plot(label, 460, 322, "".join(marks), table, narrow=True)


def accuracy_scatter(points: Points, together: float | None) -> Plot:
    """Each machine of the grid: its validation accuracy, and its correlation with people."""
    known = [(point, point["correlation"]) for point in points if point["correlation"] is not None]
    across, up = [point["accuracy"] for point, _r in known], [r for _point, r in known]
    ends = (*_ends(across), *_ends(up))
    x, y = _scales(*ends)
    marks = _frame(*ends, _("accuracy"), _("correlation with people"))
    for a, r in zip(across, up, strict=True):
        marks.append(f'<circle class="d1 dot" cx="{x(a):.1f}" cy="{y(r):.1f}" r="4"/>')
    said = _("no data") if together is None else numeral(f"{together:.3f}")
    label = _("Accuracy against correlation with people over the grid; the two correlate at %(r)s")
    label = label % {"r": said}
    columns = ("C", "σ", _("accuracy"), _("correlation with people"))
    rows = tuple((point["c"], point["sigma"], point["accuracy"], r) for point, r in known)
    return Plot(label, 460, 322, "".join(marks), Table(label, columns, rows), narrow=True)


class _Scale:
    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.start, self.unit = low, start, (end - start) / (high - low)

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) * self.unit


def _scales(left: float, right: float, low: float, high: float) -> tuple[_Scale, _Scale]:
    return _Scale(left, right, LEFT, RIGHT), _Scale(low, high, BOTTOM, TOP)


def _frame(left: float, right: float, low: float, high: float, across: str, up: str) -> list[str]:
    """Five lines each way, with their numbers, and what the axes are."""
    x, y = _scales(left, right, low, high)
    marks = []
    for step in range(5):
        h, v = left + (right - left) * step / 4, low + (high - low) * step / 4
        marks.append(f'<line class="grid" x1="{x(h):.1f}" x2="{x(h):.1f}" y1="{TOP}" y2="{BOTTOM}"/>')
        marks.append(f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y(v):.1f}" y2="{y(v):.1f}"/>')
        marks.append(_text(x(h), BOTTOM + 18, numeral(f"{h:.{_digits(right - left)}f}")))
        marks.append(_text(LEFT - 8, y(v) + 4, numeral(f"{v:.{_digits(high - low)}f}"), "end"))
    turned = f'<text x="14" y="142" text-anchor="middle" transform="rotate(-90 14 142)">{escape(up)}</text>'
    return [*marks, _text((LEFT + RIGHT) / 2, BOTTOM + 40, across), turned]


def _digits(span: float) -> int:
    """As many decimals as distinguish four steps; at least two.

    >>> _digits(1.0), _digits(0.2), _digits(0.002)
    (2, 2, 4)
    """
    return max(2, math.ceil(-math.log10(span / 4) - 1e-9))


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Ends that hold all values with a little air, and stand four round steps apart.

    >>> _ends([0.65, 0.75]), _ends([0.5, 0.5])
    ((0.6, 0.8), (0.45, 0.65))
    """
    low, high = min(values), max(values)
    air = (high - low) * 0.08 or 0.05
    low, high = low - air, high + air
    unit = 10.0 ** math.floor(math.log10((high - low) / 4))
    for step in (unit, 2 * unit, 5 * unit, 10 * unit, 20 * unit):
        first = math.floor(low / step) * step
        if first + 4 * step >= high:
            break
    return round(first, 9), round(first + 4 * step, 9)


def _text(x: float, y: float, text: str, anchor: str = "middle", kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
