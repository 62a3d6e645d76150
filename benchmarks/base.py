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


ROUND = 0.05  # seconds of CPU that each side of a round takes at least, or chance would decide it


def race(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int = 5
) -> tuple[list[float], list[float]]:
    """CPU seconds of one run of each, interleaved, so that a busy machine slows both alike."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for run, kept in zip((ours, theirs), times, strict=True):
            kept.append(_seconds(run))
    return times


def _seconds(run: Callable[[], object]) -> float:
    """The mean of as many runs as fill the time of a round; of a long job, one."""
    begin, runs, taken = time.process_time(), 0, 0.0
    while taken < ROUND:
        run()
        runs, taken = runs + 1, time.process_time() - begin
    return taken / runs
