"""What a manager sees of alignments: the queue of reports, and one comparison in the editor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.utils.translation import gettext_lazy as _

from evaluation.alignment import Kind, Link, format_links
from evaluation.alignment.formats import parse_links
from evaluation.correcting import Correction, is_joined, links_of_phrases
from evaluation.models import Alignment, AlignmentReport, Comparison, Occurrence, Task
from evaluation.presentation import Phrase, Sheet, sheet
from evaluation.services.alignments import matched, plan_correction

REASONS = {
    AlignmentReport.Reason.UNRELATED: _("These phrases do not belong together"),
    AlignmentReport.Reason.CUT: _("The phrase is cut in the wrong place"),
    AlignmentReport.Reason.NOT_MOVED: _("Marked as moved, but it is not"),
}


@dataclass(frozen=True, slots=True)
class Flag:
    """All open reports on one pair; ``a`` stands in the comparison's first text, ``b`` in its second."""

    pair: int
    comparison: int
    item: str
    a: str
    b: str
    reasons: list[tuple[str, int]]
    notes: list[str]
    by_place: bool  # all candidates were cut together: there is no alignment of two to correct

    @property
    def reports(self) -> int:
        return sum(count for _, count in self.reasons)


def flags(task: Task) -> list[Flag]:
    """The queue of reports: most reported first, then oldest first. Two queries."""
    return _flags(AlignmentReport.objects.filter(pair__task=task, resolved_at__isnull=True))


def _flags(reports: QuerySet[AlignmentReport]) -> list[Flag]:
    groups: dict[tuple[int, int], list[AlignmentReport]] = {}
    for report in reports.select_related("pair", "alignment__comparison__item").order_by("pk"):
        groups.setdefault((report.pair_id, report.alignment.comparison_id), []).append(report)
    ids = [report.alignment_id for group in groups.values() for report in group]
    rows = Occurrence.objects.filter(alignment__in=ids).values_list("pair_id", "alignment_id", "flipped")
    flipped = {(pair, alignment): turned for pair, alignment, turned in rows}
    found = [
        _flag(group, flipped=flipped.get((group[0].pair_id, group[0].alignment_id), False))
        for group in groups.values()
    ]
    return sorted(found, key=lambda flag: -flag.reports)


def _flag(group: list[AlignmentReport], *, flipped: bool) -> Flag:
    pair, comparison = group[0].pair, group[0].alignment.comparison
    texts = (pair.second, pair.first) if flipped else (pair.first, pair.second)
    counted = Counter(report.reason for report in group)
    return Flag(
        pair.pk,
        comparison.pk,
        comparison.item.key,
        *texts,
        reasons=[(str(REASONS[AlignmentReport.Reason(reason)]), n) for reason, n in counted.most_common()],
        notes=[report.note for report in group if report.note],
        by_place=bool(comparison.item.places),
    )


# --- one comparison ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EditorPage:
    """Both sentences word by word, the newest version and what came before it."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    newest: Alignment
    versions: Sequence[Alignment]
    flags: list[Flag]

    @property
    def start(self) -> Correction:
        """The newest version as a correction to start from."""
        links = stored_links(self.newest, len(self.a), len(self.b))
        return Correction(links, is_joined(self.newest.aligner))


@dataclass(frozen=True, slots=True)
class Preview:
    """What annotators will see; ``dropped`` are links whose words ended up in different phrases."""

    sheet: Sheet
    dropped: str
    elsewhere: int


@dataclass(frozen=True, slots=True)
class Found:
    """A comparison found by searching for a sentence."""

    pk: int
    first: str
    second: str


def editor_page(comparison: Comparison) -> EditorPage:
    """Three queries. Each version carries ``people``: to how many it was given."""
    versions = list(
        Alignment.objects.filter(comparison=comparison)
        .select_related("made_by")
        .annotate(people=Count("assignments"))
        .order_by("-version")
    )
    reports = AlignmentReport.objects.filter(alignment__comparison=comparison, resolved_at__isnull=True)
    return EditorPage(
        comparison.first.tokens, comparison.second.tokens, versions[0], versions, _flags(reports)
    )


def stored_links(alignment: Alignment, n: int, m: int) -> tuple[Link, ...]:
    """The links of a version; phrases that came without links get some to begin with."""
    if not alignment.links and alignment.aligner == "given phrases":
        return links_of_phrases(alignment.phrases)
    return parse_links(alignment.links, n, m)


def preview(comparison: Comparison, newest: Alignment, correction: Correction) -> Preview:
    """The two staves as an annotator sees them, who has the first text as A."""
    plan = plan_correction(comparison, newest, correction)
    questions = matched(comparison, plan, newest.version + 1)
    asked = {
        where.phrase
        for one in questions
        if one.owner in (None, comparison.pk)
        for where in one.pair.occurrences
    }
    phrases = [Phrase(p.a, p.b, p.kind is Kind.SHARED, p.moved) for p in plan.alignment.phrases]
    return Preview(
        sheet(plan.first, plan.second, phrases, asked, swapped=False),
        format_links(plan.alignment.dropped),
        len(plan.places) - len(asked),
    )


def comparisons_of(task: Task, item: str) -> list[Found]:
    """The comparisons of a sentence, found by the id that its file gave it."""
    rows = Comparison.objects.filter(item__task=task, item__key=item, item__places=[])
    rows = rows.select_related("first", "second").order_by("pk")
    return [Found(row.pk, row.first.text, row.second.text) for row in rows]
