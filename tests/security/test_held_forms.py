"""Next, pressed without a script after the session has ended: nothing is lost, and nobody else gets it."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING
from unittest.mock import patch
from urllib.parse import urlencode

import pytest
from django.contrib.sessions.models import Session
from django.core import signing
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from evaluation.models import (
    AlignmentReport,
    Annotator,
    Assignment,
    Ranking,
    SentenceAnswer,
    SignIn,
    Task,
)
from evaluation.schemes import Choice
from evaluation.services import claiming, judging, people, places
from evaluation.views import held
from tests.database.conftest import SENTENCES, annotator, make_task

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

Fields = list[tuple[str, str]]
HERE = {"Origin": "http://testserver"}
ARRIVED = "You are signed in again, and what you had sent has arrived."
FORM = "application/x-www-form-urlencoded"


def with_password(name: str, task: Task) -> Annotator:
    made = annotator(name, task)
    assert made.user is not None
    made.user.set_password("secret")
    made.user.save()
    return made


@pytest.fixture
def task(db: None) -> Task:
    return make_task(ask_comment=True)


@pytest.fixture
def bob(task: Task) -> Annotator:
    return with_password("bob", task)


@pytest.fixture
def assignment(task: Task, bob: Annotator) -> Assignment:
    return claimed(task, bob)


@pytest.fixture
def window(bob: Annotator) -> Client:
    """Bob's browser without a script. Unlike most tests, Django checks its tokens."""
    client = Client(enforce_csrf_checks=True)
    sign_in(client, hidden(client.get("/sign-in")), "bob")
    return client


def claimed(task: Task, who: Annotator) -> Assignment:
    found = claiming.next_assignment(task, who)
    assert found is not None
    return found


def text(response: Response) -> str:
    return response.content.decode()


def hidden(response: Response) -> Fields:
    """What the page's forms send whatever is chosen; ``next`` belongs to the form for another language."""
    return re.findall(r'<input type="hidden" name="(?!next)([^"]+)" value="([^"]*)"', text(response))


def send(client: Client, path: str, fields: Fields, **headers: str) -> Response:
    return client.post(path, urlencode(fields), content_type=FORM, headers=headers)


def sign_in(client: Client, page: Fields, name: str, password: str = "secret") -> Response:
    return send(client, "/sign-in", [*page, ("username", name), ("password", password)], **HERE)


def filled(client: Client, assignment: Assignment, choice: str = "A=B", most: int | None = None) -> Fields:
    """The form of a page with the first ``most`` questions answered."""
    fields = hidden(client.get(assignment.get_absolute_url()))
    asked = [value for name, value in fields if name == "phrase"]
    return fields + [(f"choice-{phrase}", choice) for phrase in asked[:most]]


def end_session() -> None:
    Session.objects.all().delete()


def chosen(response: Response) -> list[str]:
    return re.findall(r'value="([^"]+)" checked', text(response))


def held_in(response: Response) -> str:
    return dict(hidden(response)).get("held", "")


class TestNothingIsLost:
    def test_the_same_page_opens_with_what_was_chosen_stored(
        self, window: Client, assignment: Assignment
    ) -> None:
        path = assignment.get_absolute_url()
        form = [*filled(window, assignment), ("comment", "zu frei übersetzt")]
        end_session()
        asked = send(window, path, form)
        assert asked.status_code == 401
        assert "What you sent is kept on this page" in text(asked)
        assert "no-store" in asked["Cache-Control"]
        assert not Ranking.objects.exists()
        assert not Session.objects.exists()  # of somebody who is not signed in nothing is stored

        back = sign_in(window, hidden(asked), "bob")
        assert back["Location"] == path
        page = window.get(path)
        questions = judging.asked(assignment).count()
        assert page.status_code == 200
        assert ARRIVED in text(page)
        assert "All pairs answered." in text(page)
        assert "zu frei übersetzt" in text(page)
        assert chosen(page) == ["A=B"] * questions
        ids = {value for name, value in form if name.startswith("uuid-")}
        assert {str(one.uuid) for one in Ranking.objects.all()} == ids
        assert SentenceAnswer.objects.get().value == "zu frei übersetzt"

        # Once: the page is an ordinary one from now on, and Next leads on without storing anything again.
        again = window.get(path)
        assert ARRIVED not in text(again)
        moved = send(window, path, [*filled(window, assignment), ("comment", "zu frei übersetzt")])
        assert moved.status_code == 302
        assert moved["Location"] != path
        assert (Ranking.objects.count(), SentenceAnswer.objects.count()) == (questions, 1)

    def test_a_page_that_was_half_done_says_what_is_missing(
        self, window: Client, assignment: Assignment
    ) -> None:
        form = filled(window, assignment, most=1)
        end_session()
        asked = send(window, assignment.get_absolute_url(), form)
        page = window.get(sign_in(window, hidden(asked), "bob")["Location"])
        assert page.status_code == 409
        assert ARRIVED in text(page)
        assert "no answer yet" in text(page)
        assert chosen(page) == ["A=B"]
        assert Ranking.objects.count() == 1

    def test_place_by_place_also_the_steps_of_a_place_that_is_not_done(self, db: None) -> None:
        task = make_task(sentences=SENTENCES[:1], judging="places")
        window, assignment = Client(enforce_csrf_checks=True), claimed(task, with_password("bob", task))
        sign_in(window, hidden(window.get("/sign-in")), "bob")
        path = reverse("places", args=[assignment.token])
        done, half = places.desk(assignment).spots[:2]
        form = hidden(window.get(path))
        form += [(f"step-{done.place}-{n}", "1") for n in range(len(done.texts))]
        form += [(f"step-{half.place}-0", "2")]
        end_session()
        asked = send(window, path, form)
        assert asked.status_code == 401
        page = window.get(sign_in(window, hidden(asked), "bob")["Location"])
        assert page.status_code == 409
        assert ARRIVED in text(page)
        assert chosen(page) == ["1"] * len(done.texts) + ["2"]
        assert Ranking.objects.count() == len(done.pairs)

    def test_what_another_window_answered_meanwhile_is_still_a_conflict(
        self, window: Client, assignment: Assignment
    ) -> None:
        form = filled(window, assignment, "A>B")
        phrase = next(int(value) for name, value in form if name == "phrase")
        end_session()
        asked = send(window, assignment.get_absolute_url(), form)
        newer = judging.Answer(uuid.uuid4(), phrase, Choice.B_BETTER, 0)
        judging.submit_ranking(assignment, newer)
        page = window.get(sign_in(window, hidden(asked), "bob")["Location"])
        assert page.status_code == 409
        assert "You answered this sentence in another window" in text(page)
        assert chosen(page) == ["A&lt;B", *["A&gt;B"] * (judging.asked(assignment).count() - 1)]

    @pytest.mark.parametrize("times", [1, 11])
    def test_wrong_passwords_and_a_closed_door_do_not_lose_it(
        self, window: Client, assignment: Assignment, times: int
    ) -> None:
        form = filled(window, assignment)
        end_session()
        page = send(window, assignment.get_absolute_url(), form)
        for _ in range(times):
            page = sign_in(window, hidden(page), "bob", "wrong")
        assert page.status_code == (429 if times > 10 else 200)
        SignIn.objects.all().delete()
        assert sign_in(window, hidden(page), "bob")["Location"] == assignment.get_absolute_url()

    def test_a_reason_for_skipping_and_a_report_are_held_too(
        self, window: Client, assignment: Assignment
    ) -> None:
        form = hidden(window.get(assignment.get_absolute_url()))
        token, phrase = dict(form)["csrfmiddlewaretoken"], dict(form)["phrase"]
        for address, said in (
            (
                "report-alignment",
                {"phrase": phrase, f"reason-{phrase}": "cut", f"note-{phrase}": "too early"},
            ),
            ("skip", {"reason": "garbled"}),
        ):
            end_session()
            path = reverse(address, args=[assignment.token])
            asked = send(window, path, [("csrfmiddlewaretoken", token), *said.items()])
            back = sign_in(window, hidden(asked), "bob")
            assert back["Location"] == path
            assert ARRIVED in text(window.get(path, follow=True))
            token = window.cookies["csrftoken"].value
        assert AlignmentReport.objects.get().note == "too early"
        assert Assignment.objects.get(pk=assignment.pk).skip_reason == "garbled"

    def test_while_the_database_is_away_it_waits(self, window: Client, assignment: Assignment) -> None:
        form = filled(window, assignment)
        end_session()
        path = sign_in(window, hidden(send(window, assignment.get_absolute_url(), form)), "bob")["Location"]
        with patch.object(judging, "submit_ranking", side_effect=OperationalError):
            assert window.get(path).status_code == 503
        assert not Ranking.objects.exists()
        assert ARRIVED in text(window.get(path))
        assert Ranking.objects.exists()

    def test_it_waits_for_its_page_and_disturbs_no_other(
        self, window: Client, assignment: Assignment
    ) -> None:
        form = filled(window, assignment)
        end_session()
        sign_in(window, hidden(send(window, assignment.get_absolute_url(), form)), "bob")
        assert window.get("/").status_code == 200
        assert window.get(reverse("skip", args=[assignment.token])).status_code == 405
        assert not Ranking.objects.exists()
        assert ARRIVED in text(window.get(assignment.get_absolute_url()))

    def test_it_also_survives_signing_in_again_in_another_window(
        self, window: Client, assignment: Assignment
    ) -> None:
        """That makes a new token: the old page, and a sign-in page that holds a form, fail by theirs."""
        form = filled(window, assignment)
        end_session()
        waiting = send(window, assignment.get_absolute_url(), form)
        sign_in(window, hidden(window.get("/sign-in")), "bob")
        for late in (
            send(window, assignment.get_absolute_url(), form, **HERE),
            sign_in(window, hidden(waiting), "bob"),
        ):
            assert late.status_code == 403
            assert "Store it now" in text(late)
            back = send(window, "/sign-in", hidden(late), **HERE)
            assert back["Location"] == assignment.get_absolute_url()
            assert ARRIVED in text(window.get(back["Location"]))
        assert Ranking.objects.count() == judging.asked(assignment).count()

    def test_a_guest_comes_back_by_a_link_in_another_window(self, task: Task) -> None:
        guest = annotator("guest-1", task)
        assert guest.user is not None
        window, assignment = Client(enforce_csrf_checks=True), claimed(task, guest)
        link = reverse("come-back", args=[people.return_token(guest.user)])
        send(window, link, hidden(window.get(link)))
        form = filled(window, assignment)
        end_session()
        asked = send(window, assignment.get_absolute_url(), form)
        too_early = sign_in(window, hidden(asked), "", "")
        assert too_early.status_code == 401
        assert not SignIn.objects.exists()  # nobody has guessed at a password
        send(window, link, hidden(window.get(link)))
        late = sign_in(window, hidden(too_early), "", "")
        back = send(window, "/sign-in", hidden(late), **HERE)
        assert ARRIVED in text(window.get(back["Location"]))
        assert Ranking.objects.count() == judging.asked(assignment).count()


class TestNobodyElse:
    def test_another_person_who_signs_in_stores_and_sees_nothing(
        self, window: Client, task: Task, assignment: Assignment
    ) -> None:
        with_password("carol", task)
        form = [*filled(window, assignment), ("comment", "private")]
        end_session()
        asked = send(window, assignment.get_absolute_url(), form)
        page = sign_in(window, hidden(asked), "carol")
        assert page.status_code == 403
        assert "before you signed in as carol" in text(page)
        assert "private" not in text(page)
        assert (
            send(window, "/sign-in", hidden(page), **HERE).status_code == 403
        )  # pressing on changes nothing
        assert held.NAME not in window.session
        assert window.get(assignment.get_absolute_url()).status_code == 404
        assert not Ranking.objects.exists()
        assert not SentenceAnswer.objects.exists()
        # The page still has it, for whoever it belongs to.
        asked = send(window, "/sign-in", [*hidden(page), ("another", "")], **HERE)
        assert asked.status_code == 401
        assert "_auth_user_id" not in window.session
        assert sign_in(window, hidden(asked), "bob")["Location"] == assignment.get_absolute_url()

    def test_who_is_not_signed_in_learns_nothing_about_a_token(
        self, window: Client, assignment: Assignment
    ) -> None:
        form = filled(window, assignment)
        end_session()
        ours, nobodys = (
            re.sub(r'value="[^"]+"', "", text(send(window, reverse("annotate", args=[token]), form)))
            for token in (assignment.token, "x" * 16)
        )
        assert ours == nobodys

    def test_a_form_from_elsewhere_is_never_offered_again(
        self, window: Client, assignment: Assignment
    ) -> None:
        path, forged = assignment.get_absolute_url(), [("phrase", "0"), ("choice-0", "A>B")]
        for headers in ({}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
            refused = send(window, path, forged, **headers)
            assert refused.status_code == 403
            assert not held_in(refused)
            assert "A&gt;B" not in text(refused)
        end_session()
        assert not held_in(send(window, path, forged, **{"Origin": "https://evil.example"}))

    def test_other_forms_are_not_held(self, window: Client, task: Task, assignment: Assignment) -> None:
        form = filled(window, assignment)
        end_session()
        for path in (reverse("work", args=[task.slug]), reverse("my-data"), "/sign-in?next=/"):
            assert not held_in(send(window, path, form, **HERE))
            assert not held_in(send(Client(enforce_csrf_checks=True), path, form, **HERE))

    @pytest.mark.parametrize("size", [0, held.MOST_HELD + 1])
    def test_nothing_and_too_much_are_not_held(
        self, window: Client, assignment: Assignment, size: int
    ) -> None:
        form = hidden(window.get(assignment.get_absolute_url()))[:1]
        end_session()
        more = [("comment", "x" * size)] if size else []
        answer = send(window, assignment.get_absolute_url(), form + more)
        assert answer["Location"] == f"/sign-in?next={assignment.get_absolute_url()}"
        assert not Session.objects.exists()

    def test_garbage_in_the_hidden_field_is_as_if_it_were_empty(
        self, window: Client, assignment: Assignment
    ) -> None:
        form = filled(window, assignment)
        end_session()
        asked = send(window, assignment.get_absolute_url(), form)
        true = held_in(asked)
        elsewhere = signing.dumps([assignment.get_absolute_url(), assignment.token, "x=1"], salt="another")
        for false in ("", "x", "\0", true[:-1] + "~", "." + true, elsewhere):
            end_session()
            page = hidden(window.get("/sign-in"))
            back = sign_in(window, [*page, ("held", false)], "bob")
            assert back["Location"] == "/"
            assert held.NAME not in window.session

    def test_an_address_carries_nothing(self, window: Client, assignment: Assignment) -> None:
        form = filled(window, assignment)
        end_session()
        signed = held_in(send(window, assignment.get_absolute_url(), form))
        assert not held_in(window.get("/sign-in", {"held": signed}))
        sign_in(window, hidden(window.get("/sign-in")), "bob")
        window.get("/sign-in", {"held": signed})
        assert held.NAME not in window.session

    def test_what_no_page_of_ours_sends_is_refused_once(self, window: Client, assignment: Assignment) -> None:
        form = filled(window, assignment, "nonsense")
        end_session()
        path = sign_in(window, hidden(send(window, assignment.get_absolute_url(), form)), "bob")["Location"]
        assert window.get(path).status_code == 400
        assert window.get(path).status_code == 200


def test_after_a_correction_they_are_asked_to_look_again(window: Client, assignment: Assignment) -> None:
    form = filled(window, assignment)
    end_session()
    asked = send(window, assignment.get_absolute_url(), form)
    Assignment.objects.filter(pk=assignment.pk).update(token=f"{assignment.token}.2")
    back = sign_in(window, hidden(asked), "bob")
    page = window.get(back["Location"], follow=True)
    assert "The organiser has corrected how these sentences align." in text(page)
    assert not Ranking.objects.exists()
