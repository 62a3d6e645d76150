"""Back up an SQLite database while people keep writing, and restore it.

SQLite's own backup interface reads one consistent state, whatever is committed meanwhile. Copying the file
does not: the newest commits may exist only in the write-ahead log. Restoring uses the same interface, so the
database is replaced in one transaction, all of it or nothing, even under a running server.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from appraise.operations.fingerprints import Fingerprint
from appraise.operations.manifest import Tables
from evaluation.problems import InputError, Problem


def snapshot(database: Path, target: Path) -> None:
    """Write the committed state of ``database`` to the new file ``target``.

    All pages in one step: in smaller steps SQLite starts over after each commit by another process, and on a
    busy site it would never finish. Writers do not wait for it.
    """
    with closing(_connect(database)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy, pages=-1)
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, nothing beside it


def check(file: Path) -> Tables:
    """Rows and fingerprint of every table; raises ``InputError`` where SQLite finds the file damaged."""
    with closing(_connect(file)) as connection:
        try:
            found = connection.execute("PRAGMA integrity_check(5)").fetchall()
            strangers = connection.execute("PRAGMA foreign_key_check").fetchmany(5)
            if found != [("ok",)] or strangers:
                raise InputError(_damage(file, f"integrity {found}, foreign keys {strangers}"))
            return {name: _fingerprint(connection, name).as_dict() for name in _tables(connection)}
        except sqlite3.DatabaseError as error:
            raise InputError(_damage(file, str(error))) from error


def load(file: Path, database: Path) -> None:
    """Replace the content of ``database`` by that of ``file``, in one transaction."""
    with closing(_connect(file)) as source, closing(sqlite3.connect(database, timeout=20)) as target:
        target.execute("PRAGMA synchronous=FULL")
        source.backup(target, pages=-1)
        target.execute("PRAGMA journal_mode=WAL")


def _connect(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise InputError(Problem("no_database", "there is no such file", "check the path", str(path)))
    return sqlite3.connect(path, timeout=20)


def _tables(connection: sqlite3.Connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    return [name for (name,) in connection.execute(query)]


def _fingerprint(connection: sqlite3.Connection, table: str) -> Fingerprint:
    fingerprint = Fingerprint()
    quoted = '"' + table.replace('"', '""') + '"'
    for row in connection.execute(f"SELECT * FROM {quoted}"):
        fingerprint.add(json.dumps(row, ensure_ascii=False, default=bytes.hex).encode())
    return fingerprint


def _damage(file: Path, what: str) -> Problem:
    return Problem("damaged_database", what, "use another backup", str(file))
