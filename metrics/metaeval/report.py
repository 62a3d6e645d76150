"""One metric on one judged set: every figure that ``manage.py metaeval`` prints.

Rankings and pairs are verdicts between translations of one segment: τ is computed from them directly, and the
correlations use each cell's share of wins. Scores are absolute: the correlations use them directly, and τ
uses the pairs of translations of one segment that people scored differently.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metrics.datasets import Comparisons, Dataset, FloatArray, IntArray, Ratings
from metrics.metaeval.correlation import fisher_interval, pearson, spearman
from metrics.metaeval.kendall import Calibrated, TieRule, calibrated_accuracy, outcome_counts, tau, tau_b
from metrics.metaeval.resampling import bootstrap_tau
from metrics.metaeval.scoring import CellScores
from metrics.metaeval.systems import SystemLevel, human_by_system, system_level, wins_share


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The figures of one metric; a statistic without data is None."""

    signature: str
    counts: IntArray
    rule: TieRule
    tau_ci: tuple[float, float] | None
    system: SystemLevel
    items: int
    pearson: float | None
    pearson_ci: tuple[float, float] | None
    spearman: float | None
    tau_b: float | None
    calibrated: Calibrated | None
    undefined: int = 0  # translations that the metric cannot score
    pairs_left_out: int = 0  # decisive pairs with such a translation

    @property
    def tau(self) -> float | None:
        value = float(tau(self.counts.sum(0), self.rule))
        return None if np.isnan(value) else value

    def as_json(self) -> dict[str, object]:
        """The figures, and what was left out where something was."""
        left_out = {"undefined": self.undefined, "pairs_left_out": self.pairs_left_out}
        return {
            "tau": self.tau,
            "tau_ci": self.tau_ci,
            "pairs": int(self.counts.sum()),
            "system_rho": self.system.rho,
            "systems": self.system.systems,
            "pearson": self.pearson,
            "pearson_ci": self.pearson_ci,
            "spearman": self.spearman,
            **(left_out if self.undefined else {}),
        }

    def details(self) -> dict[str, object]:
        """What ``--details`` adds."""
        calibrated = self.calibrated
        return {
            "signature": self.signature,
            "ties": self.rule.value,
            "concordant_discordant_tied": self.counts.sum(0).tolist(),
            "segments": len(self.counts),
            "items": self.items,
            "tau_b": self.tau_b,
            "accuracy": calibrated.accuracy if calibrated else None,
            "tie_threshold": calibrated.threshold if calibrated else None,
            "system_pearson": self.system.pearson,
            "system_accuracy": self.system.accuracy,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Human verdicts in both shapes, over the cells of one data set."""

    comparisons: Comparisons
    ratings: Ratings
    by_system: dict[str, float]
    segments: IntArray


def judgements(dataset: Dataset, human: Comparisons | Ratings) -> Judgements:
    """Both shapes from either: win shares out of comparisons, same-segment pairs out of ratings."""
    segments, by_system = dataset.segment_codes(), human_by_system(human, dataset.systems())
    if isinstance(human, Ratings):
        ratings = _means(human)
        return Judgements(pairs_of(ratings, segments), ratings, by_system, segments)
    shares = wins_share(human, len(dataset.cells))
    cells, values = np.array([*shares], dtype=np.int64), np.array([*shares.values()], dtype=np.float64)
    return Judgements(human, Ratings(cells, values), by_system, segments)


def evaluate(
    scores: CellScores, human: Judgements, rule: TieRule, *, resamples: int = 1000, seed: int = 1
) -> Evaluation:
    """Compare a metric's scores with the human side."""
    counts = outcome_counts(scores.cells, human.comparisons, human.segments)
    known = ~np.isnan(scores.cells[human.ratings.cells])
    ours: FloatArray = scores.cells[human.ratings.cells[known]]
    theirs = human.ratings.values[known]
    r = pearson(ours, theirs)
    return Evaluation(
        signature=scores.signature,
        counts=counts,
        rule=rule,
        tau_ci=bootstrap_tau(counts, rule, resamples=resamples, seed=seed),
        system=system_level(scores.systems, human.by_system),
        items=len(theirs),
        pearson=r,
        pearson_ci=fisher_interval(r, len(theirs)),
        spearman=spearman(ours, theirs),
        tau_b=tau_b(ours, theirs),
        calibrated=calibrated_accuracy(scores.cells, defined(human.comparisons, scores.cells)),
        undefined=scores.undefined,
        pairs_left_out=len(human.comparisons.better) - int(counts.sum()),
    )


def defined(human: Comparisons, scores: FloatArray) -> Comparisons:
    """The verdicts between cells that both have a score.

    >>> human = Comparisons(np.array([0, 1]), np.array([1, 2]), np.array([[0, 2]]))
    >>> defined(human, np.array([np.nan, 1.0, 2.0])).better.tolist()
    [1]
    """
    known = ~np.isnan(scores)
    decided = known[human.better] & known[human.worse]
    return Comparisons(
        human.better[decided], human.worse[decided], human.tied[known[human.tied].all(axis=-1)]
    )


def pairs_of(ratings: Ratings, segments: IntArray) -> Comparisons:
    """Every pair of differently rated cells of one segment, the better first; equal ratings are ties.

    >>> pairs_of(Ratings(np.array([0, 1, 2]), np.array([1.0, 3.0, 1.0])), np.array([0, 0, 0])).tied.tolist()
    [[0, 2]]
    """
    groups: dict[int, list[int]] = {}
    for place, segment in enumerate(segments[ratings.cells].tolist()):
        groups.setdefault(segment, []).append(place)
    found = [pair for places in groups.values() for pair in combinations(places, 2)]
    left, right = np.array(found, dtype=np.int64).reshape(-1, 2).T
    gap = ratings.values[left] - ratings.values[right]
    left, right = ratings.cells[left], ratings.cells[right]
    return Comparisons(
        better=np.where(gap > 0, left, right)[gap != 0],
        worse=np.where(gap > 0, right, left)[gap != 0],
        tied=np.column_stack([left[gap == 0], right[gap == 0]]),
    )


def _means(ratings: Ratings) -> Ratings:
    """Several ratings of one cell count as their mean."""
    cells, place, times = np.unique(ratings.cells, return_inverse=True, return_counts=True)
    return Ratings(cells, np.bincount(place, weights=ratings.values, minlength=len(cells)) / times)
