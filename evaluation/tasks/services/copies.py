"""The next round of a campaign: its settings and people for new files."""

from __future__ import annotations

from django.db import transaction

from evaluation.models import AuditEntry, Campaign, CrowdPlatform, Membership, Role, User
from evaluation.tasks.services.campaigns import copy_members
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
        copy_members(members.exclude(user__crowd_worker__isnull=False), made, None)
        if by is not None:
            Membership.objects.get_or_create(user=by, campaign=made, task=None, role=Role.MANAGER)
        AuditEntry.objects.record(by, "copy campaign", made, {"from": campaign.name})
    return made
