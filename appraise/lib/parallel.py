"""How many threads and processes a computation uses.

Matrix products run in one thread: the tables here are narrow, so that several threads mostly wait for each
other. On a busy machine a product of 79 × 47,620 numbers took 147 ms of processor time in two threads, 12 ms
in one. Independent pieces of work run one after the other, or on the joblib backend that the caller has
configured (a Dask cluster, for instance); results do not depend on where they were computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

Piece = TypeVar("Piece")
Value = TypeVar("Value")


def limit_to_one_thread() -> AbstractContextManager[object]:
    """Limit the ``with`` block to one thread; libraries loaded later are not affected."""
    return _find_libraries().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]  # untyped


def is_parallel() -> bool:
    """Whether a joblib backend with more than one worker is configured."""
    from joblib import effective_n_jobs  # late: most processes never need it

    return int(effective_n_jobs(None)) > 1  # None: as configured; the default of joblib is every core


def parallel_map(function: Callable[[Piece], Value], pieces: Iterable[Piece]) -> Iterator[Value]:
    """Yield ``function`` of each piece, in order, as they become ready.

    >>> list(parallel_map(abs, [-1, 2]))
    [1, 2]
    """
    if not is_parallel():
        yield from map(function, pieces)
        return
    from joblib import Parallel, delayed

    yield from Parallel(return_as="generator")(delayed(function)(piece) for piece in pieces)


@cache
def _find_libraries() -> ThreadpoolController:
    return ThreadpoolController()  # the search takes milliseconds: once
