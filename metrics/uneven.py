"""Scoring where texts are not parallel: systems that left out segments, segments with different references.

Systems that translated the same segments are scored together, so that references are encoded once a group. A
metric that compares systems sees, segment by segment, every system that translated it; what it says of a
system is then the mean over what the system translated.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from metrics.base import (
    Metric,
    MetricUnavailable,
    Scores,
    Segment,
    compares_systems,
    mean_or_none,
    score_systems,
)

Key = TypeVar("Key", bound=Hashable)


class Beside(NamedTuple):
    """What the translations of one segment are compared with."""

    references: tuple[str, ...]
    source: str | None


def score_uneven(
    metric: Metric,
    outputs: Mapping[str, Mapping[Key, str]],
    texts: Mapping[Key, Beside],
    *,
    workers: int = 1,
) -> dict[str, Scores]:
    """Score what each system wrote, ``outputs[system][segment]``; its segments stay in their order."""
    groups = _by_segments(outputs) if compares_systems(metric) else _by_systems(outputs)
    parts: dict[str, list[tuple[tuple[Key, ...], Scores]]] = {name: [] for name in outputs}
    for keys, names in groups.items():
        layers = {name: [outputs[name][key] for key in keys] for name in names}
        scored = score_layers(metric, layers, [texts[key] for key in keys], workers=workers)
        for name, scores in scored.items():
            parts[name].append((keys, scores))
    return {name: _joined(parts[name], tuple(mine)) for name, mine in outputs.items()}


def score_layers(
    metric: Metric, layers: Mapping[str, Sequence[str]], texts: Sequence[Beside], *, workers: int = 1
) -> dict[str, Scores]:
    """Score parallel translations of the same segments, which need not have equally many references."""
    numbers = {len(text.references) for text in texts}
    sources = [text.source for text in texts if text.source is not None]
    given = sources if len(sources) == len(texts) else None
    if compares_systems(metric) and not metric.needs.reference:
        numbers = {0}  # such a metric must see all systems, and looks at no reference
    if len(numbers) == 1:
        references = [[text.references[r] for text in texts] for r in range(numbers.pop())]
        return score_systems(metric, layers, references, given, workers=workers)
    if lacking := metric.needs.lacking(references=min(numbers, default=0), source=given is not None):
        raise MetricUnavailable(f"{metric.name} cannot score here: {lacking} for every segment")
    return {
        name: metric.score([Segment(one, *text) for one, text in zip(mine, texts, strict=True)])
        for name, mine in layers.items()
    }


def _by_systems(outputs: Mapping[str, Mapping[Key, str]]) -> dict[tuple[Key, ...], list[str]]:
    """Segments → the systems that translated exactly these."""
    groups: dict[tuple[Key, ...], list[str]] = {}
    for name, mine in outputs.items():
        groups.setdefault(tuple(mine), []).append(name)
    return groups


def _by_segments(outputs: Mapping[str, Mapping[Key, str]]) -> dict[tuple[Key, ...], list[str]]:
    """The same from the other side: all segments that the same systems translated."""
    writers: dict[Key, list[str]] = {}
    for name, mine in outputs.items():
        for key in mine:
            writers.setdefault(key, []).append(name)
    groups: dict[tuple[str, ...], list[Key]] = {}
    for key, names in writers.items():
        groups.setdefault(tuple(names), []).append(key)
    return {tuple(keys): list(names) for names, keys in groups.items()}


def _joined(parts: Sequence[tuple[tuple[Key, ...], Scores]], keys: tuple[Key, ...]) -> Scores:
    if len(parts) == 1 and parts[0][0] == keys:
        return parts[0][1]
    values = {
        key: value
        for some, scores in parts
        for key, value in zip(some, scores.segments.tolist(), strict=True)
    }
    segments = np.array([values[key] for key in keys], np.float64)
    return Scores(segments, mean_or_none(segments), parts[0][1].signature)
