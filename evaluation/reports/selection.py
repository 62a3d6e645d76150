"""What was asked because it was useful, and the weights that make up for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

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

SHOWN = 20


class DrawnRow(NamedTuple):
    """A line of the log; ``even``: its probability by lot; ``weight``: None until it is asked."""

    number: int
    sentence: str
    left: int
    probability: float
    even: float
    weight: float | None


@dataclass(frozen=True, slots=True)
class SelectionPage:
    """How far the drawn order was followed: comparisons of the task, those begun, and the log of draws."""

    comparisons: int
    begun: int
    draws: tuple[DrawnRow, ...]

    @property
    def asked(self) -> int:
        return sum(row.weight is not None for row in self.draws)

    @property
    def weights(self) -> tuple[float, float] | None:
        """From the lightest to the heaviest."""
        known = [row.weight for row in self.draws if row.weight is not None]
        return (min(known), max(known)) if known else None

    @property
    def latest(self) -> tuple[DrawnRow, ...]:
        return self.draws[-SHOWN:]

    @property
    def table(self) -> Table:
        columns = ("draw", "sentence", "left", "probability", "asked", "weight")
        rows = ((*row[:4], "no" if row.weight is None else "yes", row.weight) for row in self.draws)
        return Table("Drawn questions", columns, tuple(rows))


def selection_page(task: Task) -> SelectionPage:
    """Two queries, whatever is stored."""
    draws = task.draws.select_related("comparison__item").order_by("number")
    weights = {row.comparison: row.weight for row in pair_weights([task])}
    rows = tuple(
        DrawnRow(
            draw.number + 1,
            draw.comparison.item.key,
            draw.left,
            draw.probability,
            1 / draw.left,
            weights.get(draw.comparison_id),
        )
        for draw in draws
    )
    return SelectionPage(len(weights), sum(one is not None for one in weights.values()), rows)


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
