"""Giving out work and taking in answers.

Two promises live here. No seat is given to two people: seats exist before anybody asks, and taking one
is a single conditional update. No answer is lost or doubled: each carries the browser's own id, is
appended and never changed, and is acknowledged after the commit only.
"""

from __future__ import annotations

import uuid as uuids
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, FilteredRelation, Max, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from evaluation.blinding import canonical, is_swapped
from evaluation.models import (
    Alignment,
    Annotator,
    Assignment,
    Comparison,
    Membership,
    Occurrence,
    Ranking,
    Role,
    Slot,
    Task,
)
from evaluation.prepared import Prepared, PreparedInsert
from evaluation.schemes import Choice


class TaskClosed(Exception):
    """The task takes no new work."""


class UnknownPhrase(Exception):
    """The phrase is no question of this assignment."""


class ChoiceNotInScheme(Exception):
    """The choice exists, but this task does not offer it."""


class ReusedId(Exception):
    """The answer's id already belongs to another answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a browser sends: ``choice`` as shown, ``base`` the version that the annotator saw (0: none)."""

    uuid: uuids.UUID
    phrase: int
    choice: Choice | None
    base: int
    active_ms: int | None = None
    elapsed_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is stored: ``choice`` as this annotator sees the sides."""

    version: int
    choice: Choice | None


class StaleAnswer(Exception):
    """Somewhere else (another tab) this annotator has answered meanwhile; nothing was overwritten."""

    def __init__(self, stored: Receipt) -> None:
        super().__init__(f"version {stored.version} is stored")
        self.stored = stored


# --- giving out work ---------------------------------------------------------------------------------


def next_assignment(task: Task, annotator: Annotator) -> Assignment | None:
    """What this annotator does next: unfinished work first, then a free seat; ``None`` if all is done."""
    if not task.is_open:
        raise TaskClosed(task.slug)
    quota = _quota(task, annotator)
    # Where a transaction locks the whole database, the search comes before it: it takes longer than the rest,
    # and everybody's answers would wait. A seat that is gone by then is not taken, and sought once more.
    ahead = None if connection.features.has_select_for_update else _first_free(task, annotator)
    with transaction.atomic():
        # One claim at a time for each annotator, or two tabs could be given the same comparison twice.
        Annotator.objects.select_for_update().get(pk=annotator.pk)
        unfinished = annotator.assignments.filter(task=task, finished_at__isnull=True)
        for assignment in unfinished.order_by("number"):
            if take_seat(assignment) is not None:
                return assignment
            _release(assignment)
        return _claim(task, annotator, quota, ahead)


def _claim(
    task: Task, annotator: Annotator, quota: int | None, seen: Slot | None = None
) -> Assignment | None:
    mine = annotator.assignments.filter(task=task).aggregate(n=Max("number"))["n"] or 0
    if quota is not None and mine >= quota:
        return None
    slot = seen or _first_free(task, annotator)
    if slot is None:
        return None
    taken = (
        Slot.objects.filter(pk=slot.pk)
        .free()
        .update(state=Slot.State.TAKEN, annotator=annotator, lease_until=_lease(task))
    )
    if not taken:  # somebody was faster; the next look no longer sees that seat
        return _claim(task, annotator, quota)
    return Assignment.objects.create(
        annotator=annotator,
        task=task,
        comparison=slot.comparison,
        presentation=slot.presentation,
        alignment=Alignment.objects.filter(comparison=slot.comparison_id).latest(),
        number=mine + 1,
        swapped=_swapped(slot.comparison, annotator, slot.presentation),
    )


def _swapped(comparison: Comparison, annotator: Annotator, presentation: int) -> bool:
    secret = settings.SECRET_KEY.encode()
    return is_swapped(secret, annotator.key, comparison.first.text, comparison.second.text, presentation)


def _first_free(task: Task, annotator: Annotator) -> Slot | None:
    """The next seat in order; looks behind the annotator's last position only when nothing is ahead."""
    seen = Assignment.objects.filter(
        annotator=annotator, comparison=OuterRef("comparison"), presentation=OuterRef("presentation")
    )
    # A repeat goes to somebody who has finished the comparison before.
    seen_before = Assignment.objects.filter(
        annotator=annotator,
        comparison=OuterRef("comparison"),
        presentation=OuterRef("presentation") - 1,
        finished_at__isnull=False,
    )
    free = (
        Slot.objects.filter(task=task)
        .select_related("comparison__first", "comparison__second")
        .free()
        .filter(Q(presentation=0) | Exists(seen_before))
        .exclude(Exists(seen))
        .order_by("position", "k")
    )
    if connection.features.has_select_for_update_skip_locked:
        free = free.select_for_update(skip_locked=True, of=("self",))
    last = annotator.slots.filter(task=task).aggregate(p=Max("position"))["p"]
    if last is None:
        return free.first()
    return free.filter(position__gt=last).first() or free.first()


def _quota(task: Task, annotator: Annotator) -> int | None:
    memberships = Membership.objects.filter(
        Q(task=task) | Q(task__isnull=True, campaign=task.campaign_id),
        user=annotator.user_id,
        role=Role.ANNOTATOR,
    )
    return min((m.quota for m in memberships if m.quota is not None), default=None)


def _lease(task: Task) -> datetime:
    return timezone.now() + timedelta(minutes=task.lease_minutes)


def take_seat(assignment: Assignment) -> Slot | None:
    """Keep the seat of an assignment, or find another at the same comparison; ``None``: all are taken."""
    where = assignment.annotator_id, assignment.comparison_id, assignment.presentation
    for own in _OWN_SEAT.objects(*where):
        if own.state == Slot.State.TAKEN and _is_half_over(own, assignment.task):
            Slot.objects.filter(pk=own.pk).update(lease_until=_lease(assignment.task))
        return own
    seats = Slot.objects.filter(comparison=assignment.comparison_id, presentation=assignment.presentation)
    for seat in seats.free().order_by("k"):
        try:
            with transaction.atomic():
                taken = (
                    Slot.objects.filter(pk=seat.pk)
                    .free()
                    .update(
                        state=Slot.State.TAKEN,
                        annotator=assignment.annotator_id,
                        lease_until=_lease(assignment.task),
                    )
                )
        except IntegrityError:  # another tab of the same annotator sat down first
            return seats.filter(annotator=assignment.annotator_id).first()
        if taken:
            seat.annotator_id, seat.state = assignment.annotator_id, Slot.State.TAKEN
            return seat
    return None


# Locked until the answer is in: a seat cannot be given away while its holder is being written down.
_OWN_SEAT = Prepared(
    lambda annotator, comparison, presentation: Slot.objects.select_for_update()
    .filter(annotator=annotator, comparison=comparison, presentation=presentation)
    .only("state", "lease_until"),
    10001, 10002, 10003,
)  # fmt: skip


def _is_half_over(seat: Slot, task: Task) -> bool:
    """A lease is renewed at half time, not at every answer: most answers then cost one write."""
    half = timedelta(minutes=task.lease_minutes) / 2
    return seat.lease_until is None or seat.lease_until - timezone.now() < half


def _release(assignment: Assignment) -> None:
    """Close an assignment whose seat went to somebody else; late answers still find it by its token."""
    assignment.finished_at = timezone.now()
    assignment.skip_reason = "lease expired"
    assignment.save(update_fields=["finished_at", "skip_reason"])


# --- taking in answers -------------------------------------------------------------------------------


def submit_ranking(assignment: Assignment, answer: Answer, *, received_at: datetime | None = None) -> Receipt:
    """Append one answer; a repeated request gets the receipt of the first.

    Raises ``StaleAnswer`` where another answer was stored since the one that the annotator saw.
    """
    if answer.choice is not None and answer.choice not in assignment.task.scheme.choices:
        raise ChoiceNotInScheme(answer.choice)
    try:
        return _append(assignment, answer, received_at)
    except IntegrityError:
        # Two requests at the same moment: the other one is in now, and the second look sees it.
        try:
            return _append(assignment, answer, received_at)
        except IntegrityError as error:
            raise ReusedId(str(answer.uuid)) from error


def _append(assignment: Assignment, answer: Answer, received_at: datetime | None) -> Receipt:
    with transaction.atomic():
        # First the seat, which locks: answers to one comparison by one person come one after another.
        seat = take_seat(assignment) if assignment.task.is_open else None
        place = _place(assignment, answer.phrase)
        for version, choice, uuid in place.given:
            if uuid == answer.uuid:
                return Receipt(version, place.turned(choice))
        current = place.current
        if current.choice == answer.choice:  # a whole form repeats what single clicks said
            return current
        if current.version != answer.base:
            raise StaleAnswer(current)
        _APPEND(
            uuid=answer.uuid,
            annotator=assignment.annotator_id,
            pair=place.pair,
            presentation=assignment.presentation,
            version=current.version + 1,
            choice=place.turned(answer.choice),
            slot=seat.pk if seat else None,
            alignment=assignment.alignment_id,
            swapped=place.turns,
            active_ms=answer.active_ms,
            elapsed_ms=answer.elapsed_ms,
            received_at=received_at or timezone.now(),
        )
        if answer.choice is None and assignment.finished_at is not None:
            reopen(assignment)
    return Receipt(current.version + 1, answer.choice)


@dataclass(frozen=True, slots=True)
class _Place:
    """A pair as one annotator sees it, and what they have said about it: version, choice as stored, id."""

    pair: int
    turns: bool  # whether the pair's second text stands on the left, as A
    given: list[tuple[int, str | None, uuids.UUID]]

    def turned(self, choice: str | None) -> Choice | None:
        """From shown to stored, or back."""
        return None if choice is None else canonical(Choice(choice), swapped=self.turns, flipped=False)

    @property
    def current(self) -> Receipt:
        if not self.given:
            return Receipt(0, None)
        version, choice, _ = max(self.given)  # versions differ, so nothing behind them is compared
        return Receipt(version, self.turned(choice))


def _place(assignment: Assignment, phrase: int) -> _Place:
    where = assignment.alignment_id, assignment.comparison_id, phrase
    found = _ASKED.rows(*where, assignment.annotator_id, assignment.presentation)
    if not found:
        raise UnknownPhrase(str(phrase))
    pair, flipped, *_ = found[0]
    given = [(version, choice, uuid) for _, _, version, choice, uuid in found if version is not None]
    return _Place(pair, assignment.swapped != flipped, given)


_APPEND = PreparedInsert(
    Ranking, "uuid", "annotator", "pair", "presentation", "version", "choice", "slot", "alignment", "swapped",
    "active_ms", "elapsed_ms", "received_at",
)  # fmt: skip
# The phrase if it is a question here: a row for each version of this annotator's answer, or one without.
_ASKED = Prepared(
    lambda alignment, comparison, index, annotator, presentation: Occurrence.objects.filter(
        alignment=alignment, pair__owner=comparison, index=index
    )
    .annotate(
        given=FilteredRelation(
            "pair__rankings",
            condition=Q(pair__rankings__annotator=annotator, pair__rankings__presentation=presentation),
        )
    )
    .values_list("pair_id", "flipped", "given__version", "given__choice", "given__uuid"),
    10001, 10002, 10003, 10004, 10005,
)  # fmt: skip


def finish(assignment: Assignment) -> list[int]:
    """Close an assignment if every question has an answer; otherwise say which phrases still miss one."""
    with transaction.atomic():
        missing = unanswered(assignment)
        if not missing and assignment.finished_at is None:
            end(assignment, reason="")
    return missing


def skip(assignment: Assignment, reason: str) -> None:
    """Put a comparison aside with a reason. Skipped is no judgement: nothing is stored about its pairs."""
    with transaction.atomic():
        end(assignment, reason=reason or "no reason given")


def end(assignment: Assignment, *, reason: str) -> None:
    assignment.finished_at = timezone.now()
    assignment.skip_reason = reason
    answers = Ranking.objects.filter(
        annotator=assignment.annotator_id, presentation=assignment.presentation, **_questions(assignment)
    )
    assignment.active_ms = answers.aggregate(ms=Sum("active_ms"))["ms"] or 0
    assignment.save(update_fields=["finished_at", "skip_reason", "active_ms"])
    Slot.objects.filter(
        comparison=assignment.comparison_id,
        annotator=assignment.annotator_id,
        presentation=assignment.presentation,
    ).update(state=Slot.State.DONE, lease_until=None)


def _questions(assignment: Assignment) -> dict[str, int]:
    """The pairs that are asked: the comparison's own, or the sentence's where all candidates are judged."""
    if assignment.task.judging == Task.Judging.PLACES and assignment.comparison.item.places:
        return {"pair__item": assignment.comparison.item_id}
    return {"pair__owner": assignment.comparison_id}


def reopen(assignment: Assignment) -> None:
    """A withdrawn answer leaves a gap: the comparison is unfinished again."""
    assignment.finished_at = None
    assignment.save(update_fields=["finished_at"])
    Slot.objects.filter(
        comparison=assignment.comparison_id,
        annotator=assignment.annotator_id,
        presentation=assignment.presentation,
    ).update(state=Slot.State.TAKEN, lease_until=_lease(assignment.task))


# --- what an assignment asks ---------------------------------------------------------------------------


def asked(assignment: Assignment) -> QuerySet[Occurrence]:
    """The questions of an assignment: the phrases whose pair this comparison owns."""
    return Occurrence.objects.filter(alignment=assignment.alignment_id, pair__owner=assignment.comparison_id)


def unanswered(assignment: Assignment) -> list[int]:
    """Indices of asked phrases without a current answer."""
    answers = current_choices(assignment)
    return [
        index for index, pair in asked(assignment).values_list("index", "pair_id") if not answers.get(pair)
    ]


def current_choices(assignment: Assignment) -> dict[int, str | None]:
    """Pair id → the choice that counts now, as stored; the last version of each pair wins."""
    rows = (
        Ranking.objects.filter(
            annotator=assignment.annotator_id,
            presentation=assignment.presentation,
            pair__owner=assignment.comparison_id,
        )
        .order_by("version")
        .values_list("pair_id", "choice")
    )
    return dict(rows)
