"""Exactly what one annotator may see of one comparison.

Everything on an annotator's page comes from here, and nothing here reveals a system, score, file name,
database id, upload order or check flag.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import JSONObject

from evaluation.blinding import canonical
from evaluation.models import Alignment, Assignment, SentenceAnswer
from evaluation.prepared import Prepared
from evaluation.presentation import Card, Phrase, Sheet, sheet
from evaluation.schemes import Choice, Scheme
from evaluation.services import judging


@dataclass(frozen=True, slots=True)
class Question:
    """A card with the answer that it has so far; ``uuid`` makes a plain form safe to send twice."""

    card: Card
    choice: Choice | None
    version: int
    uuid: str


@dataclass(frozen=True, slots=True)
class Progress:
    done: int
    total: int
    active_minutes: int
    minutes_left: int | None


@dataclass(frozen=True, slots=True)
class Said:
    """An answer about the whole sentence, as shown."""

    version: int
    value: str


@dataclass(frozen=True, slots=True)
class AnnotationPage:
    number: int
    sheet: Sheet
    questions: list[Question]
    scheme: Scheme
    progress: Progress
    sentence: dict[str, Said]

    @property
    def answered(self) -> int:
        return sum(question.choice is not None for question in self.questions)


def with_texts(assignment: Assignment) -> Assignment:
    """The assignment with the alignment, candidates and item that its page shows; one query.

    Apart from the query that finds the assignment: PostgreSQL plans two joins of three and five tables in a
    third of the time of one of eight, and requests that only save an answer or move on need no texts.
    """
    (alignment,) = _TEXTS.objects(assignment.alignment_id)
    assignment.alignment, assignment.comparison = alignment, alignment.comparison
    return assignment


def annotation_page(assignment: Assignment) -> AnnotationPage:
    """Everything that the page shows. Asks for the questions, and for answers about the whole sentence where
    the task has them; progress and texts come with the assignment."""
    swapped = assignment.swapped
    asked = judging.questions(assignment)
    layout = sheet(
        assignment.comparison.first.stave,
        assignment.comparison.second.stave,
        phrases(assignment.alignment),
        asked.keys(),
        swapped=swapped,
    )
    questions = []
    for card in layout.asked:
        _, flipped, version, stored = asked[card.index]
        choice = canonical(Choice(stored), swapped=swapped, flipped=flipped) if stored else None
        questions.append(Question(card, choice, version, str(uuid.uuid4())))
    return AnnotationPage(
        number=assignment.number,
        sheet=layout,
        questions=questions,
        scheme=assignment.task.scheme,
        progress=task_progress(assignment),
        sentence=_sentence_answers(assignment, swapped=swapped),
    )


def phrases(alignment: Alignment) -> list[Phrase]:
    """The stored rows as phrases."""
    return [
        Phrase(
            None if a_start is None else (a_start, a_end),
            None if b_start is None else (b_start, b_end),
            kind == "shared",
            moved,
        )
        for a_start, a_end, b_start, b_end, kind, moved in alignment.phrases
    ]


def _so_far(annotator: int | OuterRef, task: int | OuterRef) -> QuerySet[Assignment, Any]:
    """What somebody has done in a task, as one JSON value, so that it can be part of another query."""
    done = Count("pk", filter=Q(finished_at__isnull=False))
    own = Assignment.objects.filter(annotator=annotator, task=task).order_by().values("task")
    return own.annotate(told=JSONObject(done=done, ms=Sum("active_ms"))).values_list("told")


# For ``annotate(so_far=SO_FAR)``, which saves a page one query.
SO_FAR = Subquery(_so_far(OuterRef("annotator"), OuterRef("task")))


def task_progress(assignment: Assignment) -> Progress:
    known = (
        getattr(assignment, "so_far", None)
        or _PROGRESS.rows(assignment.annotator_id, assignment.task_id)[0][0]
    )
    return progress(known["done"], assignment.task.per_person, known["ms"] or 0)


def progress(done: int, total: int, active_ms: int) -> Progress:
    """Somebody may have done more than there is now: then nothing is left, rather than less than nothing.

    >>> progress(10, 40, 10 * 60_000)
    Progress(done=10, total=40, active_minutes=10, minutes_left=30)
    >>> progress(44, 40, 44 * 60_000)
    Progress(done=44, total=44, active_minutes=44, minutes_left=0)
    """
    total = max(total, done)
    left = round(active_ms / done * (total - done) / 60_000) if done and active_ms else None
    return Progress(done, total, round(active_ms / 60_000), left)


def _sentence_answers(assignment: Assignment, *, swapped: bool) -> dict[str, Said]:
    """Answers about the whole sentence, named as they are shown: verdict, rating_a, rating_b, comment."""
    task = assignment.task
    if not (task.ask_sentence or task.ask_rating or task.ask_comment):
        return {}
    rows = _SENTENCE.rows(assignment.annotator_id, assignment.comparison_id, assignment.presentation)
    return {
        shown_question(question, swapped): Said(version, shown_value(question, value, swapped))
        for question, version, value in rows
    }


_SIDES = {
    (SentenceAnswer.Question.RATING_FIRST, False): "rating_a",
    (SentenceAnswer.Question.RATING_SECOND, False): "rating_b",
    (SentenceAnswer.Question.RATING_FIRST, True): "rating_b",
    (SentenceAnswer.Question.RATING_SECOND, True): "rating_a",
}


def shown_question(question: str, swapped: bool) -> str:
    return _SIDES.get((SentenceAnswer.Question(question), swapped), question)


def shown_value(question: str, value: str, swapped: bool) -> str:
    if question == SentenceAnswer.Question.VERDICT and value:
        return canonical(Choice(value), swapped=swapped, flipped=False).value
    return value


# The page's own queries, compiled once.
_TEXTS = Prepared(
    lambda alignment: Alignment.objects.select_related(
        "comparison__first", "comparison__second", "comparison__item"
    ).filter(pk=alignment),
    10001,
)
_PROGRESS = Prepared(_so_far, 10001, 10002)
_SENTENCE = Prepared(
    lambda annotator, comparison, presentation: SentenceAnswer.objects.filter(
        annotator=annotator, comparison=comparison, presentation=presentation
    )
    .order_by("version")
    .values_list("question", "version", "value"),
    10001, 10002, 10003,
)  # fmt: skip
