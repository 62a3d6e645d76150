"""Queries that read scores and error spans as the values of ``evaluation.assessments``.

The newest version of each answer counts; withdrawn answers do not. Names are those of imported files, or
pseudonyms of people with an account.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet

from evaluation.assessments import (
    DocumentLabel,
    MarkedSpan,
    OutputRating,
    ParallelTexts,
    PublishedScores,
    ScoreLevel,
    SpanSide,
)
from evaluation.assessments.summary import QualityControl
from evaluation.exporters.bundled_ratings import has_given_scores, measure_quality
from evaluation.importers.evidence.assessment_sets import AssessmentSet
from evaluation.models import Assessment, ErrorSpan, Item, Output, ScoreSet, SentenceAnswer, Task
from evaluation.reports.exports import DisplayNames, load_display_names
from evaluation.reports.scope import Scope, get_system_outputs

AT_ONCE = 2_000
SECONDS_PER_ASSESSMENT = 0.0001  # measured
FIVE_POINT = "five-point"
"""The name of the ratings from 1 to 5 that go with phrase rankings."""
_QUESTIONS = (SentenceAnswer.Question.RATING_FIRST, SentenceAnswer.Question.RATING_SECOND)
RATINGS_OF_PAIRS = SentenceAnswer.objects.filter(
    question__in=_QUESTIONS, presentation=0, comparison__check_kind=""
)


class StoredRating(NamedTuple):
    """A rating with the ids of its rows."""

    protocol: str
    assessment: int
    output: int
    annotator: int
    rating: OutputRating


class ItemRow(NamedTuple):
    """What reports say about a sentence; ``position`` is its place in its task."""

    pk: int
    task: str
    position: int
    key: str
    domain: str
    document: str


def get_items(scope: Scope) -> list[ItemRow]:
    """Return the sentences of all tasks, in the order of the tasks."""

    def load() -> list[ItemRow]:
        rows = Item.objects.filter(task__in=scope.task_ids).order_by("task_id", "position")
        return [ItemRow(*row) for row in rows.values_list("pk", "task__slug", *ItemRow._fields[2:])]

    return scope.cached("items", load)


def list_evidence(scope: Scope) -> list[str]:
    """Return the names of everything that is a rating: imported and collected ones, and those from 1 to 5."""
    asks = any(task.ask_rating for task in scope.tasks)
    rated = RATINGS_OF_PAIRS.filter(comparison__item__task__in=scope.task_ids)
    return [*list_protocols(scope.tasks), *([FIVE_POINT] if asks or rated.exists() else [])]


def load_assessment_set(scope: Scope, evidence: str) -> AssessmentSet:
    """Return the ratings of one name with the texts, documents and attention checks of their statistics."""
    names = scope.cached("pseudonyms", lambda: load_display_names(scope, identify=False))
    items, outputs = get_items(scope), {}
    segments = {item.pk: number for number, item in enumerate(items)}
    labels = [DocumentLabel(item.domain, item.document) for item in items]
    if evidence == FIVE_POINT:
        return AssessmentSet("five-point", tuple(_load_five_point(scope, names, segments)), len(segments),
                        documents=tuple(labels), has_spans=False)  # fmt: skip
    protocol = next(task.protocols[evidence] for task in scope.tasks if evidence in task.protocols)
    ratings = tuple(each.rating for each in load_ratings(scope.tasks, names, protocols=[evidence]))
    rows = Output.objects.filter(item__task__in=scope.task_ids)
    for item, system, text in rows.values_list("item_id", "system__name", "candidate__text").iterator(
        AT_ONCE
    ):
        outputs[system, segments[item]] = text
    return AssessmentSet(
        protocol["name"], ratings, len(segments), outputs, tuple(labels),
        quality=_measure_quality(scope, evidence, names, ratings, segments),
        has_spans=bool(protocol["severities"]), states_scores=has_given_scores(protocol, ratings),
    )  # fmt: skip


def _measure_quality(
    scope: Scope,
    evidence: str,
    names: DisplayNames,
    ratings: Sequence[OutputRating],
    segments: dict[int, int],
) -> dict[str, QualityControl]:
    """Compare each annotator's scores of outputs with those of their damaged copies."""
    answers = Assessment.objects.of_tasks(scope.task_ids).filter(protocol=evidence, shown__isnull=False)
    rows = answers.current().values_list("annotator_id", "output__system__name", "output__item_id", "score")
    bad = {(names[who], system, segments[item]): score for who, system, item, score in rows}
    return measure_quality(ratings, bad)


def _load_five_point(scope: Scope, names: DisplayNames, segments: dict[int, int]) -> Iterator[OutputRating]:
    """Yield the ratings of candidates as ratings of each system that produced them."""
    rows = RATINGS_OF_PAIRS.filter(comparison__item__task__in=scope.task_ids).order_by("version").values_list(
        "annotator_id", "comparison_id", "question", "value", "comparison__item_id",
        "comparison__first_id", "comparison__second_id",
    )  # fmt: skip
    newest = {row[:3]: row for row in rows}
    produced = get_system_outputs(scope)
    systems: dict[int, list[str]] = defaultdict(list)
    for candidate, code in produced.outputs.T.tolist():
        systems[candidate].append(produced.names[code])
    for annotator, _, question, value, item, first, second in newest.values():
        if value:
            candidate = first if question == SentenceAnswer.Question.RATING_FIRST else second
            for system in systems[candidate]:
                yield OutputRating(names[annotator], system, segments[item], float(value))


def estimate_seconds(scope: Scope) -> float:
    """Estimate the time to load and summarise the assessments; no query where there are none."""
    if not list_protocols(scope.tasks):
        return 0.0
    return Assessment.objects.of_tasks(scope.task_ids).count() * SECONDS_PER_ASSESSMENT


def list_protocols(tasks: Sequence[Task]) -> list[str]:
    """Return the names of the evidence of some tasks."""
    return sorted({name for task in tasks for name in task.protocols})


def load_ratings(
    tasks: Sequence[Task], names: DisplayNames, *, protocols: Sequence[str] | None = None
) -> list[StoredRating]:
    """Return the answers about outputs, without attention checks and repeats; two queries.

    Segments count over the items of all tasks, in the order of the tasks.
    """
    wanted = list_protocols(tasks) if protocols is None else list(protocols)
    segments = count_segments(tasks)
    answers = Assessment.objects.of_tasks([task.pk for task in tasks])
    answers = answers.filter(protocol__in=wanted, presentation=0).ordinary()
    spans = read_spans(answers.values("pk"))
    rows = answers.order_by("version", "pk").values_list(
        "pk", "protocol", "output_id", "annotator_id", "score", "output__system__name", "output__item_id",
        "slot_id", "is_withdrawn",
    )  # fmt: skip
    # Here rather than in the query: without statistics, PostgreSQL compares every row with every other.
    versions = list(rows.iterator(AT_ONCE))
    newest = {row[1:4]: row for row in versions}
    stood = {row[1:4]: row for row in versions if row[-2] is not None}
    newest |= {cell: row for cell, row in stood.items() if not row[-1]}
    return [
        StoredRating(
            protocol, pk, output, annotator,
            OutputRating(names[annotator], system, segments[item], score, tuple(spans.get(pk, ()))),
        )
        for pk, protocol, output, annotator, score, system, item, _, is_withdrawn in sorted(newest.values())
        if not is_withdrawn
    ]  # fmt: skip


def count_segments(tasks: Sequence[Task]) -> dict[int, int]:
    """Return the number of each item over all tasks, by its id."""
    order = {task.pk: number for number, task in enumerate(tasks)}
    rows = Item.objects.filter(task__in=order).order_by("position").values_list("task_id", "pk")
    items = sorted(rows, key=lambda row: order[row[0]])  # stable: by position within a task
    return {item: number for number, (_, item) in enumerate(items)}


def read_spans(assessments: QuerySet[Any, Any]) -> dict[int, list[MarkedSpan]]:
    """Return the error spans by the id of their assessment, in the order in which they were marked."""
    spans: dict[int, list[MarkedSpan]] = defaultdict(list)
    rows = ErrorSpan.objects.filter(assessment__in=assessments).order_by("assessment_id", "number")
    columns = rows.values_list("assessment_id", "severity", "category", "start", "end", "side", "details")
    for pk, severity, category, start, end, side, details in columns.iterator(AT_ONCE):
        spans[pk].append(
            MarkedSpan(severity, category, start, end, SpanSide(side), (details or {}).get("weight"))
        )
    return spans


def load_texts(task: Task) -> ParallelTexts:
    """Return the texts of a task; a system without an output for a sentence has an empty line."""
    items = list(task.items.order_by("position"))
    places = {item.pk: place for place, item in enumerate(items)}
    systems = task.systems.order_by("name").values_list("name", flat=True)
    outputs = {system: [""] * len(items) for system in systems}
    rows = Output.objects.filter(item__task=task).values_list("item_id", "system__name", "candidate__text")
    for item, system, text in rows.iterator(AT_ONCE):
        outputs[system][places[item]] = text
    labels = [DocumentLabel(item.domain, item.document) for item in items]
    return ParallelTexts(
        f"{task.source_language or 'xx'}-{task.target_language or 'xx'}",
        tuple(item.source for item in items),
        {system: tuple(texts) for system, texts in outputs.items()},
        {
            name: tuple(item.references[number] if number < len(item.references) else "" for item in items)
            for number, name in enumerate(name_references(task, items[0].references if items else []))
        },
        tuple(labels) if any(map(any, labels)) else (),
    )


def name_references(task: Task, references: Sequence[str]) -> list[str]:
    """Return the names of the references, made up where the file had none."""
    named = list(task.reference_names)
    return [*named, *(f"ref{chr(65 + number)}" for number in range(len(named), len(references)))]


def load_scope_scores(scope: Scope) -> Iterator[tuple[int, PublishedScores]]:
    """Return ``load_scores`` of the tasks; no query on a site without any."""
    return load_scores(scope.tasks) if scope.state is None or scope.state.has_scores else iter(())


def load_scores(tasks: Sequence[Task]) -> Iterator[tuple[int, PublishedScores]]:
    """Yield the scores without a person, each with the id of its task."""
    for row in ScoreSet.objects.filter(task__in=[task.pk for task in tasks]):
        values = {
            system: tuple([None if score is None else float(score) for score in scores])
            for system, scores in row.values.items()
        }
        yield (
            row.task_id,
            PublishedScores(row.name, ScoreLevel(row.level), values, tuple(row.groups), row.reference),
        )
