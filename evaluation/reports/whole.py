"""Answers about whole sentences: which of two candidates is better, and how good each is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.agreement.rendering import Table
from evaluation.models import SentenceAnswer
from evaluation.reports.scope import Scope, writers_of
from evaluation.results import SystemResults, Verdict, Votes, system_results
from evaluation.schemes import Choice
from evaluation.study.tables import result_tables
from evaluation.study.whole import Rating, RatingLine, rating_lines, rating_table

Question = SentenceAnswer.Question


@dataclass(frozen=True, slots=True)
class WholeSentences:
    """``verdicts`` is None where nobody was asked which sentence is better."""

    verdicts: SystemResults | None
    ratings: list[RatingLine]


class _Answer(NamedTuple):
    annotator: int
    comparison: int
    question: str
    value: str
    item: int
    first: int
    second: int


def whole_sentences(scope: Scope) -> WholeSentences:
    """Each person's newest answers to what they saw first; one query beside those of the systems."""
    answers = list(_newest(scope))
    wrote: dict[int, list[str]] = defaultdict(list)
    if answers:
        (candidates, codes), names = writers_of(scope)
        for candidate, code in zip(candidates.tolist(), codes.tolist(), strict=True):
            wrote[candidate].append(names[code])
    verdicts, ratings = [], []
    for one in answers:
        if one.question == Question.VERDICT:
            sign = Choice(one.value).sign
            verdicts.append(Verdict(wrote[one.first], wrote[one.second], sign, one.item, one.annotator))
        else:
            candidate = one.first if one.question == Question.RATING_FIRST else one.second
            ratings.append(Rating(one.annotator, one.item, wrote[candidate], float(one.value)))
    return WholeSentences(
        system_results(Votes.from_verdicts(verdicts)) if verdicts else None, rating_lines(ratings)
    )


def _newest(scope: Scope) -> Iterator[_Answer]:
    rows = (
        SentenceAnswer.objects.filter(
            comparison__item__task__in=[task.pk for task in scope.tasks],
            comparison__check_kind="",
            presentation=0,
        )
        .exclude(question=Question.COMMENT)
        .order_by("version")
        .values_list(
            "annotator_id", "comparison_id", "question", "value",
            "comparison__item_id", "comparison__first_id", "comparison__second_id",
        )
    )  # fmt: skip
    newest = {(one.annotator, one.comparison, one.question): one for one in (_Answer(*row) for row in rows)}
    return (one for one in newest.values() if one.value)


def tables(scope: Scope) -> dict[str, Table]:
    found = whole_sentences(scope)
    made = {"ratings": rating_table(found.ratings)}
    if found.verdicts:
        made["sentence-verdicts"] = result_tables(found.verdicts)["systems"]
    return made
