"""Matrix products in one thread.

Tables here are narrow: several threads mostly wait for each other, and waiting costs as much as working. On a
busy machine a product of 79 × 47,620 numbers took 147 ms of processor time in two threads, 12 ms in one.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """Limits the ``with`` block to one thread; libraries loaded later are not affected."""
    return _libraries().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]  # it has no types


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()  # searching for them takes milliseconds: once
