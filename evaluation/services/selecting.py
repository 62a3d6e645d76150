"""Ask the most useful question next: the order of open comparisons, redrawn while answers come in.

Claiming a seat knows nothing of this: it follows ``Slot.position`` as always. Here, between two jobs of a
worker, comparisons that nobody has begun are drawn at random with known probabilities
(``evaluation.selection``) and given the next positions; the rest waits far behind, in random order. So every
comparison has a known probability, and a worker that is late costs efficiency but no validity: what is taken
from the rest was drawn at random.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone

from evaluation.models import Assignment, Draw, PhrasePair, Slot, Task, User
from evaluation.models.steering import REST
from evaluation.reports import judgements, votes
from evaluation.selection import comparison_scores, disagreement_table, drawn_order, order_table
from evaluation.selection.questions import Floats
from evaluation.services import trail
from evaluation.study import Meetings, Study, study_votes

AHEAD = 200  # drawn at a time
EVERY = 20  # comparisons begun before the order is drawn again
AT_ONCE = 500


class NotForPlaces(Exception):
    """Where all candidates of a sentence are judged together, there is no pair of systems to choose."""


def select(task: Task, selection: Task.Selection, *, by: User) -> None:
    """Switch selection on or off; when off, what is left is asked in random order, so estimates stay
    valid."""
    if selection and task.judging == Task.Judging.PLACES:
        raise NotForPlaces(task.slug)
    with transaction.atomic():
        Task.objects.filter(pk=task.pk).update(selection=selection)
        trail.note(by, "selection", task, {"selection": selection.value})
    task.selection = selection


def draw_for_running_tasks() -> int:
    """Draw again for every task where enough has happened since; returns for how many."""
    tasks = Task.objects.open().exclude(selection=Task.Selection.OFF).select_related("campaign")
    due = [task for task in tasks.order_by("pk") if is_due(task)]
    for task in due:
        draw_questions(task, seed=secrets.randbits(63))
    return len(due)


def is_due(task: Task) -> bool:
    """Something can be drawn, and nothing ever was or ``EVERY`` comparisons were begun since."""
    ordinary = task.slots.filter(presentation=0, k=0, comparison__check_kind="")
    if not ordinary.filter(~_begun("comparison")).exists():
        return False
    last = task.draws.aggregate(at=Max("drawn_at"))["at"]
    if last is None:
        return True
    begun = task.draws.filter(drawn_at=last).filter(_begun("comparison")).count()
    beyond = ordinary.filter(_begun("comparison"), position__gte=REST).count()
    return begun + beyond >= EVERY


def draw_questions(task: Task, *, seed: int) -> int:
    """Draw the next comparisons and return how many; what was drawn but not begun returns to the pool
    first."""
    study = judgements.study([task])
    meetings = votes.meetings([task], study)
    table = _table(task, study, meetings)  # the slow part, before anything is locked
    with transaction.atomic():
        if not Task.objects.select_for_update().filter(pk=task.pk).exclude(selection="").exists():
            return 0
        # Locked: a claim of one of these has either finished before we look, or takes another.
        list(task.slots.filter(comparison__draw__isnull=False).select_for_update().values_list("pk"))
        pot = _Pot.of(task)
        task.draws.filter(~_begun("comparison")).delete()
        _write_down_taken(task, pot)
        scores = _scores(pot.open, table, study, meetings)
        draws = drawn_order(scores, seed=seed, most=AHEAD)
        chosen = [pot.open[draw.question] for draw in draws]
        start, now = _next_number(task), timezone.now()
        Draw.objects.bulk_create(
            Draw(
                task=task, comparison_id=comparison, number=start + n, left=len(pot.open) - n,
                probability=draw.probability, drawn_at=now,
            )
            for n, (comparison, draw) in enumerate(zip(chosen, draws, strict=True))
        )  # fmt: skip
        _place(task, chosen, pot.next_position + len(pot.taken))
        _put_back(task, set(pot.ahead) - set(chosen), np.random.default_rng(seed))
    return len(draws)


class _Pot(NamedTuple):
    """The ordinary comparisons of a task: those not begun, those of them that do not wait in the rest, those
    that were begun from the rest, and the position after the last one begun."""

    open: list[int]
    ahead: list[int]
    taken: list[int]
    next_position: int

    @classmethod
    def of(cls, task: Task) -> _Pot:
        seats = task.slots.filter(presentation=0, k=0, comparison__check_kind="").order_by("position", "pk")
        rows = list(seats.annotate(begun=_begun("comparison")).values_list("comparison", "position", "begun"))
        last = max((position for _, position, begun in rows if begun and position < REST), default=-1)
        return cls(
            open=[comparison for comparison, _, begun in rows if not begun],
            ahead=[comparison for comparison, position, begun in rows if not begun and position < REST],
            taken=[comparison for comparison, position, begun in rows if begun and position >= REST],
            next_position=last + 1,
        )


def _begun(comparison: str) -> Exists:
    return Exists(Assignment.objects.filter(comparison=OuterRef(comparison)))


def _next_number(task: Task) -> int:
    last = task.draws.aggregate(n=Max("number"))["n"]
    return 0 if last is None else last + 1


def _write_down_taken(task: Task, pot: _Pot) -> None:
    """What was begun from the rest was drawn at random: each of those left was as likely as any other."""
    if not pot.taken:
        return
    start, left = _next_number(task), len(pot.open) + len(pot.taken)
    Draw.objects.bulk_create(
        Draw(
            task=task, comparison_id=comparison, number=start + n, left=left - n, probability=1 / (left - n)
        )
        for n, comparison in enumerate(pot.taken)
    )  # fmt: skip
    _place(task, pot.taken, pot.next_position)


def _table(task: Task, study: Study, meetings: Meetings) -> Floats:
    cast = study_votes(study, meetings)
    return order_table(cast) if task.selection == Task.Selection.ORDER else disagreement_table(cast)


def _scores(comparisons: Sequence[int], table: Floats, study: Study, meetings: Meetings) -> Floats:
    """The value of one judgement at each comparison."""
    code = {comparison: n for n, comparison in enumerate(comparisons)}
    keys = np.asarray(study.pair_keys, dtype=np.int64)
    tasks = [task.slug for task in study.tasks]
    rows = PhrasePair.objects.filter(task__slug__in=tasks).order_by().values_list("owner", "pk")
    asked = np.array([(code[owner], pair) for owner, pair in rows if owner in code], dtype=np.int64)
    owners, pairs = asked.reshape(-1, 2).T
    places = (meetings.pairs, meetings.first, meetings.second)
    return comparison_scores(table, places, (owners, np.searchsorted(keys, pairs)), len(comparisons))


def _place(task: Task, comparisons: Sequence[int], start: int) -> None:
    """The next positions, in this order; what is shown a second time comes much later, as at import."""
    gap = max(10, task.size // 4)
    place = {comparison: start + n for n, comparison in enumerate(comparisons)}
    _move(task, place, gap)


def _put_back(task: Task, comparisons: Iterable[int], random: np.random.Generator) -> None:
    """Move comparisons to random positions in the rest."""
    place = {comparison: REST + int(random.integers(REST)) for comparison in sorted(comparisons)}
    _move(task, place, 0)


def _move(task: Task, place: dict[int, int], gap: int) -> None:
    where = list(place)
    for start in range(0, len(where), AT_ONCE):
        slots = list(task.slots.filter(comparison__in=where[start : start + AT_ONCE]))
        for slot in slots:
            slot.position = place[slot.comparison_id] + slot.presentation * gap
        Slot.objects.bulk_update(slots, ["position"], batch_size=AT_ONCE)
