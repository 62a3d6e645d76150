"""What discourse adds to other metrics: the layout of tables 2–5 of Guzmán et al. 2014 (paper 004).

Each row is a metric or a sum of metrics. Columns: alone, with DR, with DR-LEX; at segment level Kendall's τ,
the metrics joined uniformly (table 3) or with tuned weights (table 4: ten folds of whole documents, one set
of weights for all language pairs; table 5: tuned on one collection, tested on another); at system level
Spearman's ρ (table 2). Every figure is the mean over language pairs, as printed there.

A sum gets DR as one more part, so its weight falls with the number of parts. Differences carry a 95 %
interval from resampling segments, the same draws for both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.agreement.bootstrap import percentile_interval
from metrics.datasets import Comparisons, Dataset, FloatArray, IntArray
from metrics.learned.combination import JudgedTable, cross_validate, tune, uniform
from metrics.learned.examples import document_numbers
from metrics.metaeval.correlation import spearman
from metrics.metaeval.kendall import TieRule, outcome_counts, tau
from metrics.metaeval.systems import human_by_system

ADDED = ("", "dr", "dr-lex")
Rows = Mapping[str, Sequence[str]]
Combine = Callable[[Sequence["JudgedSet"], Sequence[str]], list[FloatArray]]
Scored = tuple[FloatArray, Mapping[str, float]]
"""The scores of the judged cells, and of the systems by name."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedSet:
    """One language pair: scores of the judged cells by metric, the verdicts on them, and scores of systems.

    All scores are higher-is-better. ``segments`` and ``documents`` say which one each cell belongs to, from 0
    in file order; ``system_scores`` has one value per metric and system, ``system_human`` one per system, in
    the same order.
    """

    scores: Mapping[str, FloatArray]
    human: Comparisons
    segments: IntArray
    documents: IntArray
    system_scores: Mapping[str, FloatArray]
    system_human: FloatArray

    @classmethod
    def of(cls, dataset: Dataset, human: Comparisons, scored: Mapping[str, Scored]) -> JudgedSet:
        """The judged cells of a set, in the order of ``judged_cells``, and the systems with a verdict."""
        judged = judged_cells(human)
        shares = human_by_system(human, dataset.systems())
        place = np.full(len(dataset.cells), -1)
        place[judged] = np.arange(len(judged))
        return cls(
            scores={name: cells for name, (cells, _) in scored.items()},
            human=Comparisons(place[human.better], place[human.worse], np.empty((0, 2), np.int64)),
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
    """The cells that somebody has preferred to another, or another to them."""
    return np.unique(np.concatenate([human.better, human.worse]))


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure, and its difference to the first column with the interval of that difference."""

    value: float
    gain: float | None = None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells in the order of ``ADDED``, and the mean row below."""

    rows: Mapping[str, tuple[Cell, ...]]
    average: tuple[Cell, ...]


def uniformly(sets: Sequence[JudgedSet], parts: Sequence[str]) -> list[FloatArray]:
    """Min–max per metric and language pair, then the mean."""
    return [uniform(one.columns(parts)) for one in sets]


def tuned(sets: Sequence[JudgedSet], parts: Sequence[str]) -> list[FloatArray]:
    """Weights from nine folds, scores for the tenth; a metric on its own needs no weights."""
    if len(parts) == 1:
        return uniformly(sets, parts)
    return cross_validate([_judged(one, parts) for one in sets])


def tuned_on(training: Sequence[JudgedSet]) -> Combine:
    """Weights from another collection, as table 5 has them."""

    def combine(sets: Sequence[JudgedSet], parts: Sequence[str]) -> list[FloatArray]:
        if len(parts) == 1:
            return uniformly(sets, parts)
        weights = tune([_judged(one, parts) for one in training])
        return [weights(one.columns(parts)) for one in sets]

    return combine


def segment_table(
    sets: Sequence[JudgedSet],
    rows: Rows,
    combine: Combine = uniformly,
    *,
    rule: TieRule = TieRule.WMT12,
    resamples: int = 1000,
    seed: int = 1,
) -> Table:
    """Mean τ over language pairs of every row, alone and with discourse."""
    draws = [_draws(one, resamples, seed + number) for number, one in enumerate(sets)]
    values: dict[str, list[FloatArray]] = {}
    for name, parts in rows.items():
        values[name] = []
        for added in ADDED:
            joined = combine(sets, [*parts, added] if added else list(parts))
            values[name].append(_mean_tau(sets, joined, draws, rule))
    return Table(
        {name: _cells(found) for name, found in values.items()},
        _cells([np.mean([found[n] for found in values.values()], axis=0) for n in range(len(ADDED))]),
    )


def system_table(sets: Sequence[JudgedSet], rows: Rows) -> Table:
    """Mean ρ over language pairs of every row, joined uniformly; too few systems for intervals."""
    found = {name: tuple(_rho(sets, parts, added) for added in ADDED) for name, parts in rows.items()}
    means = np.mean(list(found.values()), axis=0)
    return Table(
        {name: _plain(values) for name, values in found.items()}, _plain(tuple(float(mean) for mean in means))
    )


def _rho(sets: Sequence[JudgedSet], parts: Sequence[str], added: str) -> float:
    values = []
    for one in sets:
        used = [*parts, added] if added else list(parts)
        joined = uniform(np.column_stack([one.system_scores[part] for part in used]))
        value = spearman(joined, one.system_human)
        values.append(np.nan if value is None else value)
    return float(np.mean(values))


def _mean_tau(
    sets: Sequence[JudgedSet], joined: Sequence[FloatArray], draws: Sequence[FloatArray], rule: TieRule
) -> FloatArray:
    """The observed mean τ, then one for each resample."""
    found = []
    for one, scores, weights in zip(sets, joined, draws, strict=True):
        counts = outcome_counts(scores, one.human, one.segments)
        found.append(tau(weights @ counts, rule))
    return np.asarray(np.mean(found, axis=0))


def _draws(one: JudgedSet, resamples: int, seed: int) -> FloatArray:
    """How often each judged segment counts: once each in the first row, resampled in the others."""
    size = len(np.unique(one.segments[one.human.better]))
    random = np.random.default_rng(seed).multinomial(size, np.full(size, 1 / size), resamples)
    return np.vstack([np.ones((1, size)), random]).astype(np.float64)


def _cells(values: Sequence[FloatArray]) -> tuple[Cell, ...]:
    first = values[0]
    cells = [Cell(float(first[0]))]
    for value in values[1:]:
        gains = value - first
        cells.append(Cell(float(value[0]), float(gains[0]), percentile_interval(gains[1:])))
    return tuple(cells)


def _plain(values: Sequence[float]) -> tuple[Cell, ...]:
    return (Cell(values[0]), *(Cell(value, value - values[0]) for value in values[1:]))


def _judged(one: JudgedSet, parts: Sequence[str]) -> JudgedTable:
    return JudgedTable(one.columns(parts), one.human, one.documents)
