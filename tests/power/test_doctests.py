"""The examples in the docstrings of planning, selecting and stopping are true."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = [
    "evaluation.power.costs",
    "evaluation.power.design",
    "evaluation.power.pilot",
    "evaluation.power.plan",
    "evaluation.power.simulation",
    "evaluation.results.weighted",
    "evaluation.selection.information",
    "evaluation.selection.log",
    "evaluation.selection.policy",
    "evaluation.selection.questions",
    "evaluation.selection.simulation",
    "evaluation.selection.weights",
    "evaluation.sequential.betting",
    "evaluation.sequential.decisions",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
