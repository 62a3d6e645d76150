"""Who takes part in a task: members with their work and attention checks, invitations with their state."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q
from django.utils import timezone

from evaluation.blinding import canonical
from evaluation.models import Invitation, Membership, Occurrence, Ranking, Role, Task
from evaluation.schemes import Choice

PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class Checks:
    """How an annotator did on the attention checks; a filter for reports, never a reason to delete."""

    seen: int = 0
    passed: int = 0

    @property
    def share(self) -> float | None:
        return self.passed / self.seen if self.seen else None


@dataclass(frozen=True, slots=True)
class Member:
    membership: Membership
    done: int
    checks: Checks

    @property
    def is_of_campaign(self) -> bool:
        return self.membership.task_id is None


@dataclass(frozen=True, slots=True)
class InvitationRow:
    invitation: Invitation
    state: str

    @property
    def is_usable(self) -> bool:
        return self.state == "usable"


@dataclass(frozen=True, slots=True)
class MembersPage:
    members: list[Member]
    shown: Page[Membership]
    invitations: list[InvitationRow]
    links: Page[Invitation]
    has_checks: bool


def members_page(task: Task, number: str = "", invitations_number: str = "") -> MembersPage:
    """Six queries, however many people there are; the first page where a number names none."""
    everybody = (
        Membership.objects.filter(Q(task=task) | Q(task__isnull=True, campaign=task.campaign_id))
        .select_related("user__annotator", "task")
        .order_by("role", "user__username")
    )
    shown = Paginator(everybody, PER_PAGE).get_page(number)
    memberships = list(shown)
    # All of them, since to count them first would be one more query.
    links = Paginator(list(task.invitations.order_by("-pk")), PER_PAGE).get_page(invitations_number)
    done = dict(
        task.assignments.filter(finished_at__isnull=False)
        .values_list("annotator__user")
        .annotate(n=Count("pk"))
        .order_by()
    )
    checks = attention(task)
    people = {row.user_id: getattr(row.user, "annotator", None) for row in memberships}
    keys = {user: annotator.pk for user, annotator in people.items() if annotator}
    return MembersPage(
        members=[
            Member(
                row,
                done.get(row.user_id, 0) if row.role == Role.ANNOTATOR else 0,
                checks.get(keys.get(row.user_id, 0), Checks()),
            )
            for row in memberships
        ],
        shown=shown,
        invitations=[InvitationRow(one, state_of(one)) for one in links],
        links=links,
        has_checks=bool(task.checks),
    )


def attention(task: Task) -> dict[int, Checks]:
    """Annotator → checks. A check is passed if every answer in it prefers the untouched side."""
    rows = (
        Ranking.objects.filter(pair__task=task, presentation=0)
        .exclude(pair__owner__check_kind="")
        .order_by("version")
        .values_list("annotator_id", "pair__owner_id", "pair__owner__expected", "pair_id", "choice")
    )
    flipped = dict(
        Occurrence.objects.filter(pair__task=task)
        .exclude(pair__owner__check_kind="")
        .values_list("pair_id", "flipped")
    )
    last = {(annotator, check, expected, pair): choice for annotator, check, expected, pair, choice in rows}
    right: dict[tuple[int, int], bool] = {}
    for (annotator, check, expected, pair), choice in last.items():
        if choice is not None:
            said = canonical(Choice(choice), swapped=False, flipped=flipped[pair]).sign
            right[annotator, check] = right.get((annotator, check), True) and said == Choice(expected).sign
    found: dict[int, Checks] = {}
    for (annotator, _), good in right.items():
        before = found.get(annotator, Checks())
        found[annotator] = Checks(before.seen + 1, before.passed + good)
    return found


def state_of(invitation: Invitation) -> str:
    """usable, revoked, used up or expired, as a person would say it."""
    if invitation.revoked_at is not None:
        return "revoked"
    if invitation.uses >= invitation.most_uses:
        return "used"
    return "expired" if invitation.expires_at <= timezone.now() else "usable"
