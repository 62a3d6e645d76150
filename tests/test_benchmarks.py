"""The page that ``make bench`` writes."""

from __future__ import annotations

import os
import re
import signal
import time
from importlib import import_module
from pathlib import Path

import pytest
from django.utils.html import json_script

from benchmarks import disk, load, page
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


def run_of(*, save: float) -> load.Journal:
    """A hundred requests of each kind, one a second; answers take so many seconds, all else a hundredth."""
    journal = load.Journal()
    for what in ("minimal", "page", "save", "next"):
        took = save if what == "save" else 0.01
        journal.asked[what] = [(float(n), n + took) for n in range(100)]
    return journal


def test_answers_that_take_too_long_miss_the_demand() -> None:
    assert load.report("within", run_of(save=0.04), 100, lost=0)
    assert not load.report("beyond", run_of(save=0.041), 100, lost=0)
    assert not load.report("one lost", run_of(save=0.02), 100, lost=1)


def test_requests_that_met_a_stall_of_the_disk_are_left_out_and_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    journal = run_of(save=0.02)
    journal.asked["save"][7] = journal.asked["save"][50] = (7.0, 7.3)
    assert not load.report("as they are", journal, 100, lost=0)
    assert load.report("without", journal, 100, lost=0, stalls=[(7.1, 7.3)])
    told = capsys.readouterr().out
    assert "n=98 " in told
    assert "stalled 1 times, 0.2 s in all, at most 200 ms; 2 affected requests" in told
    assert "save 300.0" in told


def test_a_slow_answer_is_not_excused_by_a_stall_at_another_time() -> None:
    assert not load.report("elsewhere", run_of(save=0.05), 100, lost=0, stalls=[(7.5, 7.6)])


def test_nothing_is_measured_on_a_disk_that_stands_still_most_of_the_time() -> None:
    assert not load.report("hopeless", run_of(save=0.02), 100, lost=0, stalls=[(0.5, 0.9)] * 26)


def test_the_witness_tells_a_flush_that_took_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fdatasync", lambda handle: time.sleep(0.05))
    begin, end = next(disk.stalls(str(tmp_path)))
    assert end - begin > 0.05


def test_the_witness_stops_when_it_is_told_to(tmp_path: Path) -> None:
    """In the background of a shell, where it inherits that SIGINT is ignored."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with disk.watch_disk(str(tmp_path)) as stalls:
            time.sleep(0.5)
    finally:
        signal.signal(signal.SIGINT, before)
    assert all(end - begin > disk.STILL for begin, end in stalls)
    assert not list(tmp_path.iterdir())


def test_no_process_is_ended_by_the_signal_that_background_jobs_ignore() -> None:
    """``test_ctrl_c_ends_a_command_without_a_word`` sends it to a process that accepts it again."""
    files = [
        path
        for name in ("benchmarks", "faults", "endurance", "scripts", "tests")
        for path in (ROOT / name).rglob("*.py")
    ]
    senders = {
        path.name
        for path in files
        if re.search(r"(send_signal|kill|killpg)\(.*SIGINT", path.read_text("utf-8"))
    }
    assert senders == {"test_command_line.py"}


def test_what_a_run_left_open_is_answered() -> None:
    data = {
        "units": [
            {
                "candidates": [
                    {"output": "1A", "version": 0, "score": None},
                    {"output": "1B", "version": 3, "score": None},
                    {"output": "1C", "version": 2, "score": 0},
                ]
            }
        ]
    }
    page = str(json_script(data, "assess-data")).encode()
    sent = [(each["output"], each["base"], each["score"]) for each in load.list_answers(page)]
    assert sent == [("1A", 0, None), ("1A", 1, 70), ("1B", 3, 70)]
    phrases = b'<i data-phrase="7" data-base="0"></i> <i data-phrase="8" data-base="2"></i>'
    assert [each["phrase"] for each in load.list_answers(phrases)] == [7]
