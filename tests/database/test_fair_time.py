"""The time of a sentence is what its page has counted, whatever it was sent with."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.models import Annotator, Assignment, Task, User
from evaluation.schemes import Choice
from evaluation.tasks.queries.progress import build_home_page
from tests.database.answering import always, answer_task
from tests.database.conftest import SENTENCES, make_task
from tests.database.test_judging import answer_all, claimed

SignIn = Callable[[User | Annotator | None], Client]


def counted(assignment: Assignment) -> int:
    return Assignment.objects.get(pk=assignment.pk).active_ms


def send_comment(client: Client, assignment: Assignment, text: str, ms: int, id: uuid.UUID) -> None:
    answer = {
        "uuid": str(id), "phrase": "comment", "question": "comment", "value": text, "base": 0,
        "active_ms": ms,
    }  # fmt: skip
    url = reverse("answer", args=[assignment.token])
    assert client.post(url, json.dumps(answer), content_type="application/json").status_code == 200


def test_reading_before_next_and_comments_count_once(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    assignment, client, id = claimed(task, bob), signed_in(bob), uuid.uuid4()
    answer_all(assignment)
    for _ in range(2):  # the second is a repeated request
        send_comment(client, assignment, "so so", 30_000, id)
    client.post(assignment.get_absolute_url(), {"active_ms": "45000"})
    assert counted(assignment) == 75_000


def test_looking_again_at_a_finished_sentence_counts(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    answer_task(task, bob, always(Choice.EQUAL), most=1, ms=1000)
    assignment = Assignment.objects.get()
    before, finished_at = assignment.active_ms, assignment.finished_at
    signed_in(bob).post(assignment.get_absolute_url(), {"active_ms": "20000"})
    assert counted(assignment) == before + 20_000
    assert Assignment.objects.get(pk=assignment.pk).finished_at == finished_at


def test_time_of_a_page_that_was_left_by_a_link_counts(
    task: Task, bob: Annotator, carol: Annotator, signed_in: SignIn
) -> None:
    assignment, client = claimed(task, bob), signed_in(bob)
    url = reverse("add-time", args=[assignment.token])
    assert url == assignment.get_absolute_url() + "time"
    assert client.post(url, {"active_ms": "5000"}).status_code == 204
    assert counted(assignment) == 0, "not finished"
    answer_all(assignment)
    client.post(assignment.get_absolute_url(), {"active_ms": "1000"})
    assert counted(assignment) == 6000
    finished_at = Assignment.objects.get(pk=assignment.pk).finished_at
    assert client.post(url, {"active_ms": "3000"}).status_code == 204
    assert counted(assignment) == 9000
    assert Assignment.objects.get(pk=assignment.pk).finished_at == finished_at
    assert client.post(url, {"active_ms": "-1"}).status_code == 400
    assert signed_in(carol).post(url, {"active_ms": "3000"}).status_code == 404
    assert signed_in(None).post(url, {"active_ms": "3000"}).status_code == 401
    assert counted(assignment) == 9000


def test_a_refused_page_keeps_its_time(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    assignment, client = claimed(task, bob), signed_in(bob)
    assert client.post(assignment.get_absolute_url(), {"active_ms": "5000"}).status_code == 409
    answer_all(assignment)
    client.post(assignment.get_absolute_url(), {"active_ms": "7000"})
    assert counted(assignment) == 12_000


def test_the_time_of_a_skipped_sentence_counts(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    assignment = claimed(task, bob)
    form = {"reason": "unreadable", "active_ms": "9000"}
    signed_in(bob).post(reverse("skip", args=[assignment.token]), form)
    assert counted(assignment) == 9000


@pytest.mark.parametrize("time", ["-1", "x", "9" * 30, str(24 * 60 * 60 * 1000 + 1)])
def test_an_impossible_time_is_refused(task: Task, bob: Annotator, signed_in: SignIn, time: str) -> None:
    assignment, client = claimed(task, bob), signed_in(bob)
    assert client.post(assignment.get_absolute_url(), {"active_ms": time}).status_code == 400
    client.post(reverse("skip", args=[assignment.token]), {"reason": "unreadable", "active_ms": time})
    assert Assignment.objects.get().page_ms == 0


def test_time_is_rounded_once_not_for_each_task(task: Task, bob: Annotator) -> None:
    """Four tasks of twenty seconds are a minute, not four times nothing."""
    assert bob.user is not None
    for name in ("Barns", "Cabins", "Domes"):
        other = make_task(name, json.loads(json.dumps(SENTENCES).replace("house", name)))
        other.memberships.create(user=bob.user, campaign=other.campaign, role="annotator")
    for each in Task.objects.all():
        assignment = claimed(each, bob)
        Assignment.objects.filter(pk=assignment.pk).update(active_ms=20_000)
    assert build_home_page(bob.user).active_minutes == 1
