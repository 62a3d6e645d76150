"""The bytes of a file given on the command line: plain or gzipped, a file, a pipe or standard input
(``-``)."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

GZIP = b"\x1f\x8b"


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
