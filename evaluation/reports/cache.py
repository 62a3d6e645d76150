"""Cached results of reports, and consistent snapshots of the database.

A result is cached until a new answer arrives, which the ids of the newest ranking and of the newest answer
about a sentence show (index lookups).
While transactions overlap, ids can become visible out of order. Therefore, a result that was computed within
a minute of the newest answer is computed once more after that minute. The cache is in the memory of each
process; the least recently used entries are dropped first.

What would take a web thread too long is computed by a job (``report_job``), in another process, which shares
its results in files (``share_results``); pages read them (``read_results``).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import RLock
from typing import Any, Literal, NamedTuple, TypeVar, cast

from django.core.cache import caches
from django.db import connection as default_connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Subquery
from django.utils import timezone

from appraise.lib.digests import text_digest
from evaluation.models import Alignment, Assessment, Ranking, ScoreSet, SentenceAnswer, Task

# Longer than any transaction that appends answers, so that none with a smaller id can commit later.
SETTLED = timedelta(minutes=1)
MAX_ENTRIES = 48
ANSWERS = ("ranking", "sentence_answer", "assessment")

T = TypeVar("T")


class DatabaseState(NamedTuple):
    """The newest ids of each kind of ``ANSWERS``, of alignments and score sets; when an answer came last.

    A pinned state is that of a result which is shown although there may be newer answers.
    """

    ids: tuple[object, ...]
    newest_at: datetime | None
    is_pinned: bool = False

    @property
    def has_scores(self) -> bool:
        """Whether any task of the site has scores without a person."""
        return bool(self.ids[-1])


class NotShared(Exception):
    """A result that is neither in memory nor shared."""


@dataclass(frozen=True, slots=True)
class _Entry:
    ids: tuple[object, ...]
    computed_at: datetime
    newest_at: datetime | None
    value: Any  # Any: whatever ``compute`` returned


_entries: OrderedDict[Hashable, _Entry] = OrderedDict()
_lock = RLock()  # one thread computes, the others wait for its result
_states: list[DatabaseState] = []  # of the computations in progress, the innermost last


def get_or_compute(key: Hashable, compute: Callable[[], T], state: DatabaseState | None = None) -> T:
    """Return the cached result, or ``compute()`` if an answer has arrived since.

    ``state`` saves a query where the caller already knows the state of the database.
    """
    with _lock, _shared_state(state) as current:
        now = timezone.now()
        entry = _entries.get(key)
        is_valid = (
            entry is not None
            and entry.ids == current.ids
            and (current.is_pinned or is_settled(entry.computed_at, entry.newest_at, now))
        )
        if entry is None or not is_valid:
            entry = _read_shared(key, current) or _Entry(current.ids, now, current.newest_at, compute())
            _entries[key] = entry
            while len(_entries) > MAX_ENTRIES:
                _entries.popitem(last=False)
        _entries.move_to_end(key)
        if _mode.get() == "share":
            caches["reports"].set(_shared_name(key, entry.ids), entry)
        return cast(T, entry.value)


_mode: ContextVar[Literal["compute", "share", "read"]] = ContextVar("mode", default="compute")


@contextmanager
def _in_mode(mode: Literal["share", "read"]) -> Iterator[None]:
    token = _mode.set(mode)
    try:
        yield
    finally:
        _mode.reset(token)


def share_results() -> AbstractContextManager[None]:
    """Share every result that the block computes or reads with the other processes of the site."""
    return _in_mode("share")


def read_results() -> AbstractContextManager[None]:
    """Compute nothing: a result that is neither in memory nor shared raises ``NotShared``."""
    return _in_mode("read")


def _read_shared(key: Hashable, state: DatabaseState) -> _Entry | None:
    if _mode.get() != "read":
        return None
    entry = caches["reports"].get(_shared_name(key, state.ids))
    if not isinstance(entry, _Entry):
        raise NotShared(repr(key))
    return entry


def _shared_name(key: Hashable, ids: tuple[object, ...]) -> str:
    return text_digest(repr(key), repr(ids))


def clear_cache() -> None:
    """Empty the cache; for tests, and for commands that change what is stored."""
    with _lock:
        _entries.clear()


def state_columns() -> dict[str, Subquery]:
    """Return the state of the database as annotations of any query; ``read_state`` reads them."""
    newest = {
        "ranking": Ranking.objects.order_by("-pk"),
        "alignment": Alignment.objects.order_by("-pk"),
        "sentence_answer": SentenceAnswer.objects.order_by("-pk"),
        "assessment": Assessment.objects.order_by("-pk"),
        "score_set": ScoreSet.objects.order_by("-pk"),
    }
    return {
        **{f"newest_{name}": Subquery(rows.values("pk")[:1]) for name, rows in newest.items()},
        **{f"{name}_at": Subquery(newest[name].values("received_at")[:1]) for name in ANSWERS},
    }


def read_state(row: Any) -> DatabaseState:
    """Return the state from a row with the annotations of ``state_columns``."""
    newest = (f"newest_{name}" for name in (*ANSWERS, "alignment", "score_set"))
    times = [at for name in ANSWERS if (at := getattr(row, f"{name}_at")) is not None]
    return DatabaseState(tuple(getattr(row, name) or 0 for name in newest), max(times, default=None))


@contextmanager
def _shared_state(state: DatabaseState | None) -> Iterator[DatabaseState]:
    """Yield the state of the database; nested computations reuse the state of the outermost one."""
    _states.append(_states[-1] if _states else state or _query_state())
    try:
        yield _states[-1]
    finally:
        _states.pop()


def _query_state() -> DatabaseState:
    # Of any table with one row or more: without a task there are no answers.
    row = Task.objects.order_by().only("pk").annotate(**state_columns()).first()
    return DatabaseState((0,), None) if row is None else read_state(row)


def is_settled(computed_at: datetime, newest_at: datetime | None, now: datetime) -> bool:
    """Whether no transaction that began before the result was computed can still add an older answer."""
    if newest_at is None or computed_at - newest_at > SETTLED:
        return True
    return now - computed_at <= SETTLED  # not on every request: once, when the minute is over


@contextmanager
def snapshot(connection: BaseDatabaseWrapper = default_connection) -> Iterator[None]:
    """Make every query of the block see the same state of the database. For reading only.

    Inside a transaction that has already begun, the isolation of that transaction applies.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(connection.alias):
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        # Not ``atomic``: on SQLite it would join the queue of writers, and all answers would wait for it.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
