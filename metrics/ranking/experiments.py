"""Train rankers on some sets, test them on another, and measure how well they agree with people.

Agreement follows paper 001, section 3.3:

* τ over all decided human pairs under a named tie rule (``metrics.metaeval.kendall``), with an interval from
  resampling sources; and the mean over sources of the τ of each source, as in the paper.
* ρ over the share of comparisons in which a system is better than or equal to the other one, computed once
  from the people and once from the ranker on the same comparisons, ties included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.agreement.coefficients import none_if_nan
from metrics.metaeval.correlation import spearman
from metrics.metaeval.datasets import Comparisons, IntArray
from metrics.metaeval.kendall import TieRule, bootstrap_tau, outcome_counts, tau
from metrics.ranking.classifiers import CLASSIFIERS, Classifier, FloatArray
from metrics.ranking.data import RankedSet, drop_contradictions, join_sets
from metrics.ranking.features import feature_columns
from metrics.ranking.pairs import PairExamples, make_examples, preferences_of, soft_wins, wins


@dataclass(frozen=True, slots=True, eq=False)
class DescribedSet:
    """A set with the features of all its cells (columns as ``features.NAMES``); NaN where not computed."""

    ranked: RankedSet
    features: FloatArray

    def pairs(self, names: Sequence[str]) -> PairExamples:
        """Training examples from the rankings of the set, over the named features."""
        human = self.ranked.comparisons()
        rows = self.features[:, feature_columns(names)]
        return make_examples(rows, human.better.tolist(), human.worse.tolist())


@dataclass(frozen=True, slots=True)
class RankerAgreement:
    """Agreement of one ranker with people on one set; None where there is no data."""

    tau: float | None
    tau_ci: tuple[float, float] | None
    tau_mean: float | None
    pairs: int
    sources: int
    system_rho: float | None
    systems: int


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """Named feature sets and classifiers to run, and how their agreement is measured."""

    settings: Mapping[str, Sequence[str]]
    classifiers: Sequence[str] = ("naive-bayes", "knn")
    soft: bool = False
    rule: TieRule = TieRule.WMT14
    resamples: int = 1000
    seed: int = 1


def join_described(sets: Sequence[DescribedSet]) -> DescribedSet:
    ranked = join_sets([each.ranked for each in sets])
    return DescribedSet(ranked, np.concatenate([each.features for each in sets]))


def train_and_test(
    plan: ExperimentPlan, kind: str, features: Sequence[str], train: DescribedSet, test: DescribedSet
) -> RankerAgreement:
    """Train one classifier and measure it on the tested set; without training data everything ties."""
    pairs = train.pairs(features)
    if not len(pairs.won):
        return measure_agreement(test.ranked, np.zeros(len(test.ranked.texts)), plan)
    classifier = CLASSIFIERS[kind](pairs.differences, pairs.won)
    return measure_agreement(test.ranked, score_cells(test, features, classifier, soft=plan.soft), plan)


def score_cells(
    test: DescribedSet, features: Sequence[str], classifier: Classifier, *, soft: bool
) -> FloatArray:
    """Wins, or expected wins, of every judged cell among those of its source; NaN for the other cells."""
    groups = test.ranked.groups(test.ranked.judged_cells())
    columns = feature_columns(features)
    matrices = preferences_of([test.features[group][:, columns] for group in groups], classifier)
    return spread_wins(test.ranked, groups, matrices, soft=soft)


def spread_wins(
    ranked: RankedSet, groups: Sequence[IntArray], matrices: Sequence[FloatArray], *, soft: bool
) -> FloatArray:
    """One score per cell of the set from the preferences within each group of cells."""
    scores = np.full(len(ranked.texts), np.nan)
    for group, matrix in zip(groups, matrices, strict=True):
        scores[group] = soft_wins(matrix) if soft else wins(matrix)
    return scores


def split_as_paper(data: DescribedSet, size: int, seed: int) -> tuple[DescribedSet, DescribedSet]:
    """The basic experiment of the paper: hold out ``size`` sources without contradictions for the test."""
    consistent = drop_contradictions(data.ranked).rankings
    candidates = sorted(
        {data.ranked.source_of[r.ranks[0][0]] for r in consistent if len({rank for _, rank in r.ranks}) > 1}
    )
    chosen = set(np.random.default_rng(seed).permutation(candidates)[:size].tolist())

    def part(inside: bool) -> DescribedSet:
        rankings = tuple(
            r
            for r in data.ranked.rankings
            if r.ranks and (data.ranked.source_of[r.ranks[0][0]] in chosen) == inside
        )
        return replace(data, ranked=replace(data.ranked, rankings=rankings))

    return part(False), part(True)


def measure_agreement(ranked: RankedSet, cell_scores: FloatArray, plan: ExperimentPlan) -> RankerAgreement:
    """Agreement of cell scores (higher is better) with the rankings of the set."""
    human = ranked.comparisons()
    counts = outcome_counts(cell_scores, human, np.array(ranked.source_of, np.int64))
    by_people = better_or_equal(human, ranked.systems)
    by_scores = better_or_equal(decide_by_scores(human, cell_scores), ranked.systems)
    names = sorted(by_people.keys() & by_scores.keys())
    taus = tau(counts, plan.rule)
    return RankerAgreement(
        tau=none_if_nan(tau(counts.sum(axis=0), plan.rule)),
        tau_ci=bootstrap_tau(counts, plan.rule, resamples=plan.resamples, seed=plan.seed),
        tau_mean=none_if_nan(float(np.nanmean(taus))) if np.isfinite(taus).any() else None,
        pairs=int(counts.sum()),
        sources=len(counts),
        system_rho=spearman(np.array([by_scores[n] for n in names]), np.array([by_people[n] for n in names])),
        systems=len(names),
    )


def decide_by_scores(human: Comparisons, cell_scores: FloatArray) -> Comparisons:
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
