"""Assignments: claim a slot, renew its lease, finish, skip or reopen; and reports of wrong alignments.

No slot is given to two people: slots are created at import, and claiming one is a conditional update.
Answering renews the lease; after a longer break the slot may have been given to another annotator.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from itertools import chain

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Count, OuterRef, Q, Subquery
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from evaluation.blinding import is_swapped
from evaluation.models import (
    AlignmentReport,
    Annotator,
    Assessment,
    Assignment,
    Comparison,
    Membership,
    Ranking,
    Role,
    SentenceAnswer,
    Slot,
    Task,
    User,
)
from evaluation.models.judging import AssignmentQuerySet

MOST_MILLISECONDS = 24 * 60 * 60 * 1000  # for one answer, or for one page without its answers


MANY_SLOTS = 200  # more are not counted before a sentence is opened


class TaskClosed(Exception):
    """The task takes no new work."""


def next_assignment(task: Task, annotator: Annotator) -> Assignment | None:
    """Return the next assignment: unfinished ones first, then a free slot; ``None`` if all is done."""
    if not task.is_open:
        raise TaskClosed(task.slug)
    # Where a transaction locks the whole database (SQLite), the slow search runs before it, so that no answer
    # has to wait. If the slot is taken by then, the search is repeated inside the transaction.
    ahead = None if connection.features.has_select_for_update else _find_free_slot(task, annotator)
    with transaction.atomic():
        # One claim at a time per annotator, otherwise two tabs could claim the same comparison.
        Annotator.objects.select_for_update().get(pk=annotator.pk)
        for assignment in Assignment.objects.of(annotator, task).unfinished().order_by("number"):
            assignment.task = task
            if take_slot(assignment) is not None:
                return assignment
            _release(assignment)
        given = {task.pk: Assignment.objects.of(annotator, task).count()}
        quota = load_quotas([task], annotator.user_id, given).get(task.pk)
        return _claim(task, annotator, quota, ahead)


def _claim(
    task: Task, annotator: Annotator, quota: int | None, ahead: Slot | None = None
) -> Assignment | None:
    numbers = Assignment.objects.of(annotator, task).order_by("-number").values_list("number", flat=True)
    last = numbers.first() or 0
    if quota is not None and last >= quota:
        return None
    slot = ahead or _find_free_slot(task, annotator)
    if slot is None:
        return None
    up_to = _count_up_to(task, annotator, last, quota)
    if not Slot.objects.filter(pk=slot.pk).take(annotator.pk, lease_end(task)):
        # Another annotator was faster; the next search no longer finds that slot.
        return _claim(task, annotator, quota)
    comparison = slot.comparison
    return Assignment.objects.create(
        annotator=annotator,
        task=task,
        comparison=comparison,
        passage_id=slot.passage_id,
        presentation=slot.presentation,
        alignment=None if comparison is None else comparison.alignments.latest(),
        number=last + 1,
        up_to=up_to,
        swapped=_is_swapped(comparison, annotator, slot.presentation),
    )


def _is_swapped(comparison: Comparison | None, annotator: Annotator, presentation: int) -> bool:
    """Whether A and B of a comparison are exchanged; a passage has an order of its own."""
    if comparison is None:
        return False
    secret = settings.SECRET_KEY.encode()
    return is_swapped(secret, annotator.key, comparison.first.text, comparison.second.text, presentation)


def repeat_distance(size: int) -> int:
    """Return how many comparisons later one may be repeated: twenty, or half of a small task."""
    return min(20, (size + 1) // 2)


def _find_free_slot(task: Task, annotator: Annotator) -> Slot | None:
    """Return the next free slot after the annotator's last position, else the first one before it.

    A repeat keeps its distance, also where others have taken what was to come between, and never stands
    beside a comparison that stood beside its first showing.
    """
    held = Slot.objects.filter(annotator=annotator, task=task).order_by("-position")
    last = held.values_list("position", flat=True).first()
    slots = (
        Slot.objects.filter(task=task)
        .open_to(_list_repeatable(task, annotator), annotator)
        .select_related("comparison__first", "comparison__second")
        .order_by("position", "k")
    )
    if connection.features.has_select_for_update_skip_locked:
        slots = slots.select_for_update(skip_locked=True, of=("self",))
    preferred = [slots.in_own_documents(annotator)] if task.keep_documents else []
    for wanted in (*preferred, slots):
        for after in (-1,) if last is None else (last, -1):
            ahead = wanted.filter(position__gt=after)
            # Two queries, because each can use the index on positions; "free" would read all slots.
            candidates = (ahead.unclaimed().first(), ahead.expired().first())
            if free := [slot for slot in candidates if slot is not None]:
                return min(free, key=lambda slot: (slot.position, slot.k))
    return None


def _list_repeatable(task: Task, annotator: Annotator) -> AssignmentQuerySet:
    own = Assignment.objects.of(annotator, task)
    rows = own.order_by("-number").values_list("number", "comparison", "passage")
    numbers = list(rows) if task.repeated else []
    if not numbers:
        return own.none()
    newest = numbers[0]
    shown_before = [number for number, *subject in numbers[1:] if subject == [*newest[1:]]]
    beside = [number + step for number in shown_before for step in (-1, 1)]
    latest = newest[0] + 1 - repeat_distance(task.size)
    return own.filter(finished_at__isnull=False, number__lte=latest).exclude(number__in=beside)


def _count_up_to(task: Task, annotator: Annotator, given: int, quota: int | None) -> int:
    """Return how many sentences of a task somebody may get in all; exact where it is not many more."""
    left = Slot.objects.filter(task=task).left_for(annotator)
    slots = list(left.values_list("comparison", "passage", "presentation")[:MANY_SLOTS])
    up_to = task.per_person if len(slots) == MANY_SLOTS else given + len(set(slots))
    return up_to if quota is None else min(up_to, quota)


def load_quotas(tasks: Collection[Task], user: int | None, given: Mapping[int, int]) -> dict[int, int]:
    """Return how many comparisons of each task somebody may get, where that is limited; one query.

    The smallest limit counts: of the task for each person, of the person in the task, and what the person's
    quota in the campaign leaves after the other tasks. ``given`` is how many the person has got of each task.
    """
    limits = {task.pk: [task.most_per_person] for task in tasks if task.most_per_person is not None}
    in_campaign = Assignment.objects.filter(
        annotator__user=OuterRef("user"), task__campaign=OuterRef("campaign")
    ).order_by()
    counted = in_campaign.values("task__campaign").annotate(n=Count("pk")).values("n")
    memberships = Membership.objects.filter(
        Q(task__in=tasks) | Q(task__isnull=True, campaign__in={task.campaign_id for task in tasks}),
        user=user,
        role=Role.ANNOTATOR,
        quota__isnull=False,
    )
    for membership in memberships.annotate(in_all=Subquery(counted)):
        quota, in_all = membership.quota or 0, membership.in_all or 0
        for task in tasks:
            if membership.task_id is None and membership.campaign_id == task.campaign_id:
                elsewhere = in_all - given.get(task.pk, 0)
                limits.setdefault(task.pk, []).append(max(0, quota - elsewhere))
            elif membership.task_id == task.pk:
                limits.setdefault(task.pk, []).append(quota)
    return {pk: min(found) for pk, found in limits.items()}


def count_left(
    tasks: Collection[Task], user: User | None, work: Mapping[int, tuple[int, int]] | None = None
) -> dict[int, int]:
    """Return how many more sentences of each task somebody may get: free slots within the quota.

    None is somebody who is new. At most four queries; ``work`` saves one: the assignments of each task and
    those that are open.
    """
    left = dict.fromkeys([task.pk for task in tasks], 0)
    if not tasks:
        return left
    annotator = Annotator.objects.filter(user=user).first() if user else None
    if work is None:
        own = Assignment.objects.filter(task__in=tasks, annotator=annotator).order_by().values_list("task")
        is_open = Q(finished_at__isnull=True)
        counts = own.annotate(n=Count("pk"), open=Count("pk", filter=is_open))
        work = {task: (n, unfinished) for task, n, unfinished in counts}
    quotas = load_quotas(tasks, user.pk if user else None, {pk: n for pk, (n, _open) in work.items()})
    slots = Slot.objects.filter(task__in=[task for task in tasks if task.is_open])
    by_pk = {task.pk: task for task in tasks}
    for pk, comparisons, new in slots.left_for(annotator).count_comparisons():
        in_all, unfinished = work.get(pk, (0, 0))
        left[pk] = min(comparisons, max(0, quotas.get(pk, comparisons + in_all) - in_all))
        if annotator and left[pk] and not (new or unfinished):
            with transaction.atomic():  # only repeats, which may all be too near
                left[pk] *= _find_free_slot(by_pk[pk], annotator) is not None
    return left


def lease_end(task: Task) -> datetime:
    """Return when a lease that starts now expires."""
    return timezone.now() + timedelta(minutes=task.lease_minutes)


def take_slot(assignment: Assignment) -> Slot | None:
    """Renew the slot of an assignment, or take a free one of the same comparison or passage; ``None`` if
    there is none."""
    # Locked until the answer is stored, so that the slot cannot be given to another annotator meanwhile.
    held = Slot.objects.held_by(assignment).select_for_update().only("state", "lease_until")
    for own in held:
        if own.state == Slot.State.TAKEN and _is_half_over(own, assignment.task):
            Slot.objects.filter(pk=own.pk).update(lease_until=lease_end(assignment.task))
        return own
    for slot in Slot.objects.of(assignment).free().order_by("k"):
        try:
            with transaction.atomic():
                taken = Slot.objects.filter(pk=slot.pk).take(
                    assignment.annotator_id, lease_end(assignment.task)
                )
        except IntegrityError:  # another tab of the same annotator took one first
            return Slot.objects.held_by(assignment).first()
        if taken:
            slot.annotator_id, slot.state = assignment.annotator_id, Slot.State.TAKEN
            return slot
    return None


def _is_half_over(slot: Slot, task: Task) -> bool:
    """Leases are renewed after half of their time, not at every answer, so most answers need one write."""
    half = timedelta(minutes=task.lease_minutes) / 2
    return slot.lease_until is None or slot.lease_until - timezone.now() < half


def _release(assignment: Assignment) -> None:
    """Close an assignment whose slot another annotator holds; late answers still find it by its token."""
    assignment.finished_at = timezone.now()
    assignment.skip_reason = "lease expired"
    assignment.save(update_fields=["finished_at", "skip_reason"])


# --- ending an assignment -----------------------------------------------------------------------------


def skip_assignment(assignment: Assignment, reason: str) -> None:
    """Skip a comparison with a reason. This is no judgement: nothing is stored about its pairs."""
    with transaction.atomic():
        end_assignment(assignment, reason=reason or "no reason given")


def end_assignment(assignment: Assignment, *, reason: str = "") -> None:
    """Finish or skip an assignment; if it was finished before, only its time is summed again."""
    if reason or assignment.is_unsettled:
        assignment.finished_at, assignment.skip_reason = timezone.now(), reason
        Slot.objects.held_by(assignment).update(state=Slot.State.DONE, lease_until=None)
    assignment.active_ms = _sum_times(assignment)
    assignment.save(update_fields=["finished_at", "skip_reason", "active_ms"])


def add_time(assignment: Assignment, ms: int | None) -> None:
    """Add the active time that went with no answer: reading, and looking again."""
    if ms:
        assignment.page_ms = min(assignment.page_ms + ms, MOST_MILLISECONDS)
        assignment.save(update_fields=["page_ms"])


def _sum_times(assignment: Assignment) -> int:
    """Return the time of the answers, about the pairs of the comparison or of the sentence for places, or
    about the outputs of the passage, and of the page."""
    if assignment.passage_id is not None:
        assessments = Assessment.objects.given_by(assignment).values_list("active_ms", flat=True)
        return sum(ms or 0 for ms in assessments) + assignment.page_ms
    rankings = Ranking.objects.given_by(assignment)
    if assignment.is_by_place:
        rankings = rankings.filter(pair__item=assignment.compared.item_id)
    else:
        rankings = rankings.filter(pair__owner=assignment.comparison_id)
    sentence_answers = SentenceAnswer.objects.given_by(assignment)
    times = chain(*(rows.values_list("active_ms", flat=True) for rows in (rankings, sentence_answers)))
    return sum(ms or 0 for ms in times) + assignment.page_ms


def reopen_assignment(assignment: Assignment) -> None:
    """Make a finished assignment unfinished again, because an answer was withdrawn."""
    if assignment.finished_at is None:
        return
    assignment.finished_at = None
    assignment.save(update_fields=["finished_at"])
    until = lease_end(assignment.task)
    Slot.objects.held_by(assignment).update(state=Slot.State.TAKEN, lease_until=until)


def mark_unsure(assignment: Assignment, is_unsure: bool) -> None:
    """Set or clear the mark by which an annotator asks the manager to look at a sentence."""
    assignment.is_unsure = is_unsure
    assignment.save(update_fields=["is_unsure"])


REASONS = {
    AlignmentReport.Reason.UNRELATED: _("These phrases do not belong together"),
    AlignmentReport.Reason.CUT: _("The phrase boundaries are wrong"),
    AlignmentReport.Reason.NOT_MOVED: _("Marked as moved, but it is not"),
    AlignmentReport.Reason.WITH_PREVIOUS: _("It belongs together with the pair before it"),
    AlignmentReport.Reason.WITH_NEXT: _("It belongs together with the pair after it"),
    AlignmentReport.Reason.APART: _("It is several questions in one"),
}
PLACE_REASONS = {
    AlignmentReport.Reason.UNRELATED: _("These variants do not belong together"),
    AlignmentReport.Reason.CUT: _("The variant boundaries are wrong"),
}


def report_alignment(
    annotator: Annotator, *, pair: int, alignment: int, reason: str, note: str
) -> AlignmentReport:
    """Store a report of a wrong alignment; reporting a dismissed pair again reopens its report."""
    return AlignmentReport.objects.update_or_create(
        annotator=annotator,
        pair_id=pair,
        alignment_id=alignment,
        defaults={"reason": reason, "note": note, "resolved_at": None, "resolved_by": None},
    )[0]


def find_moved_assignment(token: str, user: User) -> Assignment | None:
    """Return the assignment under its new token, if its alignment was corrected after it was opened."""
    later = Assignment.objects.filter(token__startswith=f"{token.partition('.')[0]}.", annotator__user=user)
    return later.exclude(token=token).first()
