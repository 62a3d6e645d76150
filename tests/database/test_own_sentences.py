"""What stands behind the annotation page: reasons, the unsure mark, and the strip of one's sentences."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from evaluation.annotate.queries import STRIP_LENGTH, OwnSentence, list_sentences, make_strip
from evaluation.annotate.services import answers, assignments
from evaluation.models import Annotator, Assignment, Ranking, Task, User
from evaluation.schemes import CHOICE_REASONS, Choice
from tests.database.answering import always, answer_task
from tests.database.test_judging import answer_all, claimed, first_phrase

SignIn = Callable[[User | Annotator | None], Client]


def post(client: Client, url: str, **fields: Any) -> tuple[int, dict[str, Any]]:
    response = client.post(url, json.dumps(fields), content_type="application/json")
    return response.status_code, response.json()


def send_choice(client: Client, assignment: Assignment, **fields: Any) -> tuple[int, dict[str, Any]]:
    answer = {"uuid": str(uuid.uuid4()), "phrase": first_phrase(assignment), "choice": "A>B", "base": 0}
    return post(client, reverse("answer", args=[assignment.token]), **{**answer, **fields})


# --- reasons ------------------------------------------------------------------------------------------


def test_a_reason_is_stored_with_the_choice_and_echoed(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    assignment, client = claimed(task, bob), signed_in(bob)
    assert send_choice(client, assignment, reason="grammar") == (
        200,
        {"version": 1, "choice": "A>B", "reason": "grammar"},
    )
    assert send_choice(client, assignment) == (
        409,
        {"error": "conflict", "version": 1, "choice": "A>B", "reason": "grammar"},
    )


def test_another_reason_is_a_new_version(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    assignment, client = claimed(task, bob), signed_in(bob)
    for base, reason in enumerate(["", "meaning", "style", "style", ""]):
        assert send_choice(client, assignment, base=min(base, 3), reason=reason)[0] == 200
    versions = Ranking.objects.order_by("version").values_list("version", "choice", "reason")
    assert [row[0] for row in versions] == [1, 2, 3, 4]
    assert [row[2] for row in versions] == ["", "meaning", "style", ""]
    assert len({row[1] for row in versions}) == 1


def test_a_withdrawn_choice_has_no_reason(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    assignment, client = claimed(task, bob), signed_in(bob)
    send_choice(client, assignment, reason="other")
    send_choice(client, assignment, choice=None, reason="other", base=1)
    assert list(Ranking.objects.order_by("version").values_list("reason", flat=True)) == ["other", ""]


@pytest.mark.parametrize("reason", ["beauty", "meaning ", "Q", ["meaning"], 3])
def test_an_unknown_reason_is_refused(task: Task, bob: Annotator, signed_in: SignIn, reason: object) -> None:
    assert send_choice(signed_in(bob), claimed(task, bob), reason=reason)[0] == 400
    assert not Ranking.objects.exists()


def test_the_database_refuses_an_unknown_reason(task: Task, bob: Annotator) -> None:
    answer_task(task, bob, always(Choice.A_BETTER), most=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        Ranking.objects.update(reason="beauty")


def test_a_plain_form_sends_reasons_and_the_page_shows_them(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    assignment, client = claimed(task, bob), signed_in(bob)
    page = client.get(assignment.get_absolute_url()).context["page"]
    form: dict[str, Any] = {"phrase": [q.card.index for q in page.questions]}
    for question, reason in zip(page.questions, ["style", ""], strict=False):
        form |= {question.field: "A>B", question.reason_field: reason, f"base-{question.card.index}": 0}
    client.post(assignment.get_absolute_url(), form)
    page = client.get(assignment.get_absolute_url()).context["page"]
    assert [q.reason for q in page.questions][:2] == ["style", ""]
    changed = form | {page.questions[0].reason_field: "meaning", f"base-{page.questions[0].card.index}": 1}
    client.post(assignment.get_absolute_url(), changed)
    assert client.get(assignment.get_absolute_url()).context["page"].questions[0].reason == "meaning"


def test_reasons_are_asked_only_where_the_task_wants_them(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    url, client = claimed(task, bob).get_absolute_url(), signed_in(bob)
    assert client.get(url).context["choice_reasons"] == ()
    Task.objects.update(ask_reasons=True)
    assert client.get(url).context["choice_reasons"] == CHOICE_REASONS
    assert "".join(reason.key for reason in CHOICE_REASONS) == "QWER"


# --- the unsure mark ----------------------------------------------------------------------------------


def test_a_sentence_is_marked_as_unsure_and_unmarked_finished_or_not(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    assignment, client = claimed(task, bob), signed_in(bob)
    url = reverse("mark-unsure", args=[assignment.token])
    assert url == assignment.get_absolute_url() + "unsure"
    assert post(client, url, is_unsure=True) == (200, {"is_unsure": True})
    answer_all(assignment)
    answers.finish_pairs(assignment)
    assert Assignment.objects.get().is_unsure
    assert client.get(assignment.get_absolute_url()).context["strip"].sentences[0].is_unsure
    assert post(client, url, is_unsure=False) == (200, {"is_unsure": False})
    assert client.post(url, {"is_unsure": "on"}).headers["Location"] == assignment.get_absolute_url()
    assert Assignment.objects.get().is_unsure
    client.post(url)
    assert not Assignment.objects.get().is_unsure
    assert post(client, url, is_unsure="yes")[0] == 400


def test_only_the_annotator_of_an_open_task_marks_a_sentence(
    task: Task, bob: Annotator, carol: Annotator, signed_in: SignIn
) -> None:
    url = reverse("mark-unsure", args=[claimed(task, bob).token])
    assert post(signed_in(carol), url, is_unsure=True)[0] == 404
    assert post(signed_in(None), url, is_unsure=True)[0] == 401
    Task.objects.update(state=Task.State.CLOSED)
    assert post(signed_in(bob), url, is_unsure=True) == (409, {"error": "closed"})
    assert not Assignment.objects.get().is_unsure


# --- the strip ----------------------------------------------------------------------------------------


def test_the_strip_shows_the_state_of_ones_own_sentences(
    task: Task, bob: Annotator, carol: Annotator, signed_in: SignIn
) -> None:
    answer_task(task, carol, always(Choice.EQUAL), most=1)
    answer_task(task, bob, always(Choice.EQUAL), most=1)
    skipped = claimed(task, bob)
    assignments.skip_assignment(skipped, "too hard")
    newest = claimed(task, bob)
    strip = signed_in(bob).get(skipped.get_absolute_url()).context["strip"]
    assert [(s.number, s.state) for s in strip.sentences] == [(1, "done"), (2, "skipped"), (3, "open")]
    states = {1: "done", 2: "skipped", 3: "open"}
    assert strip.links.split(";") == [
        f"{one.number} {states[one.number]} {one.get_absolute_url()}"
        for one in Assignment.objects.filter(annotator=bob).order_by("number")
    ]
    assert (strip.number, strip.total) == (2, 3)
    first = Assignment.objects.get(annotator=bob, number=1)
    assert (strip.previous_url, strip.next_url) == (first.get_absolute_url(), newest.get_absolute_url())


def test_a_long_strip_is_a_window_around_the_current_sentence() -> None:
    sentences = [OwnSentence(n, f"t{n}", True, "", False, 0, 100, n) for n in range(1, 101)]
    for current, first in ((1, 1), (11, 1), (12, 2), (50, 40), (90, 80), (100, 80)):
        strip = make_strip(sentences, current)
        numbers = [sentence.number for sentence in strip.sentences]
        assert numbers == list(range(first, first + STRIP_LENGTH))
        assert strip.number == current
        assert strip.total == 100
    assert make_strip(sentences, 100).next_url is None
    assert make_strip(sentences, 1).previous_url is None


def test_whoever_reviews_a_finished_sentence_goes_on_to_the_next_own_one(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    answer_task(task, bob, always(Choice.EQUAL), most=3)
    one, two, three = list_sentences(bob.assignments.all())
    client = signed_in(bob)
    assert client.post(one.url).headers["Location"] == two.url
    assert client.post(three.url).headers["Location"] == claimed(task, bob).get_absolute_url()


# --- what managers see --------------------------------------------------------------------------------


def test_reports_and_exports_show_reasons_and_unsure_marks(
    task: Task, alice: User, bob: Annotator, carol: Annotator, signed_in: SignIn
) -> None:
    Task.objects.update(ask_reasons=True)
    answer_task(task, bob, always(Choice.A_BETTER))
    answer_task(task, carol, always(Choice.B_BETTER))
    assignment = Assignment.objects.filter(annotator=bob).earliest("number")
    send_choice(signed_in(bob), assignment, choice="A=B", reason="grammar", base=1)
    send_choice(signed_in(bob), assignment, choice="A=B", reason="style", base=2)
    assignments.mark_unsure(assignment, True)
    client = signed_in(alice)
    page = client.get(reverse("task-disagreements", args=[task.slug]) + "?unsure=true").context["page"]
    assert {row.pair.owner_id for row in page.rows} == {assignment.comparison_id}
    assert [row.reasons for row in page.rows if row.reasons] == [[("Style", 1)]]
    assert {row.unsure for row in page.rows} == {1}
    everything = client.get(reverse("task-disagreements", args=[task.slug])).context["page"]
    assert everything.matching > page.matching > 0
    reasons = client.get(reverse("task-agreement", args=[task.slug])).context["page"].reasons
    assert reasons.rows == (("Meaning", 0), ("Grammar", 0), ("Style", 1), ("Other", 0))
    exported = client.get(reverse("task-export", args=[task.slug, "jsonl"])).getvalue()
    rows = [json.loads(line) for line in exported.splitlines()]
    assert [row["reason"] for row in rows if row["reason"]] == ["grammar", "style"]
