"""The database as it is at one moment, for reports whose parts must fit together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection as site
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper


@contextmanager
def one_moment(connection: BaseDatabaseWrapper = site) -> Iterator[None]:
    """Within the block, every query sees the same state of the database, whatever people answer meanwhile.
    For reading only.

    Within a transaction that has begun already, it decides what is seen.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(connection.alias):
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        # Not ``atomic``: on SQLite our transactions join the queue of writers, and all answers would wait.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
