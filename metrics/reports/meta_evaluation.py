"""Published scores of metrics compared with the ratings of people, as ``metaeval --mtme`` compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy
from ninja import Field

from appraise.lib.tables import Table
from evaluation.assessments import PublishedScores, ScoreLevel
from evaluation.reports import evidence_query
from evaluation.reports.ratings import get_assessment_set, get_summary
from evaluation.reports.registry import Report, ReportOptions, report
from evaluation.reports.scope import Scope, get_system_outputs
from evaluation.study.rating_tables import find_default_score
from metrics.metaeval.comparison import MetricDifference, compare_metrics
from metrics.metaeval.datasets import Dataset, DatasetCell, Ratings, Text
from metrics.metaeval.evaluation import Evaluation, evaluate, human_judgements
from metrics.metaeval.kendall import TieRule
from metrics.metaeval.mtme import arrange_scores
from metrics.metaeval.scoring import CellScores

SECONDS = 5.0  # of the published metrics of a campaign of WMT: never in the page

Levels = Mapping[ScoreLevel, PublishedScores]
Segments = Mapping[str, Sequence[float | None]]


class MetaEvaluationOptions(ReportOptions):
    evidence: str = Field(default="", max_length=80, description="Ratings to compare the metrics with")


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """The figures of every metric, the best first, and the differences between every two."""

    figures: dict[str, Evaluation]
    differences: dict[tuple[str, str], MetricDifference]


@dataclass(frozen=True, slots=True)
class MetaEvaluationPage:
    """``result`` is None without ratings, or without scores of metrics for sentences."""

    scope: Scope
    sources: list[str]
    evidence: str
    result: MetaEvaluation | None


@report("meta-evaluation", title=gettext_lazy("Metrics and ratings"), section="evidence", scopes=("task",))
class MetaEvaluationReport(Report[MetaEvaluationOptions, MetaEvaluationPage]):
    """Accuracy of metrics on ratings: pairwise accuracy with ties, soft pairwise accuracy, correlations."""

    options = MetaEvaluationOptions
    tables = {
        "metrics": lambda page: build_metric_table(page.result),
        "differences": lambda page: build_difference_table(page.result),
    }

    def estimate_seconds(self, scope: Scope, options: MetaEvaluationOptions) -> float:
        return SECONDS if scope.state and scope.state.has_scores else 0.0

    def compute(self, scope: Scope, options: MetaEvaluationOptions) -> MetaEvaluationPage:
        human, metrics = _read_scores(scope)
        sources = list(dict.fromkeys([*evidence_query.list_protocols(scope.tasks), *human]))
        chosen = options.evidence if options.evidence in sources else next(iter(sources), "")
        result = None
        if chosen and metrics:
            rated = human[chosen] if chosen in human else _read_ratings(scope, chosen)
            result = scope.cached("meta-evaluation", lambda: compare_with(scope, rated, metrics), chosen)
        return MetaEvaluationPage(scope, sources, chosen, result)

    def context(self, page: MetaEvaluationPage) -> dict[str, object]:
        return {
            "metrics": build_metric_table(page.result),
            "differences": build_difference_table(page.result),
        }

    def document(self, page: MetaEvaluationPage) -> dict[str, Any]:  # Any: JSON
        figures = page.result.figures if page.result else {}
        return {"evidence": page.evidence, **{name: each.as_json() for name, each in figures.items()}}


def _read_scores(scope: Scope) -> tuple[dict[str, Segments], dict[str, Levels]]:
    """Return the segment scores of people, and the scores of metrics that have scores of segments."""
    human: dict[str, Segments] = {}
    metrics: dict[str, dict[ScoreLevel, PublishedScores]] = {}
    for _task, scores in evidence_query.load_scope_scores(scope):
        if scores.reference:
            metrics.setdefault(scores.full_name, {})[scores.level] = scores
        elif scores.level is ScoreLevel.SEGMENT:
            human[scores.name] = scores.values
    return human, {name: levels for name, levels in sorted(metrics.items()) if ScoreLevel.SEGMENT in levels}


def _read_ratings(scope: Scope, evidence: str) -> Segments:
    rated = get_assessment_set(scope, evidence)
    return get_summary(scope, rated, evidence, find_default_score(rated), "segment").segments


def compare_with(scope: Scope, rated: Segments, metrics: Mapping[str, Levels]) -> MetaEvaluation:
    """Compare every metric with the scores of people; references take no part."""
    references = get_system_outputs(scope).references
    systems = [name for name in sorted(rated) if name not in references and any_known(rated[name])]
    length = max((len(rated[name]) for name in systems), default=0)
    cells = tuple(DatasetCell(system, str(n), "") for system in systems for n in range(length))
    dataset = Dataset({str(n): Text("", ()) for n in range(length)}, cells)
    values = np.array([rated[name] for name in systems], dtype=np.float64).reshape(-1)
    known = np.flatnonzero(~np.isnan(values))
    human = human_judgements(dataset, Ratings(known, values[known]))
    scores: dict[str, CellScores] = {
        name: arrange_scores(name, systems, length, levels) for name, levels in metrics.items()
    }
    figures = {name: evaluate(each, human, TieRule.WMT14) for name, each in scores.items()}
    best_first = sorted(figures, key=lambda name: -(figures[name].accuracy_with_ties or 0.0))
    return MetaEvaluation(
        {name: figures[name] for name in best_first},
        {
            (a, b): compare_metrics((figures[a], scores[a].cells), (figures[b], scores[b].cells), human)
            for a, b in combinations(best_first, 2)
        },
    )


def any_known(scores: Sequence[float | None]) -> bool:
    return any(score is not None for score in scores)


def build_metric_table(result: MetaEvaluation | None) -> Table:
    columns = ("metric", "acc_eq", "ε", "SPA", "Pearson, systems", "τ", "Pearson", "systems", "pairs")
    rows = [
        (
            *(name, each.accuracy_with_ties, each.by_item.threshold if each.by_item else None, each.spa),
            *(each.system.pearson, each.tau, each.pearson, each.system.systems, int(each.counts.sum())),
        )
        for name, each in (result.figures if result else {}).items()
    ]
    return Table("Metrics and ratings", columns, tuple(rows))


def build_difference_table(result: MetaEvaluation | None) -> Table:
    rows = [
        (a, b, gap.acc_eq, *(gap.acc_eq_ci or (None, None)), gap.acc_eq_p, gap.tau, gap.tau_p)
        for (a, b), gap in (result.differences if result else {}).items()
    ]
    columns = ("better", "worse", "acc_eq, difference", "low", "high", "p", "τ, difference", "p (τ)")
    return Table("Differences between metrics", columns, tuple(rows))
