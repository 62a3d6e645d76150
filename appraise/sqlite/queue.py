"""Writers of a database file wait in line, in every process of this machine.

SQLite has one writer at a time. Whoever finds it busy sleeps, ever longer (up to a tenth of a second), and
asks again: the lock lies idle meanwhile, and who has waited longest asks least often. Here a writer waits
for a lock of the kernel's, which wakes it at once. This is a courtesy among our own processes: SQLite still
guards the file, also against everybody who does not stand in this line (``docs/decisions/008``).
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
    """The line before one file; threads of this process first agree who of them stands in it."""

    def __init__(self, database: str) -> None:
        self.path = f"{database}-queue"
        self._turn = threading.Lock()
        self._file: int | None = None

    def join(self, patience: float) -> bool:
        """Wait for one's turn; whether it came within ``patience`` seconds."""
        if not self._turn.acquire(timeout=patience):
            return False
        self._lock("LOCK_EX")
        return True

    def leave(self) -> None:
        """Let the next one in."""
        self._lock("LOCK_UN")
        self._turn.release()

    def _lock(self, operation: str) -> None:
        # A full disk or a folder that cannot be written: no line, but SQLite's own lock, as ever.
        with contextlib.suppress(OSError):
            if fcntl is not None:
                if self._file is None:
                    self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
                fcntl.flock(self._file, getattr(fcntl, operation))


@cache
def queue_of(database: str) -> Queue:
    """The one queue of this process before that file."""
    return Queue(database)


# A forked process would share its parent's place in the line.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=queue_of.cache_clear)
