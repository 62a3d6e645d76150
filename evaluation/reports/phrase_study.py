"""Do two sources of error spans agree on phrases, on larger units and on sentences?"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy

from appraise.lib.tables import Table
from evaluation.assessments import OutputRating
from evaluation.assessments.phrase_study import SpanEvidence, study_phrases
from evaluation.assessments.study_counts import PhraseStudy, StudyRow
from evaluation.models import Assessment
from evaluation.reports import evidence_query, plots
from evaluation.reports.exports import load_display_names
from evaluation.reports.registry import Report, ReportOptions, report
from evaluation.reports.scope import Scope
from evaluation.reports.span_votes import weigh_error

SECONDS_PER_PAIR = 0.004  # of outputs: aligning and cutting at every coarseness, measured
FINEST, COARSEST = "question", "sentence"


@dataclass(frozen=True, slots=True)
class StudyFinding:
    """What the study says about two sources: the rows for questions and for sentences."""

    questions: StudyRow
    sentences: StudyRow

    @property
    def title(self) -> str:
        return " / ".join(self.questions.evidence)

    @property
    def is_clear(self) -> bool:
        """Whether the sides agree more often on questions than on sentences, beyond both intervals."""
        finer, coarser = self.questions.same_side_ci, self.sentences.same_side_ci
        return finer is not None and coarser is not None and finer[0] > coarser[1]


@dataclass(frozen=True, slots=True)
class PhraseStudyPage:
    """``study`` is None with fewer than two sources of error spans."""

    scope: Scope
    sources: list[str]
    study: PhraseStudy | None

    @property
    def findings(self) -> list[StudyFinding]:
        rows = {(row.evidence, row.coarseness): row for row in (self.study.rows if self.study else ())}
        return [
            StudyFinding(rows[evidence, FINEST], rows[evidence, COARSEST])
            for evidence, coarseness in rows
            if coarseness == FINEST and (evidence, COARSEST) in rows
        ]


@report("phrase-study", title=gettext_lazy("Phrases and sentences"), section="evidence", scopes=("task",))
class PhraseStudyReport(Report[ReportOptions, PhraseStudyPage]):
    """Agreement of error spans on the better side, from phrases to sentences, between every two sources."""

    options = ReportOptions
    tables = {"study": lambda page: study_table(page.study)}
    plots = {"same-side": lambda page: same_side_plot(page.study)}

    def estimate_seconds(self, scope: Scope, options: ReportOptions) -> float:
        """Aligning every two outputs that two sources assessed takes most of the time."""
        rated = Assessment.objects.of_tasks(scope.task_ids).order_by()
        outputs = rated.values("output").distinct().count() if any(t.protocols for t in scope.tasks) else 0
        systems = max(1, outputs // max(1, scope.tasks[0].items.count()))
        return outputs * systems / 2 * SECONDS_PER_PAIR

    def compute(self, scope: Scope, options: ReportOptions) -> PhraseStudyPage:
        sources = [
            name
            for task in scope.tasks
            for name, known in sorted(task.protocols.items())
            if known["severities"]
        ]
        study = None
        if len(sources) > 1:
            study = scope.cached("phrase study", lambda: compute_study(scope, sources))
        return PhraseStudyPage(scope, sources, study)

    def document(self, page: PhraseStudyPage) -> dict[str, Any]:  # Any: JSON
        """Return what the command ``phrase_study`` prints for files."""
        return page.study.to_document() if page.study else {"sentence_pairs": 0, "rows": []}


def compute_study(scope: Scope, sources: list[str]) -> PhraseStudy:
    (task,) = scope.tasks
    ratings: dict[str, list[OutputRating]] = defaultdict(list)
    for stored in evidence_query.load_ratings([task], load_display_names(scope, identify=False)):
        ratings[stored.protocol].append(stored.rating)
    evidence = [SpanEvidence.of(name, ratings[name], partial(weigh_error, protocol=name)) for name in sources]
    return study_phrases(evidence_query.load_texts(task), evidence)


def study_table(study: PhraseStudy | None) -> Table:
    return study.to_table() if study else Table("Phrases and sentences", ("evidence", "coarseness"), ())


def same_side_plot(study: PhraseStudy | None) -> plots.Plot:
    rows: list[plots.NamedValue] = [
        (f"{' / '.join(row.evidence)}, {row.coarseness}", row.same_side, row.same_side_ci)
        for row in (study.rows if study else ())
    ]
    label = _("How often both sources prefer the same side, with intervals")
    return plots.named_values(label, _("same side"), _("unit"), rows)
