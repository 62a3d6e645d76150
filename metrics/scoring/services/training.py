"""Train a model on a task: by name for a job, and a combination of metrics on the votes of a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext_noop

from appraise.lib.digests import array_digest, bytes_digest, file_digest
from appraise.lib.problems import InputError
from evaluation.models import Job, Task, User
from evaluation.reports import study_query
from evaluation.study import Study
from evaluation.study.systems import SIGNS
from metrics.base import FloatArray, MetricUnavailable
from metrics.models import TrainedModel
from metrics.scoring.phrase_votes import AlignedOccurrence
from metrics.scoring.queries import load_asked_occurrences, load_task_texts
from metrics.scoring.services.runs import ReportProgress, ignore_progress

if TYPE_CHECKING:
    from metrics.learned.features import Preparation
    from metrics.scoring.task_training import PhraseVotes

RANKERS: Mapping[str, str] = {"ranker": "logistic", "ranker-bayes": "naive-bayes", "ranker-trees": "boosting"}


def train_for_job(job: Job, task: Task, report: ReportProgress) -> TrainedModel:
    """Train what the arguments of a job name; jobs without a method are older and train a combination.

    If a worker died after saving the model and before finishing the job, that model is the result.
    """
    name, method = job.arguments["name"], job.arguments.get("method", "combination")
    if job.attempts > 1:
        saved = TrainedModel.objects.filter(task=task, owner=job.owner, created_at__gte=job.created_at)
        if (model := saved.filter(name=name).first()) is not None:
            return model
    if method == "combination":
        return train_combination(task, name, report, owner=job.owner)
    if method == "svm":
        from metrics.scoring.services.svm_training import train_svm

        return train_svm(task, name, report, owner=job.owner)
    if method not in RANKERS:
        raise InputError.of("unknown_method", f"unknown training method {method!r}")
    from metrics.scoring.services.ranker_training import train_ranker

    parser = bool(job.arguments.get("parser"))
    return train_ranker(
        task, name, report, classifier=RANKERS[method], parser=parser, owner=job.owner, job=job
    )


def train_combination(
    task: Task, name: str, report: ReportProgress = ignore_progress, *, owner: User | None = None
) -> TrainedModel:
    """Learn a combination from the task's own votes; ``InputError`` says how much data is missing."""
    from metrics.learned import features, models
    from metrics.scoring import task_training as training  # scikit-learn: only for those who train

    check_name(name)
    report(0, 3, gettext_noop("Computing the features."))
    names, preparation = features.METRICS, features.Preparation()
    with training_errors_as_input_errors():
        votes = load_votes(task, names, preparation)
        training.check_size(votes)
        report(1, 3, gettext_noop("Testing the model on unseen sentences and annotators."))
        tested = training.measure_held_out_accuracy(votes, names)
        report(2, 3, gettext_noop("Learning the weights."))
        weights = training.train(votes)
    provenance = describe_training(task, votes)
    about = models.describe(name, names, preparation, training=provenance, method="tuned on phrase votes")
    model = models.LearnedModel(name, names, preparation, weights, about)
    by_weight = sorted(zip(names, weights.values.tolist(), strict=True), key=lambda pair: -abs(pair[1]))
    return save_model(
        TrainedModel(name=name, task=task, owner=owner, kind=TrainedModel.Kind.COMBINATION),
        ".json",
        lambda path: models.save(model, path),
        {**provenance, "software": about["software"], "features": list(names)},
        {"held_out": None if tested is None else asdict(tested), "weights": by_weight},
    )


def check_name(name: str) -> None:
    """Raise ``InputError`` if there is a model of that name."""
    if TrainedModel.objects.filter(name=name).exists():
        raise _name_taken(name)


def _name_taken(name: str) -> InputError:
    return InputError.of("name_taken", f"there is a model {name!r} already", "choose another name")


@contextmanager
def training_errors_as_input_errors() -> Iterator[None]:
    """Convert the errors of the training modules to ``InputError``."""
    from metrics.learned.examples import TooFewExamples
    from metrics.scoring.task_training import TooLittleData

    try:
        yield
    except TooLittleData as error:
        raise InputError.of("too_little_data", str(error), "collect more answers") from error
    except TooFewExamples as error:
        raise InputError.of("too_little_data", str(error), "choose a task with more sentences") from error
    except (ValueError, MetricUnavailable) as error:
        raise InputError.of("cannot_train", str(error)) from error


def describe_training(task: Task, votes: PhraseVotes) -> dict[str, Any]:
    return {
        "task": task.slug,
        "votes": len(votes),
        "sentences": len(np.unique(votes.sentences)),
        "annotators": len(np.unique(votes.annotators)),
        "sha256": array_digest(votes.versions, votes.better, votes.worse, votes.sentences, votes.annotators),
    }


def load_votes(task: Task, names: tuple[str, ...], preparation: Preparation) -> PhraseVotes:
    """Return every decided answer, with the features of the two versions that it compares."""
    from metrics.scoring.task_training import compute_version_features

    task_texts = load_task_texts(task)
    asked = [pair for pair in load_asked_occurrences(task) if task_texts.items[pair.item].references]
    features = compute_version_features(asked, task_texts.items, names, preparation)
    return select_decided(study_query.load_study([task]), asked, features)


def select_decided(study: Study, asked: Sequence[AlignedOccurrence], features: FloatArray) -> PhraseVotes:
    """Return the decided answers about asked pairs; rows 2i and 2i + 1 are the features of pair i."""
    from metrics.scoring.task_training import PhraseVotes

    keys = np.asarray(study.pair_keys)
    index = np.full(len(keys), -1)
    index[np.searchsorted(keys, [occurrence.pair for occurrence in asked])] = np.arange(len(asked))
    signs = SIGNS[study.labels]
    rows = np.flatnonzero(study.is_counted & (np.abs(signs) == 1) & (index[study.pairs] >= 0))
    pairs, signs = index[study.pairs[rows]], signs[rows]
    first, second = 2 * pairs, 2 * pairs + 1
    return PhraseVotes(
        features,
        np.where(signs > 0, first, second),
        np.where(signs > 0, second, first),
        study.pair_sentences[study.pairs[rows]].astype(np.int64),
        study.annotators[rows].astype(np.int64),
    )


def save_model(
    row: TrainedModel,
    suffix: str,
    save: Callable[[Path], None],
    provenance: dict[str, Any],
    evaluation: dict[str, Any],
) -> TrainedModel:
    """Save the file and the row of a model.

    The file is in place before the row becomes visible, because a row without its file is useless; but only
    after the name is known to be free, so that of two models of one name the second does not overwrite the
    file of the first.
    """
    folder = settings.HOME / "models"
    folder.mkdir(parents=True, exist_ok=True)
    mark = bytes_digest(row.name.encode())[:8]
    path = folder / f"{slugify(row.name)[:60] or 'model'}-{mark}{suffix}"
    with TemporaryDirectory(dir=folder) as scratch:
        temporary = Path(scratch) / path.name
        save(temporary)
        row.path = str(path.relative_to(settings.HOME))
        row.digest = file_digest(temporary)
        row.provenance, row.evaluation = provenance, evaluation
        try:
            with transaction.atomic():
                row.save(force_insert=True)
                temporary.replace(path)
        except IntegrityError as error:
            raise _name_taken(row.name) from error
    return row
