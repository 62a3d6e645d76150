"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = [
    "evaluation.study.disputes",
    "evaluation.study.systems",
    "evaluation.study.timeline",
    "evaluation.study.values",
    "evaluation.exporters.bundle",
    "evaluation.exporters.delimited",
    "evaluation.exporters.model",
    "evaluation.exporters.verify",
    "evaluation.exporters.xml_file",
    "evaluation.reports.agreement",
    "evaluation.reports.judgements",
    "evaluation.reports.plots",
    "evaluation.templatetags.figures",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
