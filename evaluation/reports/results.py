"""System results: which system is better, by how much, and how certain that is.

From answers about phrases, or from those about whole sentences, with the same figures.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy as _

from evaluation.models import SentenceAnswer
from evaluation.reports import plots
from evaluation.reports.registry import Report, StudyOptions, report, tables_of
from evaluation.reports.scope import Scope, choose_kind, get_study, get_system_outputs
from evaluation.reports.system_results import compute_results, list_differing_pairs
from evaluation.results import SystemResults
from evaluation.study import AnswerKind
from evaluation.study.sentence_answers import Rating, RatingLine, build_rating_table, compute_rating_lines
from evaluation.study.tables import RESULT_TABLES

RATINGS = (SentenceAnswer.Question.RATING_FIRST, SentenceAnswer.Question.RATING_SECOND)


@dataclass(frozen=True, slots=True)
class ResultsPage:
    scope: Scope
    kind: AnswerKind
    results: SystemResults
    sentence_answers: int
    ratings: list[RatingLine]
    differing: tuple[str, ...]
    """The system pairs about which the stopping rule says something else; empty where it does not apply."""


@report("results", title=_("Systems"))
class Results(Report[StudyOptions, ResultsPage]):
    """Wins, strengths, rank ranges and clusters of the systems, and sign tests between every two."""

    options = StudyOptions
    tables = {
        **tables_of(lambda page: page.results, RESULT_TABLES),
        "ratings": lambda page: build_rating_table(page.ratings),
    }
    plots = {"strengths": lambda page: plots.strengths(page.results.systems)}

    def compute(self, scope: Scope, options: StudyOptions) -> ResultsPage:
        kind = choose_kind(scope, options.answers)
        is_comparable = kind is AnswerKind.PHRASES and not options.without
        return ResultsPage(
            scope=scope,
            kind=kind,
            results=compute_results(scope, options.without, kind),
            sentence_answers=len(get_study(scope, AnswerKind.SENTENCES)),
            ratings=compute_ratings(scope),
            differing=list_differing_pairs(scope) if is_comparable else (),
        )

    def document(self, page: ResultsPage) -> dict[str, Any]:  # Any: JSON
        return {
            "answers": page.kind.value,
            **asdict(page.results),
            "ratings": [asdict(line) for line in page.ratings],
            "differs_from_stopping_rule": list(page.differing),
        }


def compute_ratings(scope: Scope) -> list[RatingLine]:
    """Return the ratings of each system; cached until a new answer arrives."""
    return scope.cached("ratings", lambda: compute_rating_lines(_load_ratings(scope)))


class _StoredRating(NamedTuple):
    annotator: int
    comparison: int
    question: str
    value: str
    item: int
    first: int
    second: int


def _load_ratings(scope: Scope) -> list[Rating]:
    """Return the newest rating of each annotator's first presentation."""
    rows = (
        SentenceAnswer.objects.filter(
            comparison__item__task__in=scope.task_ids, comparison__check_kind="", presentation=0,
            question__in=RATINGS,
        )
        .order_by("version")
        .values_list(
            "annotator_id", "comparison_id", "question", "value",
            "comparison__item_id", "comparison__first_id", "comparison__second_id",
        )
    )  # fmt: skip
    newest = {
        (rating.annotator, rating.comparison, rating.question): rating
        for rating in (_StoredRating(*row) for row in rows)
    }
    systems: dict[int, list[str]] = defaultdict(list)
    if newest:
        (candidates, codes), names = get_system_outputs(scope)
        for candidate, code in zip(candidates.tolist(), codes.tolist(), strict=True):
            systems[candidate].append(names[code])
    return [
        Rating(
            rating.annotator,
            rating.item,
            systems[rating.first if rating.question == RATINGS[0] else rating.second],
            float(rating.value),
        )
        for rating in newest.values()
        if rating.value
    ]
