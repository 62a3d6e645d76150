"""System results: which system is better, by how much, and how sure are we."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from evaluation.agreement.rendering import Table
from evaluation.reports import plots
from evaluation.reports.memo import remembered
from evaluation.reports.scope import Scope, meetings_of, study_of
from evaluation.results import SystemResults
from evaluation.study import Filter, kept, study_results
from evaluation.study.tables import result_tables


@dataclass(frozen=True, slots=True)
class ResultsPage:
    scope: Scope
    results: SystemResults
    strengths: plots.Plot


def results(scope: Scope, without: Collection[Filter] = ()) -> SystemResults:
    left_out = tuple(sorted(without))

    def compute() -> SystemResults:
        study, meetings = study_of(scope), meetings_of(scope)
        return study_results(study.where(kept(study, left_out)) if left_out else study, meetings)

    return remembered(("results", left_out, *scope.key), compute, scope.state)


def results_page(scope: Scope, without: Collection[Filter] = ()) -> ResultsPage:
    found = results(scope, without)
    return ResultsPage(scope, found, plots.strengths(found.systems))


def tables(scope: Scope, without: Collection[Filter] = ()) -> dict[str, Table]:
    return result_tables(results(scope, without))
