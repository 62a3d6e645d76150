"""Compile a kernel with numba, or run the very same source in the interpreter.

``APPRAISE_NUMBA`` decides, read once when the first kernel is imported:

* unset or ``1``: compile, if numba is installed;
* ``0``: behave as if numba were missing: BLEU, WER, PER and chrF then use ``interpreter``, short versions
  written for Python, and the rest runs uncompiled;
* ``source``: run every kernel uncompiled, for a debugger, for coverage and for the tests.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

Function = TypeVar("Function", bound=Callable[..., Any])  # Any: kernels differ in their arguments

MODE = os.environ.get("APPRAISE_NUMBA", "1")
COMPILED = MODE not in ("0", "source") and find_spec("numba") is not None
INTERPRETED = not COMPILED and MODE != "source"  # prefer the versions written for the interpreter


def kernel(function: Function) -> Function:
    """Compile a function to machine code that runs without the interpreter lock."""
    if not COMPILED:
        return function
    numba = import_module("numba")
    options = {"nogil": True, "error_model": "numpy"}
    try:
        return cast(Function, numba.njit(cache=True, **options)(function))
    except RuntimeError:  # no writable folder for the cache: compile again in every process
        return cast(Function, numba.njit(**options)(function))
