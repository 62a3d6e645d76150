"""The page on which a manager cuts a task into questions again: before and after, on a few sentences."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

from evaluation.alignment.pairs import DedupScope, merge_questions
from evaluation.annotate.queries import read_phrases
from evaluation.models import Alignment, Comparison, Task
from evaluation.presentation import Sheet, sheet
from evaluation.tasks.planning import PlannedComparison
from evaluation.tasks.services.question_regrouping import is_judged, plan_regrouping, plannable_comparisons

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
