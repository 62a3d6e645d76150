"""System results: which system is better, by how much, and how sure are we."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from evaluation.agreement.rendering import Table
from evaluation.reports import plots
from evaluation.reports.memo import remembered
from evaluation.reports.scope import Scope, meetings_of, study_of
from evaluation.reports.selection import weighted_results
from evaluation.results import SystemLine, SystemResults
from evaluation.results.weighted import WeightedLine
from evaluation.study import Filter, Study, kept, study_results
from evaluation.study.tables import result_tables


@dataclass(frozen=True, slots=True)
class ResultsPage:
    scope: Scope
    results: SystemResults
    strengths: plots.Plot
    weighted: dict[str, WeightedLine] | None

    @property
    def lines(self) -> list[tuple[SystemLine, WeightedLine | None]]:
        """Each system as counted, and with weights where questions were selected."""
        return [(line, (self.weighted or {}).get(line.system)) for line in self.results.systems]


def results(scope: Scope, without: Collection[Filter] = ()) -> SystemResults:
    left_out = tuple(sorted(without))
    return remembered(
        ("results", left_out, *scope.key),
        lambda: study_results(_answers(scope, left_out), meetings_of(scope)),
        scope.state,
    )


def weighted(scope: Scope, without: Collection[Filter] = ()) -> dict[str, WeightedLine] | None:
    """The same, weighted as if questions had been asked at random; ``None`` where they were."""
    left_out = tuple(sorted(without))
    return remembered(
        ("weighted", left_out, *scope.key),
        lambda: weighted_results(scope.tasks, _answers(scope, left_out), meetings_of(scope)),
        scope.state,
    )


def _answers(scope: Scope, without: tuple[Filter, ...]) -> Study:
    study = study_of(scope)
    return study.where(kept(study, without)) if without else study


def results_page(scope: Scope, without: Collection[Filter] = ()) -> ResultsPage:
    found = results(scope, without)
    return ResultsPage(scope, found, plots.strengths(found.systems), weighted(scope, without))


def tables(scope: Scope, without: Collection[Filter] = ()) -> dict[str, Table]:
    return result_tables(results(scope, without))
