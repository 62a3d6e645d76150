"""Reads files named on the command line: plain or gzipped, a file, a pipe or standard input (``-``).

Whatever prevents the reading becomes an ``InputError`` with one of two codes: ``unreadable_file`` (it does
not exist, is a folder or may not be read) and ``bad_gzip`` (its compressed data is damaged).
"""

from __future__ import annotations

import gzip
import io
import math
import os
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from appraise.lib.problems import InputError, Problem

if TYPE_CHECKING:  # most commands start without NumPy
    import numpy.typing as npt

GZIP = b"\x1f\x8b"
_GZIP_ERRORS = (gzip.BadGzipFile, EOFError, zlib.error)
READ_ERRORS = (OSError, *_GZIP_ERRORS)
# What NumPy and the archive below it raise over a file that is no NPZ, or only a part of one.
NPZ_ERRORS = (
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)

DEFLATE_RATIO = 1100  # the compression of ZIP files cannot do better than 1 : 1032

Arrays = dict[str, "npt.NDArray[Any]"]  # Any: arrays of every type are stored alike


@contextmanager
def convert_read_errors(file: str | Path) -> Iterator[None]:
    """Turn every error of reading this file into an ``InputError``."""
    try:
        yield
    except READ_ERRORS as error:
        raise InputError(explain_read_error(error, file)) from error


def explain_read_error(error: Exception, file: str | Path) -> Problem:
    """Return the problem that an error of reading means to the user.

    >>> str(explain_read_error(FileNotFoundError(2, "No such file or directory"), "a.tsv"))
    'a.tsv: unreadable_file: No such file or directory; check the path and its permissions'
    >>> str(explain_read_error(EOFError("unexpected end"), "a.tsv.gz"))
    'a.tsv.gz: bad_gzip: the compressed data is damaged or incomplete (unexpected end); compress it again'
    """
    if isinstance(error, _GZIP_ERRORS):
        message = f"the compressed data is damaged or incomplete ({error})"
        return Problem("bad_gzip", message, "compress it again", str(file))
    message = getattr(error, "strerror", None) or str(error)
    return Problem("unreadable_file", message, "check the path and its permissions", str(file))


@contextmanager
def open_unpacked(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, once: a pipe such as ``<(zcat FILE)`` gives its bytes only once."""
    if str(path) == "-":
        yield _unpack(sys.stdin.buffer)
    else:
        with open(path, "rb") as raw:
            yield _unpack(raw)


def read_bytes(path: str | Path) -> bytes:
    with open_unpacked(path) as stream:
        return stream.read()


def read_lines(path: str | Path, *, blank: bool = False, file: str = "") -> Iterator[tuple[int, str]]:
    """Yield numbered lines of UTF-8 text without their ends; ``\\n`` and ``\\r\\n`` end a line.

    Blank lines are dropped unless ``blank``, which is for files whose line i belongs to line i of another.
    Problems name the file as ``file``, or by its name without the folder.
    """
    name, line = file or Path(path).name, 0
    try:
        with open_unpacked(path) as stream:
            for line, content in enumerate(stream, start=1):
                text = content.decode("utf-8-sig" if line == 1 else "utf-8").rstrip("\r\n")
                if text or blank:
                    yield line, text
    except UnicodeDecodeError as error:
        column = len(error.object[: error.start].decode("utf-8")) + 1
        message, remedy = f"the line is not UTF-8: {error.reason}", "save the file as UTF-8"
        raise InputError.of("bad_utf8", message, remedy, name, line, column) from error
    except READ_ERRORS as error:
        raise InputError(explain_read_error(error, name)) from error


def read_arrays(path: Path) -> Arrays:
    """Read all arrays of an NPZ file; ``ValueError`` where it is none or damaged."""
    import numpy as np

    with convert_read_errors(path):
        file = path.open("rb")  # here, because NumPy leaves a bad file open
    try:
        with file:
            check_array_sizes(file)
            with np.load(file, allow_pickle=False) as stored:
                return {name: stored[name] for name in stored.files}
    except (OSError, *NPZ_ERRORS) as error:
        raise ValueError(f"the file is no NPZ, or damaged: {error}") from error


def check_array_sizes(file: IO[bytes]) -> None:
    """Raise ``ValueError`` where an NPZ file declares more data than it can hold.

    NumPy allocates what the header of an array declares, so a file of a few hundred bytes could ask for
    terabytes.
    """
    from numpy.lib import format as npy

    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if member.file_size > size * DEFLATE_RATIO:
                raise ValueError(f"{member.filename} declares {member.file_size} bytes")
            with archive.open(member) as array:
                read_header = {1: npy.read_array_header_1_0, 2: npy.read_array_header_2_0}
                version, _ = npy.read_magic(array)
                if version not in read_header:
                    raise ValueError(f"{member.filename} has an unknown version of the NPY format")
                shape, _, dtype = read_header[version](array)
                if math.prod(shape) * dtype.itemsize > member.file_size:
                    raise ValueError(f"{member.filename} declares an array of shape {shape}")
    file.seek(0)


def _unpack(raw: IO[bytes]) -> IO[bytes]:
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, raw))
    is_packed = buffered.peek(len(GZIP)).startswith(GZIP)
    return cast(IO[bytes], gzip.GzipFile(fileobj=buffered)) if is_packed else buffered
