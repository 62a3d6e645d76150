"""Avramidis et al. 2011 (paper 001): rank the outputs of a source without a reference. Table 1.

*Basic experiment*: sources without contradictory judgements are held out for the test, as many as in the
paper (184) or, of a small set, half; training uses the rest. *Extended experiment*: trained on the sets,
tested on another one, unfiltered. τ is the mean over sources and ρ is over systems, as in the paper, without
intervals; a second table has the pooled τ with its interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from appraise.lib.problems import InputError
from metrics.metaeval.kendall import TieRule
from metrics.ranking import data, experiments
from metrics.ranking.experiments import DescribedSet, ExperimentPlan, RankerAgreement
from metrics.ranking.features import EXTENDED_PRINTED, NAMES, PRINTED, TABLE1
from metrics.ranking.toolbox import FeatureResources, open_tools
from metrics.ranking.training import describe_set
from metrics.replicate import report
from metrics.replicate.report import Note, PaperCell, PaperRow, PaperTable, Replication, ReplicationOptions
from metrics.tools.cache import default_path

NAME = "paper-001"
CLASSIFIERS = ("naive-bayes", "knn")
COLUMNS = ("naïve Bayes ρ", "naïve Bayes τ", "kNN ρ", "kNN τ")
EXTENDED = "unk, len, nparse, VP, logparse"
RESOURCES = {
    "lm": "a language model (--lm)",
    "parse": "a parser of the outputs (--parser)",
    "source": "phrases of the sources (--source-language de)",
}


def run(options: ReplicationOptions, note: Note = lambda message: None) -> Replication:
    """Compute the features once, then run both experiments for every combination that has its features."""
    if len(options.test) > 1:
        raise InputError.of("bad_value", f"expected one set to test on, found {len(options.test)}")
    names = (*options.sets, *options.test)
    with open_tools(_resources(options), note) as extractor:
        ranked = [data.read_ranked_set(name) for name in names]
        note(f"{sum(len(each.rankings) for each in ranked):,} rankings are described")
        described = [describe_set(each, extractor) for each in ranked]
        tools = {name: str(tool) for name, tool in extractor.tools.items()}
    train = experiments.join_described(described[: len(options.sets)])
    if not len(train.ranked.comparisons().better):
        raise InputError.of(
            "no_judgements", "the sets contain no decided pair of outputs", "give rankings or pairs"
        )
    settings, missing = _settings(train)
    plan = ExperimentPlan(
        settings, CLASSIFIERS, rule=TieRule.WMT14, resamples=options.resamples, seed=options.seed
    )
    tables = [*_basic_tables(plan, train, options, note)]
    if options.test:
        tables.append(_extended_table(plan, train, described[-1], note))
    else:
        missing.append(
            report.MissingPart("the extended experiment", "no other set to test on was named (--test SET)")
        )
    return report.make_replication(
        NAME,
        tables,
        missing=missing,
        data=report.digest_sets(names),
        settings={"resamples": options.resamples, "seed": options.seed, "ties": plan.rule.value},
        signatures=tools,
    )


def _resources(options: ReplicationOptions) -> FeatureResources:
    return FeatureResources(
        source_language=options.source_language,
        lm=options.lm,
        lexicon=options.lexicon,
        parser=options.parser,
        cache=default_path(),
    )


def _settings(train: DescribedSet) -> tuple[dict[str, Sequence[str]], list[report.MissingPart]]:
    """The combinations that have all their features, and the reasons why the others are not run."""
    rows = train.features[train.ranked.judged_cells()]
    available = {name for name, column in zip(NAMES, rows.T, strict=True) if np.isfinite(column).any()}
    settings: dict[str, Sequence[str]] = {}
    missing = []
    for name, features in TABLE1.items():
        lacking = [feature for feature in features if feature not in available]
        if lacking:
            tools = dict.fromkeys(RESOURCES[_resource_of(feature)] for feature in lacking)
            verb = "needs" if len(lacking) == 1 else "need"
            missing.append(
                report.MissingPart(f"row “{name}”", f"{', '.join(lacking)} {verb} {' and '.join(tools)}")
            )
        else:
            settings[name] = features
    return settings, missing


def _resource_of(feature: str) -> str:
    if feature in ("unk", "ngram", "unigram", "bigram", "trigram"):
        return "lm"
    return "source" if feature.endswith("_ratio") else "parse"


def _basic_tables(
    plan: ExperimentPlan, known: DescribedSet, options: ReplicationOptions, note: Note
) -> list[PaperTable]:
    size = min(options.tested, max(1, len({*known.ranked.source_of}) // 2))
    train, test = experiments.split_as_paper(known, size, plan.seed)
    if not len(train.ranked.comparisons().better) or not test.ranked.rankings:
        message = "too few sources without contradictory judgements to hold out some for a test"
        raise InputError.of("too_little_data", message, "give a larger set")
    results = _run_all(plan, train, test, note)
    sources = {test.ranked.source_of[ranking.ranks[0][0]] for ranking in test.ranked.rankings}
    about = (
        f"Trained on {len(train.ranked.comparisons().better):,} decided pairs, tested on "
        f"{len(test.ranked.comparisons().better):,} of {len(sources)} sources on which no judgements "
        "contradict each other; τ is the mean over sources.",
        "The paper prints twelve rows, one of them twice.",
    )
    rows = tuple(PaperRow(name, _cells(PRINTED[name], results.get(name))) for name in PRINTED)
    printed = PaperTable("Table 1: basic experiment", COLUMNS, rows, about, 2, "features")
    return [printed, _pooled_table(results)]


def _extended_table(plan: ExperimentPlan, known: DescribedSet, test: DescribedSet, note: Note) -> PaperTable:
    only = {EXTENDED: plan.settings[EXTENDED]} if EXTENDED in plan.settings else {}
    results = _run_all(replace(plan, settings=only), known, test, note)
    about = (
        f"Trained on all sets, tested on {len(test.ranked.comparisons().better):,} decided pairs of another "
        "set, contradictions included.",
    )
    row = PaperRow(EXTENDED, _cells(EXTENDED_PRINTED, results.get(EXTENDED)))
    return PaperTable("Table 1: extended experiment", COLUMNS, (row,), about, 2, "features")


def _run_all(
    plan: ExperimentPlan, train: DescribedSet, test: DescribedSet, note: Note
) -> dict[str, list[RankerAgreement]]:
    results: dict[str, list[RankerAgreement]] = {}
    for name, features in plan.settings.items():
        results[name] = [
            experiments.train_and_test(plan, kind, features, train, test) for kind in plan.classifiers
        ]
        note(f"{name}: τ {results[name][0].tau_mean}, {results[name][1].tau_mean}")
    return results


def _cells(printed: Sequence[float], results: Sequence[RankerAgreement] | None) -> tuple[PaperCell, ...]:
    if results is None:
        return tuple(PaperCell(value) for value in printed)
    ours = [value for result in results for value in (result.system_rho, result.tau_mean)]
    return report.pair_cells(printed, ours)


def _pooled_table(by_setting: Mapping[str, Sequence[RankerAgreement]]) -> PaperTable:
    """τ over all pairs, which has an interval; the paper does not print it."""
    rows = [
        PaperRow(name, tuple(PaperCell(None, each.tau, *(each.tau_ci or (None, None))) for each in results))
        for name, results in by_setting.items()
    ]
    note = "The intervals resample sources; not in the paper."
    columns = ("naïve Bayes τ", "kNN τ")
    return PaperTable(
        "Basic experiment, τ over all decided pairs", columns, tuple(rows), (note,), 2, "features"
    )
