"""Alignments for managers: the queue of reports, one comparison in the editor, and a new cut of a task.

When a manager cuts a task into questions again, the effect is shown on a few sentences, before and after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.utils.translation import gettext_lazy as _

from evaluation.alignment import format_links
from evaluation.alignment.pairs import DedupScope, merge_questions
from evaluation.annotate.queries import read_phrases
from evaluation.annotate.services.assignments import REASONS
from evaluation.models import Alignment, AlignmentReport, Comparison, Occurrence, Task
from evaluation.presentation import Card, Sheet, sheet
from evaluation.tasks.edited_links import Realignment, is_joined
from evaluation.tasks.planning import PlannedComparison
from evaluation.tasks.services import realignments
from evaluation.tasks.services.question_regrouping import is_judged, plan_regrouping, plannable_comparisons
from evaluation.tasks.services.realignments import Reason

REGROUPING_LABELS = {
    Reason.WITH_PREVIOUS: _("Ask together with the question before"),
    Reason.WITH_NEXT: _("Ask together with the next question"),
    Reason.APART: _("Ask separately"),
}


@dataclass(frozen=True, slots=True)
class ReportedPair:
    """All open reports on one pair; ``a`` is in the first text of the comparison, ``b`` in the second."""

    pair: int
    comparison: int
    item: str
    a: str
    b: str
    reasons: list[tuple[str, int]]
    notes: list[str]
    by_place: bool  # all candidates were cut together: there is no alignment of two to correct
    regrouping: str = ""  # the value of the button that applies the most frequent report, as in ``next:4``
    regrouping_label: str = ""
    version: int = 1

    @property
    def reports(self) -> int:
        return sum(count for _, count in self.reasons)


def list_reported_pairs(task: Task) -> list[ReportedPair]:
    """Return the queue of reports, most reported first, then oldest first; two queries."""
    return _group_reports(AlignmentReport.objects.filter(pair__task=task, resolved_at__isnull=True))


def _group_reports(reports: QuerySet[AlignmentReport]) -> list[ReportedPair]:
    groups: dict[tuple[int, int], list[AlignmentReport]] = {}
    for report in reports.select_related("pair", "alignment__comparison__item").order_by("pk"):
        groups.setdefault((report.pair_id, report.alignment.comparison_id), []).append(report)
    ids = [report.alignment_id for group in groups.values() for report in group]
    rows = Occurrence.objects.filter(alignment__in=ids).order_by("-index")
    columns = rows.values_list("pair_id", "alignment_id", "index", "flipped")
    places = {(pair, alignment): (index, flipped) for pair, alignment, index, flipped in columns}
    pairs = [
        _make_reported_pair(group, *places.get((group[0].pair_id, group[0].alignment_id), (None, False)))
        for group in groups.values()
    ]
    return sorted(pairs, key=lambda pair: -pair.reports)


def _make_reported_pair(group: list[AlignmentReport], index: int | None, flipped: bool) -> ReportedPair:
    pair, comparison = group[0].pair, group[0].alignment.comparison
    texts = (pair.second, pair.first) if flipped else (pair.first, pair.second)
    counted = Counter(report.reason for report in group)
    reason = AlignmentReport.Reason(counted.most_common(1)[0][0])
    can_apply = reason in realignments.REGROUPING and index is not None and not comparison.item.places
    return ReportedPair(
        pair.pk,
        comparison.pk,
        comparison.item.key,
        *texts,
        reasons=[(str(REASONS[AlignmentReport.Reason(reason)]), n) for reason, n in counted.most_common()],
        notes=[report.note for report in group if report.note],
        by_place=bool(comparison.item.places),
        regrouping=f"{reason.value}:{index}" if can_apply else "",
        regrouping_label=str(REGROUPING_LABELS[reason]) if can_apply else "",
        version=group[0].alignment.version,
    )


# --- one comparison ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EditorPage:
    """Both sentences as words, all versions of the alignment, and the open reports."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    newest: Alignment
    versions: Sequence[Alignment]
    reported_pairs: list[ReportedPair]

    @property
    def lengths(self) -> tuple[int, int]:
        return len(self.a), len(self.b)

    @property
    def start(self) -> Realignment:
        """Return the newest version as the start of a correction."""
        links = realignments.load_links(self.newest, *self.lengths)
        groups = tuple(tuple(group) for group in self.newest.groups) or None
        return Realignment(links, is_joined(self.newest.aligner), groups)


@dataclass(frozen=True, slots=True)
class AlignmentPreview:
    """What annotators will see; ``dropped`` are links that no phrase contains."""

    sheet: Sheet
    dropped: str
    elsewhere: int
    grouped: frozenset[int]
    """The first phrases of the questions that consist of several phrases."""

    @property
    def cards(self) -> list[tuple[Card, bool]]:
        """The questions, and whether each can be split."""
        return [(card, card.index in self.grouped) for card in self.sheet.questions]


@dataclass(frozen=True, slots=True)
class FoundComparison:
    """A comparison in the results of the search for a sentence."""

    pk: int
    first: str
    second: str


def build_editor_page(comparison: Comparison) -> EditorPage:
    """Return the editor page; three queries. ``people`` of a version is the number of its assignments."""
    versions = list(
        Alignment.objects.filter(comparison=comparison)
        .select_related("made_by")
        .annotate(people=Count("assignments"))
        .order_by("-version")
    )
    reports = AlignmentReport.objects.filter(alignment__comparison=comparison, resolved_at__isnull=True)
    return EditorPage(
        comparison.first.tokens, comparison.second.tokens, versions[0], versions, _group_reports(reports)
    )


def build_preview(comparison: Comparison, newest: Alignment, correction: Realignment) -> AlignmentPreview:
    """Return the comparison as an annotator sees it with the first text as A."""
    plan = realignments.plan_correction(comparison, newest, correction)
    questions = realignments.match_pairs(comparison, plan, newest.version + 1)
    asked: dict[int, int] = {}
    for one in questions:
        if one.owner in (None, comparison.pk):
            asked |= one.pair.map_phrases(one.pair.owner.item, one.pair.owner.comparison)
    return AlignmentPreview(
        sheet(plan.first, plan.second, plan.shown_phrases, asked, groups=plan.groups, swapped=False),
        format_links(plan.alignment.dropped),
        len(plan.questions) - len(asked),
        frozenset([group[0] for group in plan.groups if len(group) > 1]),
    )


def find_comparisons(task: Task, item: str) -> list[FoundComparison]:
    """Find the comparisons of a sentence by its id in the file."""
    rows = Comparison.objects.filter(item__task=task, item__key=item, item__places=[])
    rows = rows.select_related("first", "second").order_by("pk")
    return [FoundComparison(row.pk, row.first.text, row.second.text) for row in rows]


SAMPLE = 30
SHOWN = 3
MOST_WORDS = 120
"""Longer sentences are not part of the sample, so that the page stays cheap."""


@dataclass(frozen=True, slots=True)
class RegroupingExample:
    """One comparison as it is cut now, and as it would be cut."""

    item: str
    before: Sheet
    after: Sheet

    @property
    def is_changed(self) -> bool:
        return [(card.a, card.b) for card in self.before.questions] != [
            (card.a, card.b) for card in self.after.questions
        ]


@dataclass(frozen=True, slots=True)
class RegroupingPage:
    """The sample with the number of its questions before and after; ``is_judged``: nothing can be changed."""

    is_judged: bool
    sentences: int
    before: int
    after: int
    examples: list[RegroupingExample]


def build_regrouping_page(task: Task, *, question_size: str, ask_all: bool) -> RegroupingPage:
    """Return the effect of other settings on the first sentences of a task."""
    recut = copy(task)
    recut.question_size, recut.ask_all = question_size, ask_all
    sample = list(_list_sample(task))
    examples = [_make_example(alignment, plan) for alignment, plan in plan_regrouping(recut, sample)]
    changed = [example for example in examples if example.is_changed]
    return RegroupingPage(
        is_judged(task),
        len(sample),
        sum(len(example.before.questions) for example in examples),
        sum(len(example.after.questions) for example in examples),
        changed[:SHOWN],
    )


def _list_sample(task: Task) -> Iterator[Comparison]:
    comparisons = plannable_comparisons(task).filter(check_kind=Comparison.Check.NONE)
    for comparison in comparisons.prefetch_related("alignments__occurrences")[:SAMPLE]:
        if len(comparison.first.spans) + len(comparison.second.spans) <= MOST_WORDS:
            yield comparison


def _make_example(alignment: Alignment, plan: PlannedComparison) -> RegroupingExample:
    now: dict[int, int] = {}
    pairs: dict[tuple[int, bool], int] = {}
    for one in sorted(alignment.occurrences.all(), key=lambda occurrence: occurrence.index):
        now[one.index] = pairs.setdefault((one.pair_id, one.flipped), one.index)
    then: dict[int, int] = {}
    for pair in merge_questions(plan.questions, scope=DedupScope.ITEM):
        then |= pair.map_phrases(pair.owner.item, pair.owner.comparison)
    return RegroupingExample(
        alignment.comparison.item.key,
        sheet(
            plan.first,
            plan.second,
            read_phrases(alignment.phrases),
            now,
            groups=alignment.groups,
            swapped=False,
        ),
        sheet(plan.first, plan.second, plan.shown_phrases, then, groups=plan.groups, swapped=False),
    )
