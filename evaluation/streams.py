"""The bytes of a file given on the command line: plain or gzipped, a file, a pipe or standard input (``-``);
and the errors for files that cannot be read, in one place.
"""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from evaluation.problems import InputError, Problem

GZIP = b"\x1f\x8b"
_DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error)
HINDRANCES = (OSError, *_DAMAGED)


@contextmanager
def readable(file: str | Path) -> Iterator[None]:
    """Turns whatever hinders the reading of this file into an ``InputError``."""
    try:
        yield
    except HINDRANCES as error:
        raise InputError(hindrance(error, file)) from error


def hindrance(error: Exception, file: str | Path) -> Problem:
    """``unreadable_file``: it is not there, is a folder or may not be read; ``bad_gzip``: its packed data is
    damaged. Every reader uses these two codes.

    >>> str(hindrance(FileNotFoundError(2, "No such file or directory"), "a.tsv"))
    'a.tsv: unreadable_file: No such file or directory; check the path and its permissions'
    >>> str(hindrance(EOFError("it ended"), "a.tsv.gz"))
    'a.tsv.gz: bad_gzip: the packed data is damaged or breaks off (it ended); pack the file again'
    """
    if isinstance(error, _DAMAGED):
        told = f"the packed data is damaged or breaks off ({error})"
        return Problem("bad_gzip", told, "pack the file again", str(file))
    told = getattr(error, "strerror", None) or str(error)
    return Problem("unreadable_file", told, "check the path and its permissions", str(file))


@contextmanager
def unpacked(path: str | Path) -> Iterator[IO[bytes]]:
    """Opened once: a pipe such as ``<(zcat FILE)`` does not give the same bytes a second time."""
    if str(path) == "-":
        yield _plain(sys.stdin.buffer)
    else:
        with open(path, "rb") as raw:
            yield _plain(raw)


def read(path: str | Path) -> bytes:
    with unpacked(path) as stream:
        return stream.read()


def _plain(raw: IO[bytes]) -> IO[bytes]:
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, raw))
    packed = buffered.peek(len(GZIP)).startswith(GZIP)
    return cast(IO[bytes], gzip.GzipFile(fileobj=buffered)) if packed else buffered
