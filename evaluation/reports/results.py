"""System results: which system is better, by how much, and how certain that is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy as _

from evaluation.models import SentenceAnswer
from evaluation.reports import plots
from evaluation.reports.registry import FilterOptions, Report, report, tables_of
from evaluation.reports.scope import Scope, get_study, get_system_outputs, get_system_pairs
from evaluation.results import PhraseRanking, SystemResults, Votes, compute_system_results
from evaluation.schemes import Choice
from evaluation.study import Filter, Study, compute_study_results, select_answers
from evaluation.study.sentence_answers import Rating, RatingLine, build_rating_table, compute_rating_lines
from evaluation.study.tables import RESULT_TABLES

Question = SentenceAnswer.Question


@dataclass(frozen=True, slots=True)
class SentenceResults:
    """Results of the answers about sentences; ``verdicts`` is None where no verdict was asked."""

    verdicts: SystemResults | None
    ratings: list[RatingLine]


@dataclass(frozen=True, slots=True)
class ResultsPage:
    scope: Scope
    results: SystemResults
    sentences: SentenceResults


def compute_results(scope: Scope, without: Collection[Filter] = ()) -> SystemResults:
    """Return the system results from answers about phrases; cached until a new answer arrives."""
    filters = tuple(sorted(without))

    def compute() -> SystemResults:
        return compute_study_results(filter_study(get_study(scope), filters), get_system_pairs(scope))

    return scope.cached("results", compute, filters)


def filter_study(study: Study, without: Collection[Filter]) -> Study:
    """Return the study without the answers that the filters leave out."""
    return study.filter_rows(select_answers(study, tuple(without))) if without else study


@report("results", title=_("Systems"))
class Results(Report[FilterOptions, ResultsPage]):
    """Wins, strengths, rank ranges and clusters of the systems, and sign tests between every two."""

    options = FilterOptions
    tables = {
        **tables_of(lambda page: page.results, RESULT_TABLES),
        "ratings": lambda page: build_rating_table(page.sentences.ratings),
        "sentence-verdicts": lambda page: (
            RESULT_TABLES["systems"](page.sentences.verdicts) if page.sentences.verdicts else None
        ),
    }
    plots = {"strengths": lambda page: plots.strengths(page.results.systems)}

    def compute(self, scope: Scope, options: FilterOptions) -> ResultsPage:
        return ResultsPage(scope, compute_results(scope, options.without), compute_sentence_results(scope))

    def document(self, page: ResultsPage) -> dict[str, Any]:  # Any: JSON
        return asdict(page.results)


class _SentenceAnswer(NamedTuple):
    annotator: int
    comparison: int
    question: str
    value: str
    item: int
    first: int
    second: int


def compute_sentence_results(scope: Scope) -> SentenceResults:
    """Use the newest answer of each annotator's first presentation; one query beside those of the systems."""
    answers = list(_newest_answers(scope))
    systems: dict[int, list[str]] = defaultdict(list)
    if answers:
        (candidates, codes), names = get_system_outputs(scope)
        for candidate, code in zip(candidates.tolist(), codes.tolist(), strict=True):
            systems[candidate].append(names[code])
    verdicts, ratings = [], []
    for answer in answers:
        first, second = systems[answer.first], systems[answer.second]
        if answer.question == Question.VERDICT:
            sign = Choice(answer.value).sign
            verdicts.append(PhraseRanking(first, second, sign, answer.item, answer.annotator))
        else:
            rated = first if answer.question == Question.RATING_FIRST else second
            ratings.append(Rating(answer.annotator, answer.item, rated, float(answer.value)))
    results = compute_system_results(Votes.from_rankings(verdicts)) if verdicts else None
    return SentenceResults(results, compute_rating_lines(ratings))


def _newest_answers(scope: Scope) -> Iterator[_SentenceAnswer]:
    rows = (
        SentenceAnswer.objects.filter(
            comparison__item__task__in=scope.task_ids, comparison__check_kind="", presentation=0
        )
        .exclude(question=Question.COMMENT)
        .order_by("version")
        .values_list(
            "annotator_id", "comparison_id", "question", "value",
            "comparison__item_id", "comparison__first_id", "comparison__second_id",
        )
    )  # fmt: skip
    answers = (_SentenceAnswer(*row) for row in rows)
    newest = {(answer.annotator, answer.comparison, answer.question): answer for answer in answers}
    return (answer for answer in newest.values() if answer.value)
