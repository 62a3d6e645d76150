"""Create the slots of a task, and adjust slots and owners after an alignment was corrected.

Every pair is owned by one comparison and asked only there, and a comparison that owns no pair has no
slots. Both remain true after a correction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, QuerySet

from appraise.lib.digests import text_digest
from evaluation.annotate.known_answers import pick_number
from evaluation.annotate.services.assignments import repeat_distance
from evaluation.models import Alignment, Assignment, Comparison, Occurrence, PhrasePair, Ranking, Slot, Task
from evaluation.tasks.services.storage import pick_owners

AT_ONCE = 1000


class AskingComparison(NamedTuple):
    """A comparison that owns a pair, or a passage: ``first`` and ``second`` are digests of its texts."""

    pk: int
    item: int
    first: str
    second: str
    check: str


def create_slots(task: Task, *, repeats: int = 0) -> None:
    """Create the slots of every comparison that owns a pair, in the order in which they are claimed."""
    comparisons = Comparison.objects.filter(item__task=task, owned_pairs__isnull=False).distinct()
    rows = comparisons.values_list("pk", "item__position", "first__digest", "second__digest", "check_kind")
    asking = [AskingComparison(*row) for row in rows.iterator(chunk_size=1000)]
    if task.judging == Task.Judging.PLACES:
        asking = _select_one_per_sentence(task, asking)
    ordered = order_comparisons(asking, task.seed, shuffled=task.order == Task.Order.SHUFFLED)
    store_slots(task, _make_slots(task, ordered, select_repeated(task.seed, ordered, repeats)))


def create_passage_slots(task: Task, ordered: Sequence[AskingComparison], repeated: Collection[int]) -> None:
    """Create the slots of passages, which come after all comparisons, in the given order.

    Those at the positions ``repeated`` are shown a second time.
    """
    last = task.slots.filter(passage=None).order_by("-position").values_list("position", flat=True).first()
    start = 0 if last is None else last + 1
    store_slots(task, _make_slots(task, ordered, repeated, "passage_id", start))


def store_slots(task: Task, slots: Iterator[Slot]) -> None:
    while some := list(islice(slots, AT_ONCE)):
        # Idempotent after a crash: existing slots are not added again. Each thousand is a transaction.
        Slot.objects.bulk_create(some, ignore_conflicts=True)
    update_task_size(task)


def update_task_size(task: Task) -> None:
    """Store how many comparisons and passages each annotator gets, so that no page has to count them."""
    shown = task.slots.order_by().values("comparison", "passage").distinct()
    size, repeated = (shown.filter(presentation=n).count() for n in (0, 1))
    Task.objects.filter(pk=task.pk).update(size=size, repeated=repeated)


def slot_sort_key(seed: int, first: str, second: str) -> str:
    """Return a pseudo-random key from the digests of two texts, which determines the position."""
    return text_digest(str(seed), first, second)


def _select_one_per_sentence(task: Task, asking: Sequence[AskingComparison]) -> list[AskingComparison]:
    """Select one comparison of each sentence whose candidates are judged together; it gets the slots."""
    by_place = set(task.items.exclude(places=[]).values_list("position", flat=True))
    selected: dict[int, AskingComparison] = {}
    for comparison in sorted(
        asking, key=lambda comparison: slot_sort_key(task.seed, comparison.first, comparison.second)
    ):
        if comparison.item in by_place:
            selected.setdefault(comparison.item, comparison)
    return [*(comparison for comparison in asking if comparison.item not in by_place), *selected.values()]


def is_repeated(seed: int, first: str, second: str, percent: int) -> bool:
    """Return whether a comparison, given by the digests of its texts, is shown a second time."""
    return int(text_digest("repeat", str(seed), first, second)[:8], 16) % 100 < percent


def _make_slots(
    task: Task,
    ordered: Sequence[AskingComparison],
    repeated: Collection[int],
    column: str = "comparison_id",
    base: int = 0,
) -> Iterator[Slot]:
    seed = str(task.seed)
    gap = find_gap(len(ordered))
    for position, comparison in enumerate(ordered):
        # A check is placed far from its sentence, like a repeat, so that the two cannot be distinguished.
        start = (
            _distant_position(position, gap, len(ordered), comparison, seed) if comparison.check else position
        )
        positions = [start, *([_repeat_position(position, gap)] if position in repeated else ())]
        for n, shown_at in enumerate(positions):
            for k in range(task.overlap):
                # Each position once: claiming goes on after the last one.
                about = {column: comparison.pk}
                yield Slot(task=task, k=k, presentation=n, position=base + 2 * shown_at + n, **about)


def order_comparisons(
    asking: Iterable[AskingComparison], seed: int, *, shuffled: bool
) -> list[AskingComparison]:
    return sorted(
        asking,
        key=lambda each: (0 if shuffled else each.item, slot_sort_key(seed, each.first, each.second)),
    )


def find_gap(length: int) -> int:
    """Return how many positions a repeat follows its first showing."""
    return max(repeat_distance(length), length // 4)


def _repeat_position(position: int, gap: int) -> int:
    return position + gap + 4 * (position % 2)  # neighbours are not repeated side by side


def select_repeated(seed: int, ordered: Sequence[AskingComparison], percent: int) -> set[int]:
    """Return the positions of the comparisons that are repeated.

    Near the end of the task, where nothing follows that could stand between, there are fewer.
    """
    chosen = {
        position
        for position, comparison in enumerate(ordered)
        if not comparison.check and is_repeated(seed, comparison.first, comparison.second, percent)
    }
    gap, least = find_gap(len(ordered)), repeat_distance(len(ordered))
    while True:
        showings = [(position, position) for position in range(len(ordered))]
        showings += [(_repeat_position(position, gap), position) for position in chosen]
        sequence = [position for _, position in sorted(showings)]
        first: dict[int, int] = {}
        misplaced = set()
        for number, position in enumerate(sequence):
            if position not in first:
                first[position] = number
                continue
            before = sequence[first[position] - 1] if first[position] else None
            beside = sequence[number - 1 : number + 2 : 2]
            if number - first[position] < least or before in beside:
                misplaced.add(position)
        if not misplaced:
            return chosen
        chosen -= misplaced


def _distant_position(position: int, gap: int, length: int, comparison: AskingComparison, seed: str) -> int:
    """Return a position that is at least ``gap`` away, modulo the length."""
    offset = pick_number(max(1, length - 2 * gap), "check", seed, comparison.first, comparison.second)
    return (position + gap + offset) % length


def current_occurrences() -> QuerySet[Occurrence]:
    """Return the occurrences in the newest alignment of every comparison."""
    newer = Alignment.objects.filter(
        comparison=OuterRef("alignment__comparison"), version__gt=OuterRef("alignment__version")
    )
    return Occurrence.objects.filter(~Exists(newer))


def reassign_owners(task: Task, versions: Sequence[Alignment]) -> set[int]:
    """Pick a new owner, as at import, for pairs that their owner no longer asks; returns the new owners.

    Such a pair no longer occurs in the newest alignment of its owner, has no answer, and is part of no open
    assignment.
    """
    at_owner = current_occurrences().filter(pair=OuterRef("pk"), alignment__comparison=OuterRef("owner"))
    is_assigned = Assignment.objects.filter(
        comparison=OuterRef("owner"),
        finished_at__isnull=True,
        alignment__occurrences__pair=OuterRef("pk"),
    )
    lost = task.pairs.filter(
        ~Exists(at_owner), ~Exists(is_assigned),
        ~Exists(Ranking.objects.filter(pair=OuterRef("pk"))),
        Exists(Occurrence.objects.filter(pair=OuterRef("pk"), alignment__in=versions)),
    )  # fmt: skip
    owners = pick_owners(task, current_occurrences().filter(pair__in=lost))
    PhrasePair.objects.bulk_update(
        [PhrasePair(pk=pair, owner_id=comparison) for pair, comparison in owners.items()], ["owner"]
    )
    return set(owners.values())


def adjust_slots(task: Task, comparisons: set[int]) -> None:
    """Add slots to comparisons that own a pair now, and remove the free slots of the others."""
    asking = set(
        current_occurrences()
        .filter(alignment__comparison__in=comparisons, pair__owner=F("alignment__comparison"))
        .values_list("alignment__comparison_id", flat=True)
    )
    task.slots.filter(comparison__in=comparisons - asking, state=Slot.State.FREE).delete()
    asked = task.slots.filter(presentation=0, comparison__in=asking).order_by().values("comparison")
    complete = asked.annotate(n=Count("pk")).filter(n__gte=task.overlap).values_list("comparison", flat=True)
    for comparison in Comparison.objects.filter(pk__in=asking - set(complete)).select_related("item"):
        position = _find_position(task, comparison)
        slots = [Slot(task=task, comparison=comparison, k=k, position=position) for k in range(task.overlap)]
        Slot.objects.bulk_create(slots, ignore_conflicts=True)
    update_task_size(task)


def resize_slots(task: Task, overlap: int) -> None:
    """Add free slots, or remove them: each showing of a comparison or passage has ``overlap`` slots.

    A slot that somebody has is never removed.
    """
    with transaction.atomic():
        rows = task.slots.select_for_update().order_by("comparison", "passage", "presentation", "k")
        columns = rows.values_list("comparison", "passage", "presentation", "position", "k", "state", "pk")
        added, removed = list[Slot](), list[int]()
        for shown, group in groupby(columns, key=itemgetter(0, 1, 2, 3)):
            comparison, passage, presentation, position = shown
            slots = list(group)
            free = [pk for *_rest, state, pk in slots if state == Slot.State.FREE]
            removed += free[::-1][: max(0, len(slots) - overlap)]
            start = slots[-1][4] + 1
            added += [
                Slot(
                    task=task, comparison_id=comparison, passage_id=passage, presentation=presentation,
                    position=position, k=k,
                )
                for k in range(start, start + overlap - len(slots))
            ]  # fmt: skip
        for part in range(0, len(removed), AT_ONCE):
            Slot.objects.filter(pk__in=removed[part : part + AT_ONCE], state=Slot.State.FREE).delete()
        Slot.objects.bulk_create(added, batch_size=AT_ONCE)


def _find_position(task: Task, comparison: Comparison) -> int:
    """Return the last position of this sentence, or of the previous one, to keep the document order."""
    before = task.slots.filter(presentation=0, comparison__item__position__lte=comparison.item.position)
    last = before.order_by("-comparison__item__position", "-position").first()
    return last.position if last else 0
