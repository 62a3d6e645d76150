"""Separate processes: time-outs, crashes and restarts lose one item and nothing else."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from metrics.tools.process import Failure, Pool, Worker, WorkerFailed

FAKE = [sys.executable, str(Path(__file__).parent / "fake_tool.py")]


def make(**options: Any) -> Worker:  # Any: whatever the fake tool answers
    return Worker(FAKE, **{"timeout": 30.0, "startup_timeout": 30.0, **options})


def test_a_worker_answers_in_order() -> None:
    with make() as worker:
        assert worker.ask(["one", "two"]) == ["ONE", "TWO"]
        assert worker.ask([]) == []


def test_one_process_answers_many_questions() -> None:
    with make() as worker:
        assert worker.ask(["pid"]) == worker.ask(["pid"])


def test_the_process_is_replaced_after_every_n_questions() -> None:
    with make(restart_every=2) as worker:
        first, again, other = (worker.ask(["pid"])[0] for _ in range(3))
    assert first == again != other


def test_a_crash_is_reported_with_the_tools_last_words_and_the_next_question_works() -> None:
    with make() as worker:
        with pytest.raises(WorkerFailed, match="crash: out of memory"):
            worker.ask(["crash"])
        assert worker.ask(["fine"]) == ["FINE"]


def test_a_silent_tool_is_given_up_after_the_time_out() -> None:
    with make(timeout=0.2, startup_timeout=0.2) as worker, pytest.raises(WorkerFailed, match="time-out"):
        worker.ask(["hang"])


def test_nonsense_is_a_failure_and_not_an_answer() -> None:
    with make() as worker:
        with pytest.raises(WorkerFailed, match="protocol"):
            worker.ask(["nonsense"])
        assert worker.ask(["fine"]) == ["FINE"]


def test_a_killed_process_loses_only_the_question_that_it_was_asked() -> None:
    with make() as worker:
        pid = worker.ask(["pid"])[0]
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with pytest.raises(WorkerFailed, match="crash"):
            worker.ask(["lost"])
        assert worker.ask(["next"]) == ["NEXT"]


def test_long_items_pass_through_the_pipe() -> None:
    with make() as worker:
        assert worker.ask(["x" * 1_000_000]) == ["X" * 1_000_000]


def test_a_missing_program_says_so_at_once() -> None:
    worker = Worker(["/nonexistent/tool"])
    with worker, pytest.raises(FileNotFoundError):
        worker.ask(["one"])


@pytest.mark.parametrize(("workers", "batch"), [(1, 1), (2, 1), (2, 3)])
def test_a_pool_keeps_the_order_and_loses_only_the_bad_item(workers: int, batch: int) -> None:
    items = ["a", "b", "crash", "c", "d", "nonsense", "e"]
    with Pool(make, workers) as pool:
        answers = list(pool.map(items, batch))
    assert [a for a in answers if not isinstance(a, Failure)] == ["A", "B", "C", "D", "E"]
    assert [isinstance(a, Failure) for a in answers] == [item in ("crash", "nonsense") for item in items]


def test_a_pool_of_no_workers_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one worker, got 0"):
        Pool(make, 0)


def test_closing_a_pool_stops_its_processes() -> None:
    pool = Pool(make, 2)
    pids = list(pool.map(["pid", "pid"]))
    pool.close()
    for pid in pids:
        assert isinstance(pid, int)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
