"""Copies of a database while people keep writing: dump, check and load, for SQLite and PostgreSQL.

SQLite's backup interface reads one consistent state, whatever is committed meanwhile; copying the file does
not, because the newest commits may exist only in the write-ahead log. Loading uses the same interface, so the
database is replaced in one transaction, even under a running server.

PostgreSQL tables are read by ``COPY`` in one read-only transaction that sees one state, and stored as
gzipped text, one row a line. Loading recreates the schema of the dump with our own migrations, fills the
tables, reads them again and compares them, all in one transaction: a dump that does not fit changes nothing.
``pg_dump`` is not used, because it is not a Python package, refuses a server newer than itself (Debian 12
has 15, and ``deploy/compose.yaml`` runs 16), and rows and migrations would have to be compared all the same.

A fingerprint does not depend on the order of rows, because two databases sort text differently: it is the sum
of the SHA-256 of every row modulo 2²⁵⁶. It detects accidents, but not deliberate forgery.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from django.apps import apps
from django.core.management.color import no_style
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from appraise.lib.problems import InputError, Problem

FOLDER = "tables"
OWN_TABLES = {"django_migrations"}  # filled by the migrations themselves
MODULUS = 1 << 256
_CHUNK = 1 << 20

Tables = dict[str, dict[str, object]]
"""The number of rows and the fingerprint of each table."""


def count_rows(tables: Tables) -> int:
    return sum(int(str(table["rows"])) for table in tables.values())


@dataclass(slots=True)
class Fingerprint:
    """The number of rows, and the sum of their digests.

    >>> first, second = Fingerprint.of([b"a", b"b"]), Fingerprint.of([b"b", b"a"])
    >>> first == second
    True
    """

    rows: int = 0
    total: int = 0

    @classmethod
    def of(cls, rows: Iterable[bytes]) -> Fingerprint:
        fingerprint = cls()
        for row in rows:
            fingerprint.add(row)
        return fingerprint

    def add(self, row: bytes) -> None:
        self.rows += 1
        self.total = (self.total + int.from_bytes(hashlib.sha256(row).digest(), "big")) % MODULUS

    def as_dict(self) -> dict[str, object]:
        return {"rows": self.rows, "fingerprint": f"{self.total:064x}"}


def dump_sqlite(database: Path, target: Path) -> None:
    """Write the committed state of ``database`` to the new file ``target``.

    All pages in one step: in smaller steps SQLite starts over after each commit by another process, and would
    never finish on a busy site. Writers do not wait for it.
    """
    with closing(_connect(database)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy, pages=-1)
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it


def check_sqlite(file: Path) -> Tables:
    """Rows and fingerprint of every table; raises ``InputError`` if SQLite finds damage."""
    with closing(_connect(file)) as connection:
        try:
            integrity = connection.execute("PRAGMA integrity_check(5)").fetchall()
            dangling = connection.execute("PRAGMA foreign_key_check").fetchmany(5)
            if integrity != [("ok",)] or dangling:
                message = f"integrity {integrity}, foreign keys {dangling}"
                raise InputError.of("damaged_database", message, "use another backup", str(file))
            tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            names = [name for (name,) in connection.execute(f"{tables} ORDER BY name")]
            return {name: Fingerprint.of(_sqlite_rows(connection, name)).as_dict() for name in names}
        except sqlite3.DatabaseError as error:
            raise InputError.of("damaged_database", str(error), "use another backup", str(file)) from error


def load_sqlite(file: Path, database: Path) -> None:
    """Replace the content of ``database`` by that of ``file``, in one transaction."""
    with closing(_connect(file)) as source, closing(sqlite3.connect(database, timeout=20)) as target:
        target.execute("PRAGMA synchronous=FULL")
        source.backup(target, pages=-1)
        target.execute("PRAGMA journal_mode=WAL")


def _connect(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise InputError.of("no_database", "there is no such file", "check the path", str(path))
    return sqlite3.connect(path, timeout=20)


def _sqlite_rows(connection: sqlite3.Connection, table: str) -> Iterator[bytes]:
    for row in connection.execute(f"SELECT * FROM {_quote(table)}"):
        yield json.dumps(row, ensure_ascii=False, default=bytes.hex).encode()


def dump_postgres(connection: BaseDatabaseWrapper, folder: Path) -> Tables:
    """Write every table to ``folder/tables``; returns their rows and fingerprints."""
    (folder / FOLDER).mkdir()
    with transaction.atomic(connection.alias):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL TIME ZONE 'UTC'")
        names = sorted(set(connection.introspection.table_names()) - OWN_TABLES)
        return {name: _dump_table(connection, name, folder) for name in names}


def load_postgres(
    connection: BaseDatabaseWrapper, folder: Path, migrations: Iterable[Iterable[str]], tables: Tables
) -> None:
    """Recreate the tables at these migrations and fill them; all or nothing."""
    with transaction.atomic(connection.alias):
        with connection.cursor() as cursor:
            for name in connection.introspection.table_names():
                cursor.execute(f"DROP TABLE {_quote(name)} CASCADE")
        migrate_to(connection, migrations)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL TIME ZONE 'UTC'")
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # checks that the migrations may have deferred
            cursor.execute(f"TRUNCATE {', '.join(map(_quote, tables))}")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for name in tables:
            _fill_table(connection, name, folder)
        problems = [
            Problem("damaged_backup", f"{name} differs after loading", "use another backup", str(folder))
            for name, state in tables.items()
            if Fingerprint.of(_postgres_rows(connection, name)).as_dict() != state
        ]
        if problems:
            raise InputError(problems)
        reset_sequences(connection)


def migrate_to(connection: BaseDatabaseWrapper, migrations: Iterable[Iterable[str]]) -> None:
    """Bring an empty database to the schema that consists of exactly these migrations."""
    executor = MigrationExecutor(connection)
    wanted = {(app, name) for app, name in migrations}
    if unknown := sorted(wanted - set(executor.loader.graph.nodes)):
        names = ", ".join(f"{app} {name}" for app, name in unknown)
        raise InputError.of("newer_backup", f"unknown migrations: {names}", "install the newer Appraise")
    parents = {parent.key for key in wanted for parent in executor.loader.graph.node_map[key].parents}
    executor.migrate(sorted(wanted - parents))


def reset_sequences(connection: BaseDatabaseWrapper) -> None:
    """Let the sequence of each table continue after its highest number."""
    known = set(connection.introspection.table_names())
    models = [model for model in apps.get_models(include_auto_created=True) if model._meta.db_table in known]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


def _dump_table(connection: BaseDatabaseWrapper, table: str, folder: Path) -> dict[str, object]:
    fingerprint = Fingerprint()
    columns = ",".join(_columns(connection, table))
    with gzip.open(_table_file(folder, table), "wb", compresslevel=6) as file:
        file.write(columns.encode() + b"\n")
        for row in _postgres_rows(connection, table):
            fingerprint.add(row)
            file.write(row + b"\n")
    return fingerprint.as_dict()


def _postgres_rows(connection: BaseDatabaseWrapper, table: str) -> Iterator[bytes]:
    """The rows as ``COPY`` writes them; a line break inside a value is escaped, so a line is a row."""
    columns = ", ".join(map(_quote, _columns(connection, table)))
    rest = b""
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {_quote(table)} ({columns}) TO STDOUT") as copy,
    ):
        for block in copy:
            *lines, rest = (rest + bytes(block)).split(b"\n")
            yield from lines


def _fill_table(connection: BaseDatabaseWrapper, table: str, folder: Path) -> None:
    path = _table_file(folder, table)
    try:
        with gzip.open(path, "rb") as file:
            columns = ", ".join(_quote(name) for name in file.readline().decode().strip().split(","))
            statement = f"COPY {_quote(table)} ({columns}) FROM STDIN"
            with connection.cursor() as cursor, cursor.copy(statement) as copy:
                while block := file.read(_CHUNK):
                    copy.write(block)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError.of("damaged_backup", str(error), "use another backup", str(path)) from error


def _columns(connection: BaseDatabaseWrapper, table: str) -> list[str]:
    """Sorted by name, because the order of columns depends on how a database was migrated."""
    with connection.cursor() as cursor:
        return sorted(column.name for column in connection.introspection.get_table_description(cursor, table))


def _table_file(folder: Path, table: str) -> Path:
    return folder / FOLDER / f"{table}.copy.gz"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
