"""Erasing a person: what goes, what stays, and that no backup brings anybody back."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client

from evaluation.annotate.services import assignments
from evaluation.annotate.services.answers import submit_sentence_answer
from evaluation.models import (
    AlignmentReport,
    Annotator,
    ApiToken,
    Assignment,
    AuditEntry,
    Erasure,
    Membership,
    Occurrence,
    Ranking,
    SentenceAnswer,
    SignIn,
    Task,
    User,
)
from evaluation.people import api_tokens, erasure
from evaluation.schemes import Choice
from evaluation.tasks.services import management
from tests.database.answering import always, answer_task

SignInAs = Callable[[User | Annotator | None], Client]


@pytest.fixture(autouse=True)
def own_home(settings: object, tmp_path: Path) -> None:
    """Every test has a ledger of its own."""
    settings.HOME = tmp_path  # type: ignore[attr-defined]  # pytest-django's fixture takes any setting


def user_of(annotator: Annotator) -> User:
    assert annotator.user is not None
    return annotator.user


@pytest.fixture
def busy_bob(task: Task, alice: User, bob: Annotator, signed_in: SignInAs) -> User:
    """Somebody who left a trace wherever one can be left."""
    user = user_of(bob)
    first = assignments.next_assignment(task, bob)
    assert first is not None
    submit_sentence_answer(first, "comment", "I live in Elm Street", uuid=uuid.uuid4())
    AlignmentReport.objects.create(
        annotator=bob,
        pair_id=Occurrence.objects.asked_by(first)[0].pair_id,
        alignment_id=first.alignment_id or 0,
        reason="cut",
        note="call me",
    )
    assignments.skip_assignment(first, "my name is bob")
    answer_task(task, bob, always(Choice.A_BETTER), most=1)
    api_tokens.create_token(user, name="bob's laptop")
    management.add_members(task, ["bob"], by=alice, quota=7)
    SignIn.objects.create(account=SignIn.digest_of("bob"), address="x", succeeded=True)
    signed_in(bob)
    kind = ContentType.objects.get_for_model(User)
    LogEntry.objects.create(
        user=alice, content_type=kind, object_id=str(user.pk), object_repr="bob", action_flag=CHANGE
    )
    kind = ContentType.objects.get_for_model(Membership)
    LogEntry.objects.create(
        user=alice, content_type=kind, object_id="1", object_repr="bob as Annotator in Study",
        action_flag=CHANGE, change_message='[{"added": {"object": "bob as Annotator in Study"}}]',
    )  # fmt: skip
    return user


class TestErasing:
    def test_nothing_that_names_the_person_stays(self, busy_bob: User, alice: User) -> None:
        erasure.erase(busy_bob)
        assert not User.objects.filter(username="bob").exists()
        assert not Membership.objects.filter(user__username="bob").exists()
        assert ApiToken.objects.count() == 0
        assert Session.objects.count() == 0
        assert SignIn.objects.count() == 0
        assert "bob" not in repr(list(AuditEntry.objects.values_list("detail", "target")))
        assert "bob" not in repr(list(LogEntry.objects.values_list("object_repr", "change_message")))

    def test_free_words_go_as_well(self, busy_bob: User) -> None:
        erasure.erase(busy_bob)
        assert set(SentenceAnswer.objects.values_list("value", flat=True)) == {""}
        assert set(Assignment.objects.values_list("skip_reason", flat=True)) == {"erased", ""}
        assert AlignmentReport.objects.get().note == ""

    def test_every_ranking_stays_as_it_was_and_leads_to_nobody(self, busy_bob: User, bob: Annotator) -> None:
        fields = ("uuid", "annotator", "pair", "version", "choice", "received_at", "active_ms")
        before = list(Ranking.objects.order_by("pk").values_list(*fields))
        erasure.erase(busy_bob)
        assert list(Ranking.objects.order_by("pk").values_list(*fields)) == before
        assert before
        bob.refresh_from_db()
        assert bob.user is None
        assert str(bob) == f"annotator {bob.pk}"

    def test_the_organiser_finds_it_in_the_history_of_the_task(
        self, busy_bob: User, bob: Annotator, task: Task
    ) -> None:
        erasure.erase(busy_bob)
        entry = AuditEntry.objects.get(action="erase person")
        assert entry.target == f"task {task.slug}"
        assert entry.detail == {"now": f"annotator {bob.pk}"}
        assert entry.user is None

    def test_others_keep_everything(
        self, busy_bob: User, carol: Annotator, alice: User, signed_in: SignInAs
    ) -> None:
        client = signed_in(carol)
        api_tokens.create_token(alice, name="hers")
        management.add_members(Task.objects.get(), ["carol"], by=alice)
        erasure.erase(busy_bob)
        assert client.get("/").status_code == 200
        assert ApiToken.objects.get().name == "hers"
        assert AuditEntry.objects.filter(detail__people=["carol"]).exists()

    def test_the_last_administrator_cannot_go(self, db: None) -> None:
        root = User.objects.create_superuser("root")
        with pytest.raises(erasure.LastAdministrator):
            erasure.erase(root)
        User.objects.create_superuser("other")
        erasure.erase(root)
        assert not User.objects.filter(username="root").exists()
        assert Erasure.objects.count() == 1

    @pytest.mark.django_db(transaction=True)
    def test_the_last_two_administrators_cannot_leave_together(self) -> None:
        both = [User.objects.create_superuser(name) for name in ("root", "other")]
        begun, stayed = Barrier(2), list[User]()

        def leave(user: User) -> None:
            begun.wait()
            try:
                erasure.erase(user)
            except erasure.LastAdministrator:
                stayed.append(user)
            finally:
                connection.close()

        threads = [Thread(target=leave, args=[user]) for user in both]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert User.objects.filter(is_superuser=True).count() == len(stayed) == 1


class TestLedger:
    def test_it_holds_no_name_and_is_readable_by_its_owner_only(self, busy_bob: User) -> None:
        number = busy_bob.pk
        erasure.erase(busy_bob)
        (line,) = erasure.read_ledger()
        assert line.person == number
        assert "bob" not in erasure.ledger_path().read_text()
        assert erasure.ledger_path().stat().st_mode & 0o077 == 0

    def test_a_person_who_comes_back_with_a_backup_is_erased_again(
        self, busy_bob: User, bob: Annotator, task: Task
    ) -> None:
        kept = User.objects.get(pk=busy_bob.pk)
        erasure.erase(busy_bob)
        # An older backup: the account is there again and the table has forgotten.
        Erasure.objects.all().delete()
        kept.save(force_insert=True)
        Annotator.objects.filter(pk=bob.pk).update(user=kept)
        assert erasure.replay_erasures() == 1
        assert not User.objects.filter(username="bob").exists()
        assert Erasure.objects.count() == 1
        assert erasure.replay_erasures() == 0

    def test_somebody_else_who_got_the_number_stays(self, busy_bob: User) -> None:
        number = busy_bob.pk
        erasure.erase(busy_bob)
        User(pk=number, username="newcomer").save(force_insert=True)
        assert erasure.replay_erasures() == 0
        assert User.objects.filter(username="newcomer").exists()

    def test_a_lost_file_is_written_again_from_the_table(self, busy_bob: User) -> None:
        erasure.erase(busy_bob)
        written = erasure.ledger_path().read_text()
        erasure.ledger_path().unlink()
        erasure.replay_erasures()
        assert erasure.ledger_path().read_text() == written

    def test_a_line_cut_off_by_a_crash_spoils_no_other(
        self, busy_bob: User, carol: Annotator, caplog: pytest.LogCaptureFixture
    ) -> None:
        erasure.erase(busy_bob)
        with erasure.ledger_path().open("a") as file:
            file.write('{"person": 7, "ma')
        erasure.erase(user_of(carol))
        assert len(erasure.read_ledger()) == 2
        assert "erasures.jsonl:2" in caplog.text

    def test_an_erasure_that_cannot_be_written_down_does_not_happen(
        self, busy_bob: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(erasures: object) -> None:
            raise OSError("no space left")

        monkeypatch.setattr(erasure, "append_to_ledger", full)
        with pytest.raises(OSError, match="no space"):
            erasure.erase(busy_bob)
        assert User.objects.filter(username="bob").exists()


def test_a_name_does_not_wait_in_messages_to_others(task: Task, alice: User, signed_in: SignInAs) -> None:
    """They are shown with the next page, which may be opened weeks later."""
    person = User.objects.create_user("josé")
    manager = signed_in(alice)
    manager.post(f"/tasks/{task.slug}/members/add", {"names": "josé", "role": "annotator"})
    manager.post(f"/tasks/{task.slug}/completion", {"completion_code": "QX-4411"})
    erasure.erase(person)
    (session,) = Session.objects.all()
    assert "jos" not in str(session.get_decoded())
    page = manager.get(f"/tasks/{task.slug}/members").content.decode()
    assert "Saved. Annotators see it when they finish the task." in page
    assert "Added" not in page.partition("<h1>")[0]
