"""Members with their quotas, invitation links, and the state of a task; every change is audited."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.contrib.auth.models import Group
from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evaluation.models import Annotator, Invitation, Membership, Role, Task, User
from evaluation.services import trail

# From → to. An archived task can be brought back; nobody may change one that is being imported.
TRANSITIONS: dict[str, tuple[str, ...]] = {
    Task.State.DRAFT: (Task.State.OPEN,),
    Task.State.OPEN: (Task.State.CLOSED,),
    Task.State.CLOSED: (Task.State.OPEN, Task.State.ARCHIVED),
    Task.State.ARCHIVED: (Task.State.CLOSED,),
    Task.State.IMPORTING: (),
}


GUEST = "guest-"
RETURN = "evaluation.return"


class UnknownPeople(Exception):
    """Some names belong to nobody; nothing was changed."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(", ".join(names))
        self.names = list(names)


class NotAllowed(Exception):
    """The task cannot go from its state to that one."""


class InvitationGone(Exception):
    """The link was used up, has expired or was revoked."""


def change_state(task: Task, to: str, *, by: User) -> None:
    with transaction.atomic():
        locked = Task.objects.select_for_update().get(pk=task.pk)
        if to not in TRANSITIONS[locked.state]:
            raise NotAllowed(f"{locked.state} → {to}")
        Task.objects.filter(pk=task.pk).update(state=to)
        trail.note(by, "state", task, {"from": locked.state, "to": to})
    task.state = to


def set_completion(task: Task, *, code: str, url: str, by: User) -> None:
    """What people see after finishing the task: a code, a link, both or neither."""
    with transaction.atomic():
        Task.objects.filter(pk=task.pk).update(completion_code=code, completion_url=url)
        trail.note(by, "completion", task, {"code": code, "url": url})


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
    """Give existing people a role in this task; those who have it already get the new quota."""
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
        trail.note(by, "add members", task, {"people": sorted(people), "role": role, "quota": quota})
    return list(people.values())


def set_quota(membership: Membership, quota: int | None, *, by: User) -> None:
    with transaction.atomic():
        Membership.objects.filter(pk=membership.pk).update(quota=quota)
        trail.note(by, "quota", _task_of(membership), {"person": membership.user.username, "quota": quota})


def remove_member(membership: Membership, *, by: User) -> None:
    """They no longer see the task; their answers stay."""
    with transaction.atomic():
        trail.note(
            by, "remove member", _task_of(membership),
            {"person": membership.user.username, "role": membership.role},
        )  # fmt: skip
        membership.delete()


def _task_of(membership: Membership) -> Task:
    assert membership.task is not None  # members of a whole campaign are changed in the administration
    return membership.task


# --- invitations ----------------------------------------------------------------------------------


def invite(task: Task, *, by: User, most_uses: int = 1, days: int = 14, note: str = "") -> Invitation:
    with transaction.atomic():
        invitation = Invitation.objects.create(
            task=task, note=note, most_uses=most_uses, expires_at=timezone.now() + timedelta(days=days)
        )
        trail.note(by, "invite", task, {"invitation": invitation.pk, "uses": most_uses, "days": days})
    return invitation


def revoke(invitation: Invitation, *, by: User) -> None:
    """Nobody can join by this link any more; those who have joined stay."""
    with transaction.atomic():
        Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now())
        trail.note(by, "revoke invitation", invitation.task, {"invitation": invitation.pk})


def accept(invitation: Invitation, user: User | None) -> User:
    """Make the person who opened the link an annotator: a new account, or the one that is signed in.

    Opening it again with the same account costs no further use.
    """
    with transaction.atomic():
        # One at a time per link, so that of one person's two windows the second sees what the first has done.
        Invitation.objects.select_for_update().get(pk=invitation.pk)
        if user is not None and _is_annotator(invitation.task, user):
            return user
        # Conditional, so that of two people who race for the last use one is refused.
        if not Invitation.objects.usable().filter(pk=invitation.pk).update(uses=F("uses") + 1):
            raise InvitationGone(str(invitation.pk))
        person = user or _new_account()
        Annotator.objects.get_or_create(user=person)
        Membership.objects.create(
            user=person, campaign=invitation.task.campaign, task=invitation.task, role=Role.ANNOTATOR
        )
    return person


def is_guest(user: User) -> bool:
    """Somebody who joined by a link and has no password."""
    return user.username.startswith(GUEST) and not user.has_usable_password()


def return_token(user: User) -> str:
    """The token of a guest's return link: as good as a password, and contains only a made-up name."""
    return Signer(salt=RETURN).sign(user.username)


def returning(token: str) -> User | None:
    """The guest of a return link; None if it is forged, or the guest is gone or has a password by now."""
    try:
        name = Signer(salt=RETURN).unsign(token)
    except BadSignature:
        return None
    user = User.objects.filter(username=name, is_active=True).first()
    return user if user and is_guest(user) else None


def _is_annotator(task: Task, user: User) -> bool:
    return Task.objects.annotated_by(user).filter(pk=task.pk).exists()


def _new_account() -> User:
    """No e-mail, no password: the browser's session and the return link are all there is."""
    return User.objects.create_user(f"{GUEST}{secrets.token_hex(4)}")
