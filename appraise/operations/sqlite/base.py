"""Django's SQLite backend with a queue for the writers of a database file.

SQLite allows one writer at a time. A writer that finds the file locked sleeps for increasing times (up to a
tenth of a second) and tries again: meanwhile the lock is idle, and whoever has waited longest tries least
often. Here a writer waits for a kernel lock on a second file, which wakes it immediately, across all
processes of this machine. Only our own processes take part; SQLite's lock still protects the database, also
against other programs (``docs/decisions/008``).
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from functools import cache
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

try:
    import fcntl
except ImportError:  # without kernel locks, only the threads of one process queue
    fcntl = None  # type: ignore[assignment]

WRITES = frozenset(["INSERT", "UPDATE", "DELETE", "REPLAC"])
DEFAULT_TIMEOUT = 5.0  # seconds; that of the sqlite3 module


class WriterQueue:
    """The queue for one file; only one thread of this process at a time waits for the kernel lock."""

    def __init__(self, database: str) -> None:
        self.path = f"{database}-queue"
        self._turn = threading.Lock()
        self._file: int | None = None

    def join(self, timeout: float) -> bool:
        """Wait for a place; returns whether it came within ``timeout`` seconds."""
        if not self._turn.acquire(timeout=timeout):
            return False
        self._lock("LOCK_EX")
        return True

    def leave(self) -> None:
        """Leave the queue to the next writer."""
        self._lock("LOCK_UN")
        self._turn.release()

    def _lock(self, operation: str) -> None:
        # Without a lock file (full disk, read-only folder) only SQLite's own lock protects the database.
        with contextlib.suppress(OSError):
            if fcntl is not None:
                if self._file is None:
                    self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
                fcntl.flock(self._file, getattr(fcntl, operation))


@cache
def writer_queue(database: str) -> WriterQueue:
    """The queue for this file, one per process."""
    return WriterQueue(database)


# A forked process would share the place of its parent in the queue.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=writer_queue.cache_clear)


class DatabaseWrapper(base.DatabaseWrapper):
    """A transaction holds its place in the queue from beginning to end, because all of ours write.

    A commit that fails keeps its place until Django rolls back. (The stubs do not know the methods that
    Django's wrappers override.)
    """

    _place: WriterQueue | None = None

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        cursor.wrapper = self
        return cursor

    @contextlib.contextmanager
    def hold_place(self) -> Iterator[None]:
        self._join()
        try:
            yield
        finally:
            self._leave()

    def _start_transaction_under_autocommit(self) -> None:
        self._join()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._leave()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._leave()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._leave()

    def _join(self) -> None:
        if self._place is not None or self.is_in_memory_db():
            return
        queue = writer_queue(str(self.settings_dict["NAME"]))
        if not queue.join(self.settings_dict["OPTIONS"].get("timeout", DEFAULT_TIMEOUT)):
            raise OperationalError("database is locked")
        self._place = queue

    def _leave(self) -> None:
        place, self._place = self._place, None
        if place is not None:
            place.leave()


class Cursor(base.SQLiteCursorWrapper):
    """Queues statements that write outside of a transaction, each a transaction of its own."""

    wrapper: DatabaseWrapper

    def execute(self, query: str, params: Any = None) -> Any:  # Any: as in Django's own
        with self._hold_place(query):
            return super().execute(query, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        with self._hold_place(query):
            return super().executemany(query, param_list)

    def _hold_place(self, query: str) -> contextlib.AbstractContextManager[None]:
        writes_alone = query[:6] in WRITES and not self.connection.in_transaction
        return self.wrapper.hold_place() if writes_alone else contextlib.nullcontext()
