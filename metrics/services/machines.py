"""Train "human or machine?" on a task: references are people, outputs are machines (paper 000).

With two references or more each translator is left out in turn, as in the thesis. With one, outputs that won
most of their comparisons here stand in for people, which uses verdicts; the model says which of the two ways
was used. Where the task names fewer than three documents, each sentence is one.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from django.utils.translation import gettext_noop

from evaluation.models import Item, Task, User
from evaluation.reports import judgements
from evaluation.reports.votes import meetings, places
from evaluation.study.systems import study_votes
from metrics.datasets import Cell, Comparisons, Dataset, Text
from metrics.models import TrainedModel
from metrics.reports.segments import task_segments
from metrics.services.scoring import Report, silent
from metrics.services.training import check_name, keep, refusals_as_input_errors
from metrics.testset import TestSet

if TYPE_CHECKING:
    from metrics.learned.examples import Example
    from metrics.learned.features import Preparation
    from metrics.learned.grid import Grid
    from metrics.learned.svm import Labelled

MOST_EXAMPLES = 6000
LEAST_EXAMPLES = 30
SEED = 1
VALIDATION = 3  # documents, or there is nothing to split


class _Taught(NamedTuple):
    classes: str
    training: list[Example]
    validation: list[Example]
    judged: list[Example]  # outputs of the validation sentences that people compared
    wins: list[float]  # and which share of their comparisons these won


def train_svm_on_task(
    task: Task, name: str, report: Report = silent, *, owner: User | None = None
) -> TrainedModel:
    """Search the thesis's grid on the sentences of the task; ``InputError`` says what is missing."""
    from metrics.learned import features, grid, models  # scikit-learn: only for those who train
    from metrics.learned.training import labelled

    check_name(name)
    names, preparation = features.BASIC, features.Preparation()
    points = len(grid.BASIC[0]) * len(grid.BASIC[1])
    done = iter(range(points + 2))

    def tell(_message: str) -> None:
        report(next(done, points), points + 1, gettext_noop("Classifiers are being trained and compared."))

    with refusals_as_input_errors():
        tell("")
        taught = _taught(task)
        training, validation = (
            labelled(part, names, preparation) for part in (taught.training, taught.validation)
        )
        found = grid.search(training, validation, scaling="standard", progress=tell)
        evaluation = _evaluation(found, validation, taught, names, preparation)
    provenance = {
        "task": task.slug,
        "classes": taught.classes,
        "examples": len(training.classes),
        "validation": len(validation.classes),
        "seed": SEED,
        "sha256": hashlib.sha256(training.rows.tobytes() + validation.rows.tobytes()).hexdigest(),
    }
    about = models.describe(
        name, names, preparation, training=provenance, grid=evaluation["grid"], chosen=evaluation["chosen"]
    )
    model = models.Model(name, names, preparation, found.machine, about)
    return keep(
        TrainedModel(name=name, task=task, owner=owner, kind=TrainedModel.Kind.SVM),
        ".npz",
        lambda path: models.save(model, path),
        {**provenance, "software": about["software"], "features": list(names)},
        evaluation,
    )


def _taught(task: Task) -> _Taught:
    from metrics.learned import examples as ex
    from metrics.metaeval.systems import wins_share

    tests = task_segments(task)
    dataset = _dataset(task, tests)
    human = _comparisons(task, tests, dataset)
    several = all(len(text.references) > 1 for text in dataset.texts.values())
    if not any(text.references for text in dataset.texts.values()):
        raise ex.TooFewExamples("no sentence has a reference; human translations are one of the two classes")
    found = (
        ex.translator_examples(dataset, seed=SEED)
        if several
        else ex.ranked_examples(dataset, human, seed=SEED)
    )
    if len(found) < LEAST_EXAMPLES:
        raise ex.TooFewExamples(f"there are {len(found)} examples; at least {LEAST_EXAMPLES} are needed")
    training, validation = ex.split(found)
    unseen = {one.document for one in validation}
    shares = {
        cell: share
        for cell, share in wins_share(human, len(dataset.cells)).items()
        if dataset.texts[dataset.cells[cell].segment].document in unseen
    }
    return _Taught(
        "translators" if several else "ranked",
        ex.sample(training, MOST_EXAMPLES, seed=SEED),
        ex.sample(validation, MOST_EXAMPLES // 2, seed=SEED),
        [_example(dataset, cell) for cell in shares],
        list(shares.values()),
    )


def _evaluation(
    found: Grid, validation: Labelled, taught: _Taught, names: tuple[str, ...], preparation: Preparation
) -> dict[str, Any]:
    from metrics.learned import features, importance
    from metrics.metaeval.correlation import pearson

    rows = (
        features.compute(names, [one.segment for one in taught.judged], preparation)
        if taught.judged
        else np.empty((0, len(names)))
    )
    with_people = importance.correlations(found.machines, rows, np.array(taught.wins))
    both = [(point.accuracy, r) for point, r in zip(found.points, with_people, strict=True) if r is not None]
    curve = importance.validation_roc(found.machine, validation)
    losses = importance.permutation_importance(found.machine, validation)
    ranked = sorted(zip(names, losses.tolist(), strict=True), key=lambda one: -one[1])
    return {
        "grid": [
            {**asdict(point), "correlation": r} for point, r in zip(found.points, with_people, strict=True)
        ],
        "chosen": asdict(found.chosen),
        "judged": len(taught.judged),
        "meta_correlation": pearson(*np.array(both).T) if len(both) > 2 else None,
        "roc": None if curve is None else {"area": curve.area, "points": importance.thinned(curve)},
        "importance": ranked,
    }


def _dataset(task: Task, tests: TestSet) -> Dataset:
    named = dict(Item.objects.filter(task=task).values_list("pk", "document"))
    enough = len({document for document in named.values() if document}) >= VALIDATION
    texts = {
        item.key: Text(item.source, item.references, named[pk] if enough else item.key)
        for pk, item in tests.items.items()
    }
    cells = tuple(
        Cell(system, tests.items[item].key, written.text)
        for system, mine in tests.outputs.items()
        for item, written in mine.items()
    )
    return Dataset(texts, cells)


def _comparisons(task: Task, tests: TestSet, dataset: Dataset) -> Comparisons:
    """Outputs of a sentence against each other: each annotator decides once, by the sum of the phrases."""
    study = judgements.study([task])
    votes = study_votes(study, meetings([task], study))
    keys = [tests.items[item].key for item in np.unique(places([task]).items).tolist()]
    turned = votes.first > votes.second
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    cells, of = np.unique(
        np.stack([votes.sentences, low, high, votes.annotators]), axis=1, return_inverse=True
    )
    signs = np.bincount(of.reshape(-1), np.where(turned, -votes.signs, votes.signs), cells.shape[1])
    number, names = dataset.numbers(), votes.system_names
    better, worse = [], []
    for (sentence, one, other, _annotator), sign in zip(cells.T.tolist(), signs.tolist(), strict=True):
        first, second = (number[names[system], keys[sentence]] for system in (one, other))
        if sign:
            better.append(first if sign > 0 else second)
            worse.append(second if sign > 0 else first)
    empty = np.empty((0, 2), dtype=np.int64)
    return Comparisons(np.array(better, dtype=np.int64), np.array(worse, dtype=np.int64), empty)


def _example(dataset: Dataset, cell: int) -> Example:
    from metrics.base import Segment
    from metrics.learned.examples import Example

    _, name, translation = dataset.cells[cell]
    text = dataset.texts[name]
    return Example(Segment(translation, text.references, text.source), False, text.document)
