"""Exports of the answers about whole sentences, with the columns of those about phrases.

The pair is the two texts of a comparison, of the kind ``sentence``; its name is a digest of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from django.db.models import Min, QuerySet

from appraise.lib.digests import text_digest
from evaluation.exporters import ExportedPair
from evaluation.exporters.rows import AnswerRow
from evaluation.models import Comparison, Ranking, SentenceAnswer
from evaluation.reports.exports import DisplayNames, read_answered_pairs, read_systems
from evaluation.reports.scope import Scope
from evaluation.reports.sentence_query import VERDICT
from evaluation.study import AnswerKind
from evaluation.study.values import find_current

COMPARISONS_AT_ONCE = 2_000


def read_answers(scope: Scope, names: DisplayNames, wanted: AnswerKind | None) -> Iterator[ExportedPair]:
    """Yield the pairs with their answers; by default of phrases, or of sentences where only they have any."""
    if wanted is None:
        has_rankings = Ranking.objects.filter(pair__task__in=scope.task_ids).exists()
        is_about_sentences = not has_rankings and _sentence_answers(scope).exists()
    else:
        is_about_sentences = wanted is AnswerKind.SENTENCES
    return read_answered_sentences(scope, names) if is_about_sentences else read_answered_pairs(scope, names)


def _sentence_answers(scope: Scope) -> QuerySet[SentenceAnswer]:
    return SentenceAnswer.objects.filter(comparison__item__task__in=scope.task_ids, question=VERDICT)


def read_answered_sentences(scope: Scope, names: DisplayNames) -> Iterator[ExportedPair]:
    """Yield every answered comparison with every version of every answer, in the order of comparisons."""
    answers = _sentence_answers(scope)
    first = answers.aggregate(first=Min("pk"))["first"] or 0
    asked = Comparison.objects.filter(pk__in=answers.values("comparison")).order_by("pk")
    slugs = {task.pk: task.slug for task in scope.tasks}
    last = 0
    # Each chunk is its own query: no cursor stays open while a slow client downloads.
    while rows := list(
        asked.filter(pk__gt=last).select_related("item", "first", "second")[:COMPARISONS_AT_ONCE]
    ):
        systems = read_systems({side for row in rows for side in (row.first_id, row.second_id)})
        answers_of = _read_answers(rows, names, first)
        for row in rows:
            yield ExportedPair(
                task=slugs[row.item.task_id],
                item=row.item.key,
                document=row.item.document,
                pair=name_sentences(row.item.key, row.first.text, row.second.text),
                kind="sentence",
                first=row.first.text,
                second=row.second.text,
                systems_first=systems.get(row.first_id, ()),
                systems_second=systems.get(row.second_id, ()),
                check=row.check_kind,
                question=None,
                answers=answers_of[row.pk],
            )
        last = rows[-1].pk


def name_sentences(item: str, first: str, second: str) -> str:
    """Return the name of a pair of sentences, which is the same on every site."""
    return text_digest("sentences", item, first, second)


def _read_answers(rows: list[Comparison], names: DisplayNames, first: int) -> dict[int, list[AnswerRow]]:
    """Return comparison id → its answers, oldest first."""
    stored = list(SentenceAnswer.objects.filter(comparison__in=rows, question=VERDICT).order_by("pk"))
    cells = [
        np.array([getattr(answer, name) for answer in stored], dtype=np.int64)
        for name in ("comparison_id", "annotator_id", "presentation")
    ]
    is_surplus = np.array([answer.slot_id is None for answer in stored], dtype=bool)
    is_withdrawn = np.array([not answer.value for answer in stored], dtype=bool)
    current = set(find_current(cells, is_surplus, is_withdrawn).tolist())
    answers: dict[int, list[AnswerRow]] = defaultdict(list)
    for number, answer in enumerate(stored):
        answers[answer.comparison_id].append(
            (
                names[answer.annotator_id],
                answer.presentation,
                answer.version,
                number in current,
                answer.value or None,
                "",
                "second" if answer.swapped else "first",
                answer.slot_id is None,
                None,
                answer.active_ms,
                None,
                answer.pk - (first - 1),
                str(answer.received_at) if names.identified else None,
            )
        )
    return answers
