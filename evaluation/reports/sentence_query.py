"""Queries that read the answers about whole sentences as a ``Study``, like those about phrases.

The pair of such an answer is its comparison, two texts of an item; every statistic of phrase pairs applies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluation.agreement.judgements import Ints
from evaluation.models import SentenceAnswer, Task
from evaluation.reports.study_query import WITHDRAWN, AskedPairs, OccurrenceColumns, StoredAnswers, make_study
from evaluation.study import Study
from evaluation.study.values import CODE_OF, NO_CHECK, NO_TIME

VERDICT = SentenceAnswer.Question.VERDICT
RATING_FIRST, RATING_SECOND = SentenceAnswer.Question.RATING_FIRST, SentenceAnswer.Question.RATING_SECOND
_COLUMNS = (
    "question", "annotator_id", "comparison_id", "presentation", "value", "swapped", "slot_id", "active_ms",
    "comparison__item__task_id", "comparison__item_id", "comparison__first_id", "comparison__second_id",
    "comparison__check_kind", "comparison__expected",
)  # fmt: skip


class CandidateRating(NamedTuple):
    """A current rating of a candidate, in the first presentation of an ordinary comparison."""

    annotator: int
    item: int
    candidate: int
    value: float


class SentenceAnswers(NamedTuple):
    """The current answers to “which sentence is better”, the comparisons that they are about, and ratings."""

    answers: StoredAnswers
    asked: AskedPairs
    first: Ints
    second: Ints
    ratings: tuple[CandidateRating, ...]

    @property
    def occurrences(self) -> OccurrenceColumns:
        """The comparisons that are no attention checks, as occurrences of themselves."""
        rows = self.asked.expected == NO_CHECK
        return OccurrenceColumns(
            self.asked.ids[rows], self.asked.items[rows], self.first[rows], self.second[rows]
        )


def load_sentence_study(tasks: Sequence[Task], *, named: bool = False) -> Study:
    stored = read_sentence_answers(tasks)
    return make_study(tasks, stored.asked, stored.answers, named=named)


def read_sentence_answers(tasks: Sequence[Task]) -> SentenceAnswers:
    """Read all answers about whole sentences but comments; one query."""
    rows = SentenceAnswer.objects.filter(comparison__item__task__in=tasks).order_by("pk")
    rows = rows.exclude(question=SentenceAnswer.Question.COMMENT)
    stored: list[tuple[Any, ...]] = list(rows.values_list(*_COLUMNS))
    verdicts = [_code_verdict(*row[1:]) for row in stored if row[0] == VERDICT]
    columns = list(np.array(verdicts, dtype=np.int64).reshape(-1, 12).T)
    ids, firsts = np.unique(columns[1], return_index=True)
    of_task, items, first, second, expected = (column[firsts] for column in columns[7:])
    asked = AskedPairs(ids, of_task, items, ids, expected.astype(np.int8), int(ids.max(initial=0)))
    answers = StoredAnswers(*columns[:7]).current()
    return SentenceAnswers(answers, asked, first, second, _find_ratings(stored))


def _code_verdict(
    annotator: int,
    comparison: int,
    presentation: int,
    value: str,
    swapped: bool,
    slot: int | None,
    active_ms: int | None,
    *about: Any,  # Any: the columns of the comparison
) -> tuple[int, ...]:
    *ids, check, expected = about
    return (
        annotator, comparison, presentation, CODE_OF.get(value, WITHDRAWN), swapped, slot is None,
        NO_TIME if active_ms is None else active_ms, *ids, CODE_OF[expected] if check else NO_CHECK,
    )  # fmt: skip


def _find_ratings(stored: Sequence[tuple[Any, ...]]) -> tuple[CandidateRating, ...]:
    newest: dict[tuple[Any, ...], CandidateRating | None] = {}
    for question, annotator, comparison, presentation, value, *_rest in stored:
        item, first, second, check = _rest[4:8]
        if question != VERDICT and presentation == 0 and not check:
            candidate = first if question == RATING_FIRST else second
            rating = CandidateRating(annotator, item, candidate, float(value)) if value else None
            newest[question, annotator, comparison] = rating
    return tuple(rating for rating in newest.values() if rating is not None)
