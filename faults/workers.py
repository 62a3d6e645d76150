"""``python -m faults.workers``: makes background jobs, and workers that die at a chosen write.

Reads one JSON object a line, does it in a forked child, and prints what the child said and whether it was
killed. Everything is imported once; no connection is open in the parent.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

READING = ("SELECT", "SAVEPOINT", "RELEASE", "PRAGMA", "BEGIN", "SET ")
Given = dict[str, Any]  # JSON


def main() -> None:
    import django

    django.setup()

    commands: dict[str, Callable[..., object]] = {
        "make": make, "work": work, "deliver_again": deliver_again, "fingerprint": fingerprint,
        "migrate": migrate,
    }  # fmt: skip
    print("ready", flush=True)
    for line in sys.stdin:
        given: Given = json.loads(line)
        print(json.dumps(in_a_child(commands[given.pop("do")], given)), flush=True)


def in_a_child(function: Callable[..., object], given: Given) -> Given:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(writing, json.dumps(function(**given)).encode())
            status = 0
        except Exception:  # log the error instead of ending the parent
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    return {"killed": os.WIFSIGNALED(status), "said": json.loads(text) if text else None, "status": status}


def make(name: str) -> str:
    """An upload that waits for a worker, as the page leaves it behind; the id of its job."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from evaluation.models import User
    from evaluation.tasks.services import uploads
    from evaluation.tasks.services.import_job import begin_import
    from evaluation.tasks.services.task_settings import TaskSettings
    from faults.prepare import sentence

    lines = "\n".join(json.dumps(sentence(number, 3)) for number in range(120))
    owner = User.objects.get(username="person-0")
    upload = uploads.create_upload(owner, [SimpleUploadedFile("items.jsonl", lines.encode())])
    outcome = uploads.check_upload(upload)
    settings = TaskSettings(
        name="Imported", scheme="six-way", overlap=2, aligner="exact", question_size="phrase"
    )
    return str(begin_import(upload, outcome, settings, campaign=name, split=70).pk)


def work(die_at: int | None = None, takes_over: bool = False) -> int:
    """A worker that does what waits; dies before its n-th write. How many writes it made."""
    from django.core.management import call_command
    from django.db import connection

    from evaluation import jobs
    from evaluation.models import Job

    if takes_over:  # as if the lease had run out meanwhile
        from django.utils import timezone

        before = timezone.now() - 2 * jobs.LEASE
        Job.objects.filter(state=Job.State.RUNNING).update(lease_until=before)
        Job.objects.filter(state=Job.State.WAITING).update(created_at=before)
        jobs.requeue_abandoned()
    writes = Writes(die_at)
    connection.execute_wrappers.append(writes)
    call_command("worker", batch=True, interval=0, startup_delay=False, reload=False, verbosity=0)
    return writes.count


class Writes:
    """Counts statements that change something, and ends the process before the chosen one."""

    def __init__(self, die_at: int | None) -> None:
        self.count, self.die_at = 0, die_at

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.lstrip().upper().startswith(READING):
            self.count += 1
            if self.count == self.die_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, params, many, context)


def deliver_again(job: str) -> None:
    """The queue delivers a job a second time, as queues do."""
    from evaluation import jobs
    from evaluation.models import Job

    jobs.send_job(Job.objects.get(pk=job))


def fingerprint(job: str, campaign: str) -> Given:
    """Everything that an import leaves behind, without ids and times, as one digest; and how many tasks."""
    from evaluation.models import (
        Alignment,
        AuditEntry,
        Candidate,
        Comparison,
        Item,
        Job,
        Occurrence,
        Output,
        PhrasePair,
        Slot,
        Task,
    )

    found = Job.objects.get(pk=job)
    tasks = Task.objects.filter(campaign__name=campaign)
    seen: list[object] = [found.state, sorted(tasks.values_list("name", "state", "size", "digest"))]
    for model, path, names in (
        (Item, "task", ("task__name", "position", "key", "source")),
        (Candidate, "item__task", ("item__task__name", "item__position", "text", "digest")),
        (Output, "item__task", ("item__task__name", "item__position", "system__name", "candidate__text")),
        (Comparison, "item__task", ("item__task__name", "item__position", "first__text", "second__text")),
        (Alignment, "comparison__item__task", ("comparison__item__position", "version", "phrases")),
        (PhrasePair, "task", ("task__name", "first", "second", "kind", "key", "owner__item__position")),
        (Occurrence, "pair__task", ("pair__task__name", "pair__key", "index", "flipped")),
        (
            Slot,
            "task",
            ("task__name", "comparison__item__position", "k", "presentation", "position", "state"),
        ),
    ):
        rows = model._default_manager.filter(**{f"{path}__in": tasks}).values_list(*names)
        seen.append(sorted(map(repr, rows)))
    seen.append(AuditEntry.objects.filter(detail__job=job).values("target").count())
    result = {key: value for key, value in (found.result or {}).items() if key != "tasks"}
    seen.append(sorted(result.items(), key=repr))
    digest = hashlib.sha256(repr(seen).encode()).hexdigest()
    return {
        "state": found.state,
        "tasks": tasks.count(),
        "digest": digest,
        "error": found.error,
        "audit": seen[-2],
    }


def migrate(target: str | None = None, die_at: int | None = None) -> int:
    """Bring the schema to a released state, or to the newest; how many writes that took."""
    from django.core.management import call_command
    from django.db import connection

    writes = Writes(die_at)
    connection.execute_wrappers.append(writes)
    if target is None:
        call_command("migrate", verbosity=0)
    else:
        for app in ("metrics", "evaluation"):
            call_command("migrate", app, target, verbosity=0)
    return writes.count


if __name__ == "__main__":
    main()
