"""Members and quotas, invitation links, the state of a task, and its deletion; every change is recorded.

Members and invitations belong to a task, or to a campaign and thereby to all of its tasks.

Answers are never deleted: only a task without answers can be deleted, others can be closed and archived.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.signing import BadSignature, SignatureExpired, TimestampSigner
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from appraise.lib.problems import InputError
from evaluation import jobs
from evaluation.annotate.services.assignments import count_left
from evaluation.models import (
    Annotator,
    AuditEntry,
    Campaign,
    Invitation,
    Job,
    Membership,
    Removal,
    Role,
    Task,
    User,
)
from evaluation.models.people import GUEST_PREFIX
from evaluation.people.erasure import end_sessions
from evaluation.tasks.services.importing import remove_tasks

# From → to. An archived task can be reopened; a task that is being imported cannot be changed.
TRANSITIONS: dict[str, tuple[str, ...]] = {
    Task.State.DRAFT: (Task.State.OPEN,),
    Task.State.OPEN: (Task.State.CLOSED,),
    Task.State.CLOSED: (Task.State.OPEN, Task.State.ARCHIVED),
    Task.State.ARCHIVED: (Task.State.CLOSED,),
    Task.State.IMPORTING: (),
}


RETURN_SALT = "evaluation.return"
RETURNED = "returned"  # key in a session that began with a return link


class UnknownPeople(Exception):
    """Some names are unknown; nothing was changed."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(", ".join(names))
        self.names = list(names)


class TransitionNotAllowed(Exception):
    """The state machine of tasks has no such transition."""


class InvitationGone(Exception):
    """The invitation cannot be used; ``state`` says why."""

    def __init__(self, state: str) -> None:
        super().__init__(state)
        self.state = state


class ReturnLinkGone(Exception):
    """The return link has expired or was revoked."""


def change_state(task: Task, to: str, *, by: User) -> None:
    with transaction.atomic():
        locked = Task.objects.select_for_update().get(pk=task.pk)
        if to not in TRANSITIONS[locked.state]:
            raise TransitionNotAllowed(f"{locked.state} → {to}")
        Task.objects.filter(pk=task.pk).update(state=to)
        AuditEntry.objects.record(by, "state", task, {"from": locked.state, "to": to})
    task.state = to


def set_completion(task: Task, *, code: str, url: str, by: User) -> None:
    """Set what annotators see after finishing the task: a code, a link, both or neither."""
    with transaction.atomic():
        Task.objects.filter(pk=task.pk).update(completion_code=code, completion_url=url)
        AuditEntry.objects.record(by, "completion", task, {"code": code, "url": url})


# --- members --------------------------------------------------------------------------------------


def add_members(
    subject: Task | Campaign,
    names: Iterable[str],
    *,
    by: User | None,
    group: Group | None = None,
    role: str = Role.ANNOTATOR,
    quota: int | None = None,
    languages: Iterable[str] = (),
) -> list[User]:
    """Give existing users a role; those who already have it get the new quota and languages."""
    wanted = list(dict.fromkeys(names))
    people = {user.username: user for user in User.objects.filter(username__in=wanted, is_active=True)}
    if unknown := [name for name in wanted if name not in people]:
        raise UnknownPeople(unknown)
    if group is not None:
        people |= {user.username: user for user in User.objects.filter(groups=group, is_active=True)}
    known = Membership.pack_languages(languages)
    with transaction.atomic():
        for user in people.values():
            set_membership(subject, user, role=role, quota=quota, languages=known)
        AuditEntry.objects.record(
            by, "add members", subject, {"people": sorted(people), "role": role, "quota": quota}
        )
    return list(people.values())


def set_membership(
    subject: Task | Campaign, user: User, *, role: str, quota: int | None, languages: str = ""
) -> None:
    task = subject if isinstance(subject, Task) else None
    campaign = subject.campaign if isinstance(subject, Task) else subject
    Membership.objects.update_or_create(
        user=user, task=task, campaign=campaign, role=role, defaults={"quota": quota, "languages": languages}
    )


def set_quota(
    membership: Membership, quota: int | None, *, by: User | None, languages: Iterable[str] | None = None
) -> None:
    known = membership.languages if languages is None else Membership.pack_languages(languages)
    with transaction.atomic():
        Membership.objects.filter(pk=membership.pk).update(quota=quota, languages=known)
        AuditEntry.objects.record(
            by, "quota", membership.subject,
            {"person": membership.user.username, "quota": quota, "languages": known.split()},
        )  # fmt: skip


def remove_member(membership: Membership, *, by: User | None) -> None:
    """Remove a member, who no longer sees the task or campaign; answers are kept.

    Only links that are made from now on let this account in again.
    """
    subject = membership.subject
    tasks = [subject] if isinstance(subject, Task) else list(subject.tasks.all())
    with transaction.atomic():
        Removal.objects.bulk_create(
            [Removal(user=membership.user, task=task) for task in tasks],
            update_conflicts=True, unique_fields=["user", "task"], update_fields=["at"],
        )  # fmt: skip
        AuditEntry.objects.record(
            by, "remove member", subject, {"person": membership.user.username, "role": membership.role}
        )
        membership.delete()


# --- invitations ----------------------------------------------------------------------------------


def create_invitation(
    subject: Task | Campaign,
    *,
    by: User | None,
    most_uses: int = 1,
    days: int = 14,
    note: str = "",
    is_crowd: bool = False,
) -> Invitation:
    with transaction.atomic():
        invitation = subject.invitations.create(
            note=note,
            most_uses=most_uses,
            is_crowd=is_crowd,
            expires_at=timezone.now() + timedelta(days=days),
        )
        AuditEntry.objects.record(
            by, "invite", subject, {"invitation": invitation.pk, "uses": most_uses, "days": days}
        )
    return invitation


def revoke_invitation(invitation: Invitation, *, by: User | None) -> None:
    """Revoke an invitation; those who have joined remain members."""
    with transaction.atomic():
        Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now())
        AuditEntry.objects.record(by, "revoke invitation", invitation.subject, {"invitation": invitation.pk})


def accept_invitation(invitation: Invitation, user: User | None) -> User:
    """Make the signed-in user, or a new account, an annotator.

    Accepting again with the same account does not count as a further use.
    """
    with transaction.atomic():
        invitation = lock_invitation(invitation)
        tasks = list_invited_tasks(invitation)
        if user is not None and _is_annotator(invitation, user):
            return user
        left = sum(count_left(tasks, user).values())
        if (state := find_invitation_state(invitation, user, left)) != "usable":
            raise InvitationGone(state)
        person = user or create_guest()
        join_by_invitation(invitation, person)
    return person


def lock_invitation(invitation: Invitation) -> Invitation:
    """Lock a link for the rest of the transaction: one at a time.

    Of two windows of one person the second sees the first membership, and of two people who want the last use
    one is refused.
    """
    locked = Invitation.objects.select_for_update(of=("self",))
    return locked.select_related("task__campaign", "campaign").get(pk=invitation.pk)


def create_guest() -> User:
    """Create a guest without e-mail and password: the session and the return link give access."""
    return User.objects.create_user(f"{GUEST_PREFIX}{secrets.token_hex(4)}")


def join_by_invitation(invitation: Invitation, person: User) -> None:
    """Count a use of the link and make the person an annotator."""
    Invitation.objects.filter(pk=invitation.pk).update(uses=F("uses") + 1)
    Annotator.objects.get_or_create(user=person)
    set_membership(invitation.subject, person, role=Role.ANNOTATOR, quota=None)


def list_invited_tasks(invitation: Invitation) -> list[Task]:
    """Return the task of an invitation, or the tasks of its campaign that annotators can see."""
    if invitation.task is not None:
        return [invitation.task]
    shown = Task.objects.filter(
        campaign=invitation.campaign_id, state__in=[Task.State.OPEN, Task.State.CLOSED]
    )
    return list(shown.select_related("campaign"))


def find_invitation_state(invitation: Invitation, user: User | None, left: int) -> str:
    """Return the state for this person: usable, full, used, expired, revoked or removed.

    Members may return. Open tasks without a free slot for this person are full.
    """
    if user is not None and _is_annotator(invitation, user):
        return "usable"
    tasks = list_invited_tasks(invitation)
    removals = Removal.objects.filter(user=user, task__in=tasks, at__gte=invitation.created_at)
    if user is not None and removals.exists():
        return "removed"
    is_full = any(task.is_open for task in tasks) and not left
    return "full" if is_full and invitation.state == "usable" else invitation.state


def sign_return_token(user: User) -> str:
    """Return the token of a guest's return link, which works like a password for some time."""
    return TimestampSigner(salt=RETURN_SALT).sign(f"{user.username}:{user.return_version}")


def find_returning_guest(token: str) -> User | None:
    """Return the guest of a return link; None if it is forged, or if the account no longer is a guest's.

    Raises ``ReturnLinkGone`` if the link has expired or was revoked.
    """
    try:
        text = TimestampSigner(salt=RETURN_SALT).unsign(
            token, max_age=timedelta(days=settings.RETURN_LINK_DAYS)
        )
    except SignatureExpired as error:
        raise ReturnLinkGone from error
    except BadSignature:
        return None
    name, _, version = text.rpartition(":")
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None or not user.is_guest:
        return None
    if version != str(user.return_version):
        raise ReturnLinkGone
    return user


def revoke_return_link(membership: Membership, *, by: User) -> None:
    """Revoke the return links of a guest and end the sessions that began with one.

    The browser with which the guest joined stays signed in, and shows a new link.
    """
    guest = membership.user
    with transaction.atomic():
        User.objects.filter(pk=guest.pk).update(return_version=F("return_version") + 1)
        end_sessions(guest, key=RETURNED)
        AuditEntry.objects.record(by, "revoke return link", membership.subject, {"person": guest.username})


def _is_annotator(invitation: Invitation, user: User) -> bool:
    if invitation.task is not None:
        return Task.objects.annotated_by(user).filter(pk=invitation.task.pk).exists()
    of_campaign = user.memberships.filter(campaign=invitation.campaign_id, task=None, role=Role.ANNOTATOR)
    return of_campaign.exists()


INACTIVE_STATES = (Task.State.DRAFT, Task.State.CLOSED, Task.State.ARCHIVED)


def is_deletable(task: Task) -> bool:
    """Return whether the task is inactive and has neither assignments nor judgements."""
    if task.state not in INACTIVE_STATES:
        return False
    given = Q(pairs__rankings__isnull=False) | Q(items__comparisons__sentence_answers__isnull=False)
    return Task.objects.filter(pk=task.pk, assignments=None).exclude(given).exists()


def begin_deletion(task: Task, *, by: User) -> Job:
    """Enqueue the deletion, which takes many short steps."""
    return jobs.enqueue("removal", _("Delete %(name)s") % {"name": task.name}, owner=by, removed=task.pk)


@jobs.handler("removal")
def run_deletion(job: Job, progress: jobs.JobProgress) -> jobs.Result:
    """Delete a task. Reports no progress, because the job must not be cancelled half-way."""
    tasks = Task.objects.filter(pk=job.arguments["removed"])
    for task in tasks.exclude(state=Task.State.IMPORTING):  # those were hidden by a worker that died
        _hide_task(task, by=job.owner)
    remove_tasks(list(tasks))
    return {}


def _hide_task(task: Task, *, by: User | None) -> None:
    """Make a task invisible and free its slug, its content digest and its history for another task."""
    with transaction.atomic():
        locked = Task.objects.select_for_update().get(pk=task.pk)
        if not is_deletable(locked):
            raise InputError.of("already_begun", "annotators have already started this task", "archive it")
        gone = f"deleted-{task.pk}"
        about = Q(target=f"task {task.slug}") | Q(target__endswith=f" of {task.slug}")
        AuditEntry.objects.filter(about).update(target=f"task {gone}")
        AuditEntry.objects.create(user=by, action="delete", target=f"task {gone}", detail={"name": task.name})
        # No page shows a task in this state; its rows are deleted in short steps afterwards.
        Task.objects.filter(pk=task.pk).update(state=Task.State.IMPORTING, slug=gone, digest="")
