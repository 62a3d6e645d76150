"""Writers of SQLite wait in line, and nobody keeps a place that is no longer needed."""

from __future__ import annotations

import fcntl
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol

import pytest
from django.db import IntegrityError, OperationalError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler

from appraise.operations.sqlite.base import WriterQueue, writer_queue

STAYS = """
import sys, time
from appraise.operations.sqlite.base import WriterQueue
WriterQueue(sys.argv[1]).join(1)
print("in", flush=True)
time.sleep(600)
"""


class Blocker(Protocol):
    def unblock(self) -> AbstractContextManager[None]: ...


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "site.sqlite3")


@pytest.fixture
def handler(
    path: str, django_db_blocker: Blocker, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ConnectionHandler]:
    """Two connections of one process to a database of its own, with a table in it."""
    options = {"transaction_mode": "IMMEDIATE", "timeout": 0.05, "init_command": "PRAGMA journal_mode=WAL"}
    database = {"ENGINE": "appraise.operations.sqlite", "NAME": path, "OPTIONS": options}
    handler = ConnectionHandler({"default": dict(database), "other": dict(database)})
    monkeypatch.setattr(transaction, "connections", handler)
    with django_db_blocker.unblock():
        run(handler["default"], "CREATE TABLE answer (choice TEXT NOT NULL UNIQUE)")
        yield handler
        handler.close_all()


def run(connection: BaseDatabaseWrapper, sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def is_free(path: str) -> bool:
    """Whether somebody who came now would be let in."""
    with open(f"{path}-queue") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_a_transaction_stands_in_line_until_its_end(handler: ConnectionHandler, path: str) -> None:
    with transaction.atomic():
        assert not is_free(path)
        with transaction.atomic():  # a savepoint
            run(handler["default"], "INSERT INTO answer VALUES ('A>B')")
        assert not is_free(path)
    assert is_free(path)


def test_a_transaction_that_fails_lets_the_next_one_in(handler: ConnectionHandler, path: str) -> None:
    run(handler["default"], "INSERT INTO answer VALUES ('A>B')")
    with pytest.raises(IntegrityError), transaction.atomic():
        run(handler["default"], "INSERT INTO answer VALUES ('A>B')")
    assert is_free(path)


def test_a_connection_closed_in_a_transaction_lets_the_next_one_in(
    handler: ConnectionHandler, path: str
) -> None:
    with transaction.atomic():
        handler["default"].close()
        assert is_free(path)


def test_a_statement_by_itself_stands_in_line(
    handler: ConnectionHandler, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined: list[str] = []
    join = WriterQueue.join

    def noted(self: WriterQueue, patience: float) -> bool:
        joined.append("writer")
        return join(self, patience)

    monkeypatch.setattr(WriterQueue, "join", noted)
    run(handler["default"], "SELECT * FROM answer")
    assert joined == []
    run(handler["default"], "INSERT INTO answer VALUES ('A>B')")
    assert joined == ["writer"]
    assert is_free(path)


def test_who_waits_too_long_is_told_that_the_database_is_locked(handler: ConnectionHandler) -> None:
    with transaction.atomic():
        with pytest.raises(OperationalError, match="locked"):
            run(handler["other"], "INSERT INTO answer VALUES ('A>B')")
        with pytest.raises(OperationalError, match="locked"), transaction.atomic("other"):
            pass
    run(handler["other"], "INSERT INTO answer VALUES ('A>B')")


def test_a_begin_that_sqlite_refuses_gives_its_place_back(handler: ConnectionHandler, path: str) -> None:
    stranger = sqlite3.connect(path, isolation_level=None)  # stands in no line
    stranger.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="locked"), transaction.atomic():
        pass
    assert is_free(path)
    stranger.close()
    with transaction.atomic():
        pass


def test_a_killed_writer_leaves_the_line(path: str) -> None:
    with subprocess.Popen([sys.executable, "-c", STAYS, path], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"in\n"
        assert not is_free(path)
        writer.kill()
    assert is_free(path)


def test_a_forked_process_has_a_line_of_its_own(path: str) -> None:
    queue = writer_queue(path)
    assert queue.join(1)
    try:
        with get_context("fork").Pool(1) as pool:
            assert pool.apply(_another_queue, (path, id(queue)))
    finally:
        queue.leave()


def _another_queue(path: str, parents: int) -> bool:
    return id(writer_queue(path)) != parents and not writer_queue(path)._turn.locked()


def test_where_no_line_can_be_made_sqlite_guards_alone(tmp_path: Path) -> None:
    queue = WriterQueue(str(tmp_path / "no such folder" / "site.sqlite3"))
    assert queue.join(1)
    queue.leave()
    assert queue.join(1)
    queue.leave()


@pytest.mark.parametrize("tail", ["", f"/* {'long ' * 1_000}*/"])
def test_a_statement_means_the_same_each_time(handler: ConnectionHandler, tail: str) -> None:
    """Its places for values are written for SQLite once; a per cent sign stays one."""
    statement = f"SELECT %s || '%%s', %s {tail}"
    with handler["default"].cursor() as cursor:
        for given in (("100%", 1), ("?", 2), ("100%", 1)):
            cursor.execute(statement, given)
            assert cursor.fetchone() == (f"{given[0]}%s", given[1])
        cursor.execute("SELECT %(one)s || '%%'", {"one": "a"})
        assert cursor.fetchone() == ("a%",)
