"""Stores answers about whole sentences: a verdict, a rating of each (paper 000, figure 3.1), a comment.

The guarantees are those of ``judging``: an answer carries an id made by the browser and is appended, never
changed; one that is not based on the newest version is refused, and nothing is overwritten.
"""

from __future__ import annotations

import uuid as uuids
from dataclasses import dataclass

from django.db import transaction

from evaluation.blinding import canonical
from evaluation.models import Assignment, SentenceAnswer
from evaluation.schemes import Choice
from evaluation.services.claiming import take_seat
from evaluation.services.judging import ChoiceNotInScheme, append_once

Question = SentenceAnswer.Question
QUESTIONS = ("verdict", "rating_a", "rating_b", "comment")
RATINGS = ("1", "2", "3", "4", "5")
MOST_COMMENT = 2000


@dataclass(frozen=True, slots=True)
class SentenceReceipt:
    """What is stored; ``value`` as this annotator sees the sides, empty where there is no answer."""

    version: int
    value: str


class StaleSentence(Exception):
    """This annotator has answered elsewhere (in another tab) in the meantime; nothing was overwritten."""

    def __init__(self, stored: SentenceReceipt) -> None:
        super().__init__(f"version {stored.version} is stored")
        self.stored = stored


def submit_sentence_answer(
    assignment: Assignment, question: str, value: str, *, uuid: uuids.UUID, base: int | None = None
) -> SentenceReceipt:
    """Append an answer as shown; ``question`` is verdict, rating_a, rating_b or comment.

    ``base`` is the version that the annotator saw (0: none); without it the answer is the newest whatever
    was stored. A repeated request gets the receipt of the first.
    """
    stored = _stored(assignment, question, value)
    return append_once(lambda: _append(assignment, *stored, uuid, base), uuid)


def _append(
    assignment: Assignment, question: Question, value: str, uuid: uuids.UUID, base: int | None
) -> SentenceReceipt:
    with transaction.atomic():
        given = list(
            SentenceAnswer.objects.filter(
                annotator=assignment.annotator_id,
                comparison=assignment.comparison_id,
                presentation=assignment.presentation,
                question=question,
            ).order_by("version")
        )
        for one in given:
            if one.uuid == uuid:
                return _receipt(assignment, one)
        last = given[-1] if given else SentenceAnswer(version=0, value="", question=question)
        if last.value == value:  # a whole form repeats what single clicks have sent
            return _receipt(assignment, last)
        if base is not None and base != last.version:
            raise StaleSentence(_receipt(assignment, last))
        made = SentenceAnswer.objects.create(
            uuid=uuid,
            annotator_id=assignment.annotator_id,
            comparison_id=assignment.comparison_id,
            slot=take_seat(assignment) if assignment.task.is_open else None,
            presentation=assignment.presentation,
            question=question,
            version=last.version + 1,
            value=value,
            swapped=assignment.swapped,
        )
    return _receipt(assignment, made)


def _receipt(assignment: Assignment, stored: SentenceAnswer) -> SentenceReceipt:
    value = stored.value
    if value and stored.question == Question.VERDICT:
        value = canonical(Choice(value), swapped=assignment.swapped, flipped=False).value
    return SentenceReceipt(stored.version, value)


def _stored(assignment: Assignment, question: str, value: str) -> tuple[Question, str]:
    swapped = assignment.swapped
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
            return Question.COMMENT, _storable(value)[:MOST_COMMENT]
    raise ChoiceNotInScheme(question)


def _storable(comment: str) -> str:
    """Without a NUL or half a character (a cut emoji), which a script can send and a database cannot store.

    >>> _storable("so\\0 so \\ud83d")
    'so so ?'
    """
    return comment.replace("\r\n", "\n").replace("\0", "").encode("utf-8", "replace").decode()
