"""Members, quotas, invitation links and the state of a task; every change leaves a trace."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from evaluation import jobs
from evaluation.annotate.services import assignments
from evaluation.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Invitation,
    Job,
    Membership,
    Role,
    Task,
    User,
)
from evaluation.schemes import Choice
from evaluation.tasks.services import management
from tests.database.answering import always, answer_task
from tests.database.conftest import person

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def manager(alice: User, signed_in: SignIn) -> Client:
    return signed_in(alice)


def address(task: Task, name: str = "members", *args: object) -> str:
    return reverse(name, args=[task.slug, *args])


def task_of(invitation: Invitation) -> Task:
    assert invitation.task is not None
    return invitation.task


@pytest.mark.django_db(transaction=True)
def test_one_person_with_two_windows_uses_a_link_once(task: Task, alice: User, dora: User) -> None:
    invitation = management.create_invitation(task, by=alice, most_uses=5)
    begun, joined = Barrier(2), list[User]()

    def join() -> None:
        begun.wait()
        try:
            joined.append(management.accept_invitation(invitation, dora))
        finally:
            connection.close()

    threads = [Thread(target=join) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    invitation.refresh_from_db()
    assert (joined, invitation.uses, dora.memberships.count()) == ([dora, dora], 1, 1)


class TestMembers:
    def test_existing_people_are_added_with_a_quota(self, task: Task, manager: Client) -> None:
        person("erin")
        person("frank")
        manager.post(
            address(task, "add-members"), {"names": "erin, frank", "role": "annotator", "quota": "2"}
        )
        assert set(task.memberships.values_list("user__username", "quota")) == {("erin", 2), ("frank", 2)}
        assert "erin" in manager.get(address(task)).content.decode()
        assert AuditEntry.objects.get().detail["people"] == ["erin", "frank"]

    @pytest.mark.parametrize("typed", ["carol, dora", "carol; dora;", " carol dora ", ";\t,carol,,dora"])
    def test_names_may_stand_with_any_sign_between_them(
        self, task: Task, manager: Client, dora: User, carol: Annotator, typed: str
    ) -> None:
        manager.post(address(task, "add-members"), {"names": typed, "role": "researcher"})
        added = task.memberships.filter(role=Role.RESEARCHER).values_list("user__username", flat=True)
        assert sorted(added) == ["carol", "dora"]

    def test_a_quota_ends_the_work_of_one_person(self, task: Task, manager: Client) -> None:
        erin = person("erin")
        manager.post(address(task, "add-members"), {"names": "erin", "role": "annotator", "quota": "1"})
        voice = Annotator.objects.create(user=erin)
        first = assignments.next_assignment(task, voice)
        assert first is not None
        assignments.skip_assignment(first, "no")
        assert assignments.next_assignment(task, voice) is None

    def test_signs_alone_are_no_name(self, task: Task, manager: Client) -> None:
        response = manager.post(address(task, "add-members"), {"names": " ,; ", "role": "annotator"})
        assert response.status_code == 422
        assert response.context["member_form"].errors.keys() == {"names"}

    def test_a_name_that_nobody_has_adds_nobody(self, task: Task, manager: Client) -> None:
        person("erin")
        response = manager.post(address(task, "add-members"), {"names": "erin nemo", "role": "annotator"})
        assert response.status_code == 422
        assert "nemo" in response.context["member_form"].errors["names"].as_text()
        assert task.memberships.count() == 0

    def test_a_group_is_added_at_once(self, task: Task, manager: Client) -> None:
        group = Group.objects.create(name="linguists")
        for name in ("erin", "frank"):
            person(name).groups.add(group)
        assert "linguists" in manager.get(address(task)).content.decode()
        manager.post(address(task, "add-members"), {"group": str(group.pk), "role": "annotator"})
        assert task.memberships.count() == 2

    def test_adding_again_changes_the_quota_only(self, task: Task, manager: Client) -> None:
        person("erin")
        for quota in ("1", "5"):
            manager.post(address(task, "add-members"), {"names": "erin", "role": "annotator", "quota": quota})
        assert list(task.memberships.values_list("quota", flat=True)) == [5]

    def test_a_quota_can_be_changed_and_taken_away(self, task: Task, bob: Annotator, manager: Client) -> None:
        row = task.memberships.get()
        for typed, stored in (("7", 7), ("", None), ("0", None)):
            manager.post(address(task, "change-member", row.pk), {"quota": typed})
            row.refresh_from_db()
            assert row.quota == stored

    def test_removing_somebody_keeps_every_answer(self, task: Task, bob: Annotator, manager: Client) -> None:
        assignments.next_assignment(task, bob)
        manager.post(address(task, "change-member", task.memberships.get().pk), {"remove": "1"})
        assert task.memberships.count() == 0
        assert Assignment.objects.filter(annotator=bob).exists()

    def test_a_change_leads_back_to_the_pages_one_was_on(
        self, task: Task, bob: Annotator, manager: Client, alice: User
    ) -> None:
        row, link = task.memberships.get(), management.create_invitation(task, by=alice)
        was = "?page=3&invitations=2"
        assert manager.get(address(task) + was).content.decode().count("?page=3&amp;invitations=2") >= 6
        for name, *keys in (
            ("change-member", row.pk), ("add-members",), ("revoke-invitation", link.pk), ("task-state",),
        ):  # fmt: skip
            data = {"quota": "7", "names": "bob", "role": "annotator", "state": "closed"}
            assert (
                manager.post(address(task, name, *keys) + was, data).headers["Location"]
                == address(task) + was
            )
        made = manager.post(address(task, "invite") + was, {"note": "", "most_uses": "1", "days": "3"})
        assert made.headers["Location"] == address(task) + "?page=3"  # the first page of links

    def test_a_refused_change_stays_on_its_page_and_lists_can_be_turned(
        self, task: Task, manager: Client
    ) -> None:
        management.add_members(task, [person(f"p{n:03}").username for n in range(201)], by=person("eve"))
        page = manager.post(address(task, "add-members") + "?page=2", {"names": "nemo", "role": "annotator"})
        assert page.status_code == 422
        assert "page 2 of 3" in page.content.decode()
        assert f'href="{address(task)}?page=3#m1"' in page.content.decode()

    def test_a_change_leads_nowhere_else(self, task: Task, bob: Annotator, manager: Client) -> None:
        change = address(task, "change-member", task.memberships.get().pk)
        for query in (
            "?page=//evil.example",
            "?next=//evil.example",
            "?page=3%0d%0aX: y",
            "?page=-1&invitations=",
        ):
            assert manager.post(change + query, {"quota": "7"}).headers["Location"] == address(task)

    def test_members_of_another_task_cannot_be_touched(self, task: Task, manager: Client, dora: User) -> None:
        other = Membership.objects.create(user=dora, campaign=task.campaign, role=Role.ANNOTATOR)
        assert manager.post(address(task, "change-member", other.pk), {"remove": "1"}).status_code == 404

    def test_only_managers_enter(
        self, task: Task, bob: Annotator, dora: User, signed_in: SignIn, alice: User
    ) -> None:
        researcher = person("rita")
        Membership.objects.create(user=researcher, campaign=task.campaign, role=Role.RESEARCHER)
        invitation = management.create_invitation(task, by=alice)
        for who in (bob, dora, researcher):
            client = signed_in(who)
            assert client.get(address(task)).status_code == 404
            for name in ("add-members", "invite", "task-state"):
                assert client.post(address(task, name), {"state": "closed"}).status_code == 404
            assert client.post(address(task, "revoke-invitation", invitation.pk)).status_code == 404
        assert signed_in(None).get(address(task)).status_code == 302
        task.refresh_from_db()
        assert task.is_open

    def test_the_page_costs_a_constant_number_of_queries(self, task: Task, manager: Client) -> None:
        def cost() -> int:
            with CaptureQueriesContext(connection) as queries:
                assert manager.get(address(task)).status_code == 200
            return len(queries)

        before = cost()
        alice = User.objects.get(username="alice")
        management.add_members(task, [person(f"p{n}").username for n in range(5)], by=alice)
        for _ in range(3):
            management.create_invitation(task, by=alice)
        assert cost() == before <= 10


class TestInvitations:
    @pytest.fixture
    def invitation(self, task: Task, alice: User) -> Invitation:
        return management.create_invitation(task, by=alice)

    def test_a_link_makes_an_account_and_opens_the_first_sentence(self, invitation: Invitation) -> None:
        client = Client()
        door = client.get(reverse("join", args=[invitation.token]))
        assert door.status_code == 200
        assert User.objects.filter(username__startswith="guest").count() == 0
        response = client.post(reverse("join", args=[invitation.token]))
        assignment = Assignment.objects.get()
        assert response.url == assignment.get_absolute_url()  # type: ignore[attr-defined]
        assert client.get(response.url).status_code == 200  # type: ignore[attr-defined]
        guest = assignment.annotator.user
        assert guest is not None
        assert (guest.email, guest.has_usable_password()) == ("", False)
        assert guest.memberships.get().task == invitation.task

    def test_a_single_use_is_a_single_use(self, invitation: Invitation) -> None:
        Client().post(reverse("join", args=[invitation.token]))
        response = Client().post(reverse("join", args=[invitation.token]))
        assert response.status_code == 410
        assert response.context["state"] == "used"
        assert User.objects.filter(username__startswith="guest").count() == 1

    def test_who_has_joined_comes_back_by_the_same_link(self, invitation: Invitation) -> None:
        client = Client()
        client.post(reverse("join", args=[invitation.token]))
        assert client.get(reverse("join", args=[invitation.token])).status_code == 200
        assert client.post(reverse("join", args=[invitation.token])).status_code == 302
        invitation.refresh_from_db()
        assert (invitation.uses, User.objects.filter(username__startswith="guest").count()) == (1, 1)

    def test_whoever_is_signed_in_joins_as_themselves(
        self, invitation: Invitation, dora: User, signed_in: SignIn
    ) -> None:
        signed_in(dora).post(reverse("join", args=[invitation.token]))
        assert dora.memberships.get().role == Role.ANNOTATOR
        assert not User.objects.filter(username__startswith="guest").exists()

    @pytest.mark.parametrize("how", ["expired", "revoked"])
    def test_a_link_that_is_over_lets_nobody_in(
        self, invitation: Invitation, how: str, manager: Client
    ) -> None:
        if how == "revoked":
            manager.post(address(task_of(invitation), "revoke-invitation", invitation.pk))
        else:
            Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert Client().get(reverse("join", args=[invitation.token])).status_code == 410
        assert Client().post(reverse("join", args=[invitation.token])).status_code == 410
        assert not User.objects.filter(username__startswith="guest").exists()
        page = manager.get(address(task_of(invitation))).content.decode()
        assert how in page
        assert invitation.token not in page

    def test_a_link_for_many_is_made_listed_and_counted(self, task: Task, manager: Client) -> None:
        manager.post(address(task, "invite"), {"note": "class 7b", "most_uses": "2", "days": "3"})
        invitation = Invitation.objects.get()
        page = manager.get(address(task)).content.decode()
        assert f"http://testserver/j/{invitation.token}" in page
        assert "class 7b" in page
        for _ in range(3):
            Client().post(reverse("join", args=[invitation.token]))
        invitation.refresh_from_db()
        assert invitation.uses == 2
        assert task.memberships.count() == 2

    @pytest.mark.parametrize("wrong", [{"most_uses": "0"}, {"days": "400"}, {"days": "x"}])
    def test_a_link_that_makes_no_sense_is_refused(
        self, task: Task, manager: Client, wrong: dict[str, str]
    ) -> None:
        response = manager.post(address(task, "invite"), {"most_uses": "1", "days": "3", **wrong})
        assert response.status_code == 422
        assert Invitation.objects.count() == 0

    def test_a_link_to_a_closed_task_says_so(self, invitation: Invitation, alice: User) -> None:
        management.change_state(task_of(invitation), Task.State.CLOSED, by=alice)
        client = Client()
        response = client.post(reverse("join", args=[invitation.token]), follow=True)
        assert len(response.context["messages"]) == 1

    def test_a_guest_finds_their_work_again_in_another_browser(self, invitation: Invitation) -> None:
        first, second = Client(), Client()
        page = first.post(reverse("join", args=[invitation.token])).url  # type: ignore[attr-defined]
        guest = User.objects.get(username__startswith="guest-")
        # The link holds the time at which it was shown, so it is read from the page.
        shown = re.search(r"/r/guest-[\w:-]+", first.get("/").content.decode())
        assert shown
        link = shown[0]
        assert guest.username in second.get(link).content.decode()
        assert second.get("/").status_code == 302  # looking at the door signs nobody in
        assert second.post(link, follow=True).status_code == 200
        assert second.get(page).status_code == 200
        again = second.post(reverse("work", args=[task_of(invitation).slug]))
        assert again.url == page  # type: ignore[attr-defined]

    def test_a_return_link_ends_with_the_account_or_its_password(
        self, invitation: Invitation, dora: User, signed_in: SignIn
    ) -> None:
        Client().post(reverse("join", args=[invitation.token]))
        guest = User.objects.get(username__startswith="guest-")
        link = reverse("come-back", args=[management.sign_return_token(guest)])
        assert Client().get(link.replace(guest.username, dora.username)).status_code == 404
        assert (
            Client().get(reverse("come-back", args=[management.sign_return_token(dora)])).status_code == 404
        )
        assert "/r/" not in signed_in(dora).get("/").content.decode()
        guest.set_password("a password of their own")
        guest.save()
        assert Client().post(link).status_code == 404
        guest.delete()
        assert Client().get(link).status_code == 404

    def test_a_removed_member_does_not_come_back_by_a_link_that_existed(
        self, task: Task, manager: Client, alice: User
    ) -> None:
        link, other = (management.create_invitation(task, by=alice, most_uses=5) for _ in range(2))
        guest = Client()
        guest.post(reverse("join", args=[link.token]))
        membership = task.memberships.get()
        manager.post(address(task, "change-member", membership.pk), {"remove": "1"})
        for invitation in (link, other):
            for response in (
                guest.get(reverse("join", args=[invitation.token])),
                guest.post(reverse("join", args=[invitation.token])),
            ):
                assert response.status_code == 410
                assert "no longer valid" in response.content.decode()
        assert not task.memberships.exists()
        new = management.create_invitation(task, by=alice)  # a manager who makes one for them means it
        assert guest.post(reverse("join", args=[new.token])).status_code == 302
        assert task.memberships.get().user == membership.user

    def test_a_removed_member_gets_no_further_sentence(
        self, task: Task, bob: Annotator, manager: Client, signed_in: SignIn
    ) -> None:
        assignment = assignments.next_assignment(task, bob)
        assert assignment is not None
        manager.post(address(task, "change-member", task.memberships.get().pk), {"remove": "1"})
        skip = reverse("skip", args=[assignment.token])
        response = signed_in(bob).post(skip, {"reason": "too long"}, follow=True)
        assert "You are no longer a member of this task." in response.content.decode()
        assert bob.assignments.count() == 1

    def test_who_loses_the_race_for_the_last_use_is_told_so(
        self, invitation: Invitation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        accept = management.accept_invitation

        def accept_second(invitation: Invitation, user: User | None) -> User:
            accept(Invitation.objects.get(pk=invitation.pk), None)  # after the view has read the invitation
            return accept(invitation, user)

        monkeypatch.setattr(management, "accept_invitation", accept_second)
        response = Client().post(reverse("join", args=[invitation.token]))
        assert response.status_code == 410
        assert "has already been used" in response.content.decode()

    def test_a_return_link_expires(
        self, invitation: Invitation, monkeypatch: pytest.MonkeyPatch, settings: Any
    ) -> None:
        Client().post(reverse("join", args=[invitation.token]))
        guest = User.objects.get(username__startswith="guest-")
        settings.RETURN_LINK_DAYS = 3
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now - 4 * 24 * 60 * 60)
        link = reverse("come-back", args=[management.sign_return_token(guest)])
        monkeypatch.undo()
        for response in (Client().get(link), Client().post(link)):
            assert response.status_code == 410
            assert "has expired or was revoked" in response.content.decode()

    def test_a_revoked_return_link_ends_what_began_with_it(
        self, invitation: Invitation, manager: Client
    ) -> None:
        first, second = Client(), Client()
        first.post(reverse("join", args=[invitation.token]))
        guest = User.objects.get(username__startswith="guest-")
        link = reverse("come-back", args=[management.sign_return_token(guest)])
        second.post(link)
        assert second.get("/").status_code == 200
        change = address(task_of(invitation), "change-member", task_of(invitation).memberships.get().pk)
        assert 'name="revoke"' in manager.get(address(task_of(invitation))).content.decode()
        manager.post(change, {"revoke": "1"})
        assert Client().post(link).status_code == 410
        assert second.get("/").status_code == 302
        page = first.get("/").content.decode()
        guest.refresh_from_db()
        again = reverse("come-back", args=[management.sign_return_token(guest)])
        assert again in page
        assert Client().post(again).status_code == 302
        last = AuditEntry.objects.latest("pk")
        assert (last.action, last.detail) == ("revoke return link", {"person": guest.username})
        assert (
            "revoked the return link"
            in manager.get(address(task_of(invitation), "task-history")).content.decode()
        )

    def test_who_has_a_password_has_no_return_link_to_revoke(
        self, task: Task, bob: Annotator, manager: Client
    ) -> None:
        assert 'name="revoke"' not in manager.get(address(task)).content.decode()
        manager.post(address(task, "change-member", task.memberships.get().pk), {"revoke": "1"})
        assert not AuditEntry.objects.filter(action="revoke return link").exists()

    def test_an_invented_link_is_unknown(self, db: None) -> None:
        assert Client().get("/j/guessed").status_code == 404


class TestState:
    def test_a_task_is_closed_reopened_archived_and_brought_back(self, task: Task, manager: Client) -> None:
        for to in ("closed", "open", "closed", "archived", "closed"):
            assert f'value="{to}"' in manager.get(address(task)).content.decode()
            manager.post(address(task, "task-state"), {"state": to})
            task.refresh_from_db()
            assert task.state == to
        trail = list(AuditEntry.objects.order_by("pk").values_list("action", "detail"))
        assert trail[0] == ("state", {"from": "open", "to": "closed"})
        assert len(trail) == 5

    @pytest.mark.parametrize("to", ["archived", "importing", "draft", "nonsense", ""])
    def test_no_other_change_is_possible(self, task: Task, manager: Client, to: str) -> None:
        manager.post(address(task, "task-state"), {"state": to})
        task.refresh_from_db()
        assert task.state == "open"
        assert AuditEntry.objects.count() == 0

    def test_a_task_that_is_being_imported_is_nobodys_to_touch(self, task: Task, manager: Client) -> None:
        Task.objects.update(state=Task.State.IMPORTING)
        assert manager.get(address(task)).status_code == 404


class TestDeletion:
    """A wrong import can be undone while it holds nobody's work; answers cannot be deleted."""

    def ask(self, task: Task, manager: Client) -> Job | None:
        manager.post(address(task, "delete-task"))
        return Job.objects.filter(kind="removal").first()

    def test_a_closed_task_that_nobody_has_begun_goes_for_good(
        self, task: Task, manager: Client, alice: User
    ) -> None:
        assert address(task, "delete-task") not in manager.get(address(task)).content.decode()
        management.create_invitation(task, by=alice)
        management.change_state(task, Task.State.CLOSED, by=alice)
        assert address(task, "delete-task") in manager.get(address(task)).content.decode()
        job = self.ask(task, manager)
        assert job is not None
        assert "Delete" in manager.get(job.get_absolute_url()).content.decode()
        assert jobs.run_job.call(str(job.pk)) == "done"
        assert not Task.objects.filter(pk=task.pk).exists()
        assert manager.get(job.get_absolute_url()).status_code == 200
        # The next task of this name does not inherit the story of this one.
        assert not AuditEntry.objects.filter(target=f"task {task.slug}").exists()
        last = AuditEntry.objects.latest("pk")
        assert (last.user, last.action, last.detail) == (alice, "delete", {"name": task.name})

    def test_a_task_that_is_open_or_begun_stays(self, task: Task, manager: Client, bob: Annotator) -> None:
        assert self.ask(task, manager) is None
        assert assignments.next_assignment(task, bob) is not None
        Task.objects.update(state=Task.State.CLOSED)
        assert address(task, "delete-task") not in manager.get(address(task)).content.decode()
        assert self.ask(task, manager) is None

    def test_who_is_quicker_than_the_worker_keeps_the_task(
        self, task: Task, manager: Client, bob: Annotator
    ) -> None:
        Task.objects.update(state=Task.State.CLOSED)
        job = self.ask(task, manager)
        assert job is not None
        Task.objects.update(state=Task.State.OPEN)
        assignments.next_assignment(task, bob)
        assert jobs.run_job.call(str(job.pk)) == "failed"
        assert Task.objects.get(pk=task.pk).is_open
        assert task.items.exists()

    def test_a_worker_that_died_half_way_is_followed_by_another(self, task: Task, manager: Client) -> None:
        Task.objects.update(state=Task.State.CLOSED)
        job = self.ask(task, manager)
        assert job is not None
        Task.objects.update(state=Task.State.IMPORTING, slug="deleted-1", digest="")
        assert jobs.run_job.call(str(job.pk)) == "done"
        assert not Task.objects.filter(pk=task.pk).exists()

    def test_nobody_else_deletes_it(self, task: Task, dora: User, signed_in: SignIn) -> None:
        Task.objects.update(state=Task.State.CLOSED)
        assert signed_in(dora).post(address(task, "delete-task")).status_code == 404
        assert not Job.objects.exists()


class TestCompletion:
    def test_a_code_and_a_way_back_are_for_those_who_have_done_the_task(
        self, task: Task, manager: Client, bob: Annotator, carol: Annotator, signed_in: SignIn
    ) -> None:
        form = {"completion_code": "QX-4411", "completion_url": "https://study.example/done?cc=QX-4411"}
        assert manager.post(address(task, "completion"), form).status_code == 302
        assert AuditEntry.objects.latest("pk").action == "completion"
        end, client = address(task, "finished"), signed_in(bob)
        answer_task(task, bob, always(Choice.EQUAL), most=1)
        assignments.next_assignment(task, bob)
        early = client.get(end).content.decode()
        assert "There is more to do" in early
        assert "QX-4411" not in early
        answer_task(task, bob, always(Choice.EQUAL))
        done = client.get(end).content.decode()
        assert "QX-4411</code>" in done
        assert "https://study.example/done?cc=QX-4411" in done
        assert "QX-4411" not in signed_in(carol).get(end).content.decode()  # nothing open, nothing answered

    @pytest.mark.parametrize("url", ["javascript:alert(1)", "ftp://study.example", "nonsense"])
    def test_an_address_that_is_none_is_refused(self, task: Task, manager: Client, url: str) -> None:
        assert manager.post(address(task, "completion"), {"completion_url": url}).status_code == 422
        task.refresh_from_db()
        assert task.completion_url == ""
