"""What is read at one moment fits together, and nobody waits for the reader."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler

from evaluation.reports.cache import snapshot

Two = tuple[BaseDatabaseWrapper, BaseDatabaseWrapper]


@pytest.fixture
def two(transactional_db: None) -> Iterator[Two]:
    """A reader and a writer of one table."""
    writer = ConnectionHandler({"default": dict(connection.settings_dict)})["default"]
    run(writer, "CREATE TABLE said (n integer)")
    try:
        yield connection, writer
    finally:
        run(writer, "DROP TABLE said")
        writer.close()


def run(database: BaseDatabaseWrapper, sql: str) -> None:
    with database.cursor() as cursor:
        cursor.execute(sql)


def count(database: BaseDatabaseWrapper) -> int:
    with database.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM said")
        return int(cursor.fetchone()[0])


def test_a_reader_sees_one_moment_and_keeps_no_writer_waiting(two: Two) -> None:
    reader, writer = two
    with snapshot(reader):
        assert count(reader) == 0
        run(writer, "INSERT INTO said VALUES (1)")
        assert (count(reader), count(writer)) == (0, 1)
    assert count(reader) == 1
