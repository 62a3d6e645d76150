"""Store the scores of a task: computed by a metric, one run each, or imported from a file.

A run is stored completely or not at all, and never twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext_noop

from appraise.lib.digests import file_digest
from appraise.lib.problems import InputError
from evaluation.models import Job, Task
from metrics.base import Metric, MetricUnavailable
from metrics.models import MetricRun, PhraseVote, SegmentScore
from metrics.scoring.phrase_votes import (
    AlignedOccurrence,
    MetricVote,
    QuestionMetric,
    direct_votes,
    phrase_votes,
)
from metrics.scoring.queries import content_digest, load_asked_occurrences, load_task_texts
from metrics.scoring.task_texts import TaskTexts, read_scores, score_outputs, system_means

ROWS_AT_ONCE = 5000
MAX_SIGNATURE = 500
HELD_OUT = "|sentences:held-out"
ReportProgress = Callable[[int, int, str], None]
"""Called with the finished steps, all steps and a message; may raise to stop."""


class RunState(StrEnum):
    SCORED = "scored"
    EXISTING = "existing"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ScoringOutcome:
    """The outcome for one metric; ``reason`` says why it was refused."""

    metric: str
    state: RunState
    reason: str = ""
    run: int | None = None

    def as_dict(self) -> dict[str, str | int | None]:
        return {"metric": self.metric, "state": str(self.state), "reason": self.reason, "run": self.run}


def ignore_progress(done: int, total: int, message: str) -> None:
    """The ``ReportProgress`` that does nothing."""


def score_task(
    task: Task,
    metrics: Mapping[str, Metric],
    report: ReportProgress = ignore_progress,
    *,
    job: Job | None = None,
) -> list[ScoringOutcome]:
    """Score outputs and phrase pairs with each metric, unless they were scored before.

    A run is saved as soon as it is complete, so an interrupted job continues with the next metric.
    """
    task_texts = load_task_texts(task)
    content = content_digest(task, task_texts)
    asked = list(load_asked_occurrences(task))
    outcomes = []
    for number, (name, metric) in enumerate(metrics.items()):

        def report_step(step: int, what: str, name: str = name, number: int = number) -> None:
            report(2 * number + step, 2 * len(metrics), f"{name}: {what}")

        report_step(0, gettext_noop("sentences"))
        outcomes.append(_score_metric(task, name, metric, task_texts, content, asked, report_step, job))
    report(2 * len(metrics), 2 * len(metrics), "")
    return outcomes


def find_run(task: Task, signature: str, content: str) -> MetricRun | None:
    """Return the run of this content and signature, to which the number of references may be appended.

    For a model that was trained on the task itself, this is the run of models that were not trained on the
    sentences they score.
    """
    longer = Q(signature__startswith=f"{signature}|refs:") | Q(signature=_short(signature + HELD_OUT))
    same = Q(signature=_short(signature)) | longer
    return MetricRun.objects.filter(same, task=task, content=content).first()


def _score_metric(
    task: Task,
    name: str,
    metric: Metric,
    task_texts: TaskTexts,
    content: str,
    asked: Sequence[AlignedOccurrence],
    report_step: Callable[[int, str], None],
    job: Job | None,
) -> ScoringOutcome:
    try:
        known = find_run(task, metric.signature, content)
        if known is not None:
            return ScoringOutcome(name, RunState.EXISTING, run=known.pk)
        scored = score_outputs(metric, task_texts)
        report_step(1, gettext_noop("phrase pairs"))
        if isinstance(metric, QuestionMetric):
            votes = direct_votes(metric, asked, task_texts.items, task.scheme.choices)
        else:
            votes = phrase_votes(metric, asked, task_texts.items)
    except (MetricUnavailable, InputError) as error:  # the latter for a damaged model file
        return ScoringOutcome(name, RunState.REFUSED, str(error))
    run = MetricRun(
        task=task,
        metric=name[:80],
        signature=_short(scored.signature),
        higher_is_better=metric.higher_is_better,
        content=content,
        corpus=dict(scored.systems),
        job=job,
    )
    try:
        return ScoringOutcome(name, RunState.SCORED, run=store_run(run, scored.outputs, votes).pk)
    except IntegrityError:  # another process has scored the same meanwhile
        known = find_run(task, metric.signature, content)
        if known is None:
            raise
        return ScoringOutcome(name, RunState.EXISTING, run=known.pk)


@transaction.atomic
def store_run(
    run: MetricRun, outputs: Mapping[int, float | None], votes: Sequence[MetricVote] = ()
) -> MetricRun:
    """Store a run with all its scores and votes, or nothing."""
    run.save(force_insert=True)
    SegmentScore.objects.bulk_create(
        (SegmentScore(run=run, output_id=output, value=value) for output, value in outputs.items()),
        batch_size=ROWS_AT_ONCE,
    )
    PhraseVote.objects.bulk_create(
        (
            PhraseVote(run=run, pair_id=vote.pair, choice=vote.choice.value, delta=vote.delta)
            for vote in votes
        ),
        batch_size=ROWS_AT_ONCE,
    )
    return run


def _short(signature: str) -> str:
    return signature[:MAX_SIGNATURE]


MEBIBYTE = 1024 * 1024


def import_scores(task: Task, path: Path, *, name: str, higher_is_better: bool) -> MetricRun:
    """Store the scores of a file. The same file is refused twice, a changed one replaces the earlier one."""
    task_texts = load_task_texts(task)
    scores = read_scores(path, task_texts)
    digest = file_digest(path)
    direction = "higher" if higher_is_better else "lower"
    run = MetricRun(
        task=task,
        metric=name,
        signature=f"imported:{name}|better:{direction}|scores:{digest[:16]}",
        higher_is_better=higher_is_better,
        content=content_digest(task, task_texts),
        corpus=system_means(scores, task_texts),
        imported=True,
    )
    try:
        with transaction.atomic():
            return store_run(run, scores)
    except IntegrityError as error:
        message = f"these scores of {name!r} are already here"
        raise InputError.of("already_imported", message, "choose another file", path.name) from error


def import_uploaded_scores(
    task: Task, file: UploadedFile[Any], *, name: str, higher_is_better: bool
) -> MetricRun:
    """Store the scores of an uploaded file."""
    if (file.size or 0) > settings.APPRAISE_MAX_UPLOAD:
        limit = settings.APPRAISE_MAX_UPLOAD // MEBIBYTE
        raise InputError.of(
            "too_large", f"the file is larger than {limit} MB", "remove rows of other systems"
        )
    with TemporaryDirectory() as folder:
        path = Path(folder) / Path(file.name or "scores.tsv").name
        with path.open("wb") as copy:
            copy.writelines(file.chunks())
        return import_scores(task, path, name=name, higher_is_better=higher_is_better)
