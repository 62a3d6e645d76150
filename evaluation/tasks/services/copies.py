"""The next round of a campaign: its settings and people for new files."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from evaluation.models import AuditEntry, Campaign, CrowdPlatform, Membership, Role, Task, User
from evaluation.tasks.services.campaigns import copy_practice_questions
from evaluation.tasks.services.import_job import create_campaign

TIMES = ("opens_at", "closes_at")  # of a round, so the next one has its own


def copy_campaign(campaign: Campaign, name: str, *, by: User | None, with_people: bool = True) -> Campaign:
    """Create a campaign of the same family without tasks: settings, crowd platform and members."""
    with transaction.atomic():
        if not campaign.family:
            campaign.family = campaign.slug
            campaign.save(update_fields=["family"])
        made = create_campaign(name)
        made.family, made.invented = campaign.family, campaign.invented
        made.task_settings = {k: v for k, v in campaign.task_settings.items() if k not in TIMES}
        made.save(update_fields=["family", "invented", "task_settings"])
        for platform in CrowdPlatform.objects.filter(campaign=campaign):
            platform.pk, platform.campaign = None, made
            platform.save()
        members = campaign.memberships.filter(task=None, user__is_active=True)
        if not with_people:
            members = members.filter(role__in=[Role.MANAGER, Role.RESEARCHER])
        _copy_members(members.exclude(user__crowd_worker__isnull=False), made, None)
        if by is not None:
            Membership.objects.get_or_create(user=by, campaign=made, task=None, role=Role.MANAGER)
        AuditEntry.objects.record(by, "copy campaign", made, {"from": campaign.name})
    return made


def copy_into(source: Task, made: list[Task], *, by: User | None) -> None:
    """Give new tasks what their model has beside its settings: practice questions, texts and members."""
    with transaction.atomic():
        for task in made:
            copy_practice_questions(source, task)
            Task.objects.filter(pk=task.pk).update(
                most_per_person=source.most_per_person, lease_minutes=source.lease_minutes,
                completion_code=source.completion_code, completion_url=source.completion_url,
            )  # fmt: skip
            _copy_members(source.memberships.filter(user__is_active=True), task.campaign, task)
            AuditEntry.objects.record(by, "copy task", task, {"from": source.name})


def _copy_members(members: QuerySet[Membership], campaign: Campaign, task: Task | None) -> None:
    Membership.objects.bulk_create(
        [
            Membership(
                user_id=member.user_id, campaign=campaign, task=task, role=member.role, quota=member.quota,
                languages=member.languages,
            )
            for member in members
        ],
        ignore_conflicts=True,
    )  # fmt: skip
