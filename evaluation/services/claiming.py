"""Giving out work: no seat is given to two people.

Seats exist before anybody asks, and taking one is a single conditional update. A seat is kept by working at
it; whoever stays away for longer than the lease may find it taken.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.utils import timezone

from evaluation.blinding import is_swapped
from evaluation.models import Alignment, Annotator, Assignment, Comparison, Membership, Role, Slot, Task
from evaluation.prepared import Prepared


class TaskClosed(Exception):
    """The task takes no new work."""


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
        .update(state=Slot.State.TAKEN, annotator=annotator, lease_until=lease(task))
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


def lease(task: Task) -> datetime:
    """Until when a seat is kept for somebody who sits down now."""
    return timezone.now() + timedelta(minutes=task.lease_minutes)


def take_seat(assignment: Assignment) -> Slot | None:
    """Keep the seat of an assignment, or find another at the same comparison; ``None``: all are taken."""
    where = assignment.annotator_id, assignment.comparison_id, assignment.presentation
    for own in _OWN_SEAT.objects(*where):
        if own.state == Slot.State.TAKEN and _is_half_over(own, assignment.task):
            Slot.objects.filter(pk=own.pk).update(lease_until=lease(assignment.task))
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
                        lease_until=lease(assignment.task),
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
