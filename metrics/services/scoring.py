"""Score a task: one run per metric, written whole or not at all, and never twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext_noop

from evaluation.models import Job, Task
from evaluation.problems import InputError
from metrics.base import Metric, MetricUnavailable
from metrics.models import MetricRun, PhraseVote, SegmentScore
from metrics.phrase_votes import MachineVote, Standing, phrase_votes
from metrics.reports.segments import content_digest, standings, task_segments
from metrics.testset import TestSet, score_test_set

ROWS_AT_ONCE = 5000
LONGEST_SIGNATURE = 500
HELD_OUT = "|sentences:held-out"
Report = Callable[[int, int, str], None]


class State(StrEnum):
    SCORED = "scored"
    KNOWN = "known"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one metric; ``sentence`` says why it was refused."""

    metric: str
    state: State
    sentence: str = ""
    run: int | None = None

    def as_dict(self) -> dict[str, str | int | None]:
        return {"metric": self.metric, "state": str(self.state), "sentence": self.sentence, "run": self.run}


def silent(done: int, total: int, message: str) -> None:
    """Ignores progress reports."""


def score_task(
    task: Task, metrics: Mapping[str, Metric], report: Report = silent, *, job: Job | None = None
) -> list[Outcome]:
    """Score outputs and phrase pairs with each metric; what was scored before is left alone.

    A run is saved as soon as it is complete, so work that was interrupted goes on with the next metric.
    ``report`` receives the progress, and may raise to stop.
    """
    tests = task_segments(task)
    content = content_digest(task, tests)
    asked = list(standings(task))
    outcomes = []
    for number, (name, metric) in enumerate(metrics.items()):

        def tell(part: int, what: str, name: str = name, number: int = number) -> None:
            report(2 * number + part, 2 * len(metrics), f"{name}: {what}")

        tell(0, gettext_noop("sentences"))
        outcomes.append(_one(task, name, metric, tests, content, asked, tell, job))
    report(2 * len(metrics), 2 * len(metrics), "")
    return outcomes


def known_run(task: Task, signature: str, content: str) -> MetricRun | None:
    """The run that scored this content so; a signature may grow by the number of references.

    Where a model was trained on the task itself, this is the run of models that were not trained on the
    sentences they score.
    """
    longer = Q(signature__startswith=f"{signature}|refs:") | Q(signature=_short(signature + HELD_OUT))
    same = Q(signature=_short(signature)) | longer
    return MetricRun.objects.filter(same, task=task, content=content).first()


def _one(
    task: Task,
    name: str,
    metric: Metric,
    tests: TestSet,
    content: str,
    asked: Sequence[Standing],
    tell: Callable[[int, str], None],
    job: Job | None,
) -> Outcome:
    try:
        known = known_run(task, metric.signature, content)
        if known is not None:
            return Outcome(name, State.KNOWN, run=known.pk)
        scored = score_test_set(metric, tests)
        tell(1, gettext_noop("phrase pairs"))
        votes = phrase_votes(metric, asked, tests.items)
    except (MetricUnavailable, InputError) as error:  # the latter for a model's file that is damaged
        return Outcome(name, State.REFUSED, str(error))
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
        return Outcome(name, State.SCORED, run=store_run(run, scored.outputs, votes).pk)
    except IntegrityError:  # somebody else scored the same meanwhile
        known = known_run(task, metric.signature, content)
        if known is None:
            raise
        return Outcome(name, State.KNOWN, run=known.pk)


@transaction.atomic
def store_run(
    run: MetricRun, outputs: Mapping[int, float | None], votes: Sequence[MachineVote] = ()
) -> MetricRun:
    """A run with all its scores and votes, or nothing."""
    run.save(force_insert=True)
    SegmentScore.objects.bulk_create(
        (SegmentScore(run=run, output_id=output, value=value) for output, value in outputs.items()),
        batch_size=ROWS_AT_ONCE,
    )
    PhraseVote.objects.bulk_create(
        (PhraseVote(run=run, pair_id=one.pair, choice=one.choice.value, delta=one.delta) for one in votes),
        batch_size=ROWS_AT_ONCE,
    )
    return run


def _short(signature: str) -> str:
    return signature[:LONGEST_SIGNATURE]
