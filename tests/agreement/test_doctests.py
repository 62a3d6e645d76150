"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import evaluation.agreement
import evaluation.results

MODULES = [
    f"{package.__name__}.{module.name}"
    for package in (evaluation.agreement, evaluation.results)
    for module in pkgutil.iter_modules(package.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_pure_modules_know_nothing_of_django(name: str) -> None:
    with open(import_module(name).__file__ or "", encoding="utf-8") as source:
        assert "django" not in source.read().lower()
