"""What annotators made of the errors that were suggested to them: accepted, changed, removed, added."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Prefetch
from django.utils.translation import gettext_lazy

from appraise.lib.tables import Table
from evaluation.annotate.services.passages import find_suggested
from evaluation.models import Assessment, ErrorSpan, Task
from evaluation.reports.exports import load_display_names
from evaluation.reports.registry import Report, ReportOptions, report
from evaluation.reports.scope import Scope, load_names


class SuggestionCounts(NamedTuple):
    """Errors by what happened to them, over a number of answers; ``ms`` is the time of all versions."""

    answers: int = 0
    suggested: int = 0
    accepted: int = 0
    changed: int = 0
    removed: int = 0
    added: int = 0
    ms: int = 0

    def plus(self, other: SuggestionCounts) -> SuggestionCounts:
        return SuggestionCounts(*map(sum, zip(self, other, strict=True)))

    @property
    def seconds(self) -> float | None:
        """The mean time of an answer."""
        return self.ms / self.answers / 1000 if self.answers and self.ms else None


@dataclass(frozen=True, slots=True)
class SuggestionPage:
    scope: Scope
    names: dict[str, str]
    annotators: dict[str, SuggestionCounts]

    @property
    def total(self) -> SuggestionCounts:
        total = SuggestionCounts()
        for counts in self.annotators.values():
            total = total.plus(counts)
        return total


@report("suggestions", title=gettext_lazy("Suggested errors"), section="evidence")
class SuggestedErrors(Report[ReportOptions, SuggestionPage]):
    """Suggested errors that annotators accepted, changed and removed, errors they added, and their time."""

    options = ReportOptions
    tables = {"annotators": lambda page: build_suggestion_table(page)}

    def compute(self, scope: Scope, options: ReportOptions) -> SuggestionPage:
        names = load_display_names(scope, identify=False)
        annotators: dict[str, SuggestionCounts] = defaultdict(SuggestionCounts)
        for task in scope.tasks:
            if task.suggestions:
                for annotator, counts in _count_answers(task):
                    name = names[annotator]
                    annotators[name] = annotators[name].plus(counts)
        return SuggestionPage(scope, load_names(scope), dict(sorted(annotators.items())))

    def context(self, page: SuggestionPage) -> dict[str, object]:
        return {"suggestions": build_suggestion_table(page, named=True) if page.annotators else None}


def _count_answers(task: Task) -> Iterator[tuple[int, SuggestionCounts]]:
    """Yield the counts of every current answer with the id of its annotator."""
    collected = Assessment.objects.of_tasks([task.pk]).ordinary().filter(
        protocol=task.assessed_as, presentation=0
    )  # fmt: skip
    spans = Prefetch("spans", ErrorSpan.objects.order_by("number"))
    groups: dict[tuple[int, int, int | None], list[Assessment]] = defaultdict(list)
    for answer in collected.current().select_related("output").prefetch_related(spans).order_by("output"):
        # An answer about identical texts is stored for each of their outputs, but was given once.
        groups[answer.annotator_id, answer.output.candidate_id, answer.slot_id].append(answer)
    times: dict[tuple[int, int], int] = defaultdict(int)
    for annotator, output, ms in collected.values_list("annotator_id", "output_id", "active_ms"):
        times[annotator, output] += ms or 0
    outputs = {answer.output_id for group in groups.values() for answer in group}
    suggested = find_suggested(task.suggestions, outputs)
    for group in groups.values():
        offered = next((suggested[one.output_id] for one in group if one.output_id in suggested), [])
        ms = sum(times[one.annotator_id, one.output_id] for one in group)
        yield group[0].annotator_id, count_edits(offered, list(group[0].spans.all()), ms)


def count_edits(offered: Sequence[ErrorSpan], marked: Sequence[ErrorSpan], ms: int = 0) -> SuggestionCounts:
    """Compare the errors of an answer with those that were suggested."""
    by_id = {span.pk: span for span in offered}
    made = [(by_id[span.suggestion_id], span) for span in marked if span.suggestion_id in by_id]
    kept = {before.pk for before, _ in made}
    accepted = sum(_describe(before) == _describe(after) for before, after in made)
    return SuggestionCounts(
        answers=1,
        suggested=len(offered),
        accepted=accepted,
        changed=len(made) - accepted,
        removed=len(by_id.keys() - kept),
        added=len(marked) - len(made),
        ms=ms,
    )


def _describe(span: ErrorSpan) -> tuple[object, ...]:
    return span.side, span.start, span.end, span.severity, span.category


def build_suggestion_table(page: SuggestionPage, *, named: bool = False) -> Table:
    """Return a row for each annotator, and one for all."""
    columns = (
        "annotator", "answers", "suggested", "accepted", "changed", "removed", "added", "seconds per answer"
    )  # fmt: skip
    rows = [
        (page.names.get(name, name) if named else name, *counts[:-1], counts.seconds)
        for name, counts in page.annotators.items()
    ]
    if len(rows) > 1:
        rows.append(("all", *page.total[:-1], page.total.seconds))
    return Table("Suggested errors", columns, tuple(rows))
