"""The sentences of a task as a test set, and a metric over them; knows nothing of the database.

Not every system need have translated every item, and items may have different numbers of references, or none.
A metric scores what it can; the rest has no score, which is not zero.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics.base import Metric, MetricUnavailable, Scores, Segment, score_systems


class ItemText(NamedTuple):
    """A sentence with what its translations may be compared with."""

    key: str
    source: str
    references: tuple[str, ...]


class Written(NamedTuple):
    """What a system wrote for an item; ``output`` names it in the database."""

    output: int
    text: str


@dataclass(frozen=True, slots=True)
class TestSet:
    """Items by id, and for each system what it wrote for which item."""

    __test__ = False  # not a class of tests, whatever pytest thinks of the name

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
    for items, names in _alike(tests, usable).items():
        texts = {name: [tests.outputs[name][item].text for item in items] for name in names}
        for name, scores in score_layers(metric, texts, [tests.items[item] for item in items]).items():
            signature, systems[name] = scores.signature, _finite(scores.corpus)
            for item, value in zip(items, scores.segments.tolist(), strict=True):
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


def score_layers(
    metric: Metric, texts: Mapping[str, Sequence[str]], items: Sequence[ItemText]
) -> dict[str, Scores]:
    """Score parallel texts of the same items; references are encoded once where all have equally many."""
    numbers = {len(item.references) for item in items}
    sources = [item.source for item in items]
    if len(numbers) == 1:
        references = [[item.references[r] for item in items] for r in range(numbers.pop())]
        return score_systems(metric, texts, references, sources if all(sources) else None)
    return {
        name: metric.score(
            [
                Segment(text, item.references, item.source or None)
                for text, item in zip(mine, items, strict=True)
            ]
        )
        for name, mine in texts.items()
    }


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
    scored = score_layers(metric, layers, [items[item] for item in stacks])
    for name, scores in scored.items():
        for item, text, value in zip(stacks, layers[name], scores.segments.tolist(), strict=True):
            if np.isfinite(value):
                found[item, text] = value
    return found


def _alike(tests: TestSet, usable: Sequence[int]) -> dict[tuple[int, ...], list[str]]:
    """Systems grouped by the items that they translated, so that references are encoded once a group."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for name, mine in tests.outputs.items():
        items = tuple(item for item in usable if item in mine)
        if items:
            groups.setdefault(items, []).append(name)
    return groups


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None
