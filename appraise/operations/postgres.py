"""Back up a PostgreSQL database while people keep writing, and restore it; needs no other tool.

Every table is read by ``COPY`` in one read-only transaction that sees one state. The files hold PostgreSQL's
own text form, one row a line, gzipped. To restore, our own migrations make the tables as they were at the
time of the backup; these are filled, read again and compared, all in one transaction: a backup that does not
fit changes nothing.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.apps import apps
from django.core.management.color import no_style
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from appraise.operations.fingerprints import Fingerprint
from appraise.operations.manifest import Manifest, Tables
from evaluation.problems import InputError, Problem

FOLDER = "tables"
# Written by the migrations themselves, so not part of a backup.
OWN = {"django_migrations"}
_CHUNK = 1 << 20


def dump(connection: BaseDatabaseWrapper, folder: Path) -> Tables:
    """Write every table to ``folder/tables``; returns their row counts and fingerprints."""
    (folder / FOLDER).mkdir()
    with transaction.atomic(connection.alias):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL TIME ZONE 'UTC'")
        return {name: _write(connection, name, folder) for name in tables(connection)}


def load(connection: BaseDatabaseWrapper, folder: Path, manifest: Manifest) -> None:
    """Recreate the tables and fill them; all or nothing."""
    with transaction.atomic(connection.alias):
        _drop_everything(connection)
        migrate_to(connection, manifest.migrations)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL TIME ZONE 'UTC'")
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # migrations may have left something to check
            cursor.execute(f"TRUNCATE {', '.join(map(_quoted, manifest.tables))}")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for name in manifest.tables:
            _fill(connection, name, folder)
        problems = [
            Problem("damaged_backup", f"{name} differs after loading", "use another backup", str(folder))
            for name, state in manifest.tables.items()
            if _fingerprint(connection, name).as_dict() != state
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
        raise InputError(
            Problem("newer_backup", f"unknown migrations: {names}", "install the newer Appraise")
        )
    parents = {parent.key for key in wanted for parent in executor.loader.graph.node_map[key].parents}
    executor.migrate(sorted(wanted - parents))


def tables(connection: BaseDatabaseWrapper) -> list[str]:
    return sorted(set(connection.introspection.table_names()) - OWN)


def reset_sequences(connection: BaseDatabaseWrapper) -> None:
    """The next row of each table gets a number that is free."""
    known = set(connection.introspection.table_names())
    models = [model for model in apps.get_models(include_auto_created=True) if model._meta.db_table in known]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


def _write(connection: BaseDatabaseWrapper, table: str, folder: Path) -> dict[str, object]:
    fingerprint = Fingerprint()
    columns = ",".join(_columns(connection, table))
    with gzip.open(_path(folder, table), "wb", compresslevel=6) as file:
        file.write(columns.encode() + b"\n")
        for row in _rows(connection, table):
            fingerprint.add(row)
            file.write(row + b"\n")
    return fingerprint.as_dict()


def _fingerprint(connection: BaseDatabaseWrapper, table: str) -> Fingerprint:
    fingerprint = Fingerprint()
    for row in _rows(connection, table):
        fingerprint.add(row)
    return fingerprint


def _rows(connection: BaseDatabaseWrapper, table: str) -> Iterator[bytes]:
    """The rows as ``COPY`` writes them; a line break inside a value is escaped, so a line is a row."""
    columns = ", ".join(map(_quoted, _columns(connection, table)))
    rest = b""
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {_quoted(table)} ({columns}) TO STDOUT") as copy,
    ):
        for block in copy:
            *lines, rest = (rest + bytes(block)).split(b"\n")
            yield from lines


def _fill(connection: BaseDatabaseWrapper, table: str, folder: Path) -> None:
    path = _path(folder, table)
    try:
        with gzip.open(path, "rb") as file:
            columns = ", ".join(_quoted(name) for name in file.readline().decode().strip().split(","))
            statement = f"COPY {_quoted(table)} ({columns}) FROM STDIN"
            with connection.cursor() as cursor, cursor.copy(statement) as copy:
                while block := file.read(_CHUNK):
                    copy.write(block)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(Problem("damaged_backup", str(error), "use another backup", str(path))) from error


def _columns(connection: BaseDatabaseWrapper, table: str) -> list[str]:
    """Sorted by name: the order of columns depends on how a database was migrated."""
    with connection.cursor() as cursor:
        return sorted(column.name for column in connection.introspection.get_table_description(cursor, table))


def _drop_everything(connection: BaseDatabaseWrapper) -> None:
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names():
            cursor.execute(f"DROP TABLE {_quoted(name)} CASCADE")


def _path(folder: Path, table: str) -> Path:
    return folder / FOLDER / f"{table}.copy.gz"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
