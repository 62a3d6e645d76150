"""Train an SVM "human or machine?" on a task: references are human, outputs are machine (paper 000).

With two references or more, each translator is left out in turn, as in the thesis. With one, outputs that won
most of their comparisons replace the human translations; the model records which of the two was used. If the
task names fewer than three documents, each sentence is a document.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from django.utils.translation import gettext_noop

from appraise.lib.digests import array_digest
from evaluation.models import Item, Task, User
from evaluation.reports.study_query import load_occurrences, load_study, load_system_pairs
from evaluation.study.systems import collect_system_votes
from metrics.base import Segment
from metrics.metaeval.datasets import Comparisons, Dataset, DatasetCell, Text
from metrics.models import TrainedModel
from metrics.scoring.queries import load_task_texts
from metrics.scoring.services.runs import ReportProgress, ignore_progress
from metrics.scoring.services.training import check_name, save_model, training_errors_as_input_errors
from metrics.scoring.task_texts import TaskTexts

if TYPE_CHECKING:
    from metrics.learned.examples import Example
    from metrics.learned.features import Preparation
    from metrics.learned.svm import Grid, Labelled

MAX_EXAMPLES = 6000
MIN_EXAMPLES = 30
SEED = 1
VALIDATION = 3  # documents, or there is nothing to split


class _Examples(NamedTuple):
    classes: str
    training: list[Example]
    validation: list[Example]
    judged: list[Segment]  # outputs of the validation sentences that people compared
    wins: list[float]  # the share of comparisons that each of them won


def train_svm(
    task: Task, name: str, report: ReportProgress = ignore_progress, *, owner: User | None = None
) -> TrainedModel:
    """Search the grid of the thesis on the sentences of the task; ``InputError`` says what is missing."""
    from metrics.learned import features, models, svm  # scikit-learn: only for those who train
    from metrics.learned.training import label_examples

    check_name(name)
    names, preparation = features.BASIC, features.Preparation()
    points = len(svm.BASIC[0]) * len(svm.BASIC[1])
    done = iter(range(points + 2))

    def count_point(_message: str) -> None:
        report(next(done, points), points + 1, gettext_noop("Training and comparing classifiers."))

    with training_errors_as_input_errors():
        count_point("")
        examples = _make_examples(task)
        training, validation = (
            label_examples(part, names, preparation) for part in (examples.training, examples.validation)
        )
        result = svm.search(training, validation, scaling="standard", progress=count_point)
        evaluation = _evaluate(result, validation, examples, names, preparation)
    provenance = {
        "task": task.slug,
        "classes": examples.classes,
        "examples": len(training.classes),
        "validation": len(validation.classes),
        "seed": SEED,
        "sha256": array_digest(training.rows, validation.rows),
    }
    about = models.describe(
        name, names, preparation, training=provenance, grid=evaluation["grid"], chosen=evaluation["chosen"]
    )
    model = models.LearnedModel(name, names, preparation, result.machine, about)
    return save_model(
        TrainedModel(name=name, task=task, owner=owner, kind=TrainedModel.Kind.SVM),
        ".npz",
        lambda path: models.save(model, path),
        {**provenance, "software": about["software"], "features": list(names)},
        evaluation,
    )


def _make_examples(task: Task) -> _Examples:
    from metrics.learned import examples as ex
    from metrics.metaeval.systems import wins_share

    task_texts = load_task_texts(task)
    dataset = _make_dataset(task, task_texts)
    human = _compare_outputs(task, task_texts, dataset)
    several = all(len(text.references) > 1 for text in dataset.texts.values())
    if not any(text.references for text in dataset.texts.values()):
        raise ex.TooFewExamples("no sentence has a reference; human translations are one of the two classes")
    examples = (
        ex.translator_examples(dataset, seed=SEED)
        if several
        else ex.ranked_examples(dataset, human, seed=SEED)
    )
    if len(examples) < MIN_EXAMPLES:
        raise ex.TooFewExamples(f"there are {len(examples)} examples; at least {MIN_EXAMPLES} are needed")
    training, validation = ex.split(examples)
    unseen = {example.document for example in validation}
    shares = {
        cell: share
        for cell, share in wins_share(human, len(dataset.cells)).items()
        if dataset.texts[dataset.cells[cell].segment].document in unseen
    }
    return _Examples(
        "translators" if several else "ranked",
        ex.sample(training, MAX_EXAMPLES, seed=SEED),
        ex.sample(validation, MAX_EXAMPLES // 2, seed=SEED),
        [dataset.segment(cell) for cell in shares],
        list(shares.values()),
    )


def _evaluate(
    result: Grid, validation: Labelled, examples: _Examples, names: tuple[str, ...], preparation: Preparation
) -> dict[str, Any]:
    from metrics.learned import analysis, features
    from metrics.metaeval.correlation import pearson

    rows = (
        features.compute(names, examples.judged, preparation)
        if examples.judged
        else np.empty((0, len(names)))
    )
    wins = np.array(examples.wins)
    with_people = [
        pearson(machine.decision(rows), wins) if len(wins) else None for machine in result.machines
    ]
    both = [(point.accuracy, r) for point, r in zip(result.points, with_people, strict=True) if r is not None]
    curve = analysis.validation_roc(result.machine, validation)
    losses = analysis.permutation_importance(result.machine, validation)
    ranked = sorted(zip(names, losses.tolist(), strict=True), key=lambda pair: -pair[1])
    return {
        "grid": [
            {**asdict(point), "correlation": r} for point, r in zip(result.points, with_people, strict=True)
        ],
        "chosen": asdict(result.chosen),
        "judged": len(examples.judged),
        "meta_correlation": pearson(*np.array(both).T) if len(both) > 2 else None,
        "roc": None if curve is None else {"area": curve.area, "points": analysis.thin_curve(curve)},
        "importance": ranked,
    }


def _make_dataset(task: Task, task_texts: TaskTexts) -> Dataset:
    named = dict(Item.objects.filter(task=task).values_list("pk", "document"))
    enough = len({document for document in named.values() if document}) >= VALIDATION
    texts = {
        item.key: Text(item.source, item.references, named[pk] if enough else item.key)
        for pk, item in task_texts.items.items()
    }
    cells = tuple(
        DatasetCell(system, task_texts.items[item].key, written.text)
        for system, mine in task_texts.outputs.items()
        for item, written in mine.items()
    )
    return Dataset(texts, cells)


def _compare_outputs(task: Task, task_texts: TaskTexts, dataset: Dataset) -> Comparisons:
    """Compare outputs of a sentence: each annotator decides once, by the sum over the phrases."""
    study = load_study([task])
    votes = collect_system_votes(study, load_system_pairs([task], study))
    keys = [task_texts.items[item].key for item in np.unique(load_occurrences([task]).items).tolist()]
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
    return Comparisons(np.array(better, dtype=np.int64), np.array(worse, dtype=np.int64))
