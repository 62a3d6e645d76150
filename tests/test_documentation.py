"""The formulas of the documentation are drawn as they were meant, or it does not build."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pymdownx.superfences import SuperFencesException  # type: ignore[import-untyped]  # it has no types

from scripts.docs_formulas import render_formula

DOCS = Path(__file__).resolve().parent.parent / "docs"
WRITTEN = [
    formula
    for page in sorted(DOCS.glob("*.md"))
    for formula in re.findall(r"```math\n(.+?)```", page.read_text("utf-8"), re.DOTALL)
]


@pytest.mark.parametrize("formula", WRITTEN)
def test_every_formula_is_well_formed(formula: str) -> None:
    drawn = ElementTree.fromstring(render_formula(formula))
    assert drawn.find("{*}math") is not None
    assert [len(fraction) for fraction in drawn.findall(".//{*}mfrac")] == [2] * formula.count("\\frac")


@pytest.mark.parametrize("broken", [r"\nonsense", r"\left(1", "x_1_2"])
def test_what_cannot_be_drawn_ends_the_build(broken: str) -> None:
    with pytest.raises(SuperFencesException):
        render_formula(broken)
