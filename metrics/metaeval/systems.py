"""Whole systems: a metric's corpus score against what people preferred.

The human score of a system is its share of decisive comparisons won, wins / (wins + losses), as in the WMT
metrics tasks from 2012 on, or the mean of its ratings. Only systems that people judged take part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metrics.datasets import Comparisons, FloatArray, IntArray, Ratings
from metrics.metaeval.correlation import pearson, spearman


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """``accuracy`` is the share of pairs of systems that both sides order alike; human ties left out."""

    systems: int
    rho: float | None
    pearson: float | None
    accuracy: float | None


def wins_share(human: Comparisons, cells: int) -> dict[int, float]:
    """wins / (wins + losses) for every cell that was in a decisive comparison.

    >>> wins_share(Comparisons(np.array([0, 0]), np.array([1, 2]), np.empty((0, 2), dtype=np.int64)), 4)
    {0: 1.0, 1: 0.0, 2: 0.0}
    """
    wins = np.bincount(human.better, minlength=cells)
    losses = np.bincount(human.worse, minlength=cells)
    judged = np.flatnonzero(wins + losses)
    return {int(cell): float(wins[cell] / (wins[cell] + losses[cell])) for cell in judged}


def human_by_system(human: Comparisons | Ratings, systems: Mapping[str, IntArray]) -> dict[str, float]:
    """The human score of every judged system."""
    if isinstance(human, Comparisons):
        total = sum(map(len, systems.values()))
        owner = np.empty(total, dtype=np.int64)
        for number, cells in enumerate(systems.values()):
            owner[cells] = number
        shares = wins_share(Comparisons(owner[human.better], owner[human.worse], human.tied), len(systems))
        return {name: shares[number] for number, name in enumerate(systems) if number in shares}
    found = {}
    for name, cells in systems.items():
        mine = human.values[np.isin(human.cells, cells)]
        if mine.size:
            found[name] = float(mine.mean())
    return found


def system_level(metric: Mapping[str, float], human: Mapping[str, float]) -> SystemLevel:
    """Correlate over the systems that both sides know; metric scores are higher-is-better.

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
