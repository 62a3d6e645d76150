"""The background worker: the queue's own, plus a watch over abandoned jobs and over running tasks."""

from __future__ import annotations

import threading
from typing import Any

from django.db import InterfaceError, OperationalError, close_old_connections, connection
from django_tasks_db.management.commands.db_worker import Command as QueueWorker

from appraise.commands import Command as AppraiseCommand
from evaluation.jobs import LEASE, logger, requeue_abandoned
from evaluation.services.steering import steer


class Command(AppraiseCommand, QueueWorker):
    help = "Run background jobs; take over those whose worker has died."
    examples = ("worker",)
    patient = True

    def handle(self, *args: Any, **options: Any) -> None:  # Any: the queue's own signature
        over = threading.Event()
        watch = threading.Thread(target=self.watch, args=(over,), daemon=True)
        watch.start()
        try:
            super().handle(*args, **options)
        finally:
            over.set()
            watch.join()

    def watch(self, over: threading.Event) -> None:
        while True:
            try:
                close_old_connections()
                requeue_abandoned()
                steer()
            except (OperationalError, InterfaceError) as error:  # a busy or restarting database
                logger.warning("cannot look after jobs and tasks: %s", error)
            except Exception:  # an error in one task must not end the watch over all jobs
                logger.exception("cannot look after jobs and tasks")
            if over.wait(LEASE.total_seconds() / 2):
                connection.close()
                return
