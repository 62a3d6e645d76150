"""Answers about whole candidates: saved one by one, never overwritten, and made comparable in the reports."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from evaluation.annotate.services import assignments
from evaluation.annotate.services.answers import submit_sentence_answer
from evaluation.models import Annotator, Assignment, Comparison, SentenceAnswer, Slot, Task, User
from evaluation.reports.results import compute_ratings
from evaluation.reports.scope import load_scope
from evaluation.reports.sentence_query import load_sentence_study
from evaluation.reports.system_results import compute_results
from evaluation.schemes import SIX_WAY
from evaluation.study import AnswerKind
from tests.database.conftest import annotator

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def task(task: Task) -> Task:
    Task.objects.update(ask_sentence=True, ask_rating=True)
    return Task.objects.get(pk=task.pk)


def begin(task: Task, who: Annotator) -> Assignment:
    assignment = assignments.next_assignment(task, who)
    assert assignment is not None
    return assignment


def send(client: Client, assignment: Assignment, **said: Any) -> Any:  # Any: the test client's response
    body = {"uuid": str(uuid.uuid4()), "question": "verdict", "value": "A>B", "base": 0, **said}
    return client.post(
        reverse("answer", args=[assignment.token]), json.dumps(body), content_type="application/json"
    )


def test_each_is_stored_by_itself_and_a_repeated_request_once(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    client, assignment, name = signed_in(bob), begin(task, bob), str(uuid.uuid4())
    for _ in range(2):
        reply = send(client, assignment, uuid=name)
        assert (reply.status_code, reply.json()) == (200, {"version": 1, "value": "A>B"})
    assert send(client, assignment, value="A=B", base=1).json()["version"] == 2
    assert send(client, assignment, question="rating_a", value="4").status_code == 200
    stored = [(row.question, row.value) for row in SentenceAnswer.objects.order_by("pk")]
    shown = ("A<B", "rating_second") if assignment.swapped else ("A>B", "rating_first")
    assert stored == [("verdict", shown[0]), ("verdict", "A=B"), (shown[1], "4")]


def test_a_comment_loses_what_a_database_cannot_hold(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    """A NUL, or the first half of an emoji: refused, the whole comment would be lost."""
    comment = "too\0 long\r\nby far \ud83d"
    reply = send(signed_in(bob), begin(task, bob), question="comment", value=comment)
    assert (reply.status_code, reply.json()["value"]) == (200, "too long\nby far ?")


def test_an_answer_knows_the_seat_it_was_given_from_unless_that_went_to_others(
    task: Task, bob: Annotator, carol: Annotator, signed_in: SignIn
) -> None:
    client, assignment = signed_in(bob), begin(task, bob)
    send(client, assignment)
    assert SentenceAnswer.objects.get().slot == bob.slots.get()
    # Away for too long: both seats of the comparison are somebody else's now.
    dora = annotator("dora", task)
    for seat, who in zip(assignment.compared.slots.order_by("k"), (carol, dora), strict=True):
        Slot.objects.filter(pk=seat.pk).update(state=Slot.State.TAKEN, annotator=who)
    assert send(client, assignment, value="A=B", base=1).status_code == 200
    assert SentenceAnswer.objects.latest("pk").slot is None


def test_an_answer_from_another_window_is_told_not_overwritten(
    task: Task, bob: Annotator, signed_in: SignIn
) -> None:
    client, assignment = signed_in(bob), begin(task, bob)
    send(client, assignment, value="A<B")
    reply = send(client, assignment, value="A>B")
    assert reply.status_code == 409
    assert reply.json() == {"error": "conflict", "version": 1, "value": "A<B"}
    form = {"verdict": "A>B", "base-verdict": "0"}
    page = client.post(assignment.get_absolute_url(), form)
    assert page.status_code == 409
    assert "changed in another window" in page.content.decode()
    assert SentenceAnswer.objects.count() == 1


@pytest.mark.parametrize(
    "said",
    [
        {"value": "A≥B"},
        {"question": "rating_a", "value": "6"},
        {"question": "mood", "value": "good"},
        {"value": 5},
        {"uuid": "no"},
        {"base": -1},
    ],
)
def test_nonsense_is_refused(task: Task, bob: Annotator, signed_in: SignIn, said: dict[str, Any]) -> None:
    client, assignment = signed_in(bob), begin(task, bob)
    assert send(client, assignment, **said).status_code == 400
    assert not SentenceAnswer.objects.exists()


def test_nonsense_in_a_plain_form_is_refused(task: Task, bob: Annotator, signed_in: SignIn) -> None:
    reply = signed_in(bob).post(begin(task, bob).get_absolute_url(), {"verdict": "much"})
    assert reply.status_code == 400


def rate(assignment: Assignment, of: dict[str, str]) -> None:
    """Give each side the rating of its system."""
    sides = [assignment.compared.first, assignment.compared.second]
    if assignment.swapped:
        sides.reverse()
    for question, side in zip(("rating_a", "rating_b"), sides, strict=True):
        system = side.outputs.order_by("system__name")[0].system.name
        submit_sentence_answer(assignment, question, of[system], uuid=uuid.uuid4())


def test_the_page_of_a_task_leads_to_answers_about_whole_sentences(
    task: Task, bob: Annotator, alice: User, signed_in: SignIn
) -> None:
    """Judgements that were imported are often nothing else."""
    client, address = signed_in(alice), reverse("task", args=[task.slug])
    assert "about whole sentences" not in client.get(address).content.decode()
    assignment = begin(task, bob)
    submit_sentence_answer(assignment, "verdict", "A>B", uuid=uuid.uuid4())
    submit_sentence_answer(assignment, "comment", "odd", uuid=uuid.uuid4())
    page = client.get(address).content.decode()
    assert "<progress max" not in page
    assert "1 answer is about whole sentences." in page


def test_strict_and_kind_raters_count_alike(
    task: Task, bob: Annotator, carol: Annotator, alice: User, signed_in: SignIn
) -> None:
    """Bob gives five to three, carol three to one; in percentiles they say the same."""
    scales = {
        bob: {"alpha": "5", "beta": "4", "gamma": "3"},
        carol: {"alpha": "3", "beta": "2", "gamma": "1"},
    }
    for who, of in scales.items():
        while (assignment := assignments.next_assignment(task, who)) is not None:
            rate(assignment, of)
            submit_sentence_answer(assignment, "verdict", "A=B", uuid=uuid.uuid4())
            assignments.skip_assignment(assignment, "only rated")
    found = compute_ratings(load_scope("task", task.slug))
    assert [(line.system, line.mean, line.raters) for line in found] == [
        ("alpha", 4.0, 2),
        ("beta", 3.0, 2),
        ("gamma", 2.0, 2),
    ]
    ratings = {line.system: line.ratings for line in found}
    total = sum(ratings.values())
    # The share below, and half the share of equals: what the paper's example does.
    assert found[2].percentile == pytest.approx(ratings["gamma"] / total / 2)
    assert found[0].percentile == pytest.approx(1 - ratings["alpha"] / total / 2)
    verdicts = compute_results(load_scope("task", task.slug), kind=AnswerKind.SENTENCES)
    assert verdicts.votes
    assert {(line.wins, line.losses) for line in verdicts.systems} == {(0, 0)}

    page = reverse("task-results", args=[task.slug])
    shown = signed_in(alice).get(page).content.decode()
    assert "Ratings" in shown
    assert "whole sentences" in shown
    table = signed_in(alice).get(f"{page}/ratings.csv").content.decode()
    assert "alpha" in table
    assert signed_in(alice).get(f"{page}/systems.tex?answers=sentences").status_code == 200


def test_where_only_sentences_were_judged_every_report_and_export_is_about_them(
    task: Task, bob: Annotator, carol: Annotator, alice: User, signed_in: SignIn
) -> None:
    """As after an import of ranks: the page, the command and the file need no option for it."""
    SentenceAnswer.objects.bulk_create(
        SentenceAnswer(
            uuid=uuid.uuid4(), annotator=who, comparison=row, question="verdict", version=1, value="A>B"
        )
        for row in Comparison.objects.filter(item__task=task)
        for who in (bob, carol)
    )  # fmt: skip
    client, base = signed_in(alice), reverse("task-results", args=[task.slug])
    page = client.get(base)
    assert page.context["page"].kind == AnswerKind.SENTENCES
    assert page.context["page"].results.votes >= 2 * Comparison.objects.filter(item__task=task).count()
    assert client.get(f"{base}?answers=phrases").context["page"].results.votes == 0
    assert "Show the results" in client.get(f"{base}?answers=phrases").content.decode()
    out = StringIO()
    call_command("agreement", "--task", task.slug, "--resamples", "0", stdout=out)
    assert json.loads(out.getvalue())["p_a"] == 1.0
    for answers, lines in (("", 2), ("?answers=sentences", 2), ("?answers=phrases", 0)):
        export = client.get(reverse("task-export", args=[task.slug, "csv"]) + answers)
        rows = export.getvalue().decode().count(",sentence,")
        assert rows == lines * Comparison.objects.filter(item__task=task).count()


def test_an_answer_about_sentences_that_was_changed_after_closing_counts_as_it_stood(
    task: Task, bob: Annotator
) -> None:
    assignment = begin(task, bob)
    submit_sentence_answer(assignment, "verdict", "A=B", uuid=uuid.uuid4())
    Task.objects.update(state=Task.State.CLOSED)
    assignment = Assignment.objects.select_related("task").get(pk=assignment.pk)
    submit_sentence_answer(assignment, "verdict", "A>B", uuid=uuid.uuid4())
    study = load_sentence_study([task])
    assert [SIX_WAY.labels[label] for label in study.labels] == ["A=B"]


def test_a_page_without_such_questions_says_nothing_about_them(
    task: Task, alice: User, signed_in: SignIn
) -> None:
    shown = signed_in(alice).get(reverse("task-results", args=[task.slug])).content.decode()
    assert "whole sentences" not in shown
    assert ">Ratings<" not in shown
