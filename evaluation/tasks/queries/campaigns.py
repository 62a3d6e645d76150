"""The page of a campaign: its tasks with their progress, its members with their work, its invitations."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Max, Q
from django.utils import timezone

from evaluation.annotate.services.assignments import count_left
from evaluation.models import (
    AlignmentReport,
    Assignment,
    Campaign,
    Invitation,
    Membership,
    Role,
    Task,
    User,
)
from evaluation.tasks.queries.progress import SlotCounts, count_slots
from evaluation.tasks.services.campaigns import pick_task

TASKS_AT_ONCE, MEMBERS_AT_ONCE, MEMBERS_SHOWN = 100, 100, 8
RECENT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class CampaignTask:
    task: Task
    slots: SlotCounts
    reports: int

    @property
    def state(self) -> str:
        """What the page shows: the state of the task, or what is remarkable about it."""
        if self.reports:
            return "reports"
        if self.slots.total and self.slots.done == self.slots.total:
            return "finished"
        return "running" if self.task.is_open and self.slots.done else self.task.state


@dataclass(frozen=True, slots=True)
class CampaignMember:
    """``done`` and ``given`` count sentences in all tasks of the campaign; ``last`` is the last finished."""

    membership: Membership
    tasks: int
    given: int
    done: int
    last: datetime | None

    @property
    def languages(self) -> str:
        return ", ".join(self.membership.languages.split())

    @property
    def has_reached_quota(self) -> bool:
        quota = self.membership.quota
        return quota is not None and self.given >= quota

    @property
    def is_active(self) -> bool:
        return self.last is not None and timezone.now() - self.last < RECENT


@dataclass(frozen=True, slots=True)
class CampaignPage:
    campaign: Campaign
    rows: list[CampaignTask]
    tasks: Page[CampaignTask]
    members: list[CampaignMember]
    invitations: list[Invitation]
    slots: SlotCounts
    finished: int
    running: int
    finished_recently: int

    @property
    def all_tasks(self) -> list[Task]:
        return [row.task for row in self.rows]

    @property
    def not_started(self) -> int:
        return len(self.rows) - self.finished - self.running

    @property
    def active(self) -> int:
        return sum(member.is_active for member in self.members)

    @property
    def shown_members(self) -> list[CampaignMember]:
        return self.members[:MEMBERS_SHOWN]

    @property
    def open_invitations(self) -> int:
        return sum(invitation.state == "usable" for invitation in self.invitations)

    @property
    def expected_end(self) -> date | None:
        """The day on which everything is finished at the pace of the last week; None without a pace."""
        rest = self.slots.total - self.slots.done
        if not rest or not self.finished_recently:
            return None
        return timezone.localdate() + timedelta(days=ceil(rest * RECENT.days / self.finished_recently))

    @property
    def missing(self) -> int | None:
        """How many sentences the quotas of the members leave to nobody; None while somebody has no quota."""
        annotators = [member for member in self.members if member.membership.role == Role.ANNOTATOR]
        quotas = [member.membership.quota for member in annotators]
        if not annotators or None in quotas:
            return None
        left = sum(max(0, (m.membership.quota or 0) - m.done) for m in annotators)
        return max(0, self.slots.total - self.slots.done - left)

    def describe(self, *columns: str) -> dict[str, Any]:  # Any: JSON values and the columns of tasks
        """Return the figures for the API and the command, with these columns of every task."""
        return {
            "slug": self.campaign.slug,
            "name": self.campaign.name,
            "family": self.campaign.family,
            "members": len(self.members),
            "slots": self.slots.total,
            "slots_done": self.slots.done,
            "tasks": [
                {name: getattr(row.task, name) for name in columns}
                | {"slots": row.slots.total, "slots_done": row.slots.done}
                for row in self.rows
            ],
        }


def build_campaign_page(campaign: Campaign, number: str = "") -> CampaignPage:
    """Return the page in six queries; an invalid page number shows the first page of tasks."""
    tasks = list(campaign.tasks.exclude(state=Task.State.IMPORTING).order_by("pk"))
    slots = count_slots(tasks)
    reports = AlignmentReport.objects.filter(pair__task__campaign=campaign, resolved_at=None).order_by()
    open_reports = dict(reports.values_list("pair__task").annotate(n=Count("pair", distinct=True)))
    rows = [CampaignTask(task, slots[task.pk], open_reports.get(task.pk, 0)) for task in tasks]
    members, recent = list_members(campaign)
    states = Counter(_phase(row) for row in rows)
    return CampaignPage(
        campaign=campaign,
        rows=rows,
        tasks=Paginator(rows, TASKS_AT_ONCE).get_page(number),
        members=members,
        invitations=list(campaign.invitations.order_by("-pk")),
        slots=SlotCounts(sum(s.total for s in slots.values()), sum(s.done for s in slots.values())),
        finished=states["finished"],
        running=states["running"],
        finished_recently=recent,
    )


def _phase(row: CampaignTask) -> str:
    if row.slots.total and row.slots.done == row.slots.total:
        return "finished"
    return "running" if row.slots.done else "not started"


def list_members(campaign: Campaign) -> tuple[list[CampaignMember], int]:
    """Return the members of the campaign with their work, and the sentences finished lately; two queries."""
    is_done = Q(finished_at__isnull=False)
    work = Assignment.objects.filter(task__campaign=campaign, annotator__user__isnull=False).order_by()
    counts = {
        user: rest
        for user, *rest in work.values_list("annotator__user").annotate(
            tasks=Count("task", distinct=True), given=Count("pk"), done=Count("pk", filter=is_done),
            last=Max("finished_at"), recent=Count("pk", filter=Q(finished_at__gt=timezone.now() - RECENT)),
        )
    }  # fmt: skip
    memberships = campaign.memberships.filter(task=None).select_related("user", "user__access_card")
    members = []
    for membership in memberships.order_by("role", "user__username"):
        own = counts.get(membership.user_id) if membership.role == Role.ANNOTATOR else None
        tasks, given, done, last = own[:4] if own else (0, 0, 0, None)
        members.append(CampaignMember(membership, tasks, given, done, last))
    return members, sum(rest[-1] for rest in counts.values())


@dataclass(frozen=True, slots=True)
class CampaignMembersPage:
    shown: Page[CampaignMember]
    invitations: Page[Invitation]


def build_campaign_members_page(
    campaign: Campaign, number: str = "", invitations_number: str = ""
) -> CampaignMembersPage:
    members, _recent = list_members(campaign)
    links = list(campaign.invitations.order_by("-pk"))
    return CampaignMembersPage(
        Paginator(members, MEMBERS_AT_ONCE).get_page(number),
        Paginator(links, MEMBERS_AT_ONCE).get_page(invitations_number),
    )


def find_next_task(campaign: Campaign | int, user: User) -> Task | None:
    """Return the task of the campaign that somebody works on next; None if nothing is left for them."""
    return pick_task(list(Task.objects.annotated_by(user).open().filter(campaign=campaign)), user)


def has_work(campaign: Campaign, user: User) -> bool:
    """Whether somebody has an unfinished sentence in the campaign, or can get another one."""
    tasks = list(Task.objects.annotated_by(user).open().filter(campaign=campaign))
    unfinished = Assignment.objects.unfinished().filter(annotator__user=user, task__in=tasks)
    return unfinished.exists() or any(count_left(tasks, user).values())
