"""Which questions were preferred as the most informative, and the weights that correct for it."""

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
from evaluation.results.weighted import WeightedLine
from evaluation.selection import Question, question_weights
from evaluation.study import Meetings, Study
from evaluation.study.weighted import study_weighted

SHOWN = 20


class DrawnRow(NamedTuple):
    """A line of the log; ``even``: its probability in a uniform draw; ``weight``: None until it is asked."""

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
    """A comparison, the pairs that it asks, its draw, and its weight if it was begun."""

    task: int
    comparison: int
    pairs: tuple[int, ...]
    question: Question
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
        pairs.setdefault(comparison, []).extend([] if pair is None else [pair])
    return [
        Weighted(task, comparison, tuple(pairs[comparison]), question, weight)
        for task, of_task in questions.items()
        for (comparison, question), weight in zip(
            of_task.items(), question_weights(list(of_task.values())), strict=True
        )
    ]


def was_selected(tasks: Sequence[Task]) -> bool:
    """Whether anything was ever drawn; the tasks of a page know it already."""
    known = [getattr(task, "selected", None) for task in tasks]
    if None in known:
        return Draw.objects.filter(task__in=list(tasks)).exists()
    return any(known)


def weighted_results(
    tasks: Sequence[Task], study: Study, meetings: Meetings
) -> dict[str, WeightedLine] | None:
    """Results that stand for all comparisons, where some were preferred; ``None`` where none ever was."""
    if not was_selected(tasks):
        return None
    return study_weighted(study, meetings, weights_of_pairs(pair_weights(tasks), study))


def weights_of_pairs(weighted: Sequence[Weighted], study: Study) -> Floats:
    """The weight of each pair of the study, that of the comparison which asks it; 1 where none does."""
    keys = np.asarray(study.pair_keys, dtype=np.int64)
    of_pair = np.ones(len(keys))
    for one in weighted:
        if one.weight is not None:
            of_pair[np.searchsorted(keys, np.array(one.pairs, dtype=np.int64))] = one.weight
    return of_pair
