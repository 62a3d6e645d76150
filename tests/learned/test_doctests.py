"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = [
    "combination",
    "features",
    "importance",
    "matching",
    "ratings",
    "scaling",
    "svm",
    "syntax",
    "training",
]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name: str) -> None:
    results = doctest.testmod(import_module(f"metrics.learned.{name}"))
    assert results.attempted > 0
    assert results.failed == 0
