"""Segment scores that were computed elsewhere: a tab-separated file of system, item and score.

Columns ``system``, ``item`` (the id that the task's own file gave) and ``score``; an empty score means that
the metric is undefined there. Every fault is reported with its line and a code; a file with any fault is
refused whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from metrics.tables import Faults, Table
from metrics.testset import TestSet

COLUMNS = ("system", "item", "score")


def read_scores(path: str | Path, tests: TestSet) -> dict[int, float | None]:
    """Output id → score, for every output of the test set; what the file leaves out is None."""
    outputs = {
        (system, tests.items[item].key): written.output
        for system, mine in tests.outputs.items()
        for item, written in mine.items()
    }
    keys = {item.key for item in tests.items.values()}
    faults = Faults(path)
    seen: dict[int, int] = {}
    found: dict[int, float | None] = dict.fromkeys(outputs.values())
    for line, row in Table(path, COLUMNS):
        output = _output(row, line, outputs, tests.outputs, keys, faults)
        if output is None:
            continue
        if output in seen:
            message = f"{row['system']!r} on {row['item']!r} has a score in line {seen[output]} already"
            faults.add("duplicate_score", message, "leave one of the two out", line)
        seen[output] = line
        found[output] = _score(row["score"], line, faults)
    faults.raise_if_any()
    if not any(value is not None for value in found.values()):
        faults.add("no_scores", "the file has no score for this task", "give one line for each output")
        faults.raise_if_any()
    return found


def system_means(scores: Mapping[int, float | None], tests: TestSet) -> dict[str, float | None]:
    """The mean score of each system that has a score for everything it translated."""
    means: dict[str, float | None] = {}
    for system, mine in tests.outputs.items():
        values = [scores[written.output] for written in mine.values()]
        known = [value for value in values if value is not None]
        means[system] = math.fsum(known) / len(known) if known and len(known) == len(values) else None
    return means


def _output(
    row: Mapping[str, str],
    line: int,
    outputs: Mapping[tuple[str, str], int],
    systems: Mapping[str, object],
    keys: set[str],
    faults: Faults,
) -> int | None:
    system, item = row["system"], row["item"]
    if system not in systems:
        known = ", ".join(systems)
        faults.add("unknown_system", f"the task has no system {system!r}", f"it has: {known}", line)
    elif item not in keys:
        remedy = "use the ids of the file from which the task was made"
        faults.add("unknown_item", f"the task has no item {item!r}", remedy, line)
    elif (system, item) not in outputs:
        faults.add("no_output", f"{system!r} did not translate {item!r}", "leave the line out", line)
    return outputs.get((system, item))


def _score(text: str, line: int, faults: Faults) -> float | None:
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        remedy = "write a number such as 0.52, or nothing where there is no score"
        faults.add("bad_score", f"{text!r} is no number", remedy, line)
        return None
    return value
