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


MARKDOWN_HEAD = (
    "| job | peer | ours | theirs | unit | median | smallest | demanded |\n|---|---|---|---|---|---|---|---|"
)


def row(result: Result) -> str:
    """A result as a row of a Markdown table.

    >>> row(Result("TER", "sacrebleu", "µs/segment", 20.0, 9000.0, 401.2, 450.0, 70))
    '| TER | sacrebleu | 20 | 9e+03 | µs/segment | 450× | **401×** | 70× |'
    """
    wanted = "" if result.demanded is None else f"{result.demanded:g}×"
    return (
        f"| {result.job} | {result.peer} | {result.ours:.3g} | {result.theirs:.3g} | {result.unit} "
        f"| {result.ratio_median:.3g}× | **{result.ratio_min:.3g}×** | {wanted} |"
    )


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
