"""Train a combination of metrics on the votes of a task; the model is a file, and one more metric."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
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

from evaluation.models import Task, User
from evaluation.problems import InputError, Problem
from evaluation.reports import judgements
from evaluation.schemes import SIX_WAY
from evaluation.study import Study
from metrics.base import FloatArray, MetricUnavailable
from metrics.models import TrainedModel
from metrics.phrase_votes import Standing
from metrics.reports.segments import standings, task_segments
from metrics.services.scoring import Report, silent

if TYPE_CHECKING:
    from metrics.learned.features import Preparation
    from metrics.task_training import PhraseVotes

SIGNS = np.array([0 if choice.sign is None else choice.sign for choice in SIX_WAY.choices])


def train_on_task(
    task: Task, name: str, report: Report = silent, *, owner: User | None = None
) -> TrainedModel:
    """Learn a combination from the task's own votes; ``InputError`` says how much data is missing."""
    from metrics import task_training as training  # scikit-learn: only for those who train
    from metrics.learned import features, models

    check_name(name)
    report(0, 3, gettext_noop("The features are being computed."))
    names, preparation = features.METRICS, features.Preparation()
    with refusals_as_input_errors():
        votes = task_votes(task, names, preparation)
        training.check_size(votes)
        report(
            1, 3, gettext_noop("The model is being tested on sentences and annotators that it has not seen.")
        )
        tested = training.held_out(votes, names)
        report(2, 3, gettext_noop("The weights are being learned."))
        weights = training.train(votes)
    provenance = learned_from(task, votes)
    about = models.describe(name, names, preparation, training=provenance, method="tuned on phrase votes")
    model = models.Model(name, names, preparation, weights, about)
    shown = sorted(zip(names, weights.values.tolist(), strict=True), key=lambda one: -abs(one[1]))
    return keep(
        TrainedModel(name=name, task=task, owner=owner, kind=TrainedModel.Kind.COMBINATION),
        ".json",
        lambda path: models.save(model, path),
        {**provenance, "software": about["software"], "features": list(names)},
        {"held_out": None if tested is None else asdict(tested), "weights": shown},
    )


def check_name(name: str) -> None:
    if TrainedModel.objects.filter(name=name).exists():
        raise _taken(name)


def _taken(name: str) -> InputError:
    return InputError(Problem("name_taken", f"there is a model {name!r} already", "choose another name"))


@contextmanager
def refusals_as_input_errors() -> Iterator[None]:
    """Turn the errors of the learners into ``InputError``."""
    from metrics.learned.examples import TooFewExamples
    from metrics.task_training import TooLittleData

    try:
        yield
    except TooLittleData as error:
        raise InputError(Problem("too_little_data", str(error), "collect more answers")) from error
    except TooFewExamples as error:
        raise InputError(
            Problem("too_little_data", str(error), "choose a task with more sentences")
        ) from error
    except (ValueError, MetricUnavailable) as error:
        raise InputError(Problem("cannot_train", str(error))) from error


def learned_from(task: Task, votes: PhraseVotes) -> dict[str, Any]:
    return {
        "task": task.slug,
        "votes": len(votes),
        "sentences": len(np.unique(votes.sentences)),
        "annotators": len(np.unique(votes.annotators)),
        "sha256": _digest(votes),
    }


def task_votes(task: Task, names: tuple[str, ...], preparation: Preparation) -> PhraseVotes:
    """Every decided answer that counts, with the features of the two versions between which it decided."""
    from metrics.task_training import versions

    tests = task_segments(task)
    asked = [one for one in standings(task) if tests.items[one.item].references]
    return decided_votes(judgements.study([task]), asked, versions(asked, tests.items, names, preparation))


def decided_votes(study: Study, asked: Sequence[Standing], described: FloatArray) -> PhraseVotes:
    """The decided answers about pairs that are asked; rows 2i and 2i + 1 describe the versions of pair i."""
    from metrics.task_training import PhraseVotes

    keys = np.asarray(study.pair_keys)
    place = np.full(len(keys), -1)
    place[np.searchsorted(keys, [one.pair for one in asked])] = np.arange(len(asked))
    signs = SIGNS[study.labels]
    rows = np.flatnonzero(study.counted & (signs != 0) & (place[study.pairs] >= 0))
    pairs, signs = place[study.pairs[rows]], signs[rows]
    first, second = 2 * pairs, 2 * pairs + 1
    return PhraseVotes(
        described,
        np.where(signs > 0, first, second),
        np.where(signs > 0, second, first),
        study.pair_sentences[study.pairs[rows]].astype(np.int64),
        study.annotators[rows].astype(np.int64),
    )


def keep(
    row: TrainedModel,
    suffix: str,
    save: Callable[[Path], None],
    provenance: dict[str, Any],
    evaluation: dict[str, Any],
) -> TrainedModel:
    """Save the file before the row becomes visible, because a row without its file would be useless.

    But only after the name is known to be free, so that of two trainings under one name the second does not
    overwrite the model of the first.
    """
    folder = settings.HOME / "models"
    folder.mkdir(parents=True, exist_ok=True)
    mark = hashlib.sha256(row.name.encode()).hexdigest()[:8]
    path = folder / f"{slugify(row.name)[:60] or 'model'}-{mark}{suffix}"
    with TemporaryDirectory(dir=folder) as scratch:
        fresh = Path(scratch) / path.name
        save(fresh)
        row.path = str(path.relative_to(settings.HOME))
        row.digest = hashlib.sha256(fresh.read_bytes()).hexdigest()
        row.provenance, row.evaluation = provenance, evaluation
        try:
            with transaction.atomic():
                row.save(force_insert=True)
                fresh.replace(path)
        except IntegrityError as error:
            raise _taken(row.name) from error
    return row


def _digest(votes: PhraseVotes) -> str:
    parts = (votes.versions, votes.better, votes.worse, votes.sentences, votes.annotators)
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()
