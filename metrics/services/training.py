"""Train a metric on the votes of a task; the model is a file with its history, and one more metric."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext_noop

from evaluation.models import Task, User
from evaluation.problems import InputError, Problem
from evaluation.reports import judgements
from evaluation.schemes import SIX_WAY
from metrics.base import MetricUnavailable
from metrics.models import TrainedModel
from metrics.reports.segments import standings, task_segments
from metrics.services.scoring import Report, silent

if TYPE_CHECKING:
    from metrics.learned.features import Preparation
    from metrics.learned.models import Model
    from metrics.task_training import PhraseVotes

SIGNS = np.array([0 if choice.sign is None else choice.sign for choice in SIX_WAY.choices])


def train_on_task(
    task: Task, name: str, report: Report = silent, *, owner: User | None = None
) -> TrainedModel:
    """Learn a combination from the task's own votes; ``InputError`` says how much data is missing."""
    from metrics import task_training as training  # scikit-learn: only for those who train
    from metrics.learned import features, models

    if TrainedModel.objects.filter(name=name).exists():
        raise InputError(Problem("name_taken", f"there is a model {name!r} already", "choose another name"))
    report(0, 3, gettext_noop("Features are computed."))
    names, preparation = features.METRICS, features.Preparation()
    try:
        votes = task_votes(task, names, preparation)
        training.check_size(votes)
        report(1, 3, gettext_noop("The model is tried on sentences and annotators that it has not seen."))
        tested = training.held_out(votes, names)
        report(2, 3, gettext_noop("The weights are learned."))
        weights = training.train(votes)
    except training.TooLittleData as error:
        raise InputError(Problem("too_little_data", str(error), "collect more answers")) from error
    except (ValueError, MetricUnavailable) as error:
        raise InputError(Problem("cannot_train", str(error))) from error
    provenance = {
        "task": task.slug,
        "votes": len(votes),
        "sentences": len(np.unique(votes.sentences)),
        "annotators": len(np.unique(votes.annotators)),
        "sha256": _digest(votes),
    }
    about = models.describe(name, names, preparation, training=provenance, method="tuned on phrase votes")
    model = models.Model(name, names, preparation, weights, about)
    evaluation = {"held_out": None if tested is None else asdict(tested)}
    return _keep(
        model,
        weights.values.tolist(),
        TrainedModel(name=name, task=task, owner=owner),
        provenance,
        evaluation,
    )


def task_votes(task: Task, names: tuple[str, ...], preparation: Preparation) -> PhraseVotes:
    """Every decided answer that counts, with the features of the two versions between which it decided."""
    from metrics.task_training import PhraseVotes, versions

    tests = task_segments(task)
    asked = [one for one in standings(task) if tests.items[one.item].references]
    study = judgements.study([task])
    keys = np.asarray(study.pair_keys)
    place = np.full(len(keys), -1)
    place[np.searchsorted(keys, [one.pair for one in asked])] = np.arange(len(asked))
    signs = SIGNS[study.labels]
    rows = np.flatnonzero(study.counted & (signs != 0) & (place[study.pairs] >= 0))
    pairs, signs = place[study.pairs[rows]], signs[rows]
    first, second = 2 * pairs, 2 * pairs + 1
    return PhraseVotes(
        versions(asked, tests.items, names, preparation),
        np.where(signs > 0, first, second),
        np.where(signs > 0, second, first),
        study.pair_sentences[study.pairs[rows]].astype(np.int64),
        study.annotators[rows].astype(np.int64),
    )


def _keep(
    model: Model,
    values: list[float],
    row: TrainedModel,
    provenance: dict[str, Any],
    evaluation: dict[str, Any],
) -> TrainedModel:
    """First the file, then the row: a row without a file would be a promise that nobody keeps."""
    from metrics.learned import models

    folder = settings.HOME / "models"
    folder.mkdir(parents=True, exist_ok=True)
    mark = hashlib.sha256(row.name.encode()).hexdigest()[:8]
    path = folder / f"{slugify(row.name)[:60] or 'model'}-{mark}.json"
    models.save(model, path)
    weights = sorted(zip(model.names, values, strict=True), key=lambda w: -abs(w[1]))
    row.kind = TrainedModel.Kind.COMBINATION
    row.path = str(path.relative_to(settings.HOME))
    row.digest = hashlib.sha256(path.read_bytes()).hexdigest()
    row.provenance = {**provenance, "software": model.about["software"], "features": list(model.names)}
    row.evaluation = {**evaluation, "weights": weights}
    with transaction.atomic():
        row.save(force_insert=True)
    return row


def _digest(votes: PhraseVotes) -> str:
    parts = (votes.versions, votes.better, votes.worse, votes.sentences, votes.annotators)
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()
