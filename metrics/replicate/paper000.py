"""Kulesza 2004 (paper 000): a metric that learns to distinguish people from machines. Tables 4.1 and A.1.

The support vector machine is trained on other sets than those it is tested on: on left-out translators where
these have several references, else on outputs that mostly won or mostly lost (``metrics.learned.examples``).

The true rating of a translation is one rating, as in section 3.1 of the thesis: the share of the other
outputs that it beat in one ranking (a tie counts half), made comparable by the percentiles of each judge.
Translations that occur in two rankings have two ratings; a second one, sampled at random, is *the human
metric*, the row that automatic metrics are compared with. It is not an upper bound, because it is a single
rating. If there are too few of these, or the judges are unknown, the truth is the share of all comparisons
won, without a human metric.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from appraise.lib.problems import InputError
from evaluation.study.sentence_answers import normalise_by_percentile
from metrics import registry
from metrics.learned import examples as ex, features, svm
from metrics.learned.features import Preparation
from metrics.learned.svm import Labelled
from metrics.learned.training import label_examples
from metrics.metaeval import datasets
from metrics.metaeval.correlation import fisher_interval, pearson, spearman
from metrics.metaeval.datasets import Comparisons, Dataset, FloatArray
from metrics.metaeval.scoring import score_dataset
from metrics.metaeval.systems import wins_share
from metrics.ranking.data import OutputRanking, read_files
from metrics.replicate import report
from metrics.replicate.report import Note, PaperCell, PaperRow, PaperTable, Replication, ReplicationOptions

NAME = "paper-000"
METRICS = {
    "wer": "wer:lowercase=true:tokenize=13a",
    "fms-1": "fms-1:lowercase=true:tokenize=13a",
    "per": "per:lowercase=true:tokenize=13a",
    "bleu": "bleu:lowercase=true",
}
TITLES = {"human": "human", "svm": "SVM", "wer": "WER", "fms-1": "FMS", "per": "PER", "bleu": "BLEU"}
PREPARATION = Preparation("13a", lowercase=True)


@dataclass(frozen=True, slots=True)
class GridResult:
    """One cell of Table A.1."""

    accuracy: float
    pearson: float | None
    spearman: float | None


def run(options: ReplicationOptions, note: Note = lambda message: None) -> Replication:
    """Correlate metrics, classifiers and people with the ratings; search the grid on the training sets."""
    if same := {report.set_label(name) for name in options.sets} & {
        report.set_label(name) for name in options.train
    }:
        message = f"{min(same)} is trained on and tested on"
        raise InputError.of("train_is_test", message, "name different sets")
    sets = [read_rated_set(name) for name in options.sets]
    truth = find_truth(sets, options.seed)
    note(f"{len(truth.items):,} translations are correlated")
    scores = {name: _scores(METRICS[name], sets, truth.items) for name in METRICS}
    missing = [
        report.MissingPart("Table A.2", "its features need a parse of every sentence; train svm has them")
    ]
    if truth.human is None:
        missing.append(
            report.MissingPart(
                "row “human”", f"fewer than {MIN_RATED_TWICE} translations are in two rankings"
            )
        )
    else:
        scores["human"] = truth.human
    points: dict[tuple[float, float], GridResult] = {}
    training_sets = [read_rated_set(name) for name in options.train]
    if training_sets:
        points, scores["svm"] = _search_grid(options, training_sets, sets, truth, note)
    else:
        reason = "no set to train on was named (--train SET)"
        missing.append(report.MissingPart("row “SVM” and Table A.1", reason))
    thirds = [
        report.set_label(name)
        for name, rated in zip(options.train, training_sets, strict=True)
        if ex.is_in_thirds(rated.dataset.texts)
    ]
    return report.make_replication(
        NAME,
        (_correlations(scores, truth), *_grid_tables(points), _meta(points)),
        missing=missing,
        data=report.digest_sets((*options.sets, *options.train)),
        settings={
            "examples at most": options.examples,
            "seed": options.seed,
            "trained on": list(map(report.set_label, options.train)),
        }
        | ({"split in thirds": thirds} if thirds else {}),
        signatures={name: registry.parse(METRICS[name]).signature for name in METRICS},
    )


def _scores(specification: str, sets: Sequence[RatedSet], items: Sequence[Item]) -> FloatArray:
    """The scores of the items, higher is better."""
    scores = np.empty(len(items))
    for number, rated in enumerate(sets):
        places = [place for place, item in enumerate(items) if item[0] == number]
        if places:
            cells = tuple(rated.dataset.cells[items[place][1]] for place in places)
            dataset = replace(rated.dataset, cells=cells)
            scores[places] = score_dataset(registry.parse(specification), dataset).cells
    return scores


def _search_grid(
    options: ReplicationOptions,
    training_sets: Sequence[RatedSet],
    sets: Sequence[RatedSet],
    truth: Truth,
    note: Note,
) -> tuple[dict[tuple[float, float], GridResult], FloatArray]:
    """The results of every machine of the grid, and the values of the most accurate one for the items."""
    try:
        training, validation = _make_examples(options, training_sets, sets)
    except ValueError as error:
        raise InputError.of("cannot_train", str(error), "train on more sentences or documents") from error
    segments = [sets[number].dataset.segment(cell) for number, cell in truth.items]
    rows = features.compute(features.BASIC, segments, PREPARATION)
    searched = svm.search(training, validation, progress=note)
    points: dict[tuple[float, float], GridResult] = {}
    for point, machine in zip(searched.points, searched.machines, strict=True):
        values = machine.decision(rows)
        correlations = pearson(values, truth.values), spearman(values, truth.values)
        points[point.c, point.sigma] = GridResult(point.accuracy, *correlations)
    return points, searched.machine.decision(rows)


def _make_examples(
    options: ReplicationOptions, training_sets: Sequence[RatedSet], sets: Sequence[RatedSet]
) -> tuple[Labelled, Labelled]:
    """Examples with as many references as the tested sets have."""
    references = min(len(text.references) for rated in sets for text in rated.dataset.texts.values())
    groups = [
        ex.translator_examples(rated.dataset, seed=options.seed, references=references)
        if all(len(text.references) > 1 for text in rated.dataset.texts.values())
        else ex.ranked_examples(rated.dataset, rated.human, seed=options.seed)
        for rated in training_sets
    ]
    training, validation = (
        label_examples(part, features.BASIC, PREPARATION)
        for part in ex.split_and_sample(groups, options.examples, seed=options.seed)
    )
    return training, validation


def _correlations(scores: dict[str, FloatArray], truth: Truth) -> PaperTable:
    rows = []
    for name, printed in report.CORRELATIONS.items():
        cells = [PaperCell(value) for value in printed]
        if name in scores:
            r = pearson(scores[name], truth.values)
            low, high = fisher_interval(r, len(truth.values)) or (None, None)
            rho = spearman(scores[name], truth.values)
            cells = [PaperCell(printed[0], r, low, high), PaperCell(printed[1], rho)]
        rows.append(PaperRow(TITLES[name], tuple(cells)))
    rated = "one rating each, the human metric is another" if truth.human is not None else "shares of wins"
    notes = (
        f"Ours: {len(truth.items):,} translations, {rated}; the paper: 633 translations, three "
        "references. The intervals are Fisher's.",
        "Our WER and PER are errors per reference word, the thesis defines them as numbers of errors; our "
        "BLEU of a sentence is smoothed.",
    )
    return PaperTable(
        "Table 4.1: correlation with people", ("Pearson", "Spearman"), tuple(rows), notes, 4, "metric"
    )


def _grid_tables(points: dict[tuple[float, float], GridResult]) -> list[PaperTable]:
    costs, sigmas = svm.BASIC
    tables = []
    for letter, field in zip("abc", _FIELDS, strict=True):
        rows = []
        for c, printed in zip(costs, report.GRID[field], strict=True):
            ours = [getattr(points[c, s], field) if points else None for s in sigmas]
            rows.append(PaperRow(f"C {c:g}", report.pair_cells(printed, ours)))
        columns = tuple(f"σ {sigma:g}" for sigma in sigmas)
        tables.append(PaperTable(f"Table A.1 ({letter}): {_FIELDS[field]}", columns, tuple(rows), (), 4))
    return tables


_FIELDS = {
    "accuracy": "accuracy in telling people from machines",
    "pearson": "Pearson’s correlation with people",
    "spearman": "Spearman’s correlation with people",
}


def _meta(points: dict[tuple[float, float], GridResult]) -> PaperTable:
    """Whether classifiers with a higher accuracy also correlate better with people."""
    known = [(point.accuracy, point.pearson) for point in points.values() if point.pearson is not None]
    ours = pearson(np.array([a for a, _ in known]), np.array([r for _, r in known])) if known else None
    cells = (PaperCell(report.META_CORRELATION, ours),)
    note = "Over the 35 cells of Table A.1; from the printed cells it is .8544."
    title = "Correlation between accuracy and correlation with people"
    return PaperTable(title, ("Pearson",), (PaperRow("accuracy with correlation", cells),), (note,), 3)


MIN_RATED_TWICE = 3  # translations with two ratings, below which there is no human metric
Item = tuple[int, int]  # a set's number and a cell of it
Rated = TypeVar("Rated", bound=Hashable)


@dataclass(frozen=True, slots=True, eq=False)
class RatedSet:
    """One set: texts, outputs, rankings with their judges, all decided pairs."""

    name: str
    dataset: Dataset
    rankings: tuple[OutputRanking, ...]
    human: Comparisons


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Items, the true rating of each, and the human metric if there is one."""

    items: tuple[Item, ...]
    values: FloatArray
    human: FloatArray | None


def read_rated_set(prefix: str) -> RatedSet:
    """Read a set with its rankings or pairs; every segment needs a reference, and some pair a decision."""
    files = datasets.find_set(prefix)
    dataset = datasets.read_dataset(files.segments, files.outputs)
    ranked = read_files(files.segments, files.outputs, files.rankings, files.pairs)
    human = ranked.comparisons()
    report.check_judged_set(prefix, dataset, human)
    judges = ranked.rankings if files.rankings else ()
    return RatedSet(report.set_label(prefix), dataset, judges, human)


def find_truth(sets: Sequence[RatedSet], seed: int) -> Truth:
    """One rating of every translation with two ratings; else the share of comparisons won."""
    items, values, human = split_ratings(*_list_ratings(sets), seed=seed)
    if len(items) >= MIN_RATED_TWICE:
        return Truth(items, values, human)
    shares = {
        (number, cell): share
        for number, rated in enumerate(sets)
        for cell, share in wins_share(rated.human, len(rated.dataset.cells)).items()
    }
    return Truth(tuple(shares), np.array([*shares.values()], np.float64), None)


def _list_ratings(sets: Sequence[RatedSet]) -> tuple[list[Hashable], list[Item], list[float]]:
    """Return the rater, the item and the value of every rating."""
    rows = [
        ((number, ranking.judge), (number, cell), value)
        for number, rated in enumerate(sets)
        for ranking in rated.rankings
        for cell, value in share_beaten(ranking)
    ]
    return [rater for rater, _, _ in rows], [item for _, item, _ in rows], [value for *_, value in rows]


def split_ratings(
    raters: Sequence[Hashable], items: Sequence[Rated], ratings: Sequence[float], *, seed: int
) -> tuple[tuple[Rated, ...], FloatArray, FloatArray]:
    """Normalise by rater, then sample two ratings of every item that has at least two.

    Returns these items, the true rating of each and that of the human metric.
    """
    rng = np.random.default_rng(seed)
    normal = normalise_by_percentile(list(ratings), [repr(rater) for rater in raters])
    by_item: dict[Rated, list[float]] = {}
    for item, value in zip(items, normal.tolist(), strict=True):
        by_item.setdefault(item, []).append(value)
    twice = {item: values for item, values in by_item.items() if len(values) > 1}
    pairs = [rng.choice(values, 2, replace=False) for values in twice.values()]
    truth, human = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    return tuple(twice), truth, human


def share_beaten(ranking: OutputRanking) -> list[tuple[int, float]]:
    """For each output the share of the others that it beat; a tie counts half.

    >>> share_beaten(OutputRanking(((7, 1), (8, 2), (9, 2))))
    [(7, 1.0), (8, 0.25), (9, 0.25)]
    """
    ranks = [rank for _, rank in ranking.ranks]
    others = len(ranks) - 1
    return [
        (cell, (sum(rank < other for other in ranks) + (ranks.count(rank) - 1) / 2) / others)
        for cell, rank in ranking.ranks
        if others > 0
    ]
