"""After a correction: which comparison asks a pair, and where there are seats.

At import every pair is owned by one comparison and asked there alone, and a comparison that owns none has no
seats. Both stay true when an alignment is corrected.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Exists, F, OuterRef, QuerySet

from evaluation.models import Alignment, Assignment, Comparison, Occurrence, PhrasePair, Ranking, Slot, Task
from evaluation.services.seats import COLUMNS, count_seats
from evaluation.services.storing import drawn_owners, insert_rows


def standing() -> QuerySet[Occurrence]:
    """The current occurrences of pairs: those of every comparison's newest version."""
    newer = Alignment.objects.filter(
        comparison=OuterRef("alignment__comparison"), version__gt=OuterRef("alignment__version")
    )
    return Occurrence.objects.filter(~Exists(newer))


def settle_owners(task: Task, versions: Sequence[Alignment]) -> set[int]:
    """Draw a new owner, as the import does, for pairs that theirs no longer asks; returns those drawn.

    Such a pair no longer occurs in its owner's newest version, nobody has answered it, and nobody still works
    on an older version.
    """
    at_owner = standing().filter(pair=OuterRef("pk"), alignment__comparison=OuterRef("owner"))
    held = Assignment.objects.filter(
        comparison=OuterRef("owner"),
        finished_at__isnull=True,
        alignment__occurrences__pair=OuterRef("pk"),
    )
    lost = task.pairs.filter(
        ~Exists(at_owner), ~Exists(held),
        ~Exists(Ranking.objects.filter(pair=OuterRef("pk"))),
        Exists(Occurrence.objects.filter(pair=OuterRef("pk"), alignment__in=versions)),
    )  # fmt: skip
    drawn = drawn_owners(task, standing().filter(pair__in=lost))
    PhrasePair.objects.bulk_update(
        [PhrasePair(pk=pair, owner_id=comparison) for pair, comparison in drawn.items()], ["owner"]
    )
    return set(drawn.values())


def settle_seats(task: Task, comparisons: set[int]) -> None:
    """Add seats where something is asked now, and remove free ones where nothing is."""
    asking = set(
        standing()
        .filter(alignment__comparison__in=comparisons, pair__owner=F("alignment__comparison"))
        .values_list("alignment__comparison_id", flat=True)
    )
    task.slots.filter(comparison__in=comparisons - asking, state=Slot.State.FREE).delete()
    for comparison in Comparison.objects.filter(pk__in=asking).select_related("item"):
        place = _place(task, comparison)
        rows = [(task.pk, comparison.pk, k, 0, place, Slot.State.FREE.value) for k in range(task.overlap)]
        insert_rows(Slot, COLUMNS, rows, again=True)
    count_seats(task)


def _place(task: Task, comparison: Comparison) -> int:
    """After the last seats of this sentence, or of the one before it, to keep the document's order."""
    before = task.slots.filter(presentation=0, comparison__item__position__lte=comparison.item.position)
    last = before.order_by("-comparison__item__position", "-position").first()
    return last.position if last else 0
