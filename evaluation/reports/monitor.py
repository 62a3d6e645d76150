"""Progress of a task: by sentence, by answer, by annotator."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Avg, Count, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from evaluation.models import Annotator, Assignment, PhrasePair, Ranking, SentenceAnswer, Slot, Task
from evaluation.reports.judgements import pseudonym
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
    whole_sentences: int  # verdicts and ratings, also those that were imported
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


class Seats(NamedTuple):
    """How many comparisons × annotators a task has, and how many of them are finished."""

    total: int
    done: int

    @property
    def share(self) -> float | None:
        """Finished, in whole per cents rounded down: 100% is all of them."""
        return 100 * self.done // self.total / 100 if self.total else None


def seats_of(tasks: Collection[Task]) -> dict[int, Seats]:
    """Task id → its seats; one query."""
    counted = Slot.objects.filter(task__in=tasks).order_by().values_list("task")
    found = counted.annotate(total=Count("pk"), done=Count("pk", filter=Q(state=Slot.State.DONE)))
    return {task.pk: Seats(0, 0) for task in tasks} | {pk: Seats(*numbers) for pk, *numbers in found}


def monitor_page(task: Task, *, named: bool = False) -> MonitorPage:
    """Four queries, whatever is stored. Corrections count as answers here; other reports count the current
    answer only.

    Annotators go by their pseudonyms, or by their user names.
    """
    slots, pairs = Slot.objects.filter(task=OuterRef("pk")), PhrasePair.objects.filter(task=OuterRef("pk"))
    done = slots.filter(state=Slot.State.DONE)
    whole = SentenceAnswer.objects.filter(comparison__item__task=OuterRef("pk")).exclude(value="")
    whole = whole.exclude(question=SentenceAnswer.Question.COMMENT)
    counts = Task.objects.values_list(
        _number(slots), _number(done), _number(pairs), _number(whole, "comparison__item__task")
    ).get(pk=task.pk)
    said = Ranking.objects.filter(pair__task=task, choice__isnull=False)
    labels = dict(said.values_list("choice").annotate(n=Count("pk")).order_by())
    return MonitorPage(
        seats=counts[0],
        seats_done=counts[1],
        pairs=counts[2],
        whole_sentences=counts[3],
        answers=sum(labels.values()),
        by_label=[(choice, labels.get(choice.value, 0)) for choice in task.scheme.choices],
        annotators=_annotators(task, named=named),
    )


def _number(rows: QuerySet[Any], of: str = "task") -> Coalesce:
    """Subquery that counts the related rows of an outer row; Any: rows of any model."""
    counted = rows.order_by().values(of).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)


def _annotators(task: Task, *, named: bool) -> list[AnnotatorRow]:
    finished = Assignment.objects.filter(task=task, annotator=OuterRef("pk"), finished_at__isnull=False)
    people = Annotator.objects.select_related("user").annotate(done=_number(finished, "annotator"))
    # In one joined query, the finished assignments would be counted again for every single answer.
    said = {row["annotator"]: row for row in _said(task)}
    return [
        AnnotatorRow(
            name=str(person) if named or person.machine else pseudonym(task.campaign.key, person.key),
            done=person.done,
            answers=said[person.pk]["answers"],
            seconds=said[person.pk]["seconds"],
            not_applicable=said[person.pk]["not_applicable"],
            last=said[person.pk]["last"],
        )
        for person in people.filter(pk__in=said).order_by("pk")
    ]


def _said(task: Task) -> Iterable[Mapping[str, Any]]:  # Any: each column has a type of its own
    return (
        Ranking.objects.filter(pair__task=task)
        .order_by()
        .values("annotator")
        .annotate(
            answers=Count("pk", filter=Q(choice__isnull=False)),
            seconds=Avg("active_ms") / 1000,
            not_applicable=Count("pk", filter=Q(choice=Choice.NOT_APPLICABLE)),
            last=Max("received_at"),
        )
    )
