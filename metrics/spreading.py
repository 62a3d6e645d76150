"""Runs independent pieces of work, here one after the other or on an engine that the caller has set up.

The engine is joblib's: within ``metrics.cluster.connected`` it is a Dask cluster, elsewhere there is none and
everything is a plain ``map``. The pieces are cut so that a result does not depend on where it was computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Piece = TypeVar("Piece")
Answer = TypeVar("Answer")


def engine_is_there() -> bool:
    """Whether pieces would go to more than one place."""
    from joblib import effective_n_jobs  # late: most of the site never spreads anything

    return int(effective_n_jobs(None)) > 1  # None: what is set up; by itself joblib takes every core


def spread(function: Callable[[Piece], Answer], pieces: Iterable[Piece]) -> Iterator[Answer]:
    """``function`` of each piece, in order, as they become ready.

    >>> list(spread(abs, [-1, 2]))
    [1, 2]
    """
    if not engine_is_there():
        yield from map(function, pieces)
        return
    from joblib import Parallel, delayed

    yield from Parallel(return_as="generator")(delayed(function)(piece) for piece in pieces)
