"""Queries that read the answers about whole sentences as a ``Study``, like those about phrases.

The pair of such an answer is its comparison, two texts of an item; every statistic of phrase pairs applies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.db.models import Case, Exists, IntegerField, OuterRef, Value, When
from django.db.models.functions import Cast, Coalesce

from evaluation.models import Comparison, SentenceAnswer, Task
from evaluation.reports.study_query import (
    AskedPairs,
    OccurrenceColumns,
    StoredAnswers,
    label_code,
    make_study,
    read_integer_columns,
)
from evaluation.study import Study
from evaluation.study.values import NO_CHECK, NO_TIME

VERDICT = SentenceAnswer.Question.VERDICT


def load_sentence_study(tasks: Sequence[Task], *, named: bool = False) -> Study:
    """Read the answers to “which sentence is better”; three queries."""
    asked, _ = _read_comparisons(tasks)
    rows = SentenceAnswer.objects.filter(comparison__item__task__in=tasks, question=VERDICT)
    columns = rows.order_by("pk").values_list(
        "annotator_id",
        "comparison_id",
        "presentation",
        label_code("value"),
        Cast("swapped", IntegerField()),
        Case(When(slot=None, then=Value(1)), default=Value(0)),
        Coalesce("active_ms", Value(NO_TIME)),
    )
    answers = StoredAnswers(*read_integer_columns(columns, len(StoredAnswers._fields)))
    return make_study(tasks, asked, answers.current(), named=named)


def load_sentence_occurrences(tasks: Sequence[Task]) -> OccurrenceColumns:
    """Return the judged comparisons that are no attention checks, as occurrences of themselves."""
    asked, candidates = _read_comparisons(tasks)
    ordinary = asked.expected == NO_CHECK
    first, second = (column[ordinary] for column in candidates)
    return OccurrenceColumns(asked.ids[ordinary], asked.items[ordinary], first, second)


def _read_comparisons(tasks: Sequence[Task]) -> tuple[AskedPairs, tuple[np.ndarray, np.ndarray]]:
    """Return the comparisons with an answer, and their candidates."""
    answered = SentenceAnswer.objects.filter(comparison=OuterRef("pk"), question=VERDICT)
    rows = Comparison.objects.filter(Exists(answered), item__task__in=tasks).order_by("pk")
    columns = rows.values_list(
        "pk",
        "item__task_id",
        "item_id",
        Case(When(check_kind="", then=Value(NO_CHECK)), default=label_code("expected")),
        "first_id",
        "second_id",
    )
    ids, of_task, items, expected, first, second = read_integer_columns(columns, 6)
    newest = int(ids.max(initial=0))
    return AskedPairs(ids, of_task, items, ids, expected.astype(np.int8), newest), (first, second)
