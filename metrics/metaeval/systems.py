"""System-level figures: the corpus score of a metric against what people preferred.

The human score of a system is the share of decisive comparisons that it won, wins / (wins + losses), as in
the WMT metrics tasks since 2012, or the mean of its ratings. Only systems that people judged take part.
References can take part as systems, but are never compared with themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metrics.metaeval.correlation import pearson, spearman
from metrics.metaeval.datasets import Comparisons, Dataset, FloatArray, IntArray, Ratings


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """``accuracy`` is the share of system pairs that both sides order alike, without human ties."""

    systems: int
    rho: float | None
    pearson: float | None
    accuracy: float | None


def wins_share(human: Comparisons, cells: int) -> dict[int, float]:
    """Return wins / (wins + losses) of every cell in a decisive comparison.

    >>> wins_share(Comparisons(np.array([0, 0]), np.array([1, 2])), 4)
    {0: 1.0, 1: 0.0, 2: 0.0}
    """
    wins = np.bincount(human.better, minlength=cells)
    losses = np.bincount(human.worse, minlength=cells)
    judged = np.flatnonzero(wins + losses)
    return {int(cell): float(wins[cell] / (wins[cell] + losses[cell])) for cell in judged}


def human_by_system(human: Comparisons | Ratings, systems: Mapping[str, IntArray]) -> dict[str, float]:
    """Return the human score of every judged system."""
    if isinstance(human, Comparisons):
        total = sum(map(len, systems.values()))
        owner = np.empty(total, dtype=np.int64)
        for number, cells in enumerate(systems.values()):
            owner[cells] = number
        shares = wins_share(Comparisons(owner[human.better], owner[human.worse], human.tied), len(systems))
        return {name: shares[number] for number, name in enumerate(systems) if number in shares}
    values = {name: human.values[np.isin(human.cells, cells)] for name, cells in systems.items()}
    return {name: float(ratings.mean()) for name, ratings in values.items() if ratings.size}


def system_level(metric: Mapping[str, float], human: Mapping[str, float]) -> SystemLevel:
    """Compare metric and people over the systems that both have; higher metric scores are better.

    >>> level = system_level({"a": 30.0, "b": 20.0, "c": 10.0}, {"a": 0.6, "b": 0.7, "c": 0.1})
    >>> level.rho, round(level.pearson, 4), round(level.accuracy, 4)
    (0.5, 0.7777, 0.6667)
    """
    names = [name for name in human if name in metric]
    ours: FloatArray = np.array([metric[name] for name in names], dtype=np.float64)
    theirs: FloatArray = np.array([human[name] for name in names], dtype=np.float64)
    agreed = [
        (ours[i] - ours[j]) * (theirs[i] - theirs[j]) > 0
        for i, j in combinations(range(len(names)), 2)
        if theirs[i] != theirs[j]
    ]
    accuracy = sum(map(bool, agreed)) / len(agreed) if agreed else None
    return SystemLevel(len(names), spearman(ours, theirs), pearson(ours, theirs), accuracy)


def drop_references(
    human: Comparisons | Ratings, dataset: Dataset
) -> tuple[Comparisons | Ratings, tuple[str, ...]]:
    """Remove judgements of systems that are a reference (``ref-A`` for column ``refA``); returns their names.

    A reference scored against itself would get the best value of every metric.
    """
    people = tuple(name for name in dataset.systems() if name not in machine_systems(dataset))
    machine = np.array([cell.system not in people for cell in dataset.cells])
    if not people:
        return human, ()
    if isinstance(human, Ratings):
        kept = machine[human.cells]
        return Ratings(human.cells[kept], human.values[kept]), people
    kept = machine[human.better] & machine[human.worse]
    tied = human.tied[machine[human.tied].all(axis=1)]
    return Comparisons(human.better[kept], human.worse[kept], tied), people


def machine_systems(dataset: Dataset) -> tuple[str, ...]:
    """Return the systems whose name is not that of a reference column, up to case and hyphens."""
    names = {_normalize(name) for name in dataset.reference_names}
    return tuple(name for name in dataset.systems() if _normalize(name) not in names)


def _normalize(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
