"""Members and quotas, invitation links, the state of a task, and its deletion; every change is recorded.

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
from evaluation.models import Annotator, AuditEntry, Invitation, Job, Membership, Removal, Role, Task, User
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
    task: Task,
    names: Iterable[str],
    *,
    by: User,
    group: Group | None = None,
    role: str = Role.ANNOTATOR,
    quota: int | None = None,
) -> list[User]:
    """Give existing users a role in this task; those who already have it get the new quota."""
    wanted = list(dict.fromkeys(names))
    people = {user.username: user for user in User.objects.filter(username__in=wanted, is_active=True)}
    if unknown := [name for name in wanted if name not in people]:
        raise UnknownPeople(unknown)
    if group is not None:
        people |= {user.username: user for user in User.objects.filter(groups=group, is_active=True)}
    with transaction.atomic():
        for user in people.values():
            Membership.objects.update_or_create(
                user=user, task=task, role=role, defaults={"campaign": task.campaign, "quota": quota}
            )
        AuditEntry.objects.record(
            by, "add members", task, {"people": sorted(people), "role": role, "quota": quota}
        )
    return list(people.values())


def set_quota(membership: Membership, quota: int | None, *, by: User) -> None:
    with transaction.atomic():
        Membership.objects.filter(pk=membership.pk).update(quota=quota)
        AuditEntry.objects.record(
            by, "quota", _task_of(membership), {"person": membership.user.username, "quota": quota}
        )


def remove_member(membership: Membership, *, by: User) -> None:
    """Remove a member, who no longer sees the task; answers are kept.

    Only links that are made from now on let this account in again.
    """
    with transaction.atomic():
        Removal.objects.update_or_create(
            user=membership.user, task=_task_of(membership), defaults={"at": timezone.now()}
        )
        AuditEntry.objects.record(
            by, "remove member", _task_of(membership),
            {"person": membership.user.username, "role": membership.role},
        )  # fmt: skip
        membership.delete()


def _task_of(membership: Membership) -> Task:
    assert membership.task is not None  # members of a campaign are changed in the admin
    return membership.task


# --- invitations ----------------------------------------------------------------------------------


def create_invitation(
    task: Task, *, by: User, most_uses: int = 1, days: int = 14, note: str = ""
) -> Invitation:
    with transaction.atomic():
        invitation = Invitation.objects.create(
            task=task, note=note, most_uses=most_uses, expires_at=timezone.now() + timedelta(days=days)
        )
        AuditEntry.objects.record(
            by, "invite", task, {"invitation": invitation.pk, "uses": most_uses, "days": days}
        )
    return invitation


def revoke_invitation(invitation: Invitation, *, by: User) -> None:
    """Revoke an invitation; those who have joined remain members."""
    with transaction.atomic():
        Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now())
        AuditEntry.objects.record(by, "revoke invitation", invitation.task, {"invitation": invitation.pk})


def accept_invitation(invitation: Invitation, user: User | None) -> User:
    """Make the signed-in user, or a new account, an annotator.

    Accepting again with the same account does not count as a further use.
    """
    with transaction.atomic():
        # One at a time per link, so that of two windows of one person the second sees the first membership,
        # and of two people who want the last use one is refused.
        invitation = (
            Invitation.objects.select_for_update(of=("self",))
            .select_related("task__campaign")
            .get(pk=invitation.pk)
        )
        if user is not None and _is_annotator(invitation.task, user):
            return user
        left = count_left([invitation.task], user)[invitation.task_id]
        if (state := find_invitation_state(invitation, user, left)) != "usable":
            raise InvitationGone(state)
        Invitation.objects.filter(pk=invitation.pk).update(uses=F("uses") + 1)
        # A guest has no e-mail and no password: the session and the return link give access.
        person = user or User.objects.create_user(f"{GUEST_PREFIX}{secrets.token_hex(4)}")
        Annotator.objects.get_or_create(user=person)
        Membership.objects.create(
            user=person, campaign=invitation.task.campaign, task=invitation.task, role=Role.ANNOTATOR
        )
    return person


def find_invitation_state(invitation: Invitation, user: User | None, left: int) -> str:
    """Return the state for this person: usable, full, used, expired, revoked or removed.

    Members may return. An open task without a free slot for this person is full.
    """
    if user is not None and _is_annotator(invitation.task, user):
        return "usable"
    removals = Removal.objects.filter(user=user, task=invitation.task_id, at__gte=invitation.created_at)
    if user is not None and removals.exists():
        return "removed"
    is_full = invitation.task.is_open and not left
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
        AuditEntry.objects.record(by, "revoke return link", _task_of(membership), {"person": guest.username})


def _is_annotator(task: Task, user: User) -> bool:
    return Task.objects.annotated_by(user).filter(pk=task.pk).exists()


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
