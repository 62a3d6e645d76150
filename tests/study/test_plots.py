"""Plots: well-formed, labelled, without style, and hostile names stay text."""

from __future__ import annotations

import itertools

import pytest
from defusedxml import ElementTree

from evaluation.agreement.stability import TimeWindow
from evaluation.reports import plots
from evaluation.reports.plots import Plot
from evaluation.results import SystemLine

LONG = ["transformer-big-with-back-translation-and-ensembles-" + seed for seed in ("seed-1", "seed-22")]
HOSTILE = '<script>alert("1")</script>&'
DRAWN = {
    "scale": plots.kappa_scale("κ", 0.46, (0.44, 0.48)),
    "scale below chance": plots.kappa_scale("κ", -0.2, None),
    "scale without data": plots.kappa_scale("κ", None, None),
    "two": plots.two_values(("κ", 0.46, (0.44, 0.48)), ("κ′", 0.65, None)),
    "two without data": plots.two_values(("κ", None, None), ("κ′", None, None)),
    "labels": plots.label_bars([HOSTILE, "b"], [3, 0]),
    "labels without data": plots.label_bars(["a"], [0]),
    "times": plots.time_bars([(0, 1, 5), (1, None, 2)]),
    "over time": plots.over_time(
        [TimeWindow(5, 0, None, None), TimeWindow(5, 3, 0.5, -0.4), TimeWindow(5, 3, 0.5, 0.4)]
    ),
    "over no time": plots.over_time([]),
    "sides": plots.side_bars([(HOSTILE, 0.6, (0.5, 0.7)), ("b", None, None)]),
    "nobody's sides": plots.side_bars([]),
    "strengths": plots.strengths(
        [SystemLine(HOSTILE, 1, 0, 0, 1.0, 1.5, 1, (1, 1), 1), SystemLine("y", 0, 1, 0, 0, -1.5, 2, None, 2)]
    ),
    "no strengths": plots.strengths([SystemLine("x", 0, 0, 0, None, None, None, None, None)]),
}  # fmt: skip


@pytest.mark.parametrize("plot", DRAWN.values(), ids=DRAWN)
def test_a_plot_is_a_drawing_with_words_and_numbers(plot: Plot) -> None:
    assert ElementTree.fromstring(plot.svg).get("aria-label") == plot.label
    assert ElementTree.fromstring(plot.standalone).get("viewBox") == f"0 0 {plot.width} {plot.height}"
    assert "<script" not in plot.svg + plot.standalone
    assert "style" not in plot.svg
    assert plot.label
    assert all(len(row) == len(plot.table.columns) for row in plot.table.rows)


def test_every_mark_lies_inside_the_drawing() -> None:
    for name, plot in DRAWN.items():
        for mark in ElementTree.fromstring(plot.svg).iter():
            for axis, end in (("x", plot.width), ("cx", plot.width), ("y", plot.height), ("cy", plot.height)):
                if mark.get(axis):
                    assert -1 <= float(mark.get(axis, "0")) <= end + 1, (name, mark.attrib)


@pytest.mark.parametrize(
    ("value", "anchor"), [(-0.2, "start"), (0.0, "start"), (0.46, "middle"), (1.0, "end")]
)
def test_the_words_of_a_value_near_an_end_run_inwards(value: float, anchor: str) -> None:
    drawn = ElementTree.fromstring(plots.kappa_scale("κ′", value, None).svg)
    assert [mark.get("text-anchor") for mark in drawn if (mark.text or "").startswith("κ′")] == [anchor]


def test_numbers_of_an_axis_keep_a_line_between_them() -> None:
    drawn = ElementTree.fromstring(
        plots.over_time([TimeWindow(5, 3, 0.5, 0.3), TimeWindow(5, 3, 1.0, 1.0)]).svg
    )
    heights = sorted(float(mark.get("y", "0")) for mark in drawn if mark.get("text-anchor") == "end")
    assert len(heights) >= 3
    assert all(below - above >= 16 for above, below in itertools.pairwise(heights))


@pytest.mark.parametrize(
    "plot",
    [
        plots.side_bars([(name, 0.6, (0.5, 0.7)) for name in LONG]),
        plots.strengths([SystemLine(name, 1, 0, 0, 1.0, 1.5, 1, (1, 1), 1) for name in LONG]),
        plots.contests([(LONG[0], LONG[1], 0.1, (-0.1, 0.3))]),
        plots.named_values("κ", "κ", "system", [(name, 0.5, (0.4, 0.6)) for name in LONG]),
    ],
    ids=["sides", "strengths", "contests", "values"],
)
def test_a_long_name_is_shortened_and_leaves_half_of_the_drawing(plot: Plot) -> None:
    marks = list(ElementTree.fromstring(plot.svg))
    names = [mark for mark in marks if "…" in (mark.text or "")]
    assert names
    for name in names:  # on a phone a bold character takes up to twelve units
        assert float(name.get("x", "0")) - 11.5 * len(name.text or "") >= 0
    assert all(float(mark.get("x1", "330")) >= 330 for mark in marks if mark.get("class") in {"grid", "ci"})
    assert [row[0] for row in plot.table.rows][:1] == LONG[:1]  # the table has it whole
