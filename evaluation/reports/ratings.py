"""Systems and annotators by scores and error spans of people: direct assessment, ESA, MQM, ratings 1 to 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from django.utils.translation import gettext as _, gettext_lazy
from ninja import Field

from appraise.lib.tables import Table
from evaluation.assessments import WEIGHTINGS
from evaluation.assessments.scores import AnnotatorScores
from evaluation.assessments.summary import QualityControl, RatingSummary, to_document
from evaluation.importers.evidence.assessment_sets import AssessmentSet
from evaluation.reports import evidence_query, plots
from evaluation.reports.registry import Report, ReportOptions, report, tables_of
from evaluation.reports.scope import Scope, load_names
from evaluation.study.rating_tables import (
    GIVEN,
    RATING_TABLES,
    build_agreement_table,
    build_test_table,
    find_default_score,
    summarise_set,
)

MAX_GROUPS = 60  # domains and documents on the page
MAX_TESTS = 200  # pairs of systems on the page; the files have all


class RatingsOptions(ReportOptions):
    evidence: str = Field(default="", max_length=80, description="Name of the scores or error spans")
    score: Literal["", "given", "mqm-google", "mqm-esa", "esa-spans"] = Field(
        default="",
        description="The score as it was given, or a weighting of the errors (default: given if there are"
        " scores, else mqm-google)",
    )
    unit: Literal["segment", "document"] = Field(
        default="segment", description="What is resampled for the intervals"
    )


class RatedAnnotator(NamedTuple):
    """An annotator with the attention checks, as far as there are any."""

    name: str
    scores: AnnotatorScores
    quality: QualityControl


@dataclass(frozen=True, slots=True)
class RatingsPage:
    """``summary`` is None where nobody has given a score or marked errors."""

    scope: Scope
    protocols: list[str]
    evidence: str
    score: str
    summary: RatingSummary | None
    problem: str
    names: dict[str, str]

    @property
    def annotators(self) -> list[RatedAnnotator]:
        if self.summary is None:
            return []
        rows = [
            RatedAnnotator(self.names.get(name, name), scores, self.summary.quality.get(name, {}))
            for name, scores in self.summary.annotators.items()
        ]
        return sorted(rows, key=lambda row: row.name.casefold())

    @property
    def pairs(self) -> int:
        """How many pairs of annotators rated the same output."""
        return self.summary.agreement["all"].pairs if self.summary and self.summary.agreement else 0


@report("ratings", title=gettext_lazy("Ratings"), section="evidence")
class SystemRatings(Report[RatingsOptions, RatingsPage]):
    """Means of the systems by scores or error spans, with intervals, tests, ranks, and the annotators."""

    options = RatingsOptions
    tables = tables_of(lambda page: page.summary, RATING_TABLES)
    plots = {"means": lambda page: mean_plot(page.summary)}

    def estimate_seconds(self, scope: Scope, options: RatingsOptions) -> float:
        return super().estimate_seconds(scope, options) + evidence_query.estimate_seconds(scope)

    def compute(self, scope: Scope, options: RatingsOptions) -> RatingsPage:
        protocols = evidence_query.list_evidence(scope)
        evidence = options.evidence if options.evidence in protocols else next(iter(protocols), "")
        rated = get_assessment_set(scope, evidence) if evidence else None
        score = options.score or (find_default_score(rated) if rated else GIVEN)
        summary, problem = None, ""
        if rated is not None:
            try:
                summary = get_summary(scope, rated, evidence, score, options.unit)
            except ValueError as error:  # an error that the weighting does not know
                problem = str(error)
        return RatingsPage(scope, protocols, evidence, score, summary, problem, load_names(scope))

    def context(self, page: RatingsPage) -> dict[str, object]:
        summary = page.summary
        return {
            "weightings": [GIVEN, *WEIGHTINGS],
            "test_table": translate_tests(build_test_table(summary)),
            "agreement": translate_agreement(build_agreement_table(summary)),
            "more_tests": summary is not None and len(summary.tests) > MAX_TESTS,
        }

    def document(self, page: RatingsPage) -> dict[str, Any]:  # Any: JSON
        """Return what the command ``ratings`` prints for files."""
        known = {"evidence": page.evidence, "score": page.score, "problem": page.problem}
        return {**known, **(to_document(page.summary) if page.summary else {"systems": {}, "tests": []})}


def get_assessment_set(scope: Scope, evidence: str) -> AssessmentSet:
    """Return the ratings with the texts and documents that their statistics need."""
    return scope.cached("rated set", lambda: evidence_query.load_assessment_set(scope, evidence), evidence)


def get_summary(scope: Scope, rated: AssessmentSet, evidence: str, score: str, unit: str) -> RatingSummary:
    """Return the summary; cached until a new answer arrives."""

    def compute() -> RatingSummary:
        return summarise_set(rated, score, by_document=unit == "document")

    return scope.cached("ratings", compute, evidence, score, unit)


def translate_tests(table: Table) -> Table:
    columns = (_("Better"), _("Worse"), "p", _("p, one-sided"))
    return Table(_("Wilcoxon’s tests"), columns, table.rows[:MAX_TESTS])


def translate_agreement(table: Table) -> Table:
    columns = (_("Group"), _("Pairs"), "τ_c", "Pearson", _("Character F1"), "α_u")
    rows = tuple((_("all") if group == "all" else group, *cells) for group, *cells in table.rows)
    return Table(_("Agreement of annotators"), columns, rows[:MAX_GROUPS])


def mean_plot(summary: RatingSummary | None) -> plots.Plot:
    systems = summary.systems if summary else ()
    rows: list[plots.NamedValue] = [(system.name, system.mean, system.interval) for system in systems]
    label = _("Mean score of each system, with intervals")
    return plots.named_values(label, _("mean"), _("system"), rows)
