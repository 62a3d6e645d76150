"""Background jobs on the database queue: progress, cancellation, leases, and resuming after a crash.

A handler is a function ``(job, progress) -> result`` registered under a kind::

    @handler("import")
    def run_import(job: Job, progress: Progress) -> dict[str, object]: ...

It works in idempotent steps, because it is called again after a crash, and calls ``progress.update``
regularly, which is also where a cancelled job stops.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import InterfaceError, OperationalError, close_old_connections, connection, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from django_tasks import task as background_task
from django_tasks_db.models import DBTaskResult

from appraise.lib.extras import explain_missing_package
from appraise.lib.problems import InputError, Problem
from evaluation.models import Job, Task, User

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=30)
HEARTBEAT_SECONDS = 10.0
SAVE_EVERY_SECONDS = 0.5

# Stored in English; the job's page translates them.
WORKER_DIED_MESSAGE = gettext_noop("The worker process died 3 times during this job.")  # Job.MOST_ATTEMPTS
UNEXPECTED_ERROR_MESSAGE = gettext_noop("The job failed unexpectedly. The server log has the details.")

Result = dict[str, Any]  # whatever JSON the handler's own page understands
Handler = Callable[[Job, "JobProgress"], Result]
HANDLERS: dict[str, Handler] = {}


class Cancelled(Exception):
    """The job was cancelled."""


class LeaseLost(Exception):
    """Another worker has taken over this job."""


def handler(kind: str) -> Callable[[Handler], Handler]:
    """Register the function that runs jobs of this kind."""

    def register(function: Handler) -> Handler:
        HANDLERS[kind] = function
        return function

    return register


def enqueue(
    kind: str, title: str, *, owner: User | None = None, task: Task | None = None, **arguments: object
) -> Job:
    """Put a job on the queue after the current transaction is committed."""
    if kind not in HANDLERS:
        raise KeyError(f"no handler for jobs of kind {kind!r}")
    job = Job.objects.create(kind=kind, title=title[:200], owner=owner, task=task, arguments=arguments)
    transaction.on_commit(lambda: send_job(job))
    return job


def send_job(job: Job) -> None:
    run_job.enqueue(str(job.pk))


def requeue_abandoned() -> int:
    """Put jobs whose worker has died back on the queue; returns how many."""
    requeued = 0
    for job in Job.objects.abandoned():
        # Conditional, so that only one of several workers sends it.
        if Job.objects.abandoned().filter(pk=job.pk).update(state=Job.State.WAITING, lease_until=None):
            logger.warning("job %s lost its worker and is queued again", job.pk)
            send_job(job)
            requeued += 1
    for job in _find_undelivered():
        logger.warning("job %s is waiting without a message and is sent again", job.pk)
        send_job(job)
        requeued += 1
    return requeued


def _find_undelivered() -> Iterator[Job]:
    """Yield waiting jobs without a message: their worker died between receiving the message and starting.

    A duplicate message is harmless, because only one of two messages can start a job.
    """
    for job in Job.objects.filter(state=Job.State.WAITING, created_at__lt=timezone.now() - LEASE):
        if not DBTaskResult.objects.ready().filter(args_kwargs__args__0=str(job.pk)).exists():
            yield job


def cancel_job(job: Job) -> None:
    """Cancel a job; one that has not started is cancelled immediately."""
    Job.objects.filter(pk=job.pk, state=Job.State.WAITING).update(
        state=Job.State.CANCELLED, finished_at=timezone.now()
    )
    Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(cancel_requested=True)


class JobProgress:
    """Stores the progress of a job, at most twice a second."""

    def __init__(self, job: Job, holder: str) -> None:
        self.job = job
        self.holder = holder
        self._saved_at = 0.0

    def update(self, done: int, total: int, message: str = "") -> None:
        """Report progress; raises ``Cancelled`` or ``LeaseLost`` if the handler must stop."""
        now = time.monotonic()
        if now - self._saved_at < SAVE_EVERY_SECONDS and done < total:
            return
        self._saved_at = now
        own = Job.objects.filter(pk=self.job.pk, lease_holder=self.holder, state=Job.State.RUNNING)
        if not own.update(done=done, total=total, message=message[:300], lease_until=timezone.now() + LEASE):
            raise LeaseLost(str(self.job.pk))
        if own.filter(cancel_requested=True).exists():
            raise Cancelled(str(self.job.pk))


@background_task()
def run_job(job_id: str) -> str:
    """Run a job in a worker; returns its final state."""
    holder = secrets.token_hex(16)
    if not _begin(job_id, holder):
        return "not runnable"  # cancelled, finished, or another worker has it
    job = Job.objects.get(pk=job_id)
    if job.attempts > Job.MOST_ATTEMPTS:
        return _end(job, holder, Job.State.FAILED, error=WORKER_DIED_MESSAGE)
    try:
        with _heartbeat(job, holder):
            result = HANDLERS[job.kind](job, JobProgress(job, holder))
    except Cancelled:
        return _end(job, holder, Job.State.CANCELLED)
    except LeaseLost:
        return "lease lost"
    except InputError as error:
        return _fail(job, holder, *error.problems)
    except Exception as error:  # the worker must survive, and the owner must see that the job failed
        if isinstance(error, ImportError) and (problem := explain_missing_package(error)):
            return _fail(job, holder, problem)
        logger.exception("job %s failed", job.pk)
        return _end(job, holder, Job.State.FAILED, error=UNEXPECTED_ERROR_MESSAGE)
    return _end(job, holder, Job.State.DONE, result=result)


def _fail(job: Job, holder: str, *problems: Problem) -> str:
    result = {"problems": [problem.as_dict() for problem in problems]}
    return _end(job, holder, Job.State.FAILED, error="\n".join(map(str, problems)), result=result)


def _begin(job_id: str, holder: str) -> bool:
    now = timezone.now()
    return bool(
        Job.objects.filter(pk=job_id)
        .runnable()
        .update(
            state=Job.State.RUNNING,
            lease_holder=holder,
            lease_until=now + LEASE,
            started_at=now,
            attempts=F("attempts") + 1,
        )
    )


def _end(job: Job, holder: str, state: Job.State, *, error: str = "", result: Result | None = None) -> str:
    ended = Job.objects.filter(pk=job.pk, lease_holder=holder, state=Job.State.RUNNING).update(
        state=state, error=error, result=result, finished_at=timezone.now(), lease_until=None
    )
    return str(state) if ended else "lease lost"


@contextmanager
def _heartbeat(job: Job, holder: str) -> Iterator[None]:
    """Renew the lease from a second thread, because a long computation reports no progress."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(HEARTBEAT_SECONDS):
            try:
                close_old_connections()
                Job.objects.filter(pk=job.pk, lease_holder=holder, state=Job.State.RUNNING).update(
                    lease_until=timezone.now() + LEASE
                )
            except (OperationalError, InterfaceError) as error:  # a lease outlasts two failed renewals
                logger.warning("job %s cannot renew its lease: %s", job.pk, error)
        connection.close()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def describe_state(job: Job) -> dict[str, object]:
    """Return the JSON values that a page asks for while it waits for a job."""
    message = localize_message(job.message)
    return {"state": job.state, "done": job.done, "total": job.total, "message": message}


def localize_message(text: str) -> str:
    """Translate the message of a job; of ``bleu: phrase pairs`` only the second part.

    >>> localize_message("bleu: phrase pairs"), localize_message("")
    ('bleu: phrase pairs', '')
    """
    name, colon, what = text.partition(": ")
    if colon:
        return f"{name}: {gettext(what)}"
    return gettext(text) if text else ""
