"""Train a reference-free ranker on the votes of a task, and let it vote there on sentences it has not seen.

A language model ``lm-LANGUAGE`` and a lexicon ``lexicon-SOURCE-TARGET`` (``.npz``, made by ``train lm`` and
``train lexicon``) are used where they lie in the site's folder of models; the parser, where it is installed
and wanted. A feature that no tool gives is left out, and the model says which.
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
from evaluation.reports import judgements
from metrics.base import FloatArray
from metrics.datasets import IntArray
from metrics.models import MetricRun, TrainedModel
from metrics.phrase_votes import MachineVote, Standing
from metrics.reports.segments import content_digest, standings, task_segments
from metrics.services.finding import TRAINED, metric_of
from metrics.services.scoring import HELD_OUT, LONGEST_SIGNATURE, Report, silent, store_run
from metrics.services.training import check_name, decided_votes, keep, learned_from, refusals_as_input_errors
from metrics.testset import TestSet

if TYPE_CHECKING:
    from metrics.ranking.toolbox import Wanted
    from metrics.task_training import PhraseVotes

FEATURES = "grammar + alignment"


def train_ranker_on_task(
    task: Task,
    name: str,
    report: Report = silent,
    *,
    classifier: str = "logistic",
    parser: bool = False,
    owner: User | None = None,
    job: Job | None = None,
) -> TrainedModel:
    """Train, test and save a ranker, and store its votes on the task, cast on unseen sentences only."""
    from metrics import task_ranking as ranking  # scikit-learn: only for those who train
    from metrics.ranking import store
    from metrics.ranking.training import feature_ranking
    from metrics.task_training import held_out

    check_name(name)
    tests, wanted = task_segments(task), wanted_tools(task, parser=parser)
    with refusals_as_input_errors():
        found = _described(task, tests, wanted, report)
        report(
            2, 4, gettext_noop("The model is being tested on sentences and annotators that it has not seen.")
        )
        tested = held_out(found.votes, found.names, judge=ranking.ranking_judge(classifier))
        report(
            3, 4, gettext_noop("The ranker is being trained, and votes on sentences that it has not seen.")
        )
        pairs = ranking.training_pairs(found.votes)
        provenance = learned_from(task, found.votes) | {"classifier": classifier, **found.about}
        about = {"name": name, "data": provenance["sha256"], "pairs": len(pairs.won) // 2}
        about |= {"tools": found.about["tools"], **wanted.as_dict()}
        model = store.fit(found.names, classifier, pairs.differences, pairs.won, about)
        votes, scores = _cross_fitted(found, classifier)
    evaluation = {
        "held_out": None if tested is None else asdict(tested),
        "relieff": list(feature_ranking(pairs.differences, pairs.won, found.names).items()),
    }
    row = TrainedModel(name=name, task=task, owner=owner, kind=TrainedModel.Kind.RANKER)
    with transaction.atomic():
        keep(row, ".npz", lambda path: store.save_ranker(model, path), provenance, evaluation)
        _store_votes(row, tests, votes, scores, job)
    return row


def wanted_tools(task: Task, *, parser: bool) -> Wanted:
    """What the site has for the languages of the task."""
    from metrics.linguistics.cache import default_path
    from metrics.ranking.toolbox import Wanted

    source, target = task.source_language, task.target_language
    folder = settings.HOME / "models"
    lm, lexicon = folder / f"lm-{target}.npz", folder / f"lexicon-{source}-{target}.npz"
    return Wanted(
        source,
        target,
        str(lm) if lm.is_file() else "",
        str(lexicon) if lexicon.is_file() else "",
        "auto" if parser else "none",
        cache=default_path(),
    )


class _Described(NamedTuple):
    """A task as rankers see it: the pairs that are asked with their sentences and features, and the votes.

    ``outputs``: of each item, the ids of its outputs and their features.
    """

    asked: list[Standing]
    sentences: IntArray
    names: tuple[str, ...]
    versions: FloatArray
    votes: PhraseVotes
    outputs: dict[int, tuple[list[int], FloatArray]]
    about: dict[str, Any]


def _described(task: Task, tests: TestSet, wanted: Wanted, report: Report) -> _Described:
    from metrics import task_ranking as ranking
    from metrics.ranking.experiment import columns
    from metrics.ranking.presets import features_of
    from metrics.ranking.toolbox import Toolbox
    from metrics.task_training import check_size

    asked = [one for one in standings(task) if tests.items[one.item].source]
    if not asked:
        raise ValueError("a ranker compares with the source, and no sentence of the task has one")
    study = judgements.study([task])
    check_size(decided_votes(study, asked, np.empty((2 * len(asked), 0))))
    with Toolbox(wanted, lambda message: None) as extractor:
        every = ranking.described_versions(
            asked,
            tests.items,
            extractor,
            lambda done, total: report(
                2 * done, 4 * total, gettext_noop("The features of the sentences are being computed.")
            ),
        )
        outputs = ranking.described_outputs(tests, extractor)
    offered = features_of(FEATURES)
    names = ranking.known_features(every, offered)
    versions = every[:, :, columns(names)]
    place = np.searchsorted(np.asarray(study.pair_keys), [one.pair for one in asked])
    return _Described(
        asked,
        study.pair_sentences[place].astype(np.int64),
        names,
        versions,
        decided_votes(study, asked, versions),
        {item: (ids, rows[:, columns(names)]) for item, (ids, rows) in outputs.items()},
        {
            "features": list(names),
            "missing": [name for name in offered if name not in names],
            "tools": {key: str(tool) for key, tool in extractor.tools.items()},
        },
    )


def _cross_fitted(found: _Described, classifier: str) -> tuple[list[MachineVote], dict[int, float]]:
    """Votes on pairs, and scores of outputs, each by a ranker that was not trained on the sentence."""
    from metrics.ranking.pairs import preferences_of, win_shares
    from metrics.task_ranking import cast, cross_fitted

    votes: list[MachineVote] = []
    scores: dict[int, float] = {}
    for rows, ranker in cross_fitted(found.votes, found.sentences, classifier):
        mine = [found.asked[row] for row in rows.tolist()]
        votes += cast(mine, found.versions[np.stack([2 * rows, 2 * rows + 1], axis=1).ravel()], ranker)
        for item in dict.fromkeys(one.item for one in mine):
            ids, features = found.outputs[item]
            (matrix,) = preferences_of([features], ranker)
            scores |= dict(zip(ids, win_shares(matrix).tolist(), strict=True))
    return votes, scores


def _store_votes(
    row: TrainedModel,
    tests: TestSet,
    votes: Sequence[MachineVote],
    scores: Mapping[int, float],
    job: Job | None,
) -> MetricRun:
    """The run of the task that it was trained on; scoring the task later finds it and adds none."""
    if row.task is None:
        raise ValueError(f"{row.name} was trained on no task")
    run = MetricRun(
        task=row.task,
        metric=f"{TRAINED}{row.name}"[:80],
        signature=(metric_of(row).signature + HELD_OUT)[:LONGEST_SIGNATURE],
        higher_is_better=True,
        content=content_digest(row.task, tests),
        corpus=_corpus(tests, scores),
        job=job,
    )
    written = [one.output for mine in tests.outputs.values() for one in mine.values()]
    return store_run(run, {output: scores.get(output) for output in written}, votes)


def _corpus(tests: TestSet, scores: Mapping[int, float]) -> dict[str, float | None]:
    """System → mean of its known scores."""
    found: dict[str, float | None] = {}
    for system, mine in tests.outputs.items():
        known = [score for one in mine.values() if (score := scores.get(one.output)) is not None]
        found[system] = float(np.mean(known)) if known else None
    return found
