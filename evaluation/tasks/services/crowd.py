"""People from crowd platforms: who they are, and how their visits end.

The platform adds ids to the address of an invitation. One worker id is one account in a campaign, on whatever
device, so the id works like a password there: only links of that campaign accept it, and only managers of the
whole campaign see it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from evaluation.annotate.services.assignments import count_left
from evaluation.models import Campaign, CrowdPlatform, CrowdWorker, Invitation
from evaluation.tasks.services.management import (
    InvitationGone,
    create_guest,
    find_invitation_state,
    join_by_invitation,
    list_invited_tasks,
    lock_invitation,
)

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"  # what MTurk sends before somebody has accepted the work
# The names of the parameters for worker, study and session.
PRESETS = {
    "Prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    "MTurk": ("workerId", "hitId", "assignmentId"),
}


@dataclass(frozen=True, slots=True, repr=False)
class CrowdVisit:
    """What the platform says about a visitor; never printed."""

    worker: str
    study: str
    session: str


def read_visit(platform: CrowdPlatform, parameters: Mapping[str, str]) -> CrowdVisit | None:
    """Return who comes, from the parameters of the address; None if that is not said, or not well-formed."""
    names = (platform.worker_parameter, platform.study_parameter, platform.session_parameter)
    worker, study, session = (parameters.get(name, "") if name else "" for name in names)
    if not ID.fullmatch(worker) or PREVIEW in (study, session):
        return None
    return CrowdVisit(worker, *(text if ID.fullmatch(text) else "" for text in (study, session)))


def get_platform(campaign: Campaign) -> CrowdPlatform:
    """Return the settings of a campaign, those of Prolific if there are none yet."""
    try:
        return campaign.crowd_platform
    except CrowdPlatform.DoesNotExist:
        return CrowdPlatform(campaign=campaign)


def is_known(campaign: Campaign, visit: CrowdVisit) -> bool:
    return CrowdWorker.objects.filter(campaign=campaign, worker=visit.worker).exists()


def accept_visit(invitation: Invitation, visit: CrowdVisit) -> CrowdWorker:
    """Return the worker of a visit: the known one, or a new one, screened out where nothing is left."""
    campaign = invitation.campaign
    assert campaign is not None  # only links of campaigns are for platforms
    try:
        with transaction.atomic():
            known = CrowdWorker.objects.filter(campaign=campaign, worker=visit.worker)
            if known.update(visits=F("visits") + 1):
                return known.select_related("user").get()
            invitation = lock_invitation(invitation)
            left = sum(count_left(list_invited_tasks(invitation), None).values())
            state = find_invitation_state(invitation, None, left)
            if state not in ("usable", "full"):
                raise InvitationGone(state)
            worker = CrowdWorker.objects.create(
                campaign=campaign, user=create_guest(), worker=visit.worker, study=visit.study,
                session=visit.session,
            )  # fmt: skip
            if state == "full":
                end_visit(worker, CrowdWorker.Outcome.SCREENED_OUT)
            else:
                join_by_invitation(invitation, worker.user)
            return worker
    except IntegrityError:  # two windows at the same moment
        return CrowdWorker.objects.select_related("user").get(campaign=campaign, worker=visit.worker)


def end_visit(worker: CrowdWorker, outcome: str) -> None:
    """Store how a worker's visit ended; the first outcome stays, because the platform pays once."""
    if worker.outcome:
        return
    worker.outcome, worker.ended_at = outcome, timezone.now()
    worker.save(update_fields=["outcome", "ended_at"])
