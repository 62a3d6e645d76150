"""What discourse adds to other metrics: the layout of tables 2–5 of Guzmán et al. 2014 (paper 004).

Each row is a metric or a sum of metrics. Columns: alone, with DR, with DR-LEX; at segment level Kendall's τ,
the metrics combined uniformly (table 3) or with tuned weights (table 4: ten folds of whole documents, one set
of weights for all language pairs; table 5: tuned on one collection, tested on another); at system level
Spearman's ρ (table 2). Every figure is the mean over language pairs, as in the paper.

DR is one more part of a sum, so its weight decreases with the number of parts. Differences have a 95 %
bootstrap interval over segments, with the same resamples on both sides.

The families are the combined metrics of section 4.1, made of the parts that exist here. ASIYA's own programs
are not used: each part is our metric of the same idea, under our name. There is no parser for semantic roles
(SRL) and semantic parses (SEM), so these parts are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from appraise.lib.resampling import multinomial_counts, percentile_interval
from metrics.learned.combination import JudgedTable, cross_validate, tune, uniform
from metrics.learned.examples import document_numbers
from metrics.metaeval.correlation import spearman
from metrics.metaeval.datasets import Comparisons, Dataset, FloatArray, IntArray
from metrics.metaeval.kendall import TieRule, outcome_counts, tau
from metrics.metaeval.systems import human_by_system

ADDED = ("", "dr", "dr-lex")
Rows = Mapping[str, Sequence[str]]
Combine = Callable[[Sequence["DiscourseSet"], Sequence[str]], list[FloatArray]]
MetricScores = tuple[FloatArray, Mapping[str, float]]
"""The scores of the judged cells, and of the systems by name."""


@dataclass(frozen=True, slots=True, eq=False)
class DiscourseSet:
    """One language pair: scores of the judged cells by metric, the judgements on them, and scores of systems.

    For all scores higher is better. ``segments`` and ``documents`` are those of each cell, numbered from 0 in
    file order; ``system_scores`` has one value per metric and system, ``system_human`` one per system, in
    the same order.
    """

    scores: Mapping[str, FloatArray]
    human: Comparisons
    segments: IntArray
    documents: IntArray
    system_scores: Mapping[str, FloatArray]
    system_human: FloatArray

    @classmethod
    def of(cls, dataset: Dataset, human: Comparisons, scored: Mapping[str, MetricScores]) -> DiscourseSet:
        """The judged cells of a set, in the order of ``judged_cells``, and the systems with a judgement."""
        judged = judged_cells(human)
        shares = human_by_system(human, dataset.systems())
        place = np.full(len(dataset.cells), -1)
        place[judged] = np.arange(len(judged))
        return cls(
            scores={name: cells for name, (cells, _) in scored.items()},
            human=Comparisons(place[human.better], place[human.worse]),
            segments=dataset.segment_codes()[judged],
            documents=document_numbers(dataset, judged),
            system_scores={
                name: np.array([systems.get(system, np.nan) for system in shares])
                for name, (_, systems) in scored.items()
            },
            system_human=np.array([*shares.values()], np.float64),
        )

    def columns(self, parts: Sequence[str]) -> FloatArray:
        """The scores of these metrics side by side."""
        return np.column_stack([self.scores[part] for part in parts])


def judged_cells(human: Comparisons) -> IntArray:
    """The cells of all decided pairs."""
    return np.unique(np.concatenate([human.better, human.worse]))


@dataclass(frozen=True, slots=True)
class GainCell:
    """A figure, and its difference from the first column with the interval of that difference."""

    value: float
    gain: float | None = None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class GainTable:
    """Rows of cells in the order of ``ADDED``, and their mean."""

    rows: Mapping[str, tuple[GainCell, ...]]
    average: tuple[GainCell, ...]


def combine_uniformly(sets: Sequence[DiscourseSet], parts: Sequence[str]) -> list[FloatArray]:
    """Min–max per metric and language pair, then the mean."""
    return [uniform(judged.columns(parts)) for judged in sets]


def combine_tuned(sets: Sequence[DiscourseSet], parts: Sequence[str]) -> list[FloatArray]:
    """Weights from nine folds, scores for the tenth; a single metric needs no weights."""
    if len(parts) == 1:
        return combine_uniformly(sets, parts)
    return cross_validate([_judged_table(judged, parts) for judged in sets])


def combine_tuned_on(training: Sequence[DiscourseSet]) -> Combine:
    """Weights from another collection, as in table 5."""

    def combine(sets: Sequence[DiscourseSet], parts: Sequence[str]) -> list[FloatArray]:
        if len(parts) == 1:
            return combine_uniformly(sets, parts)
        weights = tune([_judged_table(judged, parts) for judged in training])
        return [weights(judged.columns(parts)) for judged in sets]

    return combine


def segment_table(
    sets: Sequence[DiscourseSet],
    rows: Rows,
    combine: Combine = combine_uniformly,
    *,
    rule: TieRule = TieRule.WMT12,
    resamples: int = 1000,
    seed: int = 1,
) -> GainTable:
    """Mean τ over language pairs of every row, alone and with discourse."""
    weights = [_resample(judged, resamples, seed + number) for number, judged in enumerate(sets)]
    values: dict[str, list[FloatArray]] = {}
    for name, parts in rows.items():
        values[name] = []
        for added in ADDED:
            combined = combine(sets, [*parts, added] if added else list(parts))
            values[name].append(_mean_tau(sets, combined, weights, rule))
    return GainTable(
        {name: _cells(taus) for name, taus in values.items()},
        _cells([np.mean([taus[n] for taus in values.values()], axis=0) for n in range(len(ADDED))]),
    )


def system_table(sets: Sequence[DiscourseSet], rows: Rows) -> GainTable:
    """Mean ρ over language pairs of every row, combined uniformly; too few systems for intervals."""
    rhos = {name: tuple(_rho(sets, parts, added) for added in ADDED) for name, parts in rows.items()}
    means = np.mean(list(rhos.values()), axis=0)
    return GainTable(
        {name: _plain(values) for name, values in rhos.items()}, _plain(tuple(float(mean) for mean in means))
    )


def _rho(sets: Sequence[DiscourseSet], parts: Sequence[str], added: str) -> float:
    values = []
    for judged in sets:
        used = [*parts, added] if added else list(parts)
        combined = uniform(np.column_stack([judged.system_scores[part] for part in used]))
        value = spearman(combined, judged.system_human)
        values.append(np.nan if value is None else value)
    return float(np.mean(values))


def _mean_tau(
    sets: Sequence[DiscourseSet],
    combined: Sequence[FloatArray],
    resampled: Sequence[FloatArray],
    rule: TieRule,
) -> FloatArray:
    """The observed mean τ, then one for each resample."""
    taus = []
    for judged, scores, weights in zip(sets, combined, resampled, strict=True):
        counts = outcome_counts(scores, judged.human, judged.segments)
        taus.append(tau(weights @ counts, rule))
    return np.asarray(np.mean(taus, axis=0))


def _resample(judged: DiscourseSet, resamples: int, seed: int) -> FloatArray:
    """The weight of each judged segment: 1 in the first row, bootstrap counts in the others."""
    size = len(np.unique(judged.segments[judged.human.better]))
    resampled = multinomial_counts(size, resamples, np.random.default_rng(seed))
    return np.vstack([np.ones((1, size)), resampled])


def _cells(values: Sequence[FloatArray]) -> tuple[GainCell, ...]:
    first = values[0]
    cells = [GainCell(float(first[0]))]
    for value in values[1:]:
        gains = value - first
        cells.append(GainCell(float(value[0]), float(gains[0]), percentile_interval(gains[1:])))
    return tuple(cells)


def _plain(values: Sequence[float]) -> tuple[GainCell, ...]:
    return (GainCell(values[0]), *(GainCell(value, value - values[0]) for value in values[1:]))


def _judged_table(judged: DiscourseSet, parts: Sequence[str]) -> JudgedTable:
    return JudgedTable(judged.columns(parts), judged.human, judged.documents)


# Our metrics for the parts of each sum of paper 004. METEOR also matches stems, and has no paraphrases; TER
# stands for TERp-A. The paper gives the number of parts of ASIYA-0809, not their names: these are the ones of
# its four families that exist here. METEOR-sy is left out of ASIYA-ALL: the sum would need WordNet.
LEX = ("bleu", "nist", "meteor", "rouge-w", "ter")
SYN = ("cp-stm", "dp-hwcm-c", "dp-hwcm-r", "dp-or")
ULC = ("rouge-w", "meteor", "ter", *SYN)
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "asiya-lex": LEX,
    "asiya-syn": SYN,
    "asiya-0809": ULC,
    "asiya-all": (*ULC, "bleu", "nist"),
}
