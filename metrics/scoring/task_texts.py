"""The sentences of a task as a test set, a metric over them, and scores from files; without the database.

Not every system has to have translated every item, and items may have different numbers of references, or
none. A metric scores what it can; the rest has no score, which is not zero.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from appraise.lib.digests import bytes_digest
from appraise.lib.problems import ProblemLog
from appraise.lib.tables import TsvReader, read_score
from metrics.base import Metric, MetricUnavailable
from metrics.metaeval.scoring import SegmentContext, score_layers, score_uneven


class ItemText(NamedTuple):
    """A sentence with its source and references."""

    key: str
    source: str
    references: tuple[str, ...]

    @property
    def context(self) -> SegmentContext:
        return SegmentContext(self.references, self.source or None)


class OutputText(NamedTuple):
    """The output of a system for an item; ``output`` is its id in the database."""

    output: int
    text: str


@dataclass(frozen=True, slots=True)
class TaskTexts:
    """Items by id, and the outputs of each system by item."""

    items: Mapping[int, ItemText]
    outputs: Mapping[str, Mapping[int, OutputText]]

    @property
    def digest(self) -> str:
        """Of every text and its system; ids do not matter."""
        content = [
            [list(item) for item in self.items.values()],
            [
                [system, [[self.items[item].key, written.text] for item, written in sorted(mine.items())]]
                for system, mine in sorted(self.outputs.items())
            ],
        ]
        return bytes_digest(json.dumps(content).encode())


@dataclass(frozen=True, slots=True)
class TaskScores:
    """One metric over a test set: score by output id, score by system, and the metric's signature."""

    signature: str
    outputs: Mapping[int, float | None]
    systems: Mapping[str, float | None]


def score_outputs(metric: Metric, task_texts: TaskTexts) -> TaskScores:
    """Score every output that can be scored; ``MetricUnavailable`` with the reason if none can."""
    usable = find_scorable_items(metric, task_texts.items)
    outputs: dict[int, float | None] = {
        written.output: None for mine in task_texts.outputs.values() for written in mine.values()
    }
    systems: dict[str, float | None] = dict.fromkeys(task_texts.outputs)
    signature = metric.signature
    texts = {item: task_texts.items[item].context for item in usable}
    written = {
        name: {item: mine[item].text for item in usable if item in mine}
        for name, mine in task_texts.outputs.items()
        if not mine.keys().isdisjoint(usable)
    }
    for name, scores in score_uneven(metric, written, texts).items():
        signature, systems[name] = scores.signature, _finite(scores.corpus)
        for item, value in zip(written[name], scores.segments.tolist(), strict=True):
            outputs[task_texts.outputs[name][item].output] = _finite(value)
    return TaskScores(signature, outputs, systems)


def find_scorable_items(metric: Metric, items: Mapping[int, ItemText]) -> list[int]:
    """Return the items that have what the metric needs, in their order."""
    needs = metric.needs
    usable = [
        number
        for number, item in items.items()
        if (item.references or not needs.reference) and (item.source or not needs.source)
    ]
    if not usable:
        most = max((len(item.references) for item in items.values()), default=0)
        source = any(item.source for item in items.values())
        missing = needs.explain_missing(references=most, source=source) or "no sentence has all that it needs"
        raise MetricUnavailable(f"{metric.name} cannot score here: {missing}")
    return usable


def score_variants(
    metric: Metric, variants: Mapping[int, Iterable[str]], items: Mapping[int, ItemText]
) -> dict[tuple[int, str], float]:
    """Score any number of texts of each item: {(item, text): score}, without undefined scores.

    Texts are scored in layers, one text of each item, so that a metric sees every item's references as often
    as in the test set itself; NIST's weights, which come from the references, are then the same.
    """
    stacks = {item: list(dict.fromkeys(texts)) for item, texts in variants.items() if item in items}
    stacks = {item: stack for item, stack in stacks.items() if stack}
    if not stacks:
        return {}
    depth = max(map(len, stacks.values()))
    layers = {str(n): [stack[min(n, len(stack) - 1)] for stack in stacks.values()] for n in range(depth)}
    result: dict[tuple[int, str], float] = {}
    scored = score_layers(metric, layers, [items[item].context for item in stacks])
    for name, scores in scored.items():
        for item, text, value in zip(stacks, layers[name], scores.segments.tolist(), strict=True):
            if np.isfinite(value):
                result[item, text] = value
    return result


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None


COLUMNS = ("system", "item", "score")


def read_scores(path: str | Path, task_texts: TaskTexts) -> dict[int, float | None]:
    """Read a file of scores that were computed elsewhere: output id → score, None where it has none.

    The columns are ``system``, ``item`` (the id in the task's own file) and ``score``; an empty score means
    that the metric is undefined. Every problem is reported with its line; a file with any problem is refused.
    """
    outputs = {
        (system, task_texts.items[item].key): written.output
        for system, mine in task_texts.outputs.items()
        for item, written in mine.items()
    }
    keys = {item.key for item in task_texts.items.values()}
    problems = ProblemLog(path)
    seen: dict[int, int] = {}
    scores: dict[int, float | None] = dict.fromkeys(outputs.values())
    for line, row in TsvReader(path, COLUMNS):
        output = _find_output(row, line, outputs, task_texts.outputs, keys, problems)
        if output is None:
            continue
        if output in seen:
            message = f"{row['system']!r} on {row['item']!r} has a score in line {seen[output]} already"
            problems.add("duplicate_score", message, "leave one of the two out", line)
        seen[output] = line
        scores[output] = read_score(row["score"], "score", line, problems)
    problems.raise_if_any()
    if not any(value is not None for value in scores.values()):
        problems.add("no_scores", "the file has no score for this task", "give one line for each output")
        problems.raise_if_any()
    return scores


def system_means(scores: Mapping[int, float | None], task_texts: TaskTexts) -> dict[str, float | None]:
    """Return the mean score of each system that has a score for everything it translated."""
    means: dict[str, float | None] = {}
    for system, mine in task_texts.outputs.items():
        values = [scores[written.output] for written in mine.values()]
        known = [value for value in values if value is not None]
        means[system] = math.fsum(known) / len(known) if known and len(known) == len(values) else None
    return means


def _find_output(
    row: Mapping[str, str],
    line: int,
    outputs: Mapping[tuple[str, str], int],
    systems: Mapping[str, object],
    keys: set[str],
    problems: ProblemLog,
) -> int | None:
    system, item = row["system"], row["item"]
    if system not in systems:
        known = ", ".join(systems)
        problems.add("unknown_system", f"the task has no system {system!r}", f"it has: {known}", line)
    elif item not in keys:
        remedy = "use the ids of the file from which the task was made"
        problems.add("unknown_item", f"the task has no item {item!r}", remedy, line)
    elif (system, item) not in outputs:
        problems.add("no_output", f"{system!r} did not translate {item!r}", "leave the line out", line)
    return outputs.get((system, item))
