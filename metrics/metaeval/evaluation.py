"""The figures of metrics on one judged set, as ``manage.py metaeval`` prints them, and tests between metrics.

Rankings and pairs compare translations of one segment: τ is computed from them, and the correlations use the
share of comparisons that each cell won. Ratings are absolute: the correlations use them, and τ uses the pairs
of translations of one segment with different ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from appraise.lib.resampling import holm
from metrics.metaeval.correlation import fisher_interval, pearson, spearman, williams_test
from metrics.metaeval.datasets import Comparisons, Dataset, FloatArray, IntArray, Ratings
from metrics.metaeval.kendall import (
    CalibratedAccuracy,
    TieRule,
    bootstrap_tau,
    bootstrap_tau_with_systems,
    calibrated_accuracy,
    outcome_counts,
    permutation_p,
    tau,
    tau_b,
)
from metrics.metaeval.scoring import CellScores
from metrics.metaeval.soft_accuracy import permutation_p_values, soft_pairwise_accuracy
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
    calibrated: CalibratedAccuracy | None
    by_item: CalibratedAccuracy | None = None  # with human scores: the mean over segments
    spa: float | None = None
    has_scores: bool = False
    undefined: int = 0  # translations without a score
    pairs_left_out: int = 0  # decisive pairs with such a translation

    @property
    def tau(self) -> float | None:
        value = float(tau(self.counts.sum(0), self.rule))
        return None if np.isnan(value) else value

    @property
    def accuracy_with_ties(self) -> float | None:
        """The pairwise accuracy with calibrated ties (acc_eq), with human scores."""
        return self.by_item.accuracy if self.by_item else None

    def as_json(self) -> dict[str, object]:
        """Return the figures, and the counts of exclusions if there are any."""
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
            **(self._of_scores() if self.has_scores else {}),
            **(left_out if self.undefined else {}),
            "signature": self.signature,
        }

    def _of_scores(self) -> dict[str, object]:
        """Return the figures that need human scores of segments."""
        return {
            "acc_eq": self.accuracy_with_ties,
            "acc_eq_epsilon": self.by_item.threshold if self.by_item else None,
            "system_pearson": self.system.pearson,
            "spa": self.spa,
        }

    def details(self) -> dict[str, object]:
        """Return what ``--details`` adds."""
        calibrated = self.calibrated
        return {
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
class HumanJudgements:
    """Human judgements as comparisons and as ratings, over the cells of one data set."""

    comparisons: Comparisons
    ratings: Ratings
    by_system: dict[str, float]
    segments: IntArray
    systems: IntArray  # the system of every cell
    p_values: FloatArray | None = None  # where people gave scores: of the pairs of systems


def human_judgements(dataset: Dataset, human: Comparisons | Ratings, *, seed: int = 1) -> HumanJudgements:
    """Derive ratings from comparisons (shares of wins), or comparisons from ratings of one segment."""
    segments, by_system = dataset.segment_codes(), human_by_system(human, dataset.systems())
    systems = np.empty(len(dataset.cells), dtype=np.int64)
    for number, cells in enumerate(dataset.systems().values()):
        systems[cells] = number
    if isinstance(human, Ratings):
        ratings = _means(human)
        values = np.full(len(dataset.cells), np.nan)
        values[ratings.cells] = ratings.values
        p_values = permutation_p_values(_by_system(values, systems, segments), seed=seed)
        return HumanJudgements(pairs_of(ratings, segments), ratings, by_system, segments, systems, p_values)
    shares = wins_share(human, len(dataset.cells))
    cells, values = np.array([*shares], dtype=np.int64), np.array([*shares.values()], dtype=np.float64)
    return HumanJudgements(human, Ratings(cells, values), by_system, segments, systems)


def evaluate(
    scores: CellScores,
    human: HumanJudgements,
    rule: TieRule,
    *,
    resamples: int = 1000,
    seed: int = 1,
    resample_systems: bool = False,
) -> Evaluation:
    """Compare the scores of a metric with human judgements; the interval of τ resamples segments."""
    counts = outcome_counts(scores.cells, human.comparisons, human.segments)
    if resample_systems:
        about = (scores.cells, human.comparisons, human.segments, human.systems, rule)
        interval = bootstrap_tau_with_systems(*about, resamples=resamples, seed=seed)
    else:
        interval = bootstrap_tau(counts, rule, resamples=resamples, seed=seed)
    known = ~np.isnan(scores.cells[human.ratings.cells])
    ours: FloatArray = scores.cells[human.ratings.cells[known]]
    theirs = human.ratings.values[known]
    r = pearson(ours, theirs)
    comparisons = drop_undefined(human.comparisons, scores.cells)
    return Evaluation(
        signature=scores.signature,
        counts=counts,
        rule=rule,
        tau_ci=interval,
        system=system_level(scores.systems, human.by_system),
        items=len(theirs),
        pearson=r,
        pearson_ci=fisher_interval(r, len(theirs)),
        spearman=spearman(ours, theirs),
        tau_b=tau_b(ours, theirs),
        calibrated=calibrated_accuracy(scores.cells, comparisons),
        by_item=None
        if human.p_values is None
        else calibrated_accuracy(scores.cells, comparisons, human.segments),
        spa=_soft_accuracy(scores.cells, human, seed),
        has_scores=human.p_values is not None,
        undefined=scores.undefined,
        pairs_left_out=len(human.comparisons.better) - int(counts.sum()),
    )


def _soft_accuracy(scores: FloatArray, human: HumanJudgements, seed: int) -> float | None:
    """Return the soft pairwise accuracy on the cells that people scored."""
    if human.p_values is None:
        return None
    judged = np.full(len(scores), np.nan)
    judged[human.ratings.cells] = scores[human.ratings.cells]
    ours = permutation_p_values(_by_system(judged, human.systems, human.segments), seed=seed)
    return soft_pairwise_accuracy(ours, human.p_values)


def _by_system(values: FloatArray, systems: IntArray, segments: IntArray) -> FloatArray:
    """Arrange the values of cells by system and segment; of several translations the last counts."""
    if not len(values):
        return np.empty((0, 0))
    table = np.full((int(systems.max()) + 1, int(segments.max()) + 1), np.nan)
    table[systems, segments] = values
    return table


def drop_undefined(human: Comparisons, scores: FloatArray) -> Comparisons:
    """Return the comparisons of cells that both have a score.

    >>> human = Comparisons(np.array([0, 1]), np.array([1, 2]), np.array([[0, 2]]))
    >>> drop_undefined(human, np.array([np.nan, 1.0, 2.0])).better.tolist()
    [1]
    """
    known = ~np.isnan(scores)
    decided = known[human.better] & known[human.worse]
    return Comparisons(
        human.better[decided], human.worse[decided], human.tied[known[human.tied].all(axis=-1)]
    )


def pairs_of(ratings: Ratings, segments: IntArray) -> Comparisons:
    """Return all pairs of cells of one segment with the better first; equal ratings are ties.

    >>> pairs_of(Ratings(np.array([0, 1, 2]), np.array([1.0, 3.0, 1.0])), np.array([0, 0, 0])).tied.tolist()
    [[0, 2]]
    """
    groups: dict[int, list[int]] = {}
    for place, segment in enumerate(segments[ratings.cells].tolist()):
        groups.setdefault(segment, []).append(place)
    pairs = [pair for places in groups.values() for pair in combinations(places, 2)]
    left, right = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    gap = ratings.values[left] - ratings.values[right]
    left, right = ratings.cells[left], ratings.cells[right]
    return Comparisons(
        better=np.where(gap > 0, left, right)[gap != 0],
        worse=np.where(gap > 0, right, left)[gap != 0],
        tied=np.column_stack([left[gap == 0], right[gap == 0]]),
    )


def _means(ratings: Ratings) -> Ratings:
    """Average the ratings of each cell."""
    cells, place, times = np.unique(ratings.cells, return_inverse=True, return_counts=True)
    return Ratings(cells, np.bincount(place, weights=ratings.values, minlength=len(cells)) / times)


MetricPair = tuple[Evaluation, FloatArray, Evaluation, FloatArray]
Test = dict[str, float | None]


def compare(pairs: Sequence[MetricPair], human: HumanJudgements, *, resamples: int, seed: int) -> list[Test]:
    """Test each pair of metrics: two-sided permutation test of τ, and Williams's test of Pearson's r.

    Both metrics of a pair are compared on the cells that both can score. ``…_holm`` are the p-values after
    Holm's correction over all pairs.
    """
    taus = [
        permutation_p(*_common_counts(pair, human), pair[0].rule, resamples=resamples, seed=seed)
        for pair in pairs
    ]
    correlations = [_williams(pair, human.ratings) for pair in pairs]
    columns = (taus, _correct(taus), correlations, _correct(correlations))
    names = ("tau_p", "tau_p_holm", "pearson_p", "pearson_p_holm")
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _common_counts(pair: MetricPair, human: HumanJudgements) -> tuple[IntArray, IntArray]:
    first, ours, second, theirs = pair
    if not first.undefined and not second.undefined:
        return first.counts, second.counts
    undefined = np.isnan(ours) | np.isnan(theirs)
    one, other = (
        outcome_counts(np.where(undefined, np.nan, scores), human.comparisons, human.segments)
        for scores in (ours, theirs)
    )
    return one, other


def _williams(pair: MetricPair, human: Ratings) -> float | None:
    """Return the two-sided p, twice the smaller of the one-sided values."""
    ours, theirs = pair[1][human.cells], pair[3][human.cells]
    both = ~np.isnan(ours) & ~np.isnan(theirs)
    ours, theirs, people = ours[both], theirs[both], human.values[both]
    mine, yours, between = pearson(ours, people), pearson(theirs, people), pearson(ours, theirs)
    if mine is None or yours is None or between is None:
        return None
    p = williams_test(mine, yours, between, len(people))
    return None if p is None else min(1.0, 2 * min(p, 1 - p))


def _correct(values: list[float | None]) -> list[float | None]:
    adjusted = holm(np.array(values, dtype=np.float64))
    return [None if np.isnan(p) else float(p) for p in adjusted]
