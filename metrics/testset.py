"""The sentences of a task as a test set, and a metric over them; knows nothing of the database.

Not every system need have translated every item, and items may have different numbers of references, or none.
A metric scores what it can; the rest has no score, which is not zero.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics.base import Metric, MetricUnavailable
from metrics.uneven import Beside, score_layers, score_uneven


class ItemText(NamedTuple):
    """A sentence with what its translations may be compared with."""

    key: str
    source: str
    references: tuple[str, ...]

    @property
    def beside(self) -> Beside:
        return Beside(self.references, self.source or None)


class Written(NamedTuple):
    """What a system wrote for an item; ``output`` names it in the database."""

    output: int
    text: str


@dataclass(frozen=True, slots=True)
class TestSet:
    """Items by id, and for each system what it wrote for which item."""

    __test__ = False  # keeps pytest from collecting it as a test class

    items: Mapping[int, ItemText]
    outputs: Mapping[str, Mapping[int, Written]]

    @property
    def digest(self) -> str:
        """Of every text and who wrote it; ids play no part."""
        content = [
            [list(item) for item in self.items.values()],
            [
                [system, [[self.items[item].key, written.text] for item, written in sorted(mine.items())]]
                for system, mine in sorted(self.outputs.items())
            ],
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Scored:
    """One metric over a test set: score by output id, score by system, and how both were computed."""

    signature: str
    outputs: Mapping[int, float | None]
    systems: Mapping[str, float | None]


def score_test_set(metric: Metric, tests: TestSet) -> Scored:
    """Score every output that can be scored; ``MetricUnavailable`` with a sentence where none can."""
    usable = scorable(metric, tests.items)
    outputs: dict[int, float | None] = {
        written.output: None for mine in tests.outputs.values() for written in mine.values()
    }
    systems: dict[str, float | None] = dict.fromkeys(tests.outputs)
    signature = metric.signature
    texts = {item: tests.items[item].beside for item in usable}
    written = {
        name: {item: mine[item].text for item in usable if item in mine}
        for name, mine in tests.outputs.items()
        if not mine.keys().isdisjoint(usable)
    }
    for name, scores in score_uneven(metric, written, texts).items():
        signature, systems[name] = scores.signature, _finite(scores.corpus)
        for item, value in zip(written[name], scores.segments.tolist(), strict=True):
            outputs[tests.outputs[name][item].output] = _finite(value)
    return Scored(signature, outputs, systems)


def scorable(metric: Metric, items: Mapping[int, ItemText]) -> list[int]:
    """The items that have what the metric needs, in their order."""
    needs = metric.needs
    usable = [
        number
        for number, item in items.items()
        if (item.references or not needs.reference) and (item.source or not needs.source)
    ]
    if not usable:
        most = max((len(item.references) for item in items.values()), default=0)
        source = any(item.source for item in items.values())
        lacking = needs.lacking(references=most, source=source) or "no sentence has all that it needs"
        raise MetricUnavailable(f"{metric.name} cannot score here: {lacking}")
    return usable


def score_variants(
    metric: Metric, variants: Mapping[int, Iterable[str]], items: Mapping[int, ItemText]
) -> dict[tuple[int, str], float]:
    """Scores of any number of texts of each item: {(item, text): score}, undefined ones left out.

    Texts are laid in layers, one text of each item, so that a metric sees every item's references as often as
    in the test set itself; NIST's weights, which come from the references, are then the same.
    """
    stacks = {item: list(dict.fromkeys(texts)) for item, texts in variants.items() if item in items}
    stacks = {item: stack for item, stack in stacks.items() if stack}
    if not stacks:
        return {}
    depth = max(map(len, stacks.values()))
    layers = {str(n): [stack[min(n, len(stack) - 1)] for stack in stacks.values()] for n in range(depth)}
    found: dict[tuple[int, str], float] = {}
    scored = score_layers(metric, layers, [items[item].beside for item in stacks])
    for name, scores in scored.items():
        for item, text, value in zip(stacks, layers[name], scores.segments.tolist(), strict=True):
            if np.isfinite(value):
                found[item, text] = value
    return found


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None
