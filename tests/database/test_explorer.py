"""Every interleaving of two annotators and a manager keeps every answer; the short programs."""

from __future__ import annotations

from math import factorial
from pathlib import Path
from typing import Any

import pytest

from endurance.explorer import SHORT_ANNOTATOR, SHORT_MANAGER, run_explorer
from evaluation.annotate.services import answers
from faults import bugs


@pytest.fixture(autouse=True)
def own_ledger(db: None, settings: Any, tmp_path: Path) -> None:
    settings.HOME = tmp_path


def test_every_interleaving_keeps_every_answer() -> None:
    explored = run_explorer("short")
    steps = [len(SHORT_ANNOTATOR), len(SHORT_ANNOTATOR), len(SHORT_MANAGER)]
    ways = factorial(sum(steps))
    for count in steps:
        ways //= factorial(count)
    assert (explored.violation, explored.interleavings) == ("", ways)
    assert explored.states > 100
    for what in (
        "answered",
        "realigned",
        "erased",
        "question of an old alignment",
        "page of an old alignment",
    ):
        assert explored.seen[what] > 0, what


def test_an_answer_to_another_question_than_was_shown_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    history = vars(answers)["_PairHistory"]
    monkeypatch.setattr(history, "_find_pair", history._find_pair)  # restores it afterwards
    bugs.plant("trust_old_pages")
    assert "another question" in run_explorer("short").violation
