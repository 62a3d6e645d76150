"""How well a ranker agrees with people: segment Kendall τ and system Spearman ρ (paper 001, section 3.3).

* τ over all decided human pairs under a named tie rule (``metrics.metaeval.kendall``), with an interval from
  resampling sources; and the mean over sources of each source's own τ, which is how the paper averages.
* ρ over the share of comparisons in which a system is better than or equal to the other one, computed once
  from the people and once from the ranker on the same comparisons, ties included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from metrics.datasets import Comparisons
from metrics.metaeval.correlation import spearman
from metrics.metaeval.kendall import TieRule, outcome_counts, tau
from metrics.metaeval.resampling import bootstrap_tau
from metrics.ranking.classifiers import Classifier
from metrics.ranking.data import RankedSet
from metrics.ranking.loess import FloatArray
from metrics.ranking.ngrams import IntArray
from metrics.ranking.pairs import preferences_of, soft_wins, wins


@dataclass(frozen=True, slots=True)
class Agreement:
    """What one ranker reached on one set; None where there is no data."""

    tau: float | None
    tau_ci: tuple[float, float] | None
    tau_mean: float | None
    pairs: int
    sources: int
    system_rho: float | None
    systems: int

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def scores(
    ranked: RankedSet, cells: IntArray, features: FloatArray, classifier: Classifier, *, soft: bool
) -> FloatArray:
    """A score for every cell of the set: wins, or expected wins, among the given cells of its source.

    Rows of ``features`` belong to ``cells``; cells that take no part get NaN.
    """
    found = np.full(len(ranked.texts), np.nan)
    row = np.full(len(ranked.texts), -1)
    row[cells] = np.arange(len(cells))
    groups = ranked.groups(cells)
    matrices = preferences_of([features[row[group]] for group in groups], classifier)
    for group, matrix in zip(groups, matrices, strict=True):
        found[group] = soft_wins(matrix) if soft else wins(matrix)
    return found


def agreement(
    ranked: RankedSet,
    cell_scores: FloatArray,
    *,
    rule: TieRule = TieRule.WMT14,
    resamples: int = 1000,
    seed: int = 1,
) -> Agreement:
    """Agreement of cell scores (higher is better) with the set's rankings."""
    human = ranked.comparisons()
    counts = outcome_counts(cell_scores, human, np.array(ranked.source_of, np.int64))
    judged = better_or_equal(human, ranked.systems)
    ours = better_or_equal(as_judged(human, cell_scores), ranked.systems)
    names = sorted(judged.keys() & ours.keys())
    taus = tau(counts, rule)
    return Agreement(
        tau=_known(tau(counts.sum(axis=0), rule)),
        tau_ci=bootstrap_tau(counts, rule, resamples=resamples, seed=seed),
        tau_mean=_known(np.nanmean(taus)) if np.isfinite(taus).any() else None,
        pairs=int(counts.sum()),
        sources=len(counts),
        system_rho=spearman(np.array([ours[n] for n in names]), np.array([judged[n] for n in names])),
        systems=len(names),
    )


def as_judged(human: Comparisons, cell_scores: FloatArray) -> Comparisons:
    """The comparisons that people made, decided by scores instead."""
    first = np.concatenate([human.better, human.tied[:, 0]])
    second = np.concatenate([human.worse, human.tied[:, 1]])
    difference = cell_scores[first] - cell_scores[second]
    better = np.concatenate([first[difference > 0], second[difference < 0]])
    worse = np.concatenate([second[difference > 0], first[difference < 0]])
    even = difference == 0
    return Comparisons(better, worse, np.column_stack([first[even], second[even]]))


def better_or_equal(human: Comparisons, systems: Sequence[str]) -> dict[str, float]:
    """Per system the share of its comparisons in which it is better than or equal to the other output.

    >>> two = Comparisons(np.array([0]), np.array([1]), np.array([[0, 1]]))
    >>> better_or_equal(two, ["x", "y"])
    {'x': 1.0, 'y': 0.5}
    """
    names = {name: number for number, name in enumerate(dict.fromkeys(systems))}
    owner = np.array([names[system] for system in systems], np.int64)
    won, lost = (np.bincount(owner[side], minlength=len(names)) for side in (human.better, human.worse))
    even = np.bincount(owner[human.tied.ravel()], minlength=len(names))
    total = won + lost + even
    return {n: float((won[k] + even[k]) / total[k]) for n, k in names.items() if total[k]}


def _known(value: np.ndarray[tuple[int, ...], np.dtype[np.float64]] | np.floating[object]) -> float | None:  # type: ignore[type-var] # numpy's own scalar
    number = float(value)
    return None if np.isnan(number) else number
