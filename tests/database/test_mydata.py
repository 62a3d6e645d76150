"""A person's own page, and the history of a task."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

import evaluation
from evaluation.annotate.services import practice
from evaluation.models import Annotator, AuditEntry, Erasure, Job, Ranking, SignIn, Task, User
from evaluation.people import api_tokens
from evaluation.people.personal_data import COVERED, SECTIONS, find_person_fields, stream_document
from evaluation.schemes import Choice
from evaluation.tasks.queries.history import ACTION_NAMES, FIELD_NAMES
from evaluation.tasks.services import management
from tests.database.answering import always, answer_task

SignInAs = Callable[[User | Annotator | None], Client]


@pytest.fixture(autouse=True)
def own_home(settings: object, tmp_path: Path) -> None:
    settings.HOME = tmp_path  # type: ignore[attr-defined]  # pytest-django's fixture takes any setting


def user_of(annotator: Annotator) -> User:
    assert annotator.user is not None
    return annotator.user


class TestDownload:
    def test_it_holds_every_answer_and_what_others_did(
        self, task: Task, alice: User, bob: Annotator, signed_in: SignInAs
    ) -> None:
        answer_task(task, bob, always(Choice.A_BETTER), most=2)
        management.add_members(task, ["bob"], by=alice, quota=3)
        api_tokens.create_token(user_of(bob), name="laptop")
        response = signed_in(bob).get(reverse("my-data-download"))
        assert response["Content-Disposition"].startswith("attachment")
        held = json.loads(response.getvalue())
        assert held["account"]["username"] == "bob"
        assert len(held["rankings"]) == Ranking.objects.count() > 0
        assert {row["choice"] for row in held["rankings"]} == {"A>B"}
        assert [row["number"] for row in held["sentences"]] == [1, 2]
        assert held["api_tokens"][0]["name"] == "laptop"
        assert [row["action"] for row in held["changes_that_name_you"]] == ["add members"]

    def test_it_tells_an_annotator_no_system_and_nothing_of_others(
        self, task: Task, alice: User, bob: Annotator, carol: Annotator
    ) -> None:
        for who in (bob, carol):
            answer_task(task, who, always(Choice.EQUAL), most=2)
        management.add_members(task, ["bob", "carol"], by=alice)
        text = "".join(stream_document(user_of(bob)))
        for secret in ("alpha", "beta", "gamma", "degraded", "carol", "alice", "key of bob", "houses.json"):
            assert secret not in text
        assert "password" not in text

    def test_it_tells_of_practice_by_the_name_of_the_task_and_by_no_number_of_a_row(
        self, task: Task, bob: Annotator
    ) -> None:
        practice.finish_practice(task, bob)
        held = json.loads("".join(stream_document(user_of(bob))))
        assert [row["task"] for row in held["practice"]] == [task.name]
        assert held["elsewhere"] == {}

    def test_every_table_that_leads_to_a_person_is_in_it(self, bob: Annotator) -> None:
        listed = {section.model for section in SECTIONS} | COVERED
        unlisted = {model for model, _ in find_person_fields()} - listed
        Job.objects.create(kind="x", title="mine", owner=bob.user)
        held = json.loads("".join(stream_document(user_of(bob))))
        assert [row["title"] for row in held["jobs"]] == ["mine"]
        # Not told by name, so told under "elsewhere"; add a section where its words matter to a person.
        assert {model._meta.label for model in unlisted} <= {
            "admin.LogEntry", "metrics.TrainedModel", "evaluation.PracticeRound",
        }  # fmt: skip


class TestLeaving:
    def test_the_page_says_what_goes_and_what_stays(self, bob: Annotator, signed_in: SignInAs) -> None:
        page = signed_in(bob).get(reverse("my-data")).content.decode()
        assert "What is deleted" in page
        assert "What stays" in page
        assert 'name="password"' not in page  # bob came by an invitation and has none

    @pytest.mark.parametrize("typed", ["", "Bob", "bob2", "carol"])
    def test_without_the_name_nothing_happens(self, bob: Annotator, signed_in: SignInAs, typed: str) -> None:
        response = signed_in(bob).post(reverse("delete-account"), {"name": typed})
        assert response.status_code == 422
        assert User.objects.filter(username="bob").exists()
        assert Erasure.objects.count() == 0

    def test_with_the_name_the_person_is_gone_and_signed_out(
        self, bob: Annotator, signed_in: SignInAs
    ) -> None:
        client = signed_in(bob)
        response = client.post(reverse("delete-account"), {"name": "bob"}, follow=True)
        assert "Your account is deleted" in response.content.decode()
        assert not User.objects.filter(username="bob").exists()
        assert client.get("/").status_code == 302

    def test_who_has_a_password_must_know_it(self, bob: Annotator) -> None:
        user = user_of(bob)
        user.set_password("right")
        user.save()
        client = Client()
        client.force_login(user)
        for password in ("", "wrong"):
            form = {"name": "bob", "password": password}
            assert client.post(reverse("delete-account"), form).status_code == 422
        assert SignIn.objects.count() == 1  # guessing here counts like guessing at the door
        client.post(reverse("delete-account"), {"name": "bob", "password": "right"})
        assert not User.objects.filter(username="bob").exists()

    def test_the_only_administrator_is_told_why_not(self, db: None, signed_in: SignInAs) -> None:
        root = User.objects.create_superuser("root")
        response = signed_in(root).post(reverse("delete-account"), {"name": "root"})
        assert response.status_code == 422
        assert "only administrator" in response.content.decode()

    def test_deleting_in_the_administration_is_erasing(
        self, bob: Annotator, task: Task, signed_in: SignInAs
    ) -> None:
        root = User.objects.create_superuser("root")
        client, number = signed_in(root), user_of(bob).pk
        client.post(f"/admin/evaluation/user/{number}/delete/", {"post": "yes"})
        assert Erasure.objects.get().person == number
        assert client.post(f"/admin/evaluation/user/{root.pk}/delete/", {"post": "yes"}).status_code == 403


class TestHistory:
    def test_a_manager_sees_who_did_what(
        self, task: Task, alice: User, bob: Annotator, signed_in: SignInAs
    ) -> None:
        management.change_state(task, "closed", by=alice)
        management.add_members(task, ["bob"], by=alice, quota=4)
        detail = {"format": "csv", "identified": True}
        AuditEntry.objects.record(alice, "export", f"campaign {task.campaign.slug}", detail)
        page = signed_in(alice).get(reverse("task-history", args=[task.slug])).content.decode()
        for words in ("changed the state", "added members", "bob", "exported answers", "alice"):
            assert words in page

    def test_in_german_the_details_are_german_too(
        self, task: Task, alice: User, bob: Annotator, signed_in: SignInAs
    ) -> None:
        management.change_state(task, "closed", by=alice)
        management.add_members(task, ["bob"], by=alice, quota=4)
        AuditEntry.objects.record(alice, "export", task, {"format": "csv", "identified": True})
        headers = {"Accept-Language": "de"}
        page = signed_in(alice).get(reverse("task-history", args=[task.slug]), headers=headers)
        words = [
            " ".join(f"{key} {value}" for key, value in each.details) for each in page.context["changes"]
        ]
        assert words == [
            "Format csv mit Namen ja",
            "Personen bob Rolle Annotierende Kontingent 4",
            "von Offen auf Geschlossen",
        ]
        stored = AuditEntry.objects.order_by("pk").values_list("detail", flat=True)
        assert stored[0] == {"from": "open", "to": "closed"}, "what is stored stays as it is"

    def test_every_change_that_a_service_notes_has_words(self) -> None:
        actions, fields = set(), set()
        for service in Path(evaluation.__path__[0]).rglob("services/*.py"):
            for call in ast.walk(ast.parse(service.read_text("utf-8"))):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "AuditEntry.objects.record":
                    _by, action, _task, *detail = call.args
                    actions |= {word.value for word in ast.walk(action) if isinstance(word, ast.Constant)}
                    for each in detail:
                        assert isinstance(each, ast.Dict), service
                        fields |= {ast.literal_eval(key) for key in each.keys if key}
        assert len(actions) > 10
        assert actions <= ACTION_NAMES.keys()
        assert fields <= FIELD_NAMES.keys()

    def test_it_is_short_of_nothing_and_long_in_pages(
        self, task: Task, alice: User, signed_in: SignInAs
    ) -> None:
        client, url = signed_in(alice), reverse("task-history", args=[task.slug])
        AuditEntry.objects.all().delete()
        assert "<table" not in client.get(url).content.decode()
        AuditEntry.objects.bulk_create(
            AuditEntry(action=f"act {n}", target=f"task {task.slug}") for n in range(120)
        )
        AuditEntry.objects.create(action="elsewhere", target=f"task {task.slug}-2")
        pages = [client.get(url, {"page": n}).content.decode() for n in (1, 2, 3)]
        assert sum(page.count("act ") for page in pages) == 120
        assert "elsewhere" not in "".join(pages)
        for number in ("9" * 30, "9" * 5000):  # Python itself refuses to read the longer one
            assert client.get(url, {"page": number}).status_code == 200
        assert client.get(url, {"page": "x"}).status_code == 200

    def test_annotators_and_strangers_see_nothing(
        self, task: Task, bob: Annotator, dora: User, signed_in: SignInAs
    ) -> None:
        for who in (bob, dora):
            assert signed_in(who).get(reverse("task-history", args=[task.slug])).status_code == 404

    def test_the_administrator_reads_it_for_the_whole_site(
        self, task: Task, alice: User, signed_in: SignInAs
    ) -> None:
        management.change_state(task, "closed", by=alice)
        client = signed_in(User.objects.create_superuser("root"))
        assert "closed" in client.get("/admin/evaluation/auditentry/").content.decode()
        assert client.post("/admin/evaluation/auditentry/add/", {}).status_code == 403
