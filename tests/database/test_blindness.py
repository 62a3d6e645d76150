"""What an annotator's browser receives does not depend on what it must not know.

Two studies that differ only in system names, the order of candidates, the order of upload or in which
comparisons are attention checks give the same bytes, once random tokens are made equal; and no form of a
system's name occurs in any of them.
"""

from __future__ import annotations

import base64
import hashlib
import re
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.annotate.services import answers, assignments
from evaluation.models import Annotator, Campaign, Comparison, Occurrence, Task, User
from evaluation.schemes import Choice
from tests.database.conftest import SENTENCES, annotator, make_task

pytestmark = pytest.mark.any_database

TOKENS = re.compile(
    rb'name="csrfmiddlewaretoken" value="[^"]+"|/a/[\w-]{16}/|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
)


def crawl(task: Task, bob: Annotator) -> list[tuple[int, bytes, bytes]]:
    """Every response that an annotator gets while working through the task: status, headers, body."""
    client = Client()
    assert bob.user is not None
    client.force_login(bob.user)
    seen = []

    def keep(response: Any) -> None:
        headers = repr(sorted(item for item in response.headers.items() if item[0] != "Expires")).encode()
        seen.append((response.status_code, TOKENS.sub(b"*", headers), TOKENS.sub(b"*", response.content)))

    keep(client.get(reverse("home")))
    while True:
        response = client.post(reverse("work", args=[task.slug]))
        keep(response)
        if "review" in response["Location"]:
            break
        url = response["Location"]
        keep(client.get(url))
        assignment = bob.assignments.get(finished_at=None)
        for index in (
            Occurrence.objects.asked_by(assignment).order_by("index").values_list("index", flat=True)
        ):
            body = {"uuid": str(uuid.uuid4()), "phrase": index, "choice": "A>B", "base": 0}
            keep(client.post(url + "answer", body, content_type="application/json"))
            keep(client.post(url + "answer", {**body, "choice": "no"}, content_type="application/json"))
        keep(client.get(url))
        assert answers.finish_pairs(assignment) == []
    keep(client.get(reverse("finished", args=[task.slug])))
    keep(client.get(reverse("home")))
    keep(client.get("/a/nowhere/"))
    keep(client.get(reverse("task", args=[task.slug])))
    return seen


def study(
    sentences: list[dict[str, Any]], change: Callable[[Task], object] = lambda task: None, **settings: Any
) -> list[tuple[int, bytes, bytes]]:
    """A study from nothing to the last sentence; afterwards nothing is left of it."""
    task = make_task(sentences=sentences, **settings)
    change(task)
    responses = crawl(task, annotator("bob", task))
    Annotator.objects.get().rankings.all().delete()
    Annotator.objects.get().slots.update(annotator=None, state="free")
    Annotator.objects.get().assignments.all().delete()
    Annotator.objects.all().delete()
    Campaign.objects.all().delete()
    User.objects.all().delete()
    return responses


def renamed(names: dict[str, str]) -> list[dict[str, Any]]:
    return [{**s, "candidates": {names[k]: v for k, v in s["candidates"].items()}} for s in SENTENCES]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(renamed({"alpha": "zebra", "beta": "yak", "gamma": "x"}), id="other system names"),
        pytest.param(
            [{**s, "candidates": dict(reversed(s["candidates"].items()))} for s in SENTENCES],
            id="another order of candidates",
        ),
        pytest.param(renamed({"alpha": "gamma", "beta": "alpha", "gamma": "beta"}), id="exchanged systems"),
    ],
)
def test_responses_do_not_depend_on_what_must_stay_hidden(db: None, other: list[dict[str, Any]]) -> None:
    assert study(SENTENCES) == study(other)


def unflagged(task: Task) -> None:
    """The same comparisons, none of them known as a check."""
    assert Comparison.objects.exclude(check_kind="").count() == 1
    Comparison.objects.update(check_kind="", expected="")
    Task.objects.update(checks=0)


def all_flagged(task: Task) -> None:
    Comparison.objects.update(check_kind=Comparison.Check.DEGRADED, expected="A<B")
    Task.objects.update(checks=7)


@pytest.mark.parametrize("change", [unflagged, all_flagged])
def test_responses_do_not_depend_on_what_is_a_check(db: None, change: Callable[[Task], None]) -> None:
    """The answer is wrong where a check expects another, and nothing shows that either."""
    assert study(SENTENCES, checks=10, repeats=20) == study(SENTENCES, change, checks=10, repeats=20)


def disguises(name: str) -> list[bytes]:
    """The name as it is, and as it might be hidden."""
    raw = name.encode()
    hashes = [hashlib.new(kind, raw).hexdigest().encode() for kind in ("md5", "sha1", "sha256")]
    return [raw, raw.hex().encode(), base64.b64encode(raw).rstrip(b"="), quote(name).encode(), *hashes]


def test_no_form_of_a_system_name_reaches_an_annotator(db: None) -> None:
    canaries = {name: f"canary-{uuid.uuid4().hex}" for name in ("alpha", "beta", "gamma")}
    task = make_task(sentences=renamed(canaries))
    responses = crawl(task, annotator("bob", task))
    assert len(responses) > 30
    for canary in canaries.values():
        for form in disguises(canary):
            assert not [1 for _, headers, body in responses if form in headers or form in body]


def test_a_page_tells_nothing_about_the_answers_of_others(db: None) -> None:
    """Somebody else's answers never show: a page is the same before and after another annotator's work."""
    task = make_task()
    bob, carol = annotator("bob", task), annotator("carol", task)
    assert bob.user is not None
    client = Client()
    client.force_login(bob.user)
    assignment = assignments.next_assignment(task, bob)
    assert assignment is not None
    before = TOKENS.sub(b"*", client.get(assignment.get_absolute_url()).content)
    hers = assignments.next_assignment(task, carol)
    assert hers is not None
    for index in Occurrence.objects.asked_by(hers).values_list("index", flat=True):
        answers.submit_ranking(hers, answers.Submission(uuid.uuid4(), index, Choice.A_BETTER, 0))
    assert TOKENS.sub(b"*", client.get(assignment.get_absolute_url()).content) == before
