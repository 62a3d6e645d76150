"""Kulesza 2004 (paper 000): a metric that learned to distinguish people from machines. Tables 4.1 and A.1.

What is correlated with, and who the human metric is, stands in ``truth``.
The support vector machine is trained on other sets than those it is tested on: on left-out translators where
these have several references, else on outputs that mostly won or mostly lost (``metrics.learned.examples``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.problems import InputError, Problem
from metrics import registry
from metrics.base import Segment
from metrics.datasets import FloatArray
from metrics.learned import examples as ex
from metrics.learned import features, grid
from metrics.learned.features import Preparation
from metrics.learned.ratings import row
from metrics.learned.svm import Labelled
from metrics.metaeval.correlation import pearson, spearman
from metrics.metaeval.scoring import score_dataset
from metrics.replicate.printed import CORRELATIONS, GRID, META_CORRELATION
from metrics.replicate.truth import FEWEST, Item, Judged, Truth, read, truth_of
from metrics.replicate.values import (
    Cell,
    Missing,
    Note,
    Report,
    Row,
    Table,
    data_of_sets,
    label_of,
    needs_sets,
    replication,
)

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
class Asked:
    """Sets to test on, other sets to train on, and the most training examples."""

    sets: tuple[str, ...]
    train: tuple[str, ...] = ()
    examples: int = 2000
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Point:
    """One cell of Table A.1."""

    accuracy: float
    pearson: float | None
    spearman: float | None


def replicate(asked: Asked, note: Note = lambda message: None) -> Report:
    """Correlate metrics, machine and people with the truth; search the grid on the training sets."""
    needs_sets(NAME, asked.sets)
    if same := {label_of(name) for name in asked.sets} & {label_of(name) for name in asked.train}:
        message = f"{min(same)} is trained on and tested on"
        raise InputError(Problem("train_is_test", message, "name different sets"))
    sets = [read(name) for name in asked.sets]
    truth = truth_of(sets, asked.seed)
    note(f"{len(truth.items):,} translations are correlated")
    scores = {name: _scores(METRICS[name], sets, truth.items) for name in METRICS}
    missing = [Missing("Table A.2", "its features need a parse of every sentence; train svm has them")]
    if truth.human is None:
        missing.append(Missing("row “human”", f"fewer than {FEWEST} translations are in two rankings"))
    else:
        scores["human"] = truth.human
    points: dict[tuple[float, float], Point] = {}
    taught = [read(name) for name in asked.train]
    if taught:
        points, scores["svm"] = _machines(asked, taught, sets, truth, note)
    else:
        because = "no set to train on was named (--train SET)"
        missing.append(Missing("row “SVM” and Table A.1", because))
    small = [ex.is_in_thirds(one.dataset.texts) for one in taught]
    thirds = [label_of(name) for name, is_small in zip(asked.train, small, strict=True) if is_small]
    return replication(
        NAME,
        (_correlations(scores, truth), *_grid_tables(points), _meta(points)),
        missing=missing,
        data=data_of_sets((*asked.sets, *asked.train)),
        settings={
            "examples at most": asked.examples,
            "seed": asked.seed,
            "trained on": list(map(label_of, asked.train)),
        }
        | ({"split in thirds": thirds} if thirds else {}),
        signatures={name: registry.parse(METRICS[name]).signature for name in METRICS},
    )


def _scores(specification: str, sets: Sequence[Judged], items: Sequence[Item]) -> FloatArray:
    """The scores of the items, higher is better; only they are scored."""
    found = np.empty(len(items))
    for number, one in enumerate(sets):
        places = [place for place, item in enumerate(items) if item[0] == number]
        if places:
            cells = tuple(one.dataset.cells[items[place][1]] for place in places)
            found[places] = score_dataset(
                registry.parse(specification), replace(one.dataset, cells=cells)
            ).cells
    return found


def _machines(
    asked: Asked, taught: Sequence[Judged], sets: Sequence[Judged], truth: Truth, note: Note
) -> tuple[dict[tuple[float, float], Point], FloatArray]:
    """Every machine of the grid on the tested items, and the values of the one of the best accuracy."""
    try:
        training, validation = _examples(asked, taught, sets)
    except ValueError as error:
        raise InputError(
            Problem("cannot_train", str(error), "train on more sentences or documents")
        ) from error
    rows = features.compute(features.BASIC, [_segment(sets, item) for item in truth.items], PREPARATION)
    found = grid.search(training, validation, progress=note)
    points: dict[tuple[float, float], Point] = {}
    for point, machine in zip(found.points, found.machines, strict=True):
        values = machine.decision(rows)
        correlations = pearson(values, truth.values), spearman(values, truth.values)
        points[point.c, point.sigma] = Point(point.accuracy, *correlations)
    return points, found.machine.decision(rows)


def _examples(asked: Asked, taught: Sequence[Judged], sets: Sequence[Judged]) -> tuple[Labelled, Labelled]:
    """As many references an example as the tested sets have, so that both see the same."""
    references = min(len(text.references) for one in sets for text in one.dataset.texts.values())
    parts: tuple[list[ex.Example], list[ex.Example]] = ([], [])
    for one in taught:
        if all(len(text.references) > 1 for text in one.dataset.texts.values()):
            found = ex.translator_examples(one.dataset, seed=asked.seed, references=references)
        else:
            found = ex.ranked_examples(one.dataset, one.human, seed=asked.seed)
        for part, more in zip(parts, ex.split(found), strict=True):
            part.extend(more)
    sizes = (asked.examples, max(2, asked.examples // 2))
    training, validation = (
        _labelled(ex.sample(part, size, seed=asked.seed)) for part, size in zip(parts, sizes, strict=True)
    )
    return training, validation


def _labelled(found: Sequence[ex.Example]) -> Labelled:
    rows = features.compute(features.BASIC, [example.segment for example in found], PREPARATION)
    return Labelled(rows, np.array([1 if example.human else -1 for example in found], np.int64))


def _segment(sets: Sequence[Judged], item: Item) -> Segment:
    dataset = sets[item[0]].dataset
    _, name, translation = dataset.cells[item[1]]
    return Segment(translation, dataset.texts[name].references, dataset.texts[name].source)


def _correlations(scores: dict[str, FloatArray], truth: Truth) -> Table:
    rows = []
    for name, printed in CORRELATIONS.items():
        cells = [Cell(value) for value in printed]
        if name in scores:
            found = row(name, scores[name], truth.values)
            low, high = found.pearson_ci or (None, None)
            cells = [Cell(printed[0], found.pearson, low, high), Cell(printed[1], found.spearman)]
        rows.append(Row(TITLES[name], tuple(cells)))
    rated = "one rating each, the human metric is another" if truth.human is not None else "shares of wins"
    notes = (
        f"Ours: {len(truth.items):,} translations, {rated}; the paper: 633 translations, three "
        "references. The intervals are Fisher's.",
        "Our WER and PER are errors per reference word, the thesis defines them as numbers of errors; our "
        "BLEU of a sentence is smoothed.",
    )
    return Table(
        "Table 4.1: correlation with people", ("Pearson", "Spearman"), tuple(rows), notes, 4, "metric"
    )


def _grid_tables(points: dict[tuple[float, float], Point]) -> list[Table]:
    costs, sigmas = grid.BASIC
    tables = []
    for letter, field in zip("abc", _FIELDS, strict=True):
        rows = []
        for c, printed in zip(costs, GRID[field], strict=True):
            ours = [getattr(points[c, s], field) if points else None for s in sigmas]
            rows.append(Row(f"C {c:g}", tuple(Cell(p, o) for p, o in zip(printed, ours, strict=True))))
        columns = tuple(f"σ {sigma:g}" for sigma in sigmas)
        tables.append(Table(f"Table A.1 ({letter}): {_FIELDS[field]}", columns, tuple(rows), (), 4))
    return tables


_FIELDS = {
    "accuracy": "accuracy in telling people from machines",
    "pearson": "Pearson’s correlation with people",
    "spearman": "Spearman’s correlation with people",
}


def _meta(points: dict[tuple[float, float], Point]) -> Table:
    """Does a classifier with a higher accuracy also correlate better with people?"""
    known = [(point.accuracy, point.pearson) for point in points.values() if point.pearson is not None]
    ours = pearson(np.array([a for a, _ in known]), np.array([r for _, r in known])) if known else None
    cells = (Cell(META_CORRELATION, ours),)
    note = "Over the 35 cells of Table A.1; from the printed cells it is .8544."
    title = "Does accuracy promise correlation?"
    return Table(title, ("Pearson",), (Row("accuracy with correlation", cells),), (note,), 3)
