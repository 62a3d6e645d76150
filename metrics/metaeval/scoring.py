"""Scores of a metric over the cells of a data set, also where texts are not parallel.

Systems may lack segments, and segments may differ in their numbers of references. Systems that translated the
same segments are scored together, so that references are encoded once per group. A metric that compares
systems sees all translations of a segment together; its score of a system is then the mean over the segments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from metrics.base import (
    Metric,
    MetricUnavailable,
    Scores,
    Segment,
    compares_systems,
    may_be_undefined,
    mean_or_none,
    score_systems,
)
from metrics.metaeval.datasets import Dataset, FloatArray, IntArray

TranslationKey = tuple[str, int]  # a segment, and which of a system's translations of it


@dataclass(frozen=True, slots=True, eq=False)
class CellScores:
    """One score per cell and one per system, negated if lower is better.

    A cell that the metric cannot score is NaN; figures exclude it and count it.
    """

    cells: FloatArray
    systems: Mapping[str, float]
    signature: str

    @property
    def undefined(self) -> int:
        """The number of cells without a score."""
        return int(np.count_nonzero(np.isnan(self.cells)))

    def restrict(self, kept: IntArray, part: Dataset) -> CellScores:
        """Return the scores of the cells of a part; a system then has the mean of its cells."""
        cells = self.cells[kept]
        known = {name: own[~np.isnan(own)] for name, rows in part.systems().items() for own in [cells[rows]]}
        systems = {name: float(own.mean()) for name, own in known.items() if len(own)}
        return CellScores(cells, systems, self.signature)


def score_dataset(metric: Metric, dataset: Dataset, *, workers: int = 1) -> CellScores:
    """Score every cell.

    Raises ``MetricUnavailable`` if the metric needs texts that the set lacks, and ``ValueError`` if a score
    is not finite, except NaN from a metric that declares it.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    values = np.full(len(dataset.cells), np.nan)
    corpus: dict[str, float] = {}
    systems = dataset.systems()
    outputs = {name: _outputs(dataset, cells) for name, cells in systems.items()}
    contexts = {name: SegmentContext(text.references, text.source) for name, text in dataset.texts.items()}
    texts = {place: contexts[place[0]] for translations in outputs.values() for place in translations}
    for name, scores in score_uneven(metric, outputs, texts, workers=workers).items():
        values[systems[name]] = scores.segments
        if scores.corpus is not None:
            corpus[name] = sign * scores.corpus
    invalid = ~np.isfinite(values) & ~(np.isnan(values) & may_be_undefined(metric))
    if invalid.any():
        raise ValueError(f"{metric.name} gave {np.count_nonzero(invalid)} scores that are not numbers")
    return CellScores(sign * values, corpus, metric.signature)


def _outputs(dataset: Dataset, cells: IntArray) -> dict[TranslationKey, str]:
    """Return the outputs of a system; a judged file may have several translations of a segment."""
    times: Counter[str] = Counter()
    outputs: dict[TranslationKey, str] = {}
    for cell in cells.tolist():
        _, segment, translation = dataset.cells[cell]
        outputs[segment, times[segment]] = translation
        times[segment] += 1
    return outputs


Key = TypeVar("Key", bound=Hashable)


class SegmentContext(NamedTuple):
    """References and source of a segment."""

    references: tuple[str, ...]
    source: str | None


def score_uneven(
    metric: Metric,
    outputs: Mapping[str, Mapping[Key, str]],
    texts: Mapping[Key, SegmentContext],
    *,
    workers: int = 1,
) -> dict[str, Scores]:
    """Score the outputs of each system, ``outputs[system][segment]``; the order of segments is kept."""
    groups = _by_segments(outputs) if compares_systems(metric) else _by_systems(outputs)
    parts: dict[str, list[tuple[tuple[Key, ...], Scores]]] = {name: [] for name in outputs}
    for keys, names in groups.items():
        layers = {name: [outputs[name][key] for key in keys] for name in names}
        scored = score_layers(metric, layers, [texts[key] for key in keys], workers=workers)
        for name, scores in scored.items():
            parts[name].append((keys, scores))
    return {name: _join(parts[name], tuple(segments)) for name, segments in outputs.items()}


def score_layers(
    metric: Metric, layers: Mapping[str, Sequence[str]], texts: Sequence[SegmentContext], *, workers: int = 1
) -> dict[str, Scores]:
    """Score parallel translations of segments that may differ in their numbers of references."""
    numbers = {len(text.references) for text in texts}
    sources = [text.source for text in texts if text.source is not None]
    complete = sources if len(sources) == len(texts) else None
    if compares_systems(metric) and not metric.needs.reference:
        numbers = {0}  # such a metric needs all systems together, and no reference
    if len(numbers) == 1:
        references = [[text.references[r] for text in texts] for r in range(numbers.pop())]
        return score_systems(metric, layers, references, complete, workers=workers)
    if missing := metric.needs.explain_missing(
        references=min(numbers, default=0), source=complete is not None
    ):
        raise MetricUnavailable(f"{metric.name} cannot score here: {missing} for every segment")
    return {
        name: metric.score([Segment(output, *text) for output, text in zip(outputs, texts, strict=True)])
        for name, outputs in layers.items()
    }


def _by_systems(outputs: Mapping[str, Mapping[Key, str]]) -> dict[tuple[Key, ...], list[str]]:
    """Group the systems that translated the same segments."""
    groups: dict[tuple[Key, ...], list[str]] = {}
    for name, segments in outputs.items():
        groups.setdefault(tuple(segments), []).append(name)
    return groups


def _by_segments(outputs: Mapping[str, Mapping[Key, str]]) -> dict[tuple[Key, ...], list[str]]:
    """Group the segments that the same systems translated."""
    writers: dict[Key, list[str]] = {}
    for name, segments in outputs.items():
        for key in segments:
            writers.setdefault(key, []).append(name)
    groups: dict[tuple[str, ...], list[Key]] = {}
    for key, names in writers.items():
        groups.setdefault(tuple(names), []).append(key)
    return {tuple(keys): list(names) for names, keys in groups.items()}


def _join(parts: Sequence[tuple[tuple[Key, ...], Scores]], keys: tuple[Key, ...]) -> Scores:
    if len(parts) == 1 and parts[0][0] == keys:
        return parts[0][1]
    values = {
        key: value
        for some, scores in parts
        for key, value in zip(some, scores.segments.tolist(), strict=True)
    }
    segments = np.array([values[key] for key in keys], np.float64)
    return Scores(segments, mean_or_none(segments), parts[0][1].signature)
