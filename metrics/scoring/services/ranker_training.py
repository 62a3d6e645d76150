"""Train a reference-free ranker on the votes of a task, and store its votes on sentences it has not seen.

A language model ``lm-LANGUAGE`` and a lexicon ``lexicon-SOURCE-TARGET`` (``.npz``, written by ``train lm``
and ``train lexicon``) are used if they are in the site's folder of models; the parser is used if it is
installed and selected. A feature whose tool is missing is left out, and the model records which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_noop

from evaluation.models import Job, Task, User
from evaluation.reports import study_query
from metrics.base import FloatArray
from metrics.metaeval.datasets import IntArray
from metrics.models import MetricRun, TrainedModel
from metrics.scoring.phrase_votes import AlignedOccurrence, MetricVote
from metrics.scoring.queries import content_digest, load_asked_occurrences, load_task_texts
from metrics.scoring.services import training
from metrics.scoring.services.metric_lookup import TRAINED, load_trained_metric
from metrics.scoring.services.runs import HELD_OUT, MAX_SIGNATURE, ReportProgress, ignore_progress, store_run
from metrics.scoring.task_texts import TaskTexts

if TYPE_CHECKING:
    from metrics.ranking.toolbox import FeatureResources
    from metrics.scoring.task_training import PhraseVotes

FEATURES = "grammar + alignment"


def train_ranker(
    task: Task,
    name: str,
    report: ReportProgress = ignore_progress,
    *,
    classifier: str = "logistic",
    parser: bool = False,
    owner: User | None = None,
    job: Job | None = None,
) -> TrainedModel:
    """Train, test and save a ranker, and store its votes on the task, each on an unseen sentence."""
    from metrics.ranking import models
    from metrics.ranking.training import feature_ranking
    from metrics.scoring import task_ranking as ranking  # scikit-learn: only for those who train
    from metrics.scoring.task_training import measure_held_out_accuracy

    training.check_name(name)
    task_texts, tools = load_task_texts(task), find_tools(task, parser=parser)
    with training.training_errors_as_input_errors():
        data = _load_data(task, task_texts, tools, report)
        report(2, 4, gettext_noop("Testing the model on unseen sentences and annotators."))
        tested = measure_held_out_accuracy(data.votes, data.names, predict=ranking.make_predictor(classifier))
        report(3, 4, gettext_noop("Training the ranker and voting on unseen sentences."))
        pairs = ranking.training_pairs(data.votes)
        provenance = training.describe_training(task, data.votes) | {"classifier": classifier, **data.about}
        about = {"name": name, "data": provenance["sha256"], "pairs": len(pairs.won) // 2}
        about |= {"tools": data.about["tools"], **tools.as_dict()}
        model = models.fit_ranker(data.names, classifier, pairs.differences, pairs.won, about)
        votes, scores = _vote_on_unseen(data, classifier)
    evaluation = {
        "held_out": None if tested is None else asdict(tested),
        "relieff": list(feature_ranking(pairs.differences, pairs.won, data.names).items()),
    }
    row = TrainedModel(name=name, task=task, owner=owner, kind=TrainedModel.Kind.RANKER)
    with transaction.atomic():
        training.save_model(row, ".npz", lambda path: models.save_ranker(model, path), provenance, evaluation)
        _store_votes(row, task_texts, votes, scores, job)
    return row


def find_tools(task: Task, *, parser: bool) -> FeatureResources:
    """Return the tools of this site for the languages of the task."""
    from metrics.ranking.toolbox import FeatureResources
    from metrics.tools.cache import default_path

    source, target = task.source_language, task.target_language
    folder = settings.HOME / "models"
    lm, lexicon = folder / f"lm-{target}.npz", folder / f"lexicon-{source}-{target}.npz"
    return FeatureResources(
        source,
        target,
        str(lm) if lm.is_file() else "",
        str(lexicon) if lexicon.is_file() else "",
        "auto" if parser else "none",
        cache=default_path(),
    )


class _RankerData(NamedTuple):
    """The asked pairs of a task with their sentences and features, and the votes on them.

    ``outputs``: item → the ids of its outputs and their features.
    """

    asked: list[AlignedOccurrence]
    sentences: IntArray
    names: tuple[str, ...]
    versions: FloatArray
    votes: PhraseVotes
    outputs: dict[int, tuple[list[int], FloatArray]]
    about: dict[str, Any]


def _load_data(
    task: Task, task_texts: TaskTexts, tools: FeatureResources, report: ReportProgress
) -> _RankerData:
    from metrics.ranking.features import feature_columns, find_features
    from metrics.ranking.toolbox import open_tools
    from metrics.scoring import task_ranking as ranking
    from metrics.scoring.task_training import check_size

    asked = [pair for pair in load_asked_occurrences(task) if task_texts.items[pair.item].source]
    if not asked:
        raise ValueError("a ranker compares with the source, and no sentence of the task has one")
    study = study_query.load_study([task])
    check_size(training.select_decided(study, asked, np.empty((2 * len(asked), 0))))
    with open_tools(tools, lambda message: None) as extractor:
        features = ranking.describe_versions(
            asked,
            task_texts.items,
            extractor,
            lambda done, total: report(
                2 * done, 4 * total, gettext_noop("Computing the features of the sentences.")
            ),
        )
        outputs = ranking.describe_outputs(task_texts, extractor)
    offered = find_features(FEATURES)
    names = ranking.find_known_features(features, offered)
    versions = features[:, :, feature_columns(names)]
    index = np.searchsorted(np.asarray(study.pair_keys), [occurrence.pair for occurrence in asked])
    return _RankerData(
        asked,
        study.pair_sentences[index].astype(np.int64),
        names,
        versions,
        training.select_decided(study, asked, versions),
        {item: (ids, rows[:, feature_columns(names)]) for item, (ids, rows) in outputs.items()},
        {
            "features": list(names),
            "missing": [name for name in offered if name not in names],
            "tools": {key: str(tool) for key, tool in extractor.tools.items()},
        },
    )


def _vote_on_unseen(data: _RankerData, classifier: str) -> tuple[list[MetricVote], dict[int, float]]:
    """Return votes on pairs and scores of outputs, each by a ranker that was not trained on the sentence."""
    from metrics.ranking.pairs import preferences_of, win_shares
    from metrics.scoring.task_ranking import cast_votes, cross_fit

    votes: list[MetricVote] = []
    scores: dict[int, float] = {}
    for rows, ranker in cross_fit(data.votes, data.sentences, classifier):
        asked = [data.asked[row] for row in rows.tolist()]
        versions = data.versions[np.stack([2 * rows, 2 * rows + 1], axis=1).ravel()]
        votes += cast_votes(asked, versions, ranker)
        for item in dict.fromkeys(occurrence.item for occurrence in asked):
            ids, features = data.outputs[item]
            (matrix,) = preferences_of([features], ranker)
            scores |= dict(zip(ids, win_shares(matrix).tolist(), strict=True))
    return votes, scores


def _store_votes(
    row: TrainedModel,
    task_texts: TaskTexts,
    votes: Sequence[MetricVote],
    scores: Mapping[int, float],
    job: Job | None,
) -> MetricRun:
    """Store the run of the training task; scoring the task later finds it and adds none."""
    if row.task is None:
        raise ValueError(f"{row.name} was not trained on a task")
    run = MetricRun(
        task=row.task,
        metric=f"{TRAINED}{row.name}"[:80],
        signature=(load_trained_metric(row).signature + HELD_OUT)[:MAX_SIGNATURE],
        higher_is_better=True,
        content=content_digest(row.task, task_texts),
        corpus=_corpus(task_texts, scores),
        job=job,
    )
    outputs = [text.output for texts in task_texts.outputs.values() for text in texts.values()]
    return store_run(run, {output: scores.get(output) for output in outputs}, votes)


def _corpus(task_texts: TaskTexts, scores: Mapping[int, float]) -> dict[str, float | None]:
    """Return system → mean of its known scores."""
    means: dict[str, float | None] = {}
    for system, texts in task_texts.outputs.items():
        known = [score for text in texts.values() if (score := scores.get(text.output)) is not None]
        means[system] = float(np.mean(known)) if known else None
    return means
