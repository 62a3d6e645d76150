"""Compiles inner loops with numba, or runs the same source in the interpreter.

``APPRAISE_NUMBA`` decides; it is read when the first of them is imported:

* unset or ``1``: compile;
* anything else: run every loop uncompiled, for a debugger, for coverage and for the tests.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

Function = TypeVar("Function", bound=Callable[..., Any])  # Any: functions differ in their arguments

COMPILED = os.environ.get("APPRAISE_NUMBA", "1") == "1"


def compiled(function: Function) -> Function:
    """Compile a function to machine code that releases the interpreter lock."""
    if not COMPILED:
        return function
    numba = import_module("numba")
    options = {"nogil": True, "error_model": "numpy"}
    try:
        return cast(Function, numba.njit(cache=True, **options)(function))
    except RuntimeError:  # no writable folder for the cache: compile in every process
        return cast(Function, numba.njit(**options)(function))


Scalar = TypeVar("Scalar", bound=np.generic)
_kept = threading.local()


def borrow(name: str, size: int, kind: type[Scalar]) -> npt.NDArray[Scalar]:
    """Return an uninitialised array, valid until this thread borrows the same name again.

    Each thread keeps its arrays, because allocating memory costs more than many loops do.
    """
    array: npt.NDArray[Any] | None = getattr(_kept, name, None)  # Any: each name keeps its own kind
    if array is None or len(array) < size:
        array = np.empty(size + size // 2, kind)
        setattr(_kept, name, array)
    return array[:size]
