"""Counters shared by several processes: each writes to its own file, and a reader adds them all up.

A web server runs as several processes, and a monitor's question reaches any one of them. Each process keeps
its numbers in a small memory-mapped file, so that counting costs no system call and a killed process loses
nothing. The files of processes that have ended still count; ``forget`` removes them all when the site starts.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

Key = tuple[str, ...]


class Counters:
    """A fixed set of numbers, known by their keys; safe to use from many threads and processes."""

    def __init__(self, folder: Path, keys: Sequence[Key]) -> None:
        self._folder = folder
        self._place = {key: place for place, key in enumerate(keys)}
        # Files of an older version, which counted other things, are left out.
        self._suffix = hashlib.sha256(repr(list(keys)).encode()).hexdigest()[:12] + ".counters"
        self._lock = threading.Lock()
        self._process = 0
        self._numbers: memoryview[float] = memoryview(b"").cast("d")

    def add(self, amounts: Iterable[tuple[Key, float]]) -> None:
        """Add to several numbers at once; an unknown key is a programming error."""
        with self._lock:
            if self._process != os.getpid():  # a fork must not write to its parent's file
                self._open()
            for key, amount in amounts:
                self._numbers[self._place[key]] += amount

    def totals(self) -> Mapping[Key, float]:
        """Every number, summed over all processes of this site."""
        sums = [0.0] * len(self._place)
        for path in self._folder.glob(f"*-{self._suffix}"):
            data = path.read_bytes()
            if len(data) == 8 * len(sums):
                sums = [a + b for a, b in zip(sums, memoryview(data).cast("d"), strict=True)]
        return dict(zip(self._place, sums, strict=True))

    def _open(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{os.getpid()}-{self._suffix}"
        with path.open("a+b") as file:
            file.truncate(8 * len(self._place))
            self._numbers = memoryview(mmap.mmap(file.fileno(), 0)).cast("d")
        self._process = os.getpid()


def forget(folder: Path) -> None:
    """Start from zero by deleting the numbers of the site's last run."""
    for path in folder.glob("*.counters"):
        path.unlink(missing_ok=True)
