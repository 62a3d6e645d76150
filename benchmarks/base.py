"""What every benchmark shares: a race and its result."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """One job: CPU time of ours and of a peer, in ``unit``, and how many times faster ours is."""

    job: str
    peer: str
    unit: str
    ours: float
    theirs: float
    ratio_min: float
    ratio_median: float
    demanded: float | None


def race(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int = 5
) -> tuple[list[float], list[float]]:
    """CPU seconds of both, interleaved, so that a busy machine slows both alike."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for run, kept in zip((ours, theirs), times, strict=True):
            start = time.process_time()
            run()
            kept.append(time.process_time() - start)
    return times
