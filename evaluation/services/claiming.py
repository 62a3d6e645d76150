"""Assigning work: no seat is given to two people.

Seats exist before anybody asks, and taking one is a single conditional update. Working keeps a seat; after a
break longer than the lease it may have been given to somebody else.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from evaluation.blinding import is_swapped
from evaluation.models import Alignment, Annotator, Assignment, Comparison, Membership, Role, Slot, Task
from evaluation.models.judging import SlotQuerySet
from evaluation.prepared import Prepared, PreparedUpdate


class TaskClosed(Exception):
    """The task takes no new work."""


def next_assignment(task: Task, annotator: Annotator) -> Assignment | None:
    """What this annotator does next: unfinished work first, then a free seat; ``None`` if all is done."""
    if not task.is_open:
        raise TaskClosed(task.slug)
    quota = _quota(task, annotator)
    # Where a transaction locks the whole database (SQLite), the slow search comes before it, or everybody's
    # answers would wait. If the seat is gone by then, the search is repeated inside.
    ahead = None if connection.features.has_select_for_update else _first_free(task, annotator)
    with transaction.atomic():
        # One claim at a time per annotator, or two tabs could be given the same comparison.
        _LOCKED.rows(annotator.pk)
        for assignment in _UNFINISHED.objects(annotator.pk, task.pk):
            assignment.task = task
            if take_seat(assignment) is not None:
                return assignment
            _release(assignment)
        return _claim(task, annotator, quota, ahead)


def _claim(
    task: Task, annotator: Annotator, quota: int | None, seen: Slot | None = None
) -> Assignment | None:
    mine = _only(_NUMBER.rows(annotator.pk, task.pk), default=0)
    if quota is not None and mine >= quota:
        return None
    slot = seen or _first_free(task, annotator)
    if slot is None:
        return None
    taken = _TAKE(slot.pk, annotator.pk, timezone.now(), lease(task))
    if not taken:  # somebody was faster; the next search no longer finds that seat
        return _claim(task, annotator, quota)
    return Assignment.objects.create(
        annotator=annotator,
        task=task,
        comparison=slot.comparison,
        presentation=slot.presentation,
        alignment_id=_only(_ALIGNMENT.rows(slot.comparison_id)),
        number=mine + 1,
        swapped=_swapped(slot.comparison, annotator, slot.presentation),
    )


def _swapped(comparison: Comparison, annotator: Annotator, presentation: int) -> bool:
    secret = settings.SECRET_KEY.encode()
    return is_swapped(secret, annotator.key, comparison.first.text, comparison.second.text, presentation)


def _first_free(task: Task, annotator: Annotator) -> Slot | None:
    """The next free seat after the annotator's last position, else the first one before it."""
    last, now = _only(_POSITION.rows(annotator.pk, task.pk), default=-1), timezone.now()
    for after in (last, -1) if last >= 0 else (-1,):
        seats = [
            *_FREE.objects(task.pk, annotator.pk, after),
            *_LEFT.objects(task.pk, annotator.pk, after, now),
        ]
        if seats:
            return min(seats, key=lambda seat: (seat.position, seat.k))
    return None


def _open_to(task: int, annotator: int, after: int) -> SlotQuerySet:
    """The seats after a position that this annotator may take if they are free, in order."""
    given = Assignment.objects.filter(annotator=annotator, comparison=OuterRef("comparison"))
    seen = given.filter(presentation=OuterRef("presentation"))
    # A repeat goes to somebody who has finished the comparison before.
    seen_before = given.filter(presentation=OuterRef("presentation") - 1, finished_at__isnull=False)
    seats = (
        Slot.objects.filter(task=task, position__gt=after)
        .select_related("comparison__first", "comparison__second")
        .filter(Q(presentation=0) | Exists(seen_before))
        .exclude(Exists(seen))
        .order_by("position", "k")
    )
    if connection.features.has_select_for_update_skip_locked:
        seats = seats.select_for_update(skip_locked=True, of=("self",))
    return seats


# Two queries, because each can use an index in the order of seats; "free or expired" would read them all.
_FREE = Prepared(
    lambda task, annotator, after: _open_to(task, annotator, after).filter(state=Slot.State.FREE)[:1],
    10001, 10002, 10003,
)  # fmt: skip
_LEFT = Prepared(
    lambda task, annotator, after, now: _open_to(task, annotator, after).filter(
        state=Slot.State.TAKEN, lease_until__lt=now
    )[:1],
    10001, 10002, 10003, datetime(2001, 2, 3, tzinfo=UTC),
)  # fmt: skip
_TAKE = PreparedUpdate(
    lambda seat, annotator, now, until: (
        Slot.objects.filter(pk=seat).free(now),
        {"state": Slot.State.TAKEN, "annotator_id": annotator, "lease_until": until},
    ),
    10001, 10002, datetime(2001, 2, 3, tzinfo=UTC), datetime(2004, 5, 6, tzinfo=UTC),
)  # fmt: skip
_POSITION = Prepared(
    lambda annotator, task: Slot.objects.filter(annotator=annotator, task=task)
    .order_by("-position")
    .values_list("position")[:1],
    10001, 10002,
)  # fmt: skip
_NUMBER = Prepared(
    lambda annotator, task: Assignment.objects.filter(annotator=annotator, task=task)
    .order_by("-number")
    .values_list("number")[:1],
    10001, 10002,
)  # fmt: skip
_UNFINISHED = Prepared(
    lambda annotator, task: Assignment.objects.filter(
        annotator=annotator, task=task, finished_at__isnull=True
    ).order_by("number"),
    10001, 10002,
)  # fmt: skip
_ALIGNMENT = Prepared(
    lambda comparison: Alignment.objects.filter(comparison=comparison)
    .order_by("-version")
    .values_list("pk")[:1],
    10001,
)  # fmt: skip
_LOCKED = Prepared(
    lambda annotator: Annotator.objects.select_for_update().filter(pk=annotator).values_list("pk"), 10001
)
_QUOTAS = Prepared(
    lambda user, task, campaign: Membership.objects.filter(
        Q(task=task) | Q(task__isnull=True, campaign=campaign), user=user, role=Role.ANNOTATOR
    ).values_list("quota"),
    10001, 10002, 10003,
)  # fmt: skip


def _only(rows: list[tuple[Any, ...]], default: int | None = None) -> Any:
    """The value of a query for a single value."""
    return rows[0][0] if rows else default


def _quota(task: Task, annotator: Annotator) -> int | None:
    quotas = _QUOTAS.rows(annotator.user_id or 0, task.pk, task.campaign_id)
    return min((quota for (quota,) in quotas if quota is not None), default=None)


def lease(task: Task) -> datetime:
    """Until when a seat is reserved that is taken or renewed now."""
    return timezone.now() + timedelta(minutes=task.lease_minutes)


def take_seat(assignment: Assignment) -> Slot | None:
    """Renew the seat of an assignment, or take another at the same comparison; ``None``: all are taken."""
    where = assignment.annotator_id, assignment.comparison_id, assignment.presentation
    for own in _OWN_SEAT.objects(*where):
        if own.state == Slot.State.TAKEN and _is_half_over(own, assignment.task):
            Slot.objects.filter(pk=own.pk).update(lease_until=lease(assignment.task))
        return own
    seats = Slot.objects.filter(comparison=assignment.comparison_id, presentation=assignment.presentation)
    for seat in seats.free().order_by("k"):
        try:
            with transaction.atomic():
                taken = _TAKE(seat.pk, assignment.annotator_id, timezone.now(), lease(assignment.task))
        except IntegrityError:  # another tab of the same annotator took one first
            return seats.filter(annotator=assignment.annotator_id).first()
        if taken:
            seat.annotator_id, seat.state = assignment.annotator_id, Slot.State.TAKEN
            return seat
    return None


# Locked until the answer is stored: meanwhile the seat cannot be given to somebody else.
_OWN_SEAT = Prepared(
    lambda annotator, comparison, presentation: Slot.objects.select_for_update()
    .filter(annotator=annotator, comparison=comparison, presentation=presentation)
    .only("state", "lease_until"),
    10001, 10002, 10003,
)  # fmt: skip


def _is_half_over(seat: Slot, task: Task) -> bool:
    """A lease is renewed at half time rather than at every answer, so that most answers cost one write."""
    half = timedelta(minutes=task.lease_minutes) / 2
    return seat.lease_until is None or seat.lease_until - timezone.now() < half


def _release(assignment: Assignment) -> None:
    """Close an assignment whose seat went to somebody else; late answers still find it by its token."""
    assignment.finished_at = timezone.now()
    assignment.skip_reason = "lease expired"
    assignment.save(update_fields=["finished_at", "skip_reason"])
