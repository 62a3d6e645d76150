"""Background jobs: progress, cancel, failure, and going on after their worker died."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from appraise.lib.problems import InputError, Problem
from appraise.operations.management.commands import worker
from evaluation import jobs
from evaluation.models import Job


@pytest.fixture
def kinds() -> Iterator[dict[str, jobs.Handler]]:
    """Handlers that a test registers are gone afterwards."""
    before = dict(jobs.HANDLERS)
    yield jobs.HANDLERS
    jobs.HANDLERS.clear()
    jobs.HANDLERS.update(before)


def work() -> None:
    """A worker that does what waits and then goes home."""
    call_command("worker", batch=True, interval=0, startup_delay=False, reload=False, verbosity=0)


def begin(kind: str, **arguments: Any) -> Job:
    return jobs.enqueue(kind, f"test {kind}", **arguments)


@pytest.mark.django_db(transaction=True)
class TestRunning:
    def test_a_job_counts_and_returns_its_result(self, kinds: dict[str, jobs.Handler]) -> None:
        @jobs.handler("count")
        def count(job: Job, progress: jobs.JobProgress) -> dict[str, Any]:
            for n in range(job.arguments["to"]):
                progress.update(n + 1, job.arguments["to"], f"{n + 1} counted")
            return {"counted": job.arguments["to"]}

        job = begin("count", to=3)
        work()
        job.refresh_from_db()
        assert (job.state, job.done, job.total, job.result) == (Job.State.DONE, 3, 3, {"counted": 3})

    def test_a_beat_that_fails_is_not_the_last(
        self, kinds: dict[str, jobs.Handler], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        beats: list[str] = []

        def away() -> None:
            beats.append("tried")
            raise OperationalError("the database is restarting")

        monkeypatch.setattr(jobs, "HEARTBEAT_SECONDS", 0.01)
        monkeypatch.setattr(jobs, "close_old_connections", away)

        @jobs.handler("long")
        def long(job: Job, progress: jobs.JobProgress) -> dict[str, Any]:
            begun = time.monotonic()
            while len(beats) < 3 and time.monotonic() - begun < 30:
                time.sleep(0.01)
            return {}

        jobs.run_job.call(str(begin("long").pk))
        assert len(beats) >= 3

    def test_a_task_that_cannot_be_read_does_not_end_the_watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        over, looks = threading.Event(), list[str]()

        def broken() -> None:
            looks.append("looked")
            if len(looks) == 2:
                over.set()
            raise ValueError("a study that cannot be read")

        monkeypatch.setattr(worker, "update_running_tasks", broken)
        monkeypatch.setattr(worker, "LEASE", timedelta(0))
        monkeypatch.setattr(worker, "close_old_connections", lambda: None)
        monkeypatch.setattr(worker, "connection", SimpleNamespace(close=lambda: None))
        worker.Command().watch(over)
        assert len(looks) == 2

    def test_a_failure_is_visible_and_the_worker_lives_on(self, kinds: dict[str, jobs.Handler]) -> None:
        @jobs.handler("fail")
        def fail(job: Job, progress: jobs.JobProgress) -> dict[str, Any]:
            raise ZeroDivisionError

        @jobs.handler("refuse")
        def refuse(job: Job, progress: jobs.JobProgress) -> dict[str, Any]:
            raise InputError(Problem("empty_file", "the file is empty", "choose another"))

        failed, refused = begin("fail"), begin("refuse")
        work()
        failed.refresh_from_db()
        refused.refresh_from_db()
        assert failed.state == refused.state == Job.State.FAILED
        assert failed.error == jobs.UNEXPECTED_ERROR_MESSAGE
        assert refused.result["problems"][0]["code"] == "empty_file"

    def test_a_waiting_job_can_be_cancelled(self, kinds: dict[str, jobs.Handler]) -> None:
        jobs.handler("never")(lambda job, progress: {})
        job = begin("never")
        jobs.cancel_job(job)
        work()
        job.refresh_from_db()
        assert (job.state, job.attempts) == (Job.State.CANCELLED, 0)

    def test_a_running_job_stops_where_it_reports(self, kinds: dict[str, jobs.Handler]) -> None:
        @jobs.handler("long")
        def long(job: Job, progress: jobs.JobProgress) -> dict[str, Any]:
            progress.update(1, 10)
            jobs.cancel_job(job)
            progress.update(10, 10)
            raise AssertionError("should have stopped")

        job = begin("long")
        work()
        job.refresh_from_db()
        assert job.state == Job.State.CANCELLED

    def test_an_unknown_kind_is_a_programming_error(self) -> None:
        with pytest.raises(KeyError):
            begin("unheard of")


@pytest.mark.django_db(transaction=True)
class TestAfterAKill:
    def abandoned(self, job: Job) -> None:
        """What a killed worker leaves behind."""
        DBTaskResult.objects.all().delete()
        past = timezone.now() - timedelta(seconds=1)
        Job.objects.filter(pk=job.pk).update(
            state=Job.State.RUNNING, lease_until=past, lease_holder="dead", attempts=1
        )

    def test_an_abandoned_job_runs_again(self, kinds: dict[str, jobs.Handler]) -> None:
        jobs.handler("again")(lambda job, progress: {"attempt": job.attempts})
        job = begin("again")
        self.abandoned(job)
        assert jobs.requeue_abandoned() == 1
        assert jobs.requeue_abandoned() == 0
        work()
        job.refresh_from_db()
        assert (job.state, job.result) == (Job.State.DONE, {"attempt": 2})

    def test_a_worker_that_died_before_it_began_does_not_keep_the_job(
        self, kinds: dict[str, jobs.Handler]
    ) -> None:
        jobs.handler("early")(lambda job, progress: {"begun": True})
        job = begin("early")
        DBTaskResult.objects.update(status="RUNNING")  # the message was taken, and its worker is dead
        assert jobs.requeue_abandoned() == 0  # it might be about to begin
        Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - 2 * jobs.LEASE)
        assert jobs.requeue_abandoned() == 1
        assert jobs.requeue_abandoned() == 0  # a message waits for it now
        work()
        job.refresh_from_db()
        assert (job.state, job.result) == (Job.State.DONE, {"begun": True})

    def test_a_job_that_kills_its_workers_fails_in_the_end(self, kinds: dict[str, jobs.Handler]) -> None:
        jobs.handler("deadly")(lambda job, progress: {})
        job = begin("deadly")
        self.abandoned(job)
        Job.objects.filter(pk=job.pk).update(attempts=Job.MOST_ATTEMPTS)
        jobs.requeue_abandoned()
        work()
        job.refresh_from_db()
        assert job.state == Job.State.FAILED
        assert f"died {Job.MOST_ATTEMPTS} times" in job.error

    def test_a_worker_that_lost_its_lease_cannot_speak_for_the_job(
        self, kinds: dict[str, jobs.Handler]
    ) -> None:
        @jobs.handler("slow")
        def slow(job: Job, progress: jobs.JobProgress) -> dict[str, Any]:
            Job.objects.filter(pk=job.pk).update(lease_holder="somebody else")
            with pytest.raises(jobs.LeaseLost):
                progress.update(1, 1)
            return {"by": "the slow one"}

        job = begin("slow")
        work()
        job.refresh_from_db()
        assert job.result is None


def test_a_worker_knows_every_kind_of_job() -> None:
    """In a process of its own, because here the pages have loaded every module."""
    script = (
        "import django; django.setup()\n"
        "import appraise.operations.management.commands.worker\n"
        "from evaluation.jobs import HANDLERS; print(*sorted(HANDLERS))"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [
        *("assess", "check", "compare", "import", "recut", "removal", "report", "score", "tag", "train")
    ]
