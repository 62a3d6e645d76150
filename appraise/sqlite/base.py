"""Django's SQLite backend, whose writers wait in line (``queue.py``) instead of polling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from appraise.sqlite.queue import Queue, queue_of

WRITES = frozenset(["INSERT", "UPDATE", "DELETE", "REPLAC"])
IMPATIENT = 5.0  # seconds; the default time-out of the sqlite3 module
REMEMBERED = 4_000  # characters; longer statements write many rows at once and are seldom repeated


class DatabaseWrapper(base.DatabaseWrapper):
    """A transaction (all of ours write) holds its place in the queue from beginning to end.

    A commit that fails keeps its place for the rollback that Django makes of it. (The stubs do not know what
    Django's wrappers override.)
    """

    _place: Queue | None = None

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        cursor.wrapper = self
        return cursor

    @contextmanager
    def in_line(self) -> Iterator[None]:
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
        queue = queue_of(str(self.settings_dict["NAME"]))
        if not queue.join(self.settings_dict["OPTIONS"].get("timeout", IMPATIENT)):
            raise OperationalError("database is locked")
        self._place = queue

    def _leave(self) -> None:
        place, self._place = self._place, None
        if place is not None:
            place.leave()


class Cursor(base.SQLiteCursorWrapper):
    """A statement that writes outside of a transaction is a transaction of its own."""

    wrapper: DatabaseWrapper

    def execute(self, query: str, params: Any = None) -> Any:  # Any: as in Django's own
        if self._writes_alone(query):
            with self.wrapper.in_line():
                return super().execute(query, params)
        return super().execute(query, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        if self._writes_alone(query):
            with self.wrapper.in_line():
                return super().executemany(query, param_list)
        return super().executemany(query, param_list)

    def convert_query(self, query: str, *, param_names: Sequence[str] | None = None) -> str:
        if param_names is None and len(query) < REMEMBERED:
            return _with_question_marks(query)
        return str(super().convert_query(query, param_names=param_names))

    def _writes_alone(self, query: str) -> bool:
        return query[:6] in WRITES and not self.connection.in_transaction


@lru_cache(maxsize=512)
def _with_question_marks(query: str) -> str:
    """A statement as SQLite reads it; cached, because Django converts it on each use, at half the cost of
    running it."""
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")
