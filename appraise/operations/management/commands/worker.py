"""The background worker: that of the queue, plus a thread that requeues abandoned jobs and checks tasks."""

from __future__ import annotations

import threading
from typing import Any

from django.db import InterfaceError, OperationalError, close_old_connections, connection
from django_tasks_db.management.commands.db_worker import Command as QueueWorker

from evaluation.jobs import LEASE, logger, requeue_abandoned
from evaluation.management.base import AppraiseCommand
from evaluation.reports import report_job
from evaluation.reports.stopping import update_running_tasks
from evaluation.tasks import check_job
from evaluation.tasks.services import import_job, later_comparisons, passages, question_regrouping
from evaluation.tasks.services.campaigns import apply_schedule

# The worker finds the handler of a job by its kind, so the modules that register handlers must be loaded.
HANDLER_MODULES = (check_job, import_job, later_comparisons, passages, question_regrouping, report_job)


class Command(AppraiseCommand, QueueWorker):
    help = "Run background jobs, including those whose worker has died."
    examples = ("worker",)
    is_service = True

    def handle(self, *args: Any, **options: Any) -> None:  # Any: the queue's own signature
        stop = threading.Event()
        watch = threading.Thread(target=self.watch, args=(stop,), daemon=True)
        watch.start()
        try:
            super().handle(*args, **options)
        finally:
            stop.set()
            watch.join()

    def watch(self, stop: threading.Event) -> None:
        while True:
            try:
                close_old_connections()
                requeue_abandoned()
                apply_schedule()
                update_running_tasks()
            except (OperationalError, InterfaceError) as error:  # a busy or restarting database
                logger.warning("cannot requeue jobs or update stopping results: %s", error)
            except Exception:  # an error in one task must not end this thread
                logger.exception("cannot requeue jobs or update stopping results")
            if stop.wait(LEASE.total_seconds() / 2):
                connection.close()
                return
