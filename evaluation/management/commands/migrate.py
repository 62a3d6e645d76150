"""``migrate``, with each migration and the record that it was applied in one transaction.

Where indexes or references are created at the end, Django records a migration only after committing it. If
the process is killed in between, the next attempt fails with “already exists”.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from django.core.management.commands import migrate
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState

from appraise.commands import Reaching


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


class Command(Reaching, migrate.Command):
    needs_tables = False  # it makes them

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        # The command takes its executor from its module; there is no other way to replace it.
        vars(migrate)["MigrationExecutor"] = WholeSteps
        super().handle(*args, **options)
