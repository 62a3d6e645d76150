"""The examples in the docstrings are true: those of every module that has any."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from tests.conftest import ROOT

PACKAGES = ("appraise", "evaluation", "metrics", "scripts", "faults", "endurance", "benchmarks")
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    results = doctest.testmod(import_module(name))
    assert results.attempted > 0
    assert results.failed == 0
