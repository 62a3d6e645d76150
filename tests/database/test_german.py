"""German is for people: pages, numbers, dates. Files, JSON, form values and coordinates stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import translation

from evaluation.annotate.services import assignments
from evaluation.jobs import UNEXPECTED_ERROR_MESSAGE, localize_message
from evaluation.models import Annotator, Job, Task, User
from evaluation.schemes import Choice
from evaluation.templatetags.figures import (
    figure,
    percent,
    percent_span,
    probability,
    span,
    translate_text,
)
from tests.database.answering import always, answer_task

pytestmark = pytest.mark.any_database

SignIn = Callable[[User | Annotator | None], Client]
GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
# Attributes that a machine reads: a comma in a number would break a drawing or a form.
MACHINE = re.compile(
    r'\s(?:value|min|max|step|x|y|x1|x2|y1|y2|cx|cy|r|width|height|d|points|viewBox)="([^"]*)"'
)


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """A request leaves its language behind in this thread; the next test expects English."""
    with translation.override("en"):
        yield


@pytest.fixture
def judged(task: Task, bob: Annotator, carol: Annotator) -> Task:
    answer_task(task, bob, always(Choice.A_BETTER), most=3)
    answer_task(task, carol, always(Choice.EQUAL), most=3)
    return task


def test_pages_speak_the_browsers_language_and_keep_machine_readable_numbers(
    judged: Task, alice: User, signed_in: SignIn
) -> None:
    client = signed_in(alice)
    kinds = ("task-agreement", "task-results", "task-disagreements", "task-metrics", "members", "task")
    for address in [reverse(kind, args=[judged.slug]) for kind in kinds] + [reverse("new-upload")]:
        page = client.get(address, headers=GERMAN).content.decode()
        assert '<html lang="de">' in page, address
        assert "Ihre Aufgaben" in page
        wrong = [value for value in MACHINE.findall(page) if re.fullmatch(r"[−-]?\d+,\d+", value)]
        assert wrong == [], address
    agreement = client.get(reverse("task-agreement", args=[judged.slug]), headers=GERMAN).content.decode()
    assert re.search(r"<td class=\"r\">−?0,\d{3}</td>", agreement), "figures have a comma"


def test_files_and_json_are_the_same_in_every_language(judged: Task, alice: User, signed_in: SignIn) -> None:
    client = signed_in(alice)
    slug = judged.slug
    addresses = [
        reverse("task-agreement-table", args=[slug, "coefficients", "csv"]),
        reverse("task-agreement-table", args=[slug, "coefficients", "tex"]),
        reverse("task-results-table", args=[slug, "systems", "csv"]),
        reverse("task-export", args=[slug, "csv"]),
        reverse("task-export", args=[slug, "jsonl"]),
    ]
    for address in addresses:
        assert body(client.get(address, headers=GERMAN)) == body(client.get(address)), address


def body(response: HttpResponseBase) -> bytes:
    assert response.status_code == 200
    return response.getvalue()


def test_the_switch_outlasts_the_browsers_preference_and_leads_back(
    bob: Annotator, signed_in: SignIn
) -> None:
    client = signed_in(bob)
    assert b"Your tasks" in client.get("/", headers={"Accept-Language": "pt"}).content
    answer = client.post(reverse("set-language"), {"language": "de", "next": "/?x=1"})
    assert answer.headers["Location"] == "/?x=1"
    cookie = client.cookies["language"]
    assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("de", True, "Lax")
    assert b"Ihre Aufgaben" in client.get("/", headers={"Accept-Language": "en"}).content
    elsewhere = client.post(reverse("set-language"), {"language": "en", "next": "https://example.org/"})
    assert elsewhere.headers["Location"] == "/"


def test_an_annotator_works_in_german_while_the_sentences_keep_their_language(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    assignment = assignments.next_assignment(task, bob)
    assert assignment is not None
    page = signed_in(bob).get(assignment.get_absolute_url(), headers=GERMAN).content.decode()
    assert "Welche Phrase ist die bessere Übersetzung?" in page
    assert 'data-saved="Gespeichert"' in page
    assert '<p lang="en" dir="ltr">' in page
    assert 'value="A&gt;&gt;B"' in page, "an answer is sent as everywhere"
    assert "Which phrase" not in page


def test_a_worker_speaks_to_each_reader(alice: User, signed_in: SignIn) -> None:
    job = Job.objects.create(
        kind="score",
        title="T",
        owner=alice,
        state="running",
        message="bleu: phrase pairs",
        lease_until="2100-01-01T00:00Z",
    )
    headers = {**GERMAN, "Accept": "application/json"}
    assert (
        signed_in(alice).get(job.get_absolute_url(), headers=headers).json()["message"]
        == "bleu: Phrasenpaare"
    )


def test_a_failed_job_says_why_in_the_language_of_its_reader(alice: User, signed_in: SignIn) -> None:
    failed = {"kind": "score", "title": "Bewerten", "owner": alice, "state": Job.State.FAILED}
    gone = {"problems": [{"message": "the task was deleted before it was scored"}]}
    for job, said in (
        (Job.objects.create(**failed, error=UNEXPECTED_ERROR_MESSAGE), "unerwartet fehlgeschlagen"),
        (Job.objects.create(**failed, error="task_gone: …", result=gone), "Die Aufgabe wurde gelöscht"),
    ):
        assert said in signed_in(alice).get(job.get_absolute_url(), headers=GERMAN).content.decode()


def test_numbers_are_written_as_the_reader_writes_them() -> None:
    with translation.override("de"):
        assert (figure(1234567), figure(-0.25, 2), figure(None)) == ("1.234.567", "−0,25", "–")
        assert (percent(0.625), percent_span((0.5, 0.563))) == ("62\u00a0%", "50\u00a0–\u2060\u00a056\u00a0%")
        assert (span((0.44, 0.481)), probability(0.00002)) == ("0,44\u00a0–\u2060\u00a00,48", "< 0,001")
        assert (translate_text("moderate"), localize_message("Reading the files.")) == (
            "mittel",
            "Die Dateien werden gelesen.",
        )
    assert figure(1234.5, 1) == "1234.5"
