"""When the disk stands still: a witness that flushes a small file of its own beside a benchmark.

A saved answer is acknowledged after one flush. On a shared disk the bare flush of an otherwise idle machine
takes half a millisecond, but one in a hundred takes 10 to 500: longer than everything that Appraise does for
an answer. Such moments stop whatever waits for the disk, the witness too (of 20 slow flushes of one process,
a second one saw 17; the others took under 6 ms), so it can say afterwards which requests met one.

``python -m benchmarks.disk FOLDER`` prints them until it is stopped.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EVERY = 0.004  # seconds between two flushes
STILL = 0.004  # seconds of a flush above which the disk counts as stalled
Span = tuple[float, float]  # begin and end, by ``time.monotonic``


@contextmanager
def watch_disk(folder: str) -> Iterator[list[Span]]:
    """Yield a list that, after the block, holds the times in which the disk of ``folder`` stalled."""
    command = [sys.executable, "-m", "benchmarks.disk", folder]
    spans: list[Span] = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield spans
        finally:
            process.send_signal(signal.SIGTERM)
            output, _ = process.communicate()
    for line in output.splitlines():
        begin, end = map(float, line.split())
        spans.append((begin, end))


def overlaps(span: Span, stalls: Iterable[Span]) -> bool:
    """
    >>> overlaps((1.0, 2.0), [(0.0, 0.5), (1.9, 3.0)]), overlaps((1.0, 2.0), [(2.5, 3.0)])
    (True, False)
    """
    return any(begin < span[1] and span[0] < end for begin, end in stalls)


def stalls(folder: str) -> Iterator[Span]:
    """Flush for ever and yield each slow flush, not counting the time spent waiting for a core."""
    with tempfile.TemporaryFile(dir=folder) as file:
        handle = file.fileno()
        while True:
            time.sleep(EVERY)
            begin, waited = time.monotonic(), _waiting_time()
            os.pwrite(handle, os.urandom(8192), 0)
            os.fdatasync(handle)
            end = time.monotonic()
            if end - begin - (_waiting_time() - waited) > STILL:
                yield begin, end


def _waiting_time() -> float:
    """Seconds for which this process waited for a core, which do not count as a stall of the disk."""
    try:
        return int(Path("/proc/self/schedstat").read_text("ascii").split()[1]) / 1e9
    except OSError:  # not Linux
        return 0.0


def main(folder: str) -> None:
    # Not SIGINT: a shell lets the jobs that it starts in the background ignore it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    for begin, end in stalls(folder):
        print(begin, end, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
