"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = ["kendall", "correlation", "resampling", "systems", "report"]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name: str) -> None:
    results = doctest.testmod(import_module(f"metrics.metaeval.{name}"))
    assert results.attempted > 0
    assert results.failed == 0
