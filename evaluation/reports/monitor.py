"""How far a task is: by sentence, by answer, by annotator."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Avg, Count, Max, Q
from django.utils import timezone

from evaluation.models import Annotator, Ranking, Slot, Task
from evaluation.schemes import Choice

IDLE_AFTER = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    name: str
    done: int
    answers: int
    seconds: float | None
    not_applicable: int
    last: datetime | None

    @property
    def na_share(self) -> float | None:
        return self.not_applicable / self.answers if self.answers else None

    @property
    def is_idle(self) -> bool:
        return self.last is None or timezone.now() - self.last > IDLE_AFTER


@dataclass(frozen=True, slots=True)
class MonitorPage:
    seats: int
    seats_done: int
    pairs: int
    answers: int
    by_label: list[tuple[Choice, int]]
    annotators: list[AnnotatorRow]

    @property
    def has_answers(self) -> bool:
        return self.answers > 0

    @property
    def na_share(self) -> float | None:
        labels = dict(self.by_label)
        return labels.get(Choice.NOT_APPLICABLE, 0) / self.answers if self.answers else None


def monitor_page(task: Task) -> MonitorPage:
    """Five queries, whatever is stored. Corrections count as said; reports count the last word only."""
    seats = task.slots.aggregate(n=Count("pk"), done=Count("pk", filter=Q(state=Slot.State.DONE)))
    said = Ranking.objects.filter(pair__task=task, choice__isnull=False)
    labels = dict(said.values_list("choice").annotate(n=Count("pk")).order_by())
    return MonitorPage(
        seats=seats["n"],
        seats_done=seats["done"],
        pairs=task.pairs.count(),
        answers=sum(labels.values()),
        by_label=[(choice, labels.get(choice.value, 0)) for choice in task.scheme.choices],
        annotators=_annotators(task),
    )


def _annotators(task: Task) -> list[AnnotatorRow]:
    done = dict(
        task.assignments.filter(finished_at__isnull=False)
        .values_list("annotator")
        .annotate(n=Count("pk"))
        .order_by()
    )
    people = (
        Annotator.objects.filter(rankings__pair__task=task)
        .select_related("user")
        .annotate(
            answers=Count("rankings"),
            ms=Avg("rankings__active_ms"),
            na=Count("rankings", filter=Q(rankings__choice=Choice.NOT_APPLICABLE)),
            last=Max("rankings__received_at"),
        )
    )
    return [
        AnnotatorRow(
            name=str(person),
            done=done.get(person.pk, 0),
            answers=person.answers,
            seconds=None if person.ms is None else person.ms / 1000,
            not_applicable=person.na,
            last=person.last,
        )
        for person in people.order_by("pk")
    ]
