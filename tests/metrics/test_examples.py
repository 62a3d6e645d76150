"""The examples in the docstrings run."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import metrics.kernels
import metrics.lexical

MODULES = [
    "metrics.base",
    "metrics.registry",
    "metrics.tokenizers",
    "metrics.significance",
    *(found.name for found in walk_packages(metrics.kernels.__path__, "metrics.kernels.")),
    *(found.name for found in walk_packages(metrics.lexical.__path__, "metrics.lexical.")),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0
