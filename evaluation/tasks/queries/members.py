"""Members of a task with their work and attention checks, and invitations with their state."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from django.core.paginator import Page, Paginator
from django.db.models import Count, Q

from evaluation.blinding import canonical
from evaluation.models import Assessment, Invitation, Membership, Occurrence, Ranking, Role, Task, User
from evaluation.schemes import Choice
from evaluation.study.annotators import count_passed_checks
from evaluation.study.values import find_current

PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """The attention checks of an annotator; a filter for reports, never a reason to delete answers."""

    seen: int = 0
    passed: int = 0

    @property
    def share(self) -> float | None:
        return self.passed / self.seen if self.seen else None


@dataclass(frozen=True, slots=True)
class MemberRow:
    membership: Membership
    done: int
    checks: CheckCounts

    @property
    def is_of_campaign(self) -> bool:
        return self.membership.task_id is None


@dataclass(frozen=True, slots=True)
class MembersPage:
    members: list[MemberRow]
    shown: Page[Membership]
    invitations: Page[Invitation]
    has_checks: bool


def build_members_page(task: Task, number: str = "", invitations_number: str = "") -> MembersPage:
    """Return the members page; six queries. An invalid page number shows the first page."""
    everybody = (
        Membership.objects.filter(Q(task=task) | Q(task__isnull=True, campaign=task.campaign_id))
        .select_related("user__annotator", "task")
        .order_by("role", "user__username")
    )
    shown = Paginator(everybody, PER_PAGE).get_page(number)
    memberships = list(shown)
    # All of them, because counting them first would be one more query.
    links = Paginator(list(task.invitations.order_by("-pk")), PER_PAGE).get_page(invitations_number)
    done = dict(
        task.assignments.filter(finished_at__isnull=False)
        .values_list("annotator__user")
        .annotate(n=Count("pk"))
        .order_by()
    )
    checks = count_checks(task)
    people = {row.user_id: getattr(row.user, "annotator", None) for row in memberships}
    keys = {user: annotator.pk for user, annotator in people.items() if annotator}
    return MembersPage(
        members=[
            MemberRow(
                row,
                done.get(row.user_id, 0) if row.role == Role.ANNOTATOR else 0,
                checks.get(keys.get(row.user_id, 0), CheckCounts()),
            )
            for row in memberships
        ],
        shown=shown,
        invitations=links,
        has_checks=bool(task.checks),
    )


def count_checks(*tasks: Task, user: User | None = None) -> dict[int, CheckCounts]:
    """Count the checks of each annotator, or of one person, as reports do."""
    counts = _count_ranked_checks(tasks, user)
    for annotator, (seen, passed) in _count_assessed_checks(tasks, user).items():
        before = counts.get(annotator, CheckCounts())
        counts[annotator] = CheckCounts(before.seen + seen, before.passed + passed)
    return counts


def _count_assessed_checks(tasks: Collection[Task], user: User | None) -> dict[int, tuple[int, int]]:
    """Return the checks seen and passed by annotator; no query where no scores are collected.

    A check is passed if the damaged copy has a lower score than the output itself, or without scores, more
    errors.
    """
    collected = [task for task in tasks if task.assessed_as]
    if not collected:
        return {}
    answers = Assessment.objects.of_tasks([task.pk for task in collected]).current()
    answers = answers.filter(protocol__in={task.assessed_as for task in collected}, presentation__lte=1)
    if user is not None:
        answers = answers.filter(annotator__user=user)
    rows = answers.annotate(n=Count("spans")).values_list(
        "annotator_id", "output_id", "shown_id", "score", "n"
    )
    damaged, good = dict[tuple[int, int], float](), dict[tuple[int, int], float]()
    for annotator, output, shown, score, spans in rows:
        (good if shown is None else damaged)[annotator, output] = -spans if score is None else score
    counts: dict[int, tuple[int, int]] = {}
    for cell, value in damaged.items():
        if cell in good:
            seen, passed = counts.get(cell[0], (0, 0))
            counts[cell[0]] = seen + 1, passed + (value < good[cell])
    return counts


def _count_ranked_checks(tasks: Collection[Task], user: User | None) -> dict[int, CheckCounts]:
    """Count the checks among comparisons: one is passed if every answer is as expected."""
    whose = {} if user is None else {"annotator__user": user}
    rows = list(
        Ranking.objects.filter(pair__task__in=tasks, presentation=0, **whose)
        .exclude(pair__owner__check_kind="")
        .order_by("pk")
        .values_list(
            "annotator_id", "pair_id", "pair__owner_id", "pair__owner__expected", "choice", "slot_id"
        )
    )
    flipped = dict(
        Occurrence.objects.filter(pair__task__in=tasks)
        .exclude(pair__owner__check_kind="")
        .values_list("pair_id", "flipped")
    )
    if not rows:
        return {}
    annotators, pairs, checks, expected, choices, slots = zip(*rows, strict=True)
    cells = [np.array(annotators), np.array(pairs)]
    is_withdrawn = np.array([choice is None for choice in choices])
    current = find_current(cells, np.array([slot is None for slot in slots]), is_withdrawn)
    current = current[~is_withdrawn[current]]
    is_right = [
        canonical(Choice(choices[row]), swapped=False, flipped=flipped[pairs[row]]).collapsed
        == Choice(expected[row]).collapsed
        for row in current
    ]
    counts = count_passed_checks(cells[0][current], np.array(checks)[current], np.array(is_right, dtype=bool))
    return {annotator: CheckCounts(seen, passed) for annotator, (passed, seen) in counts.items()}
