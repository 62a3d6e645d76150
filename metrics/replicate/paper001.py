"""Avramidis et al. 2011 (paper 001): rank the outputs of a source without a reference. Table 1.

*Basic experiment*: sources without contradictory judgements are kept apart for the test, as many as in the
paper (184) or, of a small set, half; the rest trains. *Extended experiment*: trained on the sets, tested
on another one, unfiltered. τ is the mean over sources, ρ is over systems, as in the paper; there is no
interval for either, so the pooled τ stands beside with one. Two controls know only the system's name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluation.problems import InputError, Problem
from metrics.metaeval.kendall import TieRule
from metrics.ranking import data, experiment, presets
from metrics.ranking.evaluation import Agreement
from metrics.ranking.experiment import Described, Plan
from metrics.ranking.features import NAMES
from metrics.ranking.toolbox import Toolbox, Wanted
from metrics.ranking.training import described
from metrics.replicate.values import (
    Cell,
    Missing,
    Note,
    Report,
    Row,
    Table,
    data_of_sets,
    needs_sets,
    replication,
)

NAME = "paper-001"
TESTED = 184  # sources, in the paper
CLASSIFIERS = ("naive-bayes", "knn")
COLUMNS = ("naïve Bayes ρ", "naïve Bayes τ", "kNN ρ", "kNN τ")
EXTENDED = "unk, len, nparse, VP, logparse"
FROM = {
    "lm": "a language model (--lm)",
    "parse": "a parser of the outputs (--parser)",
    "source": "phrases of the sources (--source-parses, or --source-language de)",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What to read and how; ``test`` is the set of the extended experiment, or nothing."""

    sets: tuple[str, ...]
    test: str = ""
    wanted: Wanted = field(default_factory=Wanted)
    tested: int = TESTED
    resamples: int = 1000
    seed: int = 1


def replicate(asked: Asked, note: Note = lambda message: None) -> Report:
    """Describe the outputs once, then run both experiments over every combination that has its features."""
    needs_sets(NAME, asked.sets)
    names = (*asked.sets, *((asked.test,) if asked.test else ()))
    with Toolbox(asked.wanted, note) as extractor:
        read = [data.read(name) for name in names]
        note(f"{sum(len(each.rankings) for each in read):,} rankings are described")
        found = [described(each, extractor) for each in read]
        tools = {name: str(tool) for name, tool in extractor.tools.items()}
    known = experiment.join(found[: len(asked.sets)])
    if not len(known.ranked.comparisons().better):
        raise InputError(
            Problem("no_judgements", "the sets decide no pair of outputs", "give rankings or pairs")
        )
    able, missing = _able(known)
    plan = Plan(able, CLASSIFIERS, rule=TieRule.WMT14, resamples=asked.resamples, seed=asked.seed)
    tables = [*_basic(plan, known, asked, note)]
    if asked.test:
        tables.append(_extended(plan, known, found[-1], note))
    else:
        missing.append(Missing("the extended experiment", "no other set to test on was named (--test SET)"))
    return replication(
        NAME,
        tables,
        missing=missing,
        data=data_of_sets(names),
        settings={"resamples": asked.resamples, "seed": asked.seed, "ties": plan.rule.value},
        signatures=tools,
    )


def _able(known: Described) -> tuple[dict[str, Sequence[str]], list[Missing]]:
    """The combinations of which every feature is known somewhere, and why the others are not run."""
    rows = known.features[known.ranked.judged()]
    there = {name for name, column in zip(NAMES, rows.T, strict=True) if np.isfinite(column).any()}
    able: dict[str, Sequence[str]] = {}
    missing = []
    for name, features in presets.TABLE1.items():
        lacking = [feature for feature in features if feature not in there]
        if lacking:
            tools = dict.fromkeys(FROM[_tool_of(feature)] for feature in lacking)
            verb = "needs" if len(lacking) == 1 else "need"
            missing.append(Missing(f"row “{name}”", f"{', '.join(lacking)} {verb} {' and '.join(tools)}"))
        else:
            able[name] = features
    return able, missing


def _tool_of(feature: str) -> str:
    if feature in ("unk", "ngram", "unigram", "bigram", "trigram"):
        return "lm"
    return "source" if feature.endswith("_ratio") else "parse"


def _basic(plan: Plan, known: Described, asked: Asked, note: Note) -> list[Table]:
    size = min(asked.tested, max(1, len({*known.ranked.source_of}) // 2))
    train, test = experiment.paper_split(known, size, plan.seed)
    if not len(train.ranked.comparisons().better) or not test.ranked.rankings:
        message = "too few sources without contradictory judgements to keep some apart for a test"
        raise InputError(Problem("too_little_data", message, "give a larger set"))
    found = _results(plan, train, test, note)
    sources = {test.ranked.source_of[ranking.ranks[0][0]] for ranking in test.ranked.rankings}
    about = (
        f"Trained on {len(train.ranked.comparisons().better):,} decided pairs, tested on "
        f"{len(test.ranked.comparisons().better):,} of {len(sources)} sources on which no judgements "
        "contradict each other; τ is the mean over sources.",
        "The paper prints twelve rows, one of them twice.",
    )
    rows = tuple(Row(name, _cells(presets.PRINTED[name], found.get(name))) for name in presets.PRINTED)
    controls = _controls(plan, train, test)
    printed = Table("Table 1: basic experiment", COLUMNS, (*rows, *controls), about, 2, "features")
    return [printed, _pooled(found)]


def _extended(plan: Plan, known: Described, test: Described, note: Note) -> Table:
    only = {EXTENDED: plan.settings[EXTENDED]} if EXTENDED in plan.settings else {}
    found = _results(Plan(only, CLASSIFIERS, False, plan.rule, plan.resamples, plan.seed), known, test, note)
    about = (
        f"Trained on all sets, tested on {len(test.ranked.comparisons().better):,} decided pairs of another "
        "set, contradictions included.",
    )
    row = Row(EXTENDED, _cells(presets.EXTENDED_PRINTED, found.get(EXTENDED)))
    rows = (row, *_controls(plan, known, test))
    return Table("Table 1: extended experiment", COLUMNS, rows, about, 2, "features")


def _results(plan: Plan, train: Described, test: Described, note: Note) -> dict[str, list[Agreement]]:
    found: dict[str, list[Agreement]] = {}
    for name, features in plan.settings.items():
        found[name] = [experiment.tested(plan, kind, features, train, test) for kind in plan.classifiers]
        note(f"{name}: τ {found[name][0].tau_mean}, {found[name][1].tau_mean}")
    return found


def _controls(plan: Plan, train: Described, test: Described) -> list[Row]:
    return [
        Row(
            f"control: {row.features}, {'from training' if row.training == 'all' else row.training}",
            (Cell(ours=row.result.system_rho), Cell(ours=row.result.tau_mean), Cell(), Cell()),
        )
        for row in experiment.controls(plan, train, test)
    ]


def _cells(printed: Sequence[float], results: Sequence[Agreement] | None) -> tuple[Cell, ...]:
    if results is None:
        return tuple(Cell(value) for value in printed)
    ours = [value for one in results for value in (one.system_rho, one.tau_mean)]
    return tuple(Cell(paper, value) for paper, value in zip(printed, ours, strict=True))


def _pooled(found: Mapping[str, Sequence[Agreement]]) -> Table:
    """τ over all pairs, which has an interval; the paper does not print it."""
    rows = [
        Row(name, tuple(Cell(None, one.tau, *(one.tau_ci or (None, None))) for one in results))
        for name, results in found.items()
    ]
    note = "The intervals resample sources; not in the paper."
    columns = ("naïve Bayes τ", "kNN τ")
    return Table("Basic experiment, τ over all decided pairs", columns, tuple(rows), (note,), 2, "features")
