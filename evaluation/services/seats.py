"""Seats: how many people judge each comparison, in which order, and what is shown a second time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from django.db import transaction

from evaluation.checks import draw
from evaluation.digests import text_digest
from evaluation.models import Comparison, Slot, Task
from evaluation.services.storing import Value, insert_rows

AT_ONCE = 1000
COLUMNS = ("task_id", "comparison_id", "k", "presentation", "position", "state")


class Asking(NamedTuple):
    """A comparison that asks something."""

    pk: int
    item: int
    first: str
    second: str
    check: str


def make_seats(task: Task, *, repeats: int = 0) -> None:
    """Seats for every comparison that asks something, in the order in which they will be given out."""
    found = Comparison.objects.filter(item__task=task, owned_pairs__isnull=False).distinct()
    rows = found.values_list("pk", "item__position", "first__digest", "second__digest", "check_kind")
    asking = [Asking(*row) for row in rows.iterator(chunk_size=1000)]
    if task.judging == Task.Judging.PLACES:
        asking = _one_per_sentence(task, asking)
    slots = _slots(task, asking, repeats)
    while some := list(islice(slots, AT_ONCE)):
        with transaction.atomic():
            # Can be repeated after a crash: an existing seat is not added again.
            insert_rows(Slot, COLUMNS, some, again=True)
    count_seats(task)


def count_seats(task: Task) -> None:
    """Store how many comparisons one person is given, so that no page has to count them."""
    seats = task.slots.order_by().values("comparison").distinct()
    size, repeated = (seats.filter(presentation=n).count() for n in (0, 1))
    Task.objects.filter(pk=task.pk).update(size=size, repeated=repeated)


def seat_lot(seed: int, first: str, second: str) -> str:
    """A pseudo-random key, from the digests of its texts, that decides a comparison's position."""
    return text_digest(str(seed), first, second)


def _one_per_sentence(task: Task, asking: Sequence[Asking]) -> list[Asking]:
    """Where all candidates of a sentence are judged together, one comparison has the seats for all."""
    together = set(task.items.exclude(places=[]).values_list("position", flat=True))
    seats: dict[int, Asking] = {}
    for one in sorted(asking, key=lambda one: seat_lot(task.seed, one.first, one.second)):
        if one.item in together:
            seats.setdefault(one.item, one)
    return [*(one for one in asking if one.item not in together), *seats.values()]


def is_repeated(seed: int, first: str, second: str, percent: int) -> bool:
    """Whether a comparison, by the digests of its texts, is shown a second time."""
    return int(text_digest("repeat", str(seed), first, second)[:8], 16) % 100 < percent


def _slots(task: Task, asking: Sequence[Asking], repeats: int) -> Iterator[tuple[Value, ...]]:
    seed = str(task.seed)
    shuffled = task.order == Task.Order.SHUFFLED
    ordered = sorted(
        asking, key=lambda one: (0 if shuffled else one.item, seat_lot(task.seed, one.first, one.second))
    )
    gap = max(10, len(ordered) // 4)
    for place, one in enumerate(ordered):
        # A check is placed far from its sentence, like a repeat, so that the two cannot be distinguished.
        again = not one.check and is_repeated(task.seed, one.first, one.second, repeats)
        start = _elsewhere(place, gap, len(ordered), one, seed) if one.check else place
        for n in range(2 if again else 1):
            for k in range(task.overlap):
                yield task.pk, one.pk, k, n, start + n * gap, Slot.State.FREE.value


def _elsewhere(place: int, gap: int, length: int, one: Asking, seed: str) -> int:
    """A place that is at least ``gap`` away, around the end if need be."""
    further = draw(max(1, length - 2 * gap), "check", seed, one.first, one.second)
    return (place + gap + further) % length
