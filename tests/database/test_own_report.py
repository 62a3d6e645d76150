"""The report that docs/extending.md shows."""

from __future__ import annotations

import re
import sys
from types import ModuleType

import pytest
from django.template import engines

from evaluation.models import Task
from evaluation.reports import registry
from evaluation.reports.scope import load_scope
from evaluation.schemes import Choice
from tests.conftest import ROOT
from tests.database.answering import always, answer_task
from tests.database.conftest import annotator

PAGE = (ROOT / "docs" / "extending.md").read_text("utf-8")


def test_the_report_of_the_documentation_counts_ties(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    registry.load_reports()
    monkeypatch.setattr(registry, "REPORTS", dict(registry.REPORTS))
    code, markup = re.findall(r"ties\.(?:py|html)`:\n\n```\w+\n(.+?)```", PAGE, re.DOTALL)
    module = ModuleType("evaluation.reports.ties")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(code, "ties.py", "exec"), module.__dict__)
    answer_task(task, annotator("bob", task), always(Choice.EQUAL))
    ties = registry.REPORTS["ties"]
    summary = ties.compute(load_scope("task", task.slug), ties.options())
    [(_name, answers, count)] = ties.document(summary)["ties"]["rows"]
    assert answers == count > 0
    assert engines["django"].from_string(markup)
