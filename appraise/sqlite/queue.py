"""A queue for the writers of a database file, across all processes of this machine.

SQLite allows one writer at a time. A writer that finds the file locked sleeps, ever longer (up to a tenth of
a second), and tries again: meanwhile the lock lies idle, and the one that has waited longest tries least
often. Here a writer waits for a kernel lock, which wakes it at once. Only our own processes take part;
SQLite's lock still protects the file, also against other programs (``docs/decisions/008``).
"""

from __future__ import annotations

import contextlib
import os
import threading
from functools import cache

try:
    import fcntl
except ImportError:  # where there is no such lock, threads of one process still wait in line
    fcntl = None  # type: ignore[assignment]


class Queue:
    """The queue for one file; the threads of this process first agree which of them waits in it."""

    def __init__(self, database: str) -> None:
        self.path = f"{database}-queue"
        self._turn = threading.Lock()
        self._file: int | None = None

    def join(self, patience: float) -> bool:
        """Wait for a turn; returns whether it came within ``patience`` seconds."""
        if not self._turn.acquire(timeout=patience):
            return False
        self._lock("LOCK_EX")
        return True

    def leave(self) -> None:
        """Let the next one in."""
        self._lock("LOCK_UN")
        self._turn.release()

    def _lock(self, operation: str) -> None:
        # On a full disk or in a read-only folder there is no queue, only SQLite's own lock.
        with contextlib.suppress(OSError):
            if fcntl is not None:
                if self._file is None:
                    self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
                fcntl.flock(self._file, getattr(fcntl, operation))


@cache
def queue_of(database: str) -> Queue:
    """The queue for this file, one per process."""
    return Queue(database)


# A forked process would share its parent's place in the line.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=queue_of.cache_clear)
