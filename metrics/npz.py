"""Reads NPZ model files, with one kind of error whatever is wrong with a file."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.streams import readable

Arrays = dict[str, npt.NDArray[Any]]  # Any: arrays of every type are stored alike

# What numpy and the archive below it raise over a file that is none, or only a part of one.
DAMAGED = (
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_arrays(path: Path) -> Arrays:
    """All arrays of a file; ``InputError`` where it cannot be opened, ``ValueError`` where it is no NPZ."""
    with readable(path):
        file = path.open("rb")  # here, because numpy leaves a bad file open
    try:
        with file, np.load(file, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, *DAMAGED) as error:
        raise ValueError(f"the file is no NPZ, or damaged: {error}") from error
