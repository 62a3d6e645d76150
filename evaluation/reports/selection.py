"""What was asked because it was useful, and the weights that make up for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Exists, OuterRef

from evaluation.agreement.judgements import Floats
from evaluation.agreement.rendering import Table
from evaluation.models import Assignment, Draw, Slot, Task
from evaluation.models.steering import REST
from evaluation.results.weighted import WeightedLine, weighted_lines
from evaluation.selection import Question, question_weights
from evaluation.study import Meetings, Study, study_votes
from evaluation.study.systems import cast_votes


@dataclass(frozen=True, slots=True)
class SelectionPage:
    """How far the drawn order was followed; ``weights`` from the lightest to the heaviest."""

    comparisons: int
    begun: int
    drawn: int
    table: Table

    @property
    def weights(self) -> tuple[float, float] | None:
        known = [float(row[-1]) for row in self.table.rows if isinstance(row[-1], float)]
        return (min(known), max(known)) if known else None


def selection_page(task: Task) -> SelectionPage:
    """Two queries, whatever is stored."""
    draws = task.draws.select_related("comparison__item").order_by("number")
    weights = pair_weights([task])
    begun = {row.comparison for row in weights}
    mine = {row.comparison: row.weight for row in weights}
    rows = tuple(
        (
            draw.number + 1,
            draw.comparison.item.key,
            draw.left,
            draw.probability,
            "yes" if mine.get(draw.comparison_id) is not None else "no",
            mine.get(draw.comparison_id),
        )
        for draw in draws
    )
    columns = ("draw", "sentence", "left", "probability", "asked", "weight")
    asked = sum(weight is not None for weight in mine.values())
    return SelectionPage(len(begun), asked, len(rows), Table("Drawn questions", columns, rows))


@dataclass(frozen=True, slots=True)
class Weighted:
    """A comparison, the pairs that it asks, and its weight if it was begun."""

    comparison: int
    pairs: tuple[int, ...]
    weight: float | None


def pair_weights(tasks: Sequence[Task]) -> list[Weighted]:
    """The weight of every ordinary comparison, task by task; one query."""
    begun = Exists(Assignment.objects.filter(comparison=OuterRef("comparison")))
    seats = Slot.objects.filter(task__in=list(tasks), presentation=0, k=0, comparison__check_kind="")
    rows = seats.order_by("task", "position", "comparison").values_list(
        "task", "comparison", "position", begun, "comparison__draw__number",
        "comparison__draw__probability", "comparison__owned_pairs",
    )  # fmt: skip
    questions: dict[int, dict[int, Question]] = {}
    pairs: dict[int, list[int]] = {}
    for task, comparison, position, was_begun, number, probability, pair in rows:
        rest = position if position >= REST else None
        questions.setdefault(task, {})[comparison] = Question(was_begun, number, probability, rest)
        pairs.setdefault(comparison, []).append(pair)
    return [
        Weighted(comparison, tuple(pairs[comparison]), weight)
        for of_task in questions.values()
        for comparison, weight in zip(of_task, question_weights(list(of_task.values())), strict=True)
    ]


def weighted_results(
    tasks: Sequence[Task], study: Study, meetings: Meetings
) -> dict[str, WeightedLine] | None:
    """Results that stand for all comparisons, where some were preferred; ``None`` where none ever was."""
    if not Draw.objects.filter(task__in=list(tasks)).exists():
        return None
    return weighted_lines(study_votes(study, meetings), _vote_weights(tasks, study, meetings))


def _vote_weights(tasks: Sequence[Task], study: Study, meetings: Meetings) -> Floats:
    """Of each vote: that of the comparison which asked it."""
    keys = np.asarray(study.pair_keys, dtype=np.int64)
    of_pair = np.ones(len(keys))
    for one in pair_weights(tasks):
        if one.weight is not None:
            of_pair[np.searchsorted(keys, np.array(one.pairs))] = one.weight
    answer, _place = cast_votes(study, meetings)
    return of_pair[study.pairs[answer]]
