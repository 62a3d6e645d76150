"""``migrate``, with each migration and the record that it was applied in one transaction.

Where indexes or references are created at the end, Django records a migration only after committing it. If
the process is killed in between, the next attempt fails with “already exists”.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState

from appraise.commands import unreachable, without_pool


class WholeSteps(MigrationExecutor):
    def apply_migration(self, state: ProjectState, migration: Migration, *args: Any, **options: Any) -> Any:
        with one_transaction(self.connection, migration):
            return super().apply_migration(state, migration, *args, **options)

    def unapply_migration(self, state: ProjectState, migration: Migration, *args: Any, **options: Any) -> Any:
        with one_transaction(self.connection, migration):
            return super().unapply_migration(state, migration, *args, **options)


@contextmanager
def one_transaction(connection: BaseDatabaseWrapper, migration: Migration) -> Iterator[None]:
    if not migration.atomic or not connection.features.can_rollback_ddl:
        yield
        return
    # SQLite stops checking references outside of transactions only, and its schema editor insists on it.
    unchecked = connection.constraint_checks_disabled() if connection.vendor == "sqlite" else nullcontext()
    with unchecked, transaction.atomic(connection.alias):
        yield


class Command(migrate.Command):
    def run_from_argv(self, argv: list[str]) -> None:
        without_pool()
        super().run_from_argv(argv)

    def execute(self, *args: Any, **options: Any) -> str | None:  # Any: Django's own signature
        try:
            return super().execute(*args, **options)
        except OperationalError as error:
            if connection.connection is None:
                raise CommandError(str(unreachable(error)), returncode=2) from error
            raise

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        # The command takes its executor from its module; there is no other way to replace it.
        vars(migrate)["MigrationExecutor"] = WholeSteps
        super().handle(*args, **options)
