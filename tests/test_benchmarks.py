"""The page that ``make bench`` writes."""

from __future__ import annotations

from importlib import import_module

from benchmarks import page
from tests.conftest import ROOT


def test_every_part_can_be_run() -> None:
    for module in page.PARTS:
        assert callable(import_module(f"{module}.__main__" if module == "benchmarks" else module).main)


def test_what_stands_in_the_documentation_has_every_part() -> None:
    written = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    for title, about in page.PARTS.values():
        assert f"## {title}\n\n{about}\n\n    " in written


def test_the_ratios_of_the_readme_are_those_of_the_page() -> None:
    written = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    assert readme.count("× |") > 10
    assert page.with_ratios(readme, written) == readme
    assert page.with_ratios(readme.replace("× |", "0× |"), written) == readme
