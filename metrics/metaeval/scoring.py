"""A metric's scores over the cells of a data set, turned so that higher is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metrics.base import Metric, MetricUnavailable, Scores, Segment, may_be_undefined, score_systems
from metrics.datasets import Dataset, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class CellScores:
    """One score per cell and one per system; a lower-is-better metric is negated in both.

    A cell of which the metric can say nothing is NaN: it takes no part in any figure and is counted.
    """

    cells: FloatArray
    systems: Mapping[str, float]
    signature: str

    @property
    def undefined(self) -> int:
        """How many cells have no score."""
        return int(np.count_nonzero(np.isnan(self.cells)))


def score_dataset(metric: Metric, dataset: Dataset, *, workers: int = 1) -> CellScores:
    """Score every cell; systems that translate the same segments are scored together.

    Raises ``MetricUnavailable`` where the metric needs texts that the set lacks, ``ValueError`` for a score
    that is not finite, unless it is NaN and the metric declares that it may be.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    found = np.full(len(dataset.cells), np.nan)
    corpus: dict[str, float] = {}
    systems = dataset.systems()
    for names in _alike(dataset, systems):
        for name, scores in _score(metric, dataset, {name: systems[name] for name in names}, workers).items():
            found[systems[name]] = scores.segments
            if scores.corpus is not None:
                corpus[name] = sign * scores.corpus
    faulty = ~np.isfinite(found) & ~(np.isnan(found) & may_be_undefined(metric))
    if faulty.any():
        raise ValueError(f"{metric.name} gave {np.count_nonzero(faulty)} scores that are no numbers")
    return CellScores(sign * found, corpus, metric.signature)


def _alike(dataset: Dataset, systems: Mapping[str, IntArray]) -> list[list[str]]:
    """Systems grouped by the segments that they translate, so that references are encoded once a group."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, cells in systems.items():
        groups.setdefault(tuple(dataset.cells[cell].segment for cell in cells), []).append(name)
    return list(groups.values())


def _score(
    metric: Metric, dataset: Dataset, systems: Mapping[str, IntArray], workers: int
) -> dict[str, Scores]:
    cells = next(iter(systems.values()))
    texts = [dataset.texts[dataset.cells[cell].segment] for cell in cells]
    outputs = {name: [dataset.cells[cell].translation for cell in mine] for name, mine in systems.items()}
    sizes = {len(text.references) for text in texts}
    if len(sizes) == 1:
        references = [[text.references[r] for text in texts] for r in range(sizes.pop())]
        return score_systems(metric, outputs, references, [text.source for text in texts], workers=workers)
    lacking = metric.needs.lacking(references=min(sizes), source=True)
    if lacking:  # some segments have a reference and some have none
        raise MetricUnavailable(f"{metric.name} cannot score here: {lacking} for every segment")
    return {
        name: metric.score(
            [Segment(one, text.references, text.source) for one, text in zip(mine, texts, strict=True)]
        )
        for name, mine in outputs.items()
    }
