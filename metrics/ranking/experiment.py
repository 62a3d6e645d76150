"""Experiments with rankers: train on some sets, test on another, with the controls that keep them honest.

A ranker can learn which *system* wrote a sentence instead of how good the sentence is. So every row is run
twice, once with all training data and once without the sites that are tested, and two controls know nothing
but the system's name: one learns from the training sets, one, by cross-validation, from the tested set
itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np

from metrics.metaeval.kendall import TieRule
from metrics.ranking.classifiers import CLASSIFIERS, Classifier
from metrics.ranking.data import RankedSet, joined, site, without_contradictions, without_sites
from metrics.ranking.evaluation import Agreement, agreement, scores
from metrics.ranking.features import NAMES
from metrics.ranking.loess import FloatArray
from metrics.ranking.pairs import Pairs, examples, preferences_of, soft_wins, wins

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """A set with the features of all its cells (columns as ``NAMES``), NaN for cells that were not
    described."""

    ranked: RankedSet
    features: FloatArray

    def pairs(self, names: Sequence[str]) -> Pairs:
        """Training examples of the set's rankings over the named features."""
        human = self.ranked.comparisons()
        return examples(self.features[:, columns(names)], human.better.tolist(), human.worse.tolist())


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table."""

    features: str
    classifier: str
    training: str  # all, held-out, or what a control knows
    result: Agreement

    def as_dict(self) -> dict[str, object]:
        about = {"features": self.features, "classifier": self.classifier, "training": self.training}
        return about | self.result.as_dict()


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: named feature sets, classifiers, and how to judge."""

    settings: Mapping[str, Sequence[str]]
    classifiers: Sequence[str] = ("naive-bayes", "knn")
    soft: bool = False
    rule: TieRule = TieRule.WMT14
    resamples: int = 1000
    seed: int = 1


def columns(names: Sequence[str]) -> list[int]:
    """Positions of features among all."""
    return [NAMES.index(name) for name in names]


def join(sets: Sequence[Described]) -> Described:
    return Described(joined([each.ranked for each in sets]), np.concatenate([each.features for each in sets]))


def table(plan: Plan, train: Described, test: Described, note: Note = lambda message: None) -> list[Row]:
    """Every setting with every classifier, with and without the tested sites, then the controls."""
    sites = {site(test.ranked.systems[cell]) for cell in test.ranked.judged()}
    apart = replace(train, ranked=without_sites(train.ranked, sites))
    rows = []
    for name, features in plan.settings.items():
        for kind in plan.classifiers:
            rows.append(Row(name, kind, "all", tested(plan, kind, features, train, test)))
            if apart.ranked.rankings:
                held_out = tested(plan, kind, features, apart, test)
            else:
                held_out = judged_by_strangers(plan, kind, features, train, test)
            rows.append(Row(name, kind, "held-out", held_out))
            note(f"{name} | {kind}: τ = {rows[-2].result.tau}, held out {held_out.tau}")
    return [*rows, *controls(plan, train, test)]


def tested(plan: Plan, kind: str, features: Sequence[str], train: Described, test: Described) -> Agreement:
    """Train one classifier and judge it on the tested set; without training data everything ties."""
    known = train.pairs(features)
    if not len(known.won):
        return _judged(plan, test.ranked, np.full(len(test.ranked.texts), 0.0))
    classifier = CLASSIFIERS[kind](known.differences, known.won)
    return _judged(plan, test.ranked, cell_scores(test, features, classifier, soft=plan.soft))


def judged_by_strangers(
    plan: Plan, kind: str, features: Sequence[str], train: Described, test: Described, parts: int = 4
) -> Agreement:
    """Where the tested sites are all there is: every pair is judged without the data of its two sites.

    The sites are dealt into parts; the pairs of two parts are judged by a classifier that saw neither.
    """
    cells, of = test.ranked.judged(), columns(features)
    sites = sorted({site(system) for system in (*train.ranked.systems, *test.ranked.systems)})
    dealt = np.random.default_rng(plan.seed).permutation(len(sites)) % parts
    part_of = dict(zip(sites, dealt.tolist(), strict=True))
    part = np.array([part_of[site(system)] for system in test.ranked.systems], np.int64)
    groups = test.ranked.groups(cells)
    matrices = [np.full((len(group), len(group)), 0.5) for group in groups]
    for one, other in combinations_with_replacement(range(parts), 2):
        gone = {name for name, number in part_of.items() if number in (one, other)}
        known = replace(train, ranked=without_sites(train.ranked, gone)).pairs(features)
        if not len(known.won):
            continue
        classifier = CLASSIFIERS[kind](known.differences, known.won)
        found = preferences_of([test.features[group][:, of] for group in groups], classifier)
        for group, matrix, some in zip(groups, matrices, found, strict=True):
            first, second = part[group][:, None], part[group][None, :]
            mine = ((first == one) & (second == other)) | ((first == other) & (second == one))
            matrix[mine] = some[mine]
    count = soft_wins if plan.soft else wins
    scores_found = np.full(len(test.ranked.texts), np.nan)
    for group, matrix in zip(groups, matrices, strict=True):
        scores_found[group] = count(matrix)
    return _judged(plan, test.ranked, scores_found)


def cell_scores(
    test: Described, features: Sequence[str], classifier: Classifier, *, soft: bool
) -> FloatArray:
    cells = test.ranked.judged()
    return scores(test.ranked, cells, test.features[cells][:, columns(features)], classifier, soft=soft)


def cross_validated(
    plan: Plan, kind: str, features: Sequence[str], data: Described, folds: int = 10
) -> Agreement:
    """Every document scored by a classifier that never saw it."""
    found = np.full(len(data.ranked.texts), np.nan)
    for inside, outside in by_document(data.ranked, folds, plan.seed):
        known = replace(data, ranked=outside).pairs(features)
        test = replace(data, ranked=inside)
        classifier = CLASSIFIERS[kind](known.differences, known.won)
        part = cell_scores(test, features, classifier, soft=plan.soft)
        found = np.where(np.isnan(part), found, part)
    return _judged(plan, data.ranked, found)


def controls(plan: Plan, train: Described, test: Described, folds: int = 10) -> list[Row]:
    """What is reached by knowing only who wrote the output."""
    from_training = _by_name(train.ranked, test.ranked)
    inside = np.full(len(test.ranked.texts), np.nan)
    for tested_part, rest in by_document(test.ranked, folds, plan.seed):
        cells = tested_part.judged()
        inside[cells] = _by_name(rest, test.ranked)[cells]
    return [
        Row("system only", "share of wins", "all", _judged(plan, test.ranked, from_training)),
        Row(
            "system only", "share of wins", "tested set, cross-validated", _judged(plan, test.ranked, inside)
        ),
    ]


def by_document(ranked: RankedSet, folds: int, seed: int) -> Iterable[tuple[RankedSet, RankedSet]]:
    """(tested, rest) for every fold of whole documents, dealt out at random by the seed."""
    documents = list(dict.fromkeys(ranked.documents))
    dealt = np.random.default_rng(seed).permutation(len(documents)) % folds
    fold_of = dict(zip(documents, dealt.tolist(), strict=True))
    of_ranking = [
        fold_of[ranked.documents[ranked.source_of[r.ranks[0][0]]]] if r.ranks else -1 for r in ranked.rankings
    ]
    for fold in range(folds):
        inside = tuple(r for r, f in zip(ranked.rankings, of_ranking, strict=True) if f == fold)
        outside = tuple(r for r, f in zip(ranked.rankings, of_ranking, strict=True) if f not in (fold, -1))
        if inside and outside:
            yield replace(ranked, rankings=inside), replace(ranked, rankings=outside)


def paper_split(data: Described, size: int, seed: int) -> tuple[Described, Described]:
    """The paper's basic experiment: ``size`` sources without contradictions kept apart for the test."""
    consistent = without_contradictions(data.ranked).rankings
    able = sorted(
        {data.ranked.source_of[r.ranks[0][0]] for r in consistent if len({rank for _, rank in r.ranks}) > 1}
    )
    chosen = set(np.random.default_rng(seed).permutation(able)[:size].tolist())

    def part(inside: bool) -> Described:
        kept = tuple(
            r
            for r in data.ranked.rankings
            if r.ranks and (data.ranked.source_of[r.ranks[0][0]] in chosen) == inside
        )
        return replace(data, ranked=replace(data.ranked, rankings=kept))

    return part(False), part(True)


def _by_name(known: RankedSet, test: RankedSet) -> FloatArray:
    """Share of decided comparisons that each cell's site won in the known rankings; ½ for unknown sites."""
    human = known.comparisons()
    won = Counter(site(known.systems[cell]) for cell in human.better)
    lost = Counter(site(known.systems[cell]) for cell in human.worse)
    share = {name: won[name] / (won[name] + lost[name]) for name in {*won, *lost}}
    return np.array([share.get(site(system), 0.5) for system in test.systems], np.float64)


def _judged(plan: Plan, ranked: RankedSet, found: FloatArray) -> Agreement:
    return agreement(ranked, found, rule=plan.rule, resamples=plan.resamples, seed=plan.seed)
