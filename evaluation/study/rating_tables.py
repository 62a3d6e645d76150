"""Tables of scores and error spans of people, for pages, downloads, the API and bundles."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from appraise.lib.tables import Cell, Table
from evaluation.assessments import WEIGHTINGS, DocumentLabel, MarkedSpan
from evaluation.assessments.scores import ScoreColumns, ScoreRating
from evaluation.assessments.summary import RatingOptions, RatingSummary, summarise_ratings
from evaluation.importers.evidence.assessment_sets import AssessmentSet, measure_groups

GIVEN = "given"
DEFAULT_WEIGHTING = "mqm-google"
NO_INTERVAL: tuple[Cell, ...] = (None, None)


def build_rating_tables(sets: Mapping[str, AssessmentSet]) -> dict[str, Table]:
    """Build every table of a bundle about the ratings of each name, by the default score."""
    tables: dict[str, Table] = {}
    for name, rated in sets.items():
        try:
            summary = summarise_set(rated, find_default_score(rated))
        except ValueError:  # an error that the weighting does not know
            continue
        safe = re.sub(r"[^\w.-]", "_", name)
        tables |= {f"ratings/{safe}/{table}": build(summary) for table, build in RATING_TABLES.items()}
    return tables


def find_default_score(rated: AssessmentSet) -> str:
    """Return the score of the answers if they have one, else a weighting of the errors."""
    return GIVEN if rated.states_scores else DEFAULT_WEIGHTING


def summarise_set(rated: AssessmentSet, score: str, *, by_document: bool = False) -> RatingSummary:
    """Summarise ratings by the given score or by a weighting of the errors."""
    score_of = find_score(score, rated)
    columns = ScoreColumns.of(rated.ratings, score_of, rated.segments)
    options = RatingOptions(units=number_documents(rated.documents) if by_document else None)
    z_values = None if rated.protocol == "mqm" else columns.standardise()
    summary = summarise_ratings(rated.protocol, columns, options, z_values)
    return replace(summary, quality=rated.quality, agreement=measure_groups(rated, score_of))


def find_score(name: str, rated: AssessmentSet) -> ScoreRating:
    """Return how a rating becomes a number; the score as given is, without one, that of stated weights."""
    if name != GIVEN:
        weighting = WEIGHTINGS[name]
        return lambda rating: weighting.score(rating.spans)
    if any(rating.score is not None for rating in rated.ratings):
        return lambda rating: rating.score
    return lambda rating: 0.0 - sum(map(weigh_as_given, rating.spans))


def weigh_as_given(span: MarkedSpan) -> float:
    """Return the weight that a file states, else that of the default: answers given here state none."""
    return WEIGHTINGS[DEFAULT_WEIGHTING].weigh(span) if span.weight is None else span.weight


def number_documents(labels: Sequence[DocumentLabel]) -> list[int] | None:
    """Return the number of the document of each segment; None if no segment has one."""
    numbers: dict[DocumentLabel, int] = {}
    codes = [numbers.setdefault(label, len(numbers)) for label in labels]
    return codes if any(label.document for label in labels) else None


def build_system_table(summary: RatingSummary | None) -> Table:
    columns = ("system", "mean", "low", "high", "z", "outputs", "best rank", "worst rank", "cluster")
    rows: list[tuple[Cell, ...]] = [
        (s.name, s.mean, *(s.interval or NO_INTERVAL), s.z, s.n, s.rank.best, s.rank.worst, s.rank.cluster)
        for s in (summary.systems if summary else ())
    ]
    return Table("Systems", columns, tuple(rows))


def build_test_table(summary: RatingSummary | None) -> Table:
    rows = [(test.a, test.b, test.p, test.p_one_sided) for test in (summary.tests if summary else ())]
    return Table("Wilcoxon’s tests", ("better", "worse", "p", "p, one-sided"), tuple(rows))


def build_annotator_table(summary: RatingSummary | None) -> Table:
    rows: list[tuple[Cell, ...]] = []
    if summary:
        for name, known in summary.annotators.items():
            quality = summary.quality.get(name, {})
            checks = (quality.get(key) for key in ("pairs", "good_mean", "bad_mean", "p"))
            rows.append((name, known.n, known.mean, known.sd, *checks))
    columns = (
        "annotator",
        "outputs",
        "mean",
        "sd",
        "checks",
        "mean of outputs",
        "mean of damaged copies",
        "p",
    )
    return Table("Annotators", columns, tuple(rows))


def build_agreement_table(summary: RatingSummary | None) -> Table:
    rows = [
        (group, row.pairs, row.kendall_tau_c, row.pearson, row.character_f1, row.alpha_u)
        for group, row in (summary.agreement.items() if summary else ())
    ]
    columns = ("group", "pairs", "τ_c", "Pearson", "character F1", "α_u")
    return Table("Agreement of annotators", columns, tuple(rows))


RATING_TABLES: Mapping[str, Callable[[RatingSummary | None], Table]] = {
    "systems": build_system_table,
    "tests": build_test_table,
    "annotators": build_annotator_table,
    "agreement": build_agreement_table,
}
