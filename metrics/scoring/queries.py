"""Queries: the runs of a task, its sentences as a test set, where its phrase pairs occur, stored scores.

Of each signature the newest run counts, because an older one scored other texts or alignments. Of scores that
were imported under one name, the newest file counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Case, F, Max, QuerySet, Subquery, When

from appraise.lib.digests import bytes_digest
from evaluation.annotate.queries import read_phrases
from evaluation.models import Alignment, Candidate, Comparison, Item, Job, Occurrence, Output, Task
from evaluation.presentation import ShownPhrase, Stave
from metrics.models import MetricRun, SegmentScore
from metrics.scoring.phrase_votes import AlignedOccurrence
from metrics.scoring.task_texts import ItemText, OutputText, TaskTexts


def load_newest_runs(task_id: int) -> list[MetricRun]:
    """Return one run of each signature or imported name, in the order of the metrics' names; one query."""
    return _newest(MetricRun.objects.filter(task=task_id))


def load_runs_and_job(task_id: int) -> tuple[list[MetricRun], Job | None]:
    """Return the newest runs, and the id and title of the newest unfinished scoring job; one query."""
    unfinished = (Job.State.WAITING, Job.State.RUNNING)
    jobs = Job.objects.filter(task=task_id, kind="score", state__in=unfinished).only("pk", "title")
    runs = _newest(
        MetricRun.objects.filter(task=task_id).annotate(
            job_key=Subquery(jobs.values("pk")[:1]), job_title=Subquery(jobs.values("title")[:1])
        )
    )
    if not runs:
        return runs, jobs.first()
    pk, title = (getattr(runs[0], name) for name in ("job_key", "job_title"))
    return runs, None if pk is None else Job(pk=pk, title=title)


def _newest(runs: QuerySet[MetricRun]) -> list[MetricRun]:
    newest: dict[str, MetricRun] = {}
    for run in runs.order_by("pk"):
        newest[f"imported {run.metric}" if run.imported else run.signature] = run
    return sorted(newest.values(), key=lambda run: (run.metric, run.signature))


def newest_run_ids(task_ids: Sequence[int]) -> QuerySet[MetricRun, Any]:  # Any: as django-stubs has it
    """Return the newest runs as a part of another query."""
    named = Case(When(imported=True, then=F("metric")), default=F("signature"))
    runs = MetricRun.objects.filter(task__in=task_ids).order_by()
    return runs.values("task", "imported", named=named).annotate(newest=Max("pk")).values("newest")


def load_task_texts(task: Task) -> TaskTexts:
    """Return the outputs of all systems; candidates without a system (checks) are left out."""
    items = {
        pk: ItemText(key, source, tuple(references))
        for pk, key, source, references in Item.objects.filter(task=task)
        .order_by("position")
        .values_list("pk", "key", "source", "references")
    }
    outputs: dict[str, dict[int, OutputText]] = {}
    rows = Output.objects.filter(item__task=task).order_by("system__name", "item__position")
    for pk, system, item, text in rows.values_list("pk", "system__name", "item_id", "candidate__text"):
        outputs.setdefault(system, {})[item] = OutputText(pk, text)
    return TaskTexts(items, outputs)


def content_digest(task: Task, task_texts: TaskTexts) -> str:
    """Return a digest of what scores and votes depend on: the texts and their current alignments."""
    newest = Alignment.objects.filter(comparison__item__task=task).aggregate(newest=Max("pk"))["newest"]
    return bytes_digest(f"{task_texts.digest} {newest}".encode())


def load_asked_occurrences(task: Task) -> Iterator[AlignedOccurrence]:
    """Yield every ordinary pair where its owner asks it, in the newest alignment that still has it."""
    texts = Candidate.objects.filter(item__task=task).values_list("pk", "text", "offsets")
    staves = {pk: Stave.of(text, offsets) for pk, text, offsets in texts}
    places: dict[int, tuple[int, int, bool]] = {}
    asked = Occurrence.objects.filter(
        pair__task=task, pair__owner=F("alignment__comparison"), pair__owner__check_kind=""
    ).order_by("alignment_id", "-index")
    # Later alignments overwrite earlier ones; of a phrase that occurs twice, the first occurrence counts.
    for pair, alignment, index, flipped in asked.values_list("pair_id", "alignment_id", "index", "flipped"):
        places[pair] = (alignment, index, flipped)
    of_alignment = _load_alignments(task, {alignment for alignment, _, _ in places.values()})
    for pair, (alignment, index, flipped) in places.items():
        item, first, second, phrases, groups = of_alignment[alignment]
        group = tuple(groups.get(index, (index,)))
        yield AlignedOccurrence(pair, item, staves[first], staves[second], phrases, group, flipped)


def _load_alignments(
    task: Task, wanted: set[int]
) -> dict[int, tuple[int, int, int, tuple[ShownPhrase, ...], dict[int, list[int]]]]:
    """Return item, candidates, phrases, and groups by their first phrase, of each wanted alignment."""
    rows = Alignment.objects.filter(comparison__item__task=task, comparison__check_kind=Comparison.Check.NONE)
    columns = (
        "pk", "comparison__item_id", "comparison__first_id", "comparison__second_id", "phrases", "groups",
    )  # fmt: skip
    return {
        pk: (item, first, second, tuple(read_phrases(phrases)), {group[0]: group for group in groups})
        for pk, item, first, second, phrases, groups in rows.values_list(*columns)
        if pk in wanted
    }


def load_scores(task: Task, runs: Mapping[str, int]) -> dict[str, Any]:
    """Return ``{metric: {"signature", "higher_is_better", "corpus", "segments": {system: [x…]}}}``.

    Segments are in the order of the task's items, without those that a system did not translate. Two queries.
    """
    stored = MetricRun.objects.filter(task=task).in_bulk(list(runs.values()))
    segments: dict[int, dict[str, list[float | None]]] = {run: {} for run in stored}
    rows = SegmentScore.objects.filter(run__in=stored).order_by(
        "output__system__name", "output__item__position"
    )
    for run, system, value in rows.values_list("run_id", "output__system__name", "value"):
        segments[run].setdefault(system, []).append(value)
    return {
        name: {
            "signature": stored[run].signature,
            "higher_is_better": stored[run].higher_is_better,
            "corpus": stored[run].corpus,
            "segments": segments[run],
        }
        for name, run in runs.items()
    }
