"""Scratch arrays that each thread keeps, because allocating fresh memory costs more than the work."""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", bound=np.generic)
_kept = threading.local()


def borrow(name: str, size: int, kind: type[Scalar]) -> npt.NDArray[Scalar]:
    """An array with undefined content, valid until this thread borrows the same name again."""
    array: npt.NDArray[Any] | None = getattr(_kept, name, None)  # Any: each name keeps its own kind
    if array is None or len(array) < size:
        array = np.empty(size + size // 2, kind)
        setattr(_kept, name, array)
    return array[:size]
