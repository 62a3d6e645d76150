"""A metric's scores over the cells of a data set, turned so that higher is better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metrics.base import Metric, may_be_undefined
from metrics.datasets import Dataset, FloatArray, IntArray
from metrics.uneven import Beside, score_uneven

Place = tuple[str, int]  # a segment, and which of a system's translations of it


@dataclass(frozen=True, slots=True, eq=False)
class CellScores:
    """One score per cell and one per system; a lower-is-better metric is negated in both.

    A cell that the metric cannot score is NaN: it is left out of every figure and counted.
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
    outputs = {name: _outputs(dataset, cells) for name, cells in systems.items()}
    besides = {name: Beside(text.references, text.source) for name, text in dataset.texts.items()}
    texts = {place: besides[place[0]] for mine in outputs.values() for place in mine}
    for name, scores in score_uneven(metric, outputs, texts, workers=workers).items():
        found[systems[name]] = scores.segments
        if scores.corpus is not None:
            corpus[name] = sign * scores.corpus
    faulty = ~np.isfinite(found) & ~(np.isnan(found) & may_be_undefined(metric))
    if faulty.any():
        raise ValueError(f"{metric.name} gave {np.count_nonzero(faulty)} scores that are no numbers")
    return CellScores(sign * found, corpus, metric.signature)


def _outputs(dataset: Dataset, cells: IntArray) -> dict[Place, str]:
    """What one system wrote; a judged file may have several translations of a segment under one name."""
    times: Counter[str] = Counter()
    found: dict[Place, str] = {}
    for cell in cells.tolist():
        _, segment, translation = dataset.cells[cell]
        found[segment, times[segment]] = translation
        times[segment] += 1
    return found
