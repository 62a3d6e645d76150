"""Answers about whole candidates: a verdict, a rating of each (paper 000, figure 3.1), a comment."""

from __future__ import annotations

import uuid as uuids

from django.db import transaction

from evaluation.blinding import canonical
from evaluation.models import Assignment, SentenceAnswer
from evaluation.schemes import Choice
from evaluation.services.judging import ChoiceNotInScheme

Question = SentenceAnswer.Question
RATINGS = ("1", "2", "3", "4", "5")
MOST_COMMENT = 2000


def submit_sentence_answer(
    assignment: Assignment, question: str, value: str, *, uuid: uuids.UUID
) -> SentenceAnswer | None:
    """Append an answer as shown; ``question`` is verdict, rating_a, rating_b or comment.

    Returns ``None`` where it says what is stored already.
    """
    swapped = assignment.swapped
    stored_question, stored_value = _stored(assignment, question, value, swapped)
    with transaction.atomic():
        given = SentenceAnswer.objects.filter(
            annotator=assignment.annotator_id,
            comparison=assignment.comparison_id,
            presentation=assignment.presentation,
            question=stored_question,
        )
        if given.filter(uuid=uuid).exists():
            return None
        last = given.order_by("-version").first()
        if (last.value if last else "") == stored_value:
            return None
        return SentenceAnswer.objects.create(
            uuid=uuid,
            annotator_id=assignment.annotator_id,
            comparison_id=assignment.comparison_id,
            presentation=assignment.presentation,
            question=stored_question,
            version=last.version + 1 if last else 1,
            value=stored_value,
            swapped=swapped,
        )


def _stored(assignment: Assignment, question: str, value: str, swapped: bool) -> tuple[Question, str]:
    match question:
        case "verdict":
            if value and value not in assignment.task.scheme.labels:
                raise ChoiceNotInScheme(value)
            return Question.VERDICT, canonical(Choice(value), swapped=swapped, flipped=False) if value else ""
        case "rating_a" | "rating_b":
            if value and value not in RATINGS:
                raise ChoiceNotInScheme(value)
            first = (question == "rating_a") != swapped
            return (Question.RATING_FIRST if first else Question.RATING_SECOND), value
        case "comment":
            return Question.COMMENT, value[:MOST_COMMENT]
    raise ChoiceNotInScheme(question)
