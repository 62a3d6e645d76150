"""Rebuild the table of Avramidis et al. 2011 (paper 001) on any ranking data.

``python -m benchmarks.studies.ranker_table --train SET… --test SET`` trains on the first and tests on the
second. Without ``--test`` there are two ways: ``--paper-split N`` keeps N sources without contradictory
judgements apart, as in the paper's basic experiment; ``--folds K`` cross-validates by document. Every row
comes with the tested sites held out of training as well, and with controls that know only the system's name.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations_with_replacement

import numpy as np

from benchmarks.studies.base import note, write
from metrics.metaeval.kendall import TieRule
from metrics.ranking import data
from metrics.ranking.classifiers import CLASSIFIERS, FloatArray
from metrics.ranking.data import RankedSet, drop_systems
from metrics.ranking.experiments import (
    DescribedSet,
    ExperimentPlan,
    RankerAgreement,
    join_described,
    measure_agreement,
    score_cells,
    split_as_paper,
    spread_wins,
    train_and_test,
)
from metrics.ranking.features import NAMES, PRESETS, feature_columns, find_features
from metrics.ranking.pairs import preferences_of
from metrics.ranking.toolbox import FeatureResources, add_options, open_tools
from metrics.ranking.training import describe_set

Note = Callable[[str], None]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--train", nargs="+", required=True, metavar="SET", help="DIR/PREFIX or JSON lines")
    add("--test", default="", metavar="SET", help="test on another set")
    add("--paper-split", type=int, default=0, metavar="N", help="test on N sources without contradictions")
    add("--folds", type=int, default=0, metavar="K", help="test by cross-validation")
    add("--consistent", action="store_true", help="test only where no judgements contradict")
    add("--preset", default="table1", help=f"{', '.join(PRESETS)} or feature names")
    add("--classifiers", default="naive-bayes,knn", metavar="NAME,…", help="classifiers to try")
    add("--soft", action="store_true", help="add up probabilities instead of counting wins")
    add("--ties", choices=[rule.value for rule in TieRule], default="wmt14")
    add("--resamples", type=int, default=1000)
    add("--seed", type=int, default=1)
    add_options(parser)
    options = parser.parse_args(arguments)
    if (bool(options.test), options.paper_split > 0, options.folds > 1).count(True) != 1:
        parser.error("choose one of --test SET, --paper-split N and --folds K (K of at least 2)")
    if unknown := [kind for kind in options.classifiers.split(",") if kind not in CLASSIFIERS]:
        parser.error(f"unknown classifier {unknown[0]!r}; known: {', '.join(CLASSIFIERS)}")
    if options.resamples < 0 or options.seed < 0:
        parser.error("--resamples and --seed count from 0")
    write(lambda: run_study(options))


@dataclass(frozen=True, slots=True)
class ExperimentRow:
    """One row of a table of experiments."""

    features: str
    classifier: str
    training: str  # all, held-out, or what a control knows
    result: RankerAgreement

    def as_dict(self) -> dict[str, object]:
        about = {"features": self.features, "classifier": self.classifier, "training": self.training}
        return about | asdict(self.result)


def without_sites(ranked: RankedSet, sites: Collection[str]) -> RankedSet:
    """Without the outputs of the named sites, so that the tested systems do not occur in training."""
    return drop_systems(ranked, lambda system: find_research_group(system) in sites)


def run_study(options: argparse.Namespace) -> dict[str, object]:
    """Train and test rankers over combinations of features."""
    plan = _plan(options)
    with open_tools(FeatureResources.from_options(vars(options)), note) as extractor:
        train = join_described(
            [describe_set(data.read_ranked_set(name), extractor) for name in options.train]
        )
        test = describe_set(data.read_ranked_set(options.test), extractor) if options.test else None
        tools = {name: str(tool) for name, tool in extractor.tools.items()}
    rows = _rows(plan, train, test, options)
    missing = _missing_shares(train if test is None else test)
    return {"tools": tools, "missing": missing, "rows": [row.as_dict() for row in rows]}


def make_table(
    plan: ExperimentPlan, train: DescribedSet, test: DescribedSet, note: Note = lambda message: None
) -> list[ExperimentRow]:
    """Every setting with every classifier, with and without the tested sites, then the controls."""
    sites = {find_research_group(test.ranked.systems[cell]) for cell in test.ranked.judged_cells()}
    rest = replace(train, ranked=without_sites(train.ranked, sites))
    rows = []
    for name, features in plan.settings.items():
        for kind in plan.classifiers:
            result = train_and_test(plan, kind, features, train, test)
            if rest.ranked.rankings:
                held_out = train_and_test(plan, kind, features, rest, test)
            else:
                held_out = hold_out_groups(plan, kind, features, train, test)
            rows.append(ExperimentRow(name, kind, "all", result))
            rows.append(ExperimentRow(name, kind, "held-out", held_out))
            note(f"{name} | {kind}: τ = {result.tau}, held out {held_out.tau}")
    controls = run_controls(plan, train, test).items()
    return [*rows, *(ExperimentRow("system only", "share of wins", *control) for control in controls)]


def hold_out_groups(
    plan: ExperimentPlan,
    kind: str,
    features: Sequence[str],
    train: DescribedSet,
    test: DescribedSet,
    parts: int = 4,
) -> RankerAgreement:
    """Judge every pair without the data of its two sites, where no other sites exist.

    The sites are divided into parts; the pairs of two parts are judged by a classifier that saw neither.
    """
    columns = feature_columns(features)
    sites = sorted({find_research_group(system) for system in (*train.ranked.systems, *test.ranked.systems)})
    part_numbers = np.random.default_rng(plan.seed).permutation(len(sites)) % parts
    part_of = dict(zip(sites, part_numbers.tolist(), strict=True))
    part = np.array([part_of[find_research_group(system)] for system in test.ranked.systems], np.int64)
    groups = test.ranked.groups(test.ranked.judged_cells())
    matrices = [np.full((len(group), len(group)), 0.5) for group in groups]
    for a, b in combinations_with_replacement(range(parts), 2):
        excluded = {name for name, number in part_of.items() if number in (a, b)}
        pairs = replace(train, ranked=without_sites(train.ranked, excluded)).pairs(features)
        if not len(pairs.won):
            continue
        classifier = CLASSIFIERS[kind](pairs.differences, pairs.won)
        preferences = preferences_of([test.features[group][:, columns] for group in groups], classifier)
        for group, matrix, preferred in zip(groups, matrices, preferences, strict=True):
            first, second = part[group][:, None], part[group][None, :]
            of_parts = ((first == a) & (second == b)) | ((first == b) & (second == a))
            matrix[of_parts] = preferred[of_parts]
    return measure_agreement(test.ranked, spread_wins(test.ranked, groups, matrices, soft=plan.soft), plan)


def cross_validate(
    plan: ExperimentPlan, kind: str, features: Sequence[str], described: DescribedSet, folds: int = 10
) -> RankerAgreement:
    """Score every document by a classifier that was trained without it."""
    scores = np.full(len(described.ranked.texts), np.nan)
    for fold, rest in split_by_document(described.ranked, folds, plan.seed):
        pairs = replace(described, ranked=rest).pairs(features)
        classifier = CLASSIFIERS[kind](pairs.differences, pairs.won)
        part = score_cells(replace(described, ranked=fold), features, classifier, soft=plan.soft)
        scores = np.where(np.isnan(part), scores, part)
    return measure_agreement(described.ranked, scores, plan)


def run_controls(
    plan: ExperimentPlan, train: DescribedSet, test: DescribedSet, folds: int = 10
) -> dict[str, RankerAgreement]:
    """Agreement reached by knowing only which system wrote an output, by what the control was trained on."""
    from_training = _score_by_group(train.ranked, test.ranked)
    inside = np.full(len(test.ranked.texts), np.nan)
    for fold, rest in split_by_document(test.ranked, folds, plan.seed):
        cells = fold.judged_cells()
        inside[cells] = _score_by_group(rest, test.ranked)[cells]
    return {
        "all": measure_agreement(test.ranked, from_training, plan),
        "tested set, cross-validated": measure_agreement(test.ranked, inside, plan),
    }


def split_by_document(ranked: RankedSet, folds: int, seed: int) -> Iterable[tuple[RankedSet, RankedSet]]:
    """(fold, rest) for every fold of whole documents, assigned at random by the seed."""
    documents = list(dict.fromkeys(ranked.documents))
    folds_of_documents = np.random.default_rng(seed).permutation(len(documents)) % folds
    fold_of = dict(zip(documents, folds_of_documents.tolist(), strict=True))
    of_ranking = [
        fold_of[ranked.documents[ranked.source_of[r.ranks[0][0]]]] if r.ranks else -1 for r in ranked.rankings
    ]
    for fold in range(folds):
        inside = tuple(r for r, f in zip(ranked.rankings, of_ranking, strict=True) if f == fold)
        outside = tuple(r for r, f in zip(ranked.rankings, of_ranking, strict=True) if f not in (fold, -1))
        if inside and outside:
            yield replace(ranked, rankings=inside), replace(ranked, rankings=outside)


def find_research_group(system: str) -> str:
    """The research group behind a system: the first letters and digits of its name, stable over the years.

    >>> find_research_group("RWTH_primary"), find_research_group("rwth-combo"), find_research_group("onlineA")
    ('rwth', 'rwth', 'onlinea')
    """
    match = re.match(r"[^\W_]+", system.lower())
    return match[0] if match else system.lower()


def _score_by_group(train: RankedSet, test: RankedSet) -> FloatArray:
    """Share of decided comparisons that the site of each cell won in training; ½ for unknown sites."""
    human = train.comparisons()
    won = Counter(find_research_group(train.systems[cell]) for cell in human.better)
    lost = Counter(find_research_group(train.systems[cell]) for cell in human.worse)
    share = {name: won[name] / (won[name] + lost[name]) for name in {*won, *lost}}
    return np.array([share.get(find_research_group(system), 0.5) for system in test.systems], np.float64)


def _plan(options: argparse.Namespace) -> ExperimentPlan:
    settings = PRESETS.get(options.preset) or {options.preset: find_features(options.preset)}
    kinds, rule = options.classifiers.split(","), TieRule(options.ties)
    return ExperimentPlan(settings, kinds, options.soft, rule, options.resamples, options.seed)


def _rows(
    plan: ExperimentPlan, train: DescribedSet, test: DescribedSet | None, options: argparse.Namespace
) -> list[ExperimentRow]:
    if options.folds:
        return [
            ExperimentRow(
                name, kind, "cross-validated", cross_validate(plan, kind, names, train, options.folds)
            )
            for name, names in plan.settings.items()
            for kind in plan.classifiers
        ]
    if test is None:
        train, test = split_as_paper(train, options.paper_split, plan.seed)
    if options.consistent:
        test = DescribedSet(data.drop_contradictions(test.ranked), test.features)
    return make_table(plan, train, test, note)


def _missing_shares(described: DescribedSet) -> dict[str, float]:
    """For each feature that is missing somewhere, the share of judged outputs without it."""
    rows = described.features[described.ranked.judged_cells()]
    share = (rows != rows).mean(axis=0)  # NaN differs from itself
    return {name: round(float(part), 4) for name, part in zip(NAMES, share, strict=True) if part}


if __name__ == "__main__":
    main()
