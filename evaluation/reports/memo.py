"""Caches what was computed until a new answer arrives.

The newest ranking's id (one index lookup) shows whether anything is new. Ids can become visible out of order
while transactions overlap, so what was read within a minute of the newest answer is read once more after that
minute. Kept in the memory of each process; the oldest entries are dropped first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import RLock
from typing import Any, TypeVar, cast

from django.db.models import Model, Subquery
from django.utils import timezone

from evaluation.models import Alignment, Ranking

SETTLED = timedelta(minutes=1)
MOST = 48

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Kept:
    mark: tuple[object, ...]
    read_at: datetime
    newest_at: datetime | None
    value: Any


_kept: OrderedDict[Hashable, _Kept] = OrderedDict()
_lock = RLock()  # one thread computes, the others wait for its result


Mark = tuple[tuple[object, ...], datetime | None]  # what is newest, and when it came


def remembered(key: Hashable, compute: Callable[[], T], state: Mark | None = None) -> T:
    """``compute()``, or what it gave the last time if no answer has arrived since.

    ``state`` is for callers that already know what is newest.
    """
    with _lock, _one_mark(state) as (mark, newest_at):
        now = timezone.now()
        known = _kept.get(key)
        if known is None or known.mark != mark or _unsettled(known, now):
            known = _Kept(mark, now, newest_at, compute())
            _kept[key] = known
            while len(_kept) > MOST:
                _kept.popitem(last=False)
        _kept.move_to_end(key)
        return cast(T, known.value)


def forget() -> None:
    """Empty the cache; for tests, and for commands that change what is stored."""
    with _lock:
        _kept.clear()


def newest() -> dict[str, Subquery]:
    """What is newest, as further columns of any query; ``mark_of`` reads them."""
    rankings = Ranking.objects.order_by("-pk")
    return {
        "newest_ranking": Subquery(rankings.values("pk")[:1]),
        "newest_at": Subquery(rankings.values("received_at")[:1]),
        "newest_alignment": Subquery(Alignment.objects.order_by("-pk").values("pk")[:1]),
    }


def mark_of(row: Model) -> Mark:
    """From a row with the columns of ``newest``."""
    ranking, alignment, at = (
        getattr(row, name) for name in ("newest_ranking", "newest_alignment", "newest_at")
    )
    return ((0,), None) if ranking is None else ((ranking, alignment), at)


_marks: list[Mark] = []  # of the computation that is under way; guarded by the lock


@contextmanager
def _one_mark(state: Mark | None) -> Iterator[Mark]:
    """The state of the database, queried once even where one computation needs another."""
    _marks.append(_marks[-1] if _marks else state or _read_mark())
    try:
        yield _marks[-1]
    finally:
        _marks.pop()


def _read_mark() -> Mark:
    alignment = Alignment.objects.order_by("-pk").values("pk")[:1]
    newest = Ranking.objects.order_by("-pk").values_list("pk", Subquery(alignment), "received_at").first()
    return ((0,), None) if newest is None else (newest[:2], newest[2])


def _unsettled(known: _Kept, now: datetime) -> bool:
    """Read so soon after the newest answer that an older one may have been on its way."""
    if known.newest_at is None or known.read_at - known.newest_at > SETTLED:
        return False
    return now - known.read_at > SETTLED
