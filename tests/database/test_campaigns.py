"""Campaigns: settings of many tasks, routing, quotas, people in bulk, and copies for the next round."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from appraise.lib.problems import InputError
from evaluation import jobs
from evaluation.annotate.services import assignments, practice
from evaluation.models import (
    AccessCard,
    Annotator,
    Assignment,
    AuditEntry,
    Campaign,
    Job,
    Membership,
    PracticeQuestion,
    Role,
    Slot,
    Task,
    User,
)
from evaluation.reports.scope import load_scope
from evaluation.reports.trend import Trend
from evaluation.schemes import Choice
from evaluation.tasks.queries.campaigns import build_campaign_page, find_next_task
from evaluation.tasks.services import accounts, management
from evaluation.tasks.services.campaigns import apply_schedule
from evaluation.tasks.services.copies import copy_campaign
from evaluation.tasks.services.import_job import find_own_task
from tests.database.answering import always, another_task, answer_task
from tests.database.conftest import SENTENCES, annotator, make_task, person

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def manager(alice: User, signed_in: SignIn) -> Client:
    return signed_in(alice)


@pytest.fixture
def tasks(task: Task) -> list[Task]:
    return [task, another_task("Barns"), task_about("shed", scheme="four-way")]


@pytest.fixture
def campaign(tasks: list[Task]) -> Campaign:
    return tasks[0].campaign


def task_about(word: str, **settings: object) -> Task:
    """A further task of the campaign, with a word of its own."""
    return make_task(word.title(), json.loads(json.dumps(SENTENCES).replace("house", word)), **settings)


def address(name: str, *keys: object) -> str:
    return reverse(name, args=["study", *keys])


def join(campaign: Campaign, name: str, **fields: object) -> Annotator:
    """Somebody who is an annotator of the whole campaign."""
    user = person(name)
    Membership.objects.create(user=user, campaign=campaign, role=Role.ANNOTATOR, **fields)
    return Annotator.objects.create(user=user, key=f"key of {name}")


class TestSettings:
    def apply(self, client: Client, **typed: object) -> None:
        data = {"which": "all", "apply": "1", **typed}
        assert client.post(address("campaign-settings"), data).status_code == 302

    def test_a_review_shows_the_effect_and_changes_nothing(
        self, campaign: Campaign, tasks: list[Task], manager: Client
    ) -> None:
        before = Slot.objects.count()
        typed = {"which": "chosen", "tasks": [tasks[1].slug, tasks[2].slug], "overlap": "3"}
        response = manager.post(address("campaign-settings"), typed)
        assert [effect.task for effect in response.context["effects"]] == tasks[1:]
        assert response.context["slots"] == tasks[1].size + tasks[2].size
        assert Slot.objects.count() == before
        assert set(Task.objects.values_list("overlap", flat=True)) == {2}

    def test_one_form_sets_every_task_and_each_may_differ_afterwards(
        self, campaign: Campaign, tasks: list[Task], manager: Client
    ) -> None:
        self.apply(manager, overlap="3", most_per_person="5", closes_at="2031-01-02T10:00", practice="on",
                   instructions="Read slowly.", ask_reasons="on")  # fmt: skip
        for task in Task.objects.all():
            assert (task.overlap, task.most_per_person, task.practice) == (3, 5, True)
            assert (task.instructions, task.ask_reasons) == ("Read slowly.", True)
            assert task.closes_at is not None
            assert task.slots.filter(presentation=0).count() == 3 * task.size
        self.apply(manager, which="chosen", tasks=tasks[1].slug, overlap="1", clear="closes_at")
        tasks[1].refresh_from_db()
        assert (tasks[1].overlap, tasks[1].closes_at, tasks[1].instructions) == (1, None, "Read slowly.")
        assert Task.objects.filter(overlap=3).count() == 2
        later = task_about("hut", instructions="Its own.")
        assert (later.most_per_person, later.practice, later.instructions) == (5, True, "Its own.")
        assert later.overlap == 2, "what an upload says itself is kept"

    def test_fewer_people_never_take_away_what_was_begun(
        self, campaign: Campaign, tasks: list[Task], bob: Annotator, manager: Client
    ) -> None:
        answer_task(tasks[0], bob, always(Choice.EQUAL), most=2)
        begun = set(tasks[0].slots.exclude(state=Slot.State.FREE).values_list("pk", flat=True))
        self.apply(manager, overlap="1")
        assert begun <= set(tasks[0].slots.values_list("pk", flat=True))
        assert tasks[0].slots.count() == tasks[0].size

    def test_states_change_where_they_can(
        self, campaign: Campaign, tasks: list[Task], manager: Client
    ) -> None:
        Task.objects.filter(pk=tasks[0].pk).update(state=Task.State.ARCHIVED)
        self.apply(manager, state="closed")
        assert set(Task.objects.values_list("state", flat=True)) == {"closed"}
        self.apply(manager, state="open")
        assert set(Task.objects.values_list("state", flat=True)) == {"open"}
        assert AuditEntry.objects.filter(action="state").count() == 6

    def test_practice_questions_of_one_task_are_copied_to_the_others(
        self, campaign: Campaign, tasks: list[Task], manager: Client
    ) -> None:
        PracticeQuestion.objects.create(task=tasks[0], first="one", second="two", expected="A>B")
        self.apply(manager, practice_from=tasks[0].slug)
        assert [task.practice_questions.count() for task in tasks] == [1, 1, 1]

    @pytest.mark.parametrize(
        "typed", [{}, {"which": "chosen"}, {"overlap": "0"}, {"state": "gone"}, {"closes_at": "soon"}]
    )
    def test_what_makes_no_sense_is_refused(
        self, campaign: Campaign, manager: Client, typed: dict[str, str]
    ) -> None:
        response = manager.post(address("campaign-settings"), {"which": "all", "apply": "1", **typed})
        assert response.status_code == 422
        assert not AuditEntry.objects.exists()

    def test_a_task_of_another_campaign_cannot_be_chosen(
        self, campaign: Campaign, manager: Client, tasks: list[Task]
    ) -> None:
        other = Campaign.objects.create(slug="other", name="Other")
        Task.objects.filter(pk=tasks[2].pk).update(campaign=other)
        typed = {"which": "chosen", "tasks": tasks[2].slug, "overlap": "5", "apply": "1"}
        assert manager.post(address("campaign-settings"), typed).status_code == 422
        self.apply(manager, overlap="5")
        tasks[2].refresh_from_db()
        assert tasks[2].overlap == 2

    def test_the_schedule_opens_and_closes(self, campaign: Campaign, tasks: list[Task]) -> None:
        now = timezone.now()
        Task.objects.filter(pk=tasks[0].pk).update(closes_at=now - timedelta(minutes=1))
        Task.objects.filter(pk=tasks[1].pk).update(state="draft", opens_at=now - timedelta(minutes=1))
        Task.objects.filter(pk=tasks[2].pk).update(closes_at=now + timedelta(minutes=1))
        assert apply_schedule(now) == 2
        states = Task.objects.order_by("pk").values_list("state", flat=True)
        assert list(states) == ["closed", "open", "open"]
        assert apply_schedule(now) == 0
        Task.objects.filter(pk=tasks[0].pk).update(state="open", opens_at=now - timedelta(minutes=1))
        apply_schedule(now)
        Task.objects.filter(pk=tasks[0].pk).update(state="closed")
        assert apply_schedule(now) == 0, "who closes or reopens a task is not contradicted"

    def test_a_later_task_does_not_begin_with_times_that_have_passed(
        self, campaign: Campaign, tasks: list[Task]
    ) -> None:
        past, coming = timezone.now() - timedelta(days=1), timezone.now() + timedelta(days=1)
        Campaign.objects.update(task_settings={"closes_at": past.isoformat(), "opens_at": coming.isoformat()})
        later = task_about("hut")
        assert (later.closes_at, later.opens_at, later.state) == (None, coming, "draft")


class TestRouting:
    def test_annotators_get_the_task_that_needs_them(
        self, campaign: Campaign, tasks: list[Task], bob: Annotator, signed_in: SignIn
    ) -> None:
        answer_task(tasks[0], bob, always(Choice.EQUAL))
        erin = join(campaign, "erin")
        assert erin.user is not None
        client = signed_in(erin)
        first = client.post(address("campaign-work"))["Location"]
        assignment = Assignment.objects.get(annotator=erin)
        assert first == assignment.get_absolute_url()
        assert assignment.task != tasks[0], "half of its slots are taken"
        assert client.post(address("campaign-work"))["Location"] == first, "an open sentence comes first"
        seen = []
        while (task := find_next_task(campaign, erin.user)) is not None:
            seen.append(task)
            answer_task(task, erin, always(Choice.EQUAL))
        assert sorted(task.pk for task in seen) == [task.pk for task in tasks]
        assert client.post(address("campaign-work"))["Location"] == address("campaign-finished")
        assert "That was all" in client.get(address("campaign-finished")).content.decode()

    def test_the_end_of_a_task_leads_to_the_next(
        self, campaign: Campaign, tasks: list[Task], signed_in: SignIn
    ) -> None:
        erin = join(campaign, "erin")
        answer_task(tasks[0], erin, always(Choice.EQUAL))
        page = signed_in(erin).get(reverse("finished", args=[tasks[0].slug])).content.decode()
        assert f'action="{address("campaign-work")}"' in page
        home = signed_in(erin).get("/").content.decode()
        assert "2 tasks wait for you" in home

    def test_people_get_the_tasks_in_their_languages(
        self, campaign: Campaign, tasks: list[Task], signed_in: SignIn
    ) -> None:
        Task.objects.filter(pk=tasks[1].pk).update(target_language="fr")
        Task.objects.filter(pk=tasks[2].pk).update(target_language="zh-Hans")
        knows = Membership.pack_languages(["fr", "zh-Hans"])
        erin = join(campaign, "erin", languages=knows)
        assert erin.user is not None
        assert set(Task.objects.annotated_by(erin.user)) == set(tasks[1:])
        assert signed_in(erin).post(reverse("work", args=[tasks[0].slug])).status_code == 404
        everybody = join(campaign, "frank")
        assert everybody.user is not None
        assert Task.objects.annotated_by(everybody.user).count() == 3

    def test_a_quota_counts_over_all_tasks(self, campaign: Campaign, tasks: list[Task]) -> None:
        erin = join(campaign, "erin", quota=5)
        for task in tasks:
            answer_task(task, erin, always(Choice.EQUAL), most=3)
        assert Assignment.objects.filter(annotator=erin).count() == 5
        assert erin.user is not None
        assert find_next_task(campaign, erin.user) is None

    def test_the_limit_of_a_task_holds_for_everybody(self, task: Task, bob: Annotator) -> None:
        Task.objects.update(most_per_person=2)
        task.refresh_from_db()
        answer_task(task, bob, always(Choice.EQUAL))
        assert bob.assignments.count() == 2
        assert bob.user is not None
        assert assignments.count_left([task], bob.user) == {task.pk: 0}

    def test_one_practice_round_is_enough_for_tasks_of_one_kind(
        self, campaign: Campaign, tasks: list[Task], bob: Annotator
    ) -> None:
        Task.objects.update(practice=True)
        tasks = list(Task.objects.order_by("pk"))
        practice.finish_practice(tasks[0], bob)
        assert [practice.is_practice_due(task, bob) for task in tasks] == [False, False, True]

    def test_a_link_to_the_campaign_opens_all_of_it(
        self, campaign: Campaign, tasks: list[Task], manager: Client
    ) -> None:
        manager.post(address("campaign-invite"), {"note": "", "most_uses": "2", "days": "3"})
        link = reverse("join", args=[campaign.invitations.get().token])
        client = Client()
        assert campaign.name in client.get(link).content.decode()
        assert client.post(link)["Location"].startswith("/a/")
        guest = User.objects.get(username__startswith="guest-")
        assert Task.objects.annotated_by(guest).count() == 3
        membership = guest.memberships.get()
        assert membership.task is None
        manager.post(address("campaign-change-member", membership.pk), {"remove": "1"})
        assert not Task.objects.annotated_by(guest).exists()
        assert client.post(link).status_code == 410, "removed people do not come back by the same link"


class TestPeople:
    TABLE = "name,quota,languages\nwren,50,en fr\nlark,,\ncarol,3,\n"

    def test_a_table_becomes_accounts_with_cards(
        self, campaign: Campaign, carol: Annotator, manager: Client
    ) -> None:
        response = manager.post(address("campaign-add-people"), {"text": self.TABLE})
        assert response.status_code == 201
        assert response["Cache-Control"] == "no-store"
        cards = {card.name: card.code for card in response.context["cards"]}
        assert cards["carol"] == "", "an account that existed keeps its own way to sign in"
        members = campaign.memberships.filter(role=Role.ANNOTATOR, task=None)
        assert set(members.values_list("user__username", "quota", "languages")) == {
            ("wren", 50, " en fr "), ("lark", None, ""), ("carol", 3, ""),
        }  # fmt: skip
        stored = AccessCard.objects.get(user__username="wren").digest
        assert cards["wren"] not in stored
        assert cards["wren"] not in manager.get(address("campaign-members")).content.decode()

    def test_a_card_signs_its_owner_in_however_it_is_typed(self, campaign: Campaign, alice: User) -> None:
        [card] = accounts.add_people(campaign, [accounts.NewPerson("wren")], by=alice)
        for code in (card.code, card.code.lower(), card.code.replace("-", "")):
            client = Client()
            link = reverse("come-back", args=[code])
            assert "wren" in client.get(link).content.decode()
            assert client.get("/").status_code == 302, "looking signs nobody in"
            assert client.post(link, follow=True).context["user"].username == "wren"
        wrong = card.code[:-1] + ("A" if card.code[-1] != "A" else "B")
        assert Client().post(reverse("come-back", args=[wrong])).status_code == 404

    def test_a_new_card_ends_the_old_one_and_its_sessions(
        self, campaign: Campaign, alice: User, manager: Client
    ) -> None:
        [old] = accounts.add_people(campaign, [accounts.NewPerson("wren")], by=alice)
        client = Client()
        client.post(reverse("come-back", args=[old.code]))
        wren = User.objects.get(username="wren")
        response = manager.post(address("campaign-cards"), {"user": str(wren.pk)})
        [new] = response.context["cards"]
        assert client.get("/").status_code == 302
        assert Client().post(reverse("come-back", args=[old.code])).status_code == 404
        assert Client().post(reverse("come-back", args=[new.code])).status_code == 302

    def test_nobody_else_makes_a_card_for_an_account(
        self, campaign: Campaign, alice: User, dora: User, carol: Annotator, signed_in: SignIn
    ) -> None:
        """Being made a member elsewhere gives the managers there no way into the account."""
        [card] = accounts.add_people(campaign, [accounts.NewPerson("wren")], by=alice)
        other = Campaign.objects.create(slug="other", name="Other")
        Membership.objects.create(user=dora, campaign=other, role=Role.MANAGER)
        management.add_members(other, ["wren", "carol"], by=dora)
        users = [str(pk) for pk in User.objects.values_list("pk", flat=True)]
        page = signed_in(dora).post(reverse("campaign-cards", args=["other"]), {"user": users})
        assert page.context["cards"] == []
        assert Client().post(reverse("come-back", args=[card.code])).status_code == 302
        mine = signed_in(alice).post(address("campaign-cards"), {"user": users})
        assert [issued.name for issued in mine.context["cards"]] == ["wren"], "not of existing accounts"

    @pytest.mark.parametrize("change", ["password", "manager", "may_create", "inactive"])
    def test_a_card_opens_only_an_account_that_annotates(
        self, campaign: Campaign, alice: User, change: str
    ) -> None:
        [card] = accounts.add_people(campaign, [accounts.NewPerson("wren")], by=alice)
        wren = User.objects.get(username="wren")
        if change == "manager":
            Membership.objects.create(user=wren, campaign=campaign, role=Role.MANAGER)
        elif change == "password":
            wren.set_password("a password of her own")
        wren.may_create = change == "may_create"
        wren.is_active = change != "inactive"
        wren.save()
        assert Client().post(reverse("come-back", args=[card.code])).status_code == 404

    @pytest.mark.parametrize(
        ("table", "code"),
        [
            ("name,quota\nwren,x\n", "bad_quota"), ("name\nwren\nWren\n", "duplicate_name"),
            ("name\nguest-1\n", "bad_name"), ("name\na b\n", "bad_name"),
            ("name,age\nwren,3\n", "bad_header"),
            ("quota,languages\n3,de\n", "bad_header"), ("name,languages\nwren,klingon!\n", "bad_language"),
            ("name\n", "empty_file"), ("name,quota\nwren\n", "column_count"),
        ],
    )  # fmt: skip
    def test_a_wrong_table_creates_nobody(
        self, campaign: Campaign, manager: Client, table: str, code: str
    ) -> None:
        with pytest.raises(InputError, match=code):
            accounts.read_people(table)
        before = User.objects.count()
        assert manager.post(address("campaign-add-people"), {"text": table}).status_code == 422
        assert User.objects.count() == before

    def test_many_people_cost_as_many_queries_as_one(self, campaign: Campaign, alice: User) -> None:
        def cost(people: range) -> int:
            with CaptureQueriesContext(connection) as queries:
                accounts.add_people(campaign, [accounts.NewPerson(f"p{n:03}") for n in people], by=alice)
            return len(queries)

        assert cost(range(1)) == cost(range(1, 41)) < 20
        assert campaign.access_cards.count() == 41
        accounts.add_people(campaign, [accounts.NewPerson("p000", quota=9)], by=alice)
        assert campaign.memberships.get(user__username="p000").quota == 9


class TestPage:
    def test_it_costs_the_same_for_many_tasks_and_people(
        self, campaign: Campaign, tasks: list[Task], manager: Client
    ) -> None:
        def cost(page: str) -> int:
            with CaptureQueriesContext(connection) as queries:
                assert manager.get(address(page)).status_code == 200
            return len(queries)

        pages = ("campaign", "campaign-members")
        few = [cost(page) for page in pages]
        for n in range(12):
            answer_task(tasks[n % 3], join(campaign, f"p{n}"), always(Choice.EQUAL), most=1)
        task_about("den")
        assert [cost(page) for page in pages] == few
        assert max(few) <= 10

    def test_its_figures(self, campaign: Campaign, tasks: list[Task], bob: Annotator) -> None:
        answer_task(tasks[0], bob, always(Choice.EQUAL))
        page = build_campaign_page(campaign)
        done = tasks[0].size
        total = 2 * sum(task.size for task in tasks)
        assert (page.slots.done, page.slots.total) == (done, total)
        assert (page.finished, page.running, page.not_started) == (0, 1, 2)
        assert page.finished_recently == done
        assert page.expected_end is not None
        assert page.missing is None
        join(campaign, "erin", quota=10)
        assert build_campaign_page(campaign).missing == total - done - 10

    def test_a_researcher_sees_no_names(self, campaign: Campaign, signed_in: SignIn) -> None:
        join(campaign, "erin-the-annotator")
        ruth = person("ruth")
        Membership.objects.create(user=ruth, campaign=campaign, role=Role.RESEARCHER)
        page = signed_in(ruth).get(address("campaign")).content.decode()
        assert "erin-the-annotator" not in page
        assert address("campaign-settings") in page or "Set for several tasks" not in page

    def test_a_manager_of_one_task_does_not_manage_the_campaign(
        self, campaign: Campaign, tasks: list[Task], dora: User, signed_in: SignIn
    ) -> None:
        Membership.objects.create(user=dora, campaign=campaign, task=tasks[0], role=Role.MANAGER)
        client = signed_in(dora)
        for page in ("campaign", "campaign-members", "campaign-crowd", "pay-sheet"):
            assert client.get(address(page)).status_code == 404
        assert client.post(address("campaign-settings"), {"which": "all", "overlap": "9"}).status_code == 404


class TestNextRound:
    def test_a_copy_has_settings_and_people_and_the_trend_has_both(
        self, campaign: Campaign, tasks: list[Task], alice: User, bob: Annotator, manager: Client
    ) -> None:
        join(campaign, "erin", quota=8, languages=" en ")
        Campaign.objects.update(
            task_settings={"most_per_person": 4, "closes_at": "2030-01-01T00:00:00+00:00"}
        )
        manager.post(address("copy-campaign"), {"name": "December", "people": "on"})
        made = Campaign.objects.get(name="December")
        campaign.refresh_from_db()
        assert made.family == campaign.family == "study"
        assert made.task_settings == {"most_per_person": 4}
        members = made.memberships.values_list("user__username", "role", "quota", "languages")
        assert set(members) == {("alice", "manager", None, ""), ("erin", "annotator", 8, " en ")}
        assert manager.get(made.get_absolute_url()).status_code == 200, "a campaign without tasks"
        answer_task(tasks[0], bob, always(Choice.A_BETTER))
        Task.objects.filter(pk=tasks[1].pk).update(campaign=made)
        answer_task(tasks[1], annotator("frank", tasks[1]), always(Choice.A_BETTER))
        page = Trend().compute(load_scope("campaign", "study"), Trend.options())
        assert [part.scope.slug for part in page.rounds] == ["study", "december"]
        assert all(line.interval is not None for part in page.rounds for line in part.wins)
        assert {line.system for part in page.rounds for line in part.wins} == {"alpha", "beta", "gamma"}

    def test_a_copy_without_people_has_only_who_manages_and_studies(
        self, campaign: Campaign, alice: User
    ) -> None:
        join(campaign, "erin")
        made = copy_campaign(campaign, "Alone", by=alice, with_people=False)
        assert list(made.memberships.values_list("user__username", flat=True)) == ["alice"]

    def test_the_trend_shows_only_rounds_that_its_reader_may_study(
        self, campaign: Campaign, tasks: list[Task], alice: User, dora: User, signed_in: SignIn
    ) -> None:
        made = copy_campaign(campaign, "December", by=alice, with_people=False)
        Task.objects.filter(pk=tasks[1].pk).update(campaign=made)
        Membership.objects.create(user=dora, campaign=made, role=Role.RESEARCHER)
        page = signed_in(dora).get(reverse("campaign-trend", args=[made.slug]))
        assert [part.scope.slug for part in page.context["page"].rounds] == ["december"]

    def test_new_files_take_settings_people_and_practice_of_a_task(
        self, campaign: Campaign, tasks: list[Task], bob: Annotator, manager: Client, settings: object,
        tmp_path: Path,
    ) -> None:  # fmt: skip
        settings.MEDIA_ROOT = tmp_path  # type: ignore[attr-defined]  # pytest-django's fixture takes any
        PracticeQuestion.objects.create(task=tasks[0], first="one", second="two", expected="A>B")
        Task.objects.update(overlap=4, question_size="large", ask_comment=False, most_per_person=6)
        model = reverse("new-upload") + f"?like={tasks[0].slug}"
        assert f'name="like" value="{tasks[0].slug}"' in manager.get(model).content.decode()
        table = b"id\tsource\tx\ty\n1\tSchuppen\tred shed\tblue shed\n"
        data = {"files": [SimpleUploadedFile("new.tsv", table)], "like": tasks[0].slug}
        upload = manager.post(reverse("new-upload"), data)["Location"]
        form = manager.get(upload).context["form"]
        sent = manager.post(upload, {**form.data, "name": "December", "campaign": "Next", "create": "1"})
        assert sent.status_code == 302, sent.context["form"].errors
        jobs.run_job.call(str(Job.objects.get(kind="import").pk))
        made = Task.objects.get(slug="december")
        assert (made.overlap, made.question_size, made.ask_comment) == (4, "large", False)
        assert (made.scheme_name, made.most_per_person, made.campaign.name) == ("six-way", 6, "Next")
        assert made.practice_questions.count() == 1
        assert list(made.memberships.values_list("user__username", "role")) == [("bob", "annotator")]

    def test_only_a_task_that_one_manages_is_a_model(
        self, campaign: Campaign, tasks: list[Task], dora: User, signed_in: SignIn
    ) -> None:
        User.objects.update(may_create=True)
        client, slug = signed_in(dora), tasks[0].slug
        assert client.get(reverse("new-upload") + f"?like={slug}").status_code == 404
        with pytest.raises(InputError, match="unknown_task"):
            find_own_task(dora, slug)
