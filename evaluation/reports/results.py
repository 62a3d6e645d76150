"""System results: which system is better, by how much, and how certain that is.

From answers about phrases, or from those about whole sentences, with the same figures.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from evaluation.reports import plots
from evaluation.reports.registry import Report, StudyOptions, report, tables_of
from evaluation.reports.scope import Scope, choose_kind, get_sentence_answers, get_system_outputs
from evaluation.reports.system_results import compute_results, list_differing_pairs
from evaluation.results import SystemResults
from evaluation.study import AnswerKind
from evaluation.study.sentence_answers import Rating, RatingLine, build_rating_table, compute_rating_lines
from evaluation.study.tables import RESULT_TABLES


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
            sentence_answers=len(get_sentence_answers(scope).answers.labels),
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

    def compute() -> list[RatingLine]:
        stored = get_sentence_answers(scope).ratings
        systems: dict[int, list[str]] = defaultdict(list)
        if stored:
            produced = get_system_outputs(scope)
            for candidate, code in zip(*produced.outputs.tolist(), strict=True):
                systems[candidate].append(produced.names[code])
        return compute_rating_lines(
            [Rating(row.annotator, row.item, systems[row.candidate], row.value) for row in stored]
        )

    return scope.cached("ratings", compute)
