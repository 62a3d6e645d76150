"""Enough, or not yet: the page, the monitor, the command and the worker's look."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evaluation.annotate.services import answers
from evaluation.models import Annotator, Occurrence, Ranking, StoppingStatus, Task, User
from evaluation.reports.scope import load_scope
from evaluation.reports.stopping import apply_stopping_rule, update_running_tasks
from evaluation.schemes import Choice
from tests.database.answering import always, answer_task
from tests.database.conftest import SENTENCES, annotator, make_task
from tests.database.test_results_page import favouring

SignIn = Callable[[User | Annotator | None], Client]


def test_a_sentence_counts_when_all_its_seats_are_done_or_the_task_is_closed(
    task: Task, bob: Annotator, carol: Annotator
) -> None:
    answer_task(task, bob, always(Choice.A_BETTER))
    scope = load_scope("task", task.slug)
    assert {one.decision.n for one in apply_stopping_rule(scope).system_pairs} == {0}
    assert max(one.under_way for one in apply_stopping_rule(scope).system_pairs) == 4
    answer_task(task, carol, always(Choice.A_BETTER), most=3)
    counted = [one.decision.n for one in apply_stopping_rule(load_scope("task", task.slug)).system_pairs]
    assert 0 < sum(counted) < 12
    Task.objects.update(state=Task.State.CLOSED)
    assert {one.under_way for one in apply_stopping_rule(load_scope("task", task.slug)).system_pairs} == {0}


def test_the_last_seat_finished_without_a_new_answer_is_seen(task: Task, bob: Annotator) -> None:
    scope = load_scope("task", task.slug)
    answer_task(task, bob, always(Choice.A_BETTER))
    before = apply_stopping_rule(scope)
    task.slots.filter(state="free").delete()  # as if a second person had skipped everything
    assert apply_stopping_rule(scope) != before


def test_many_sentences_decide_and_the_monitor_says_so(
    db: None, signed_in: SignIn, django_user_model: type[User]
) -> None:
    sentences = [
        json.loads(json.dumps(one).replace("house", f"house{n}")) | {"id": f"n{n}"}
        for n, one in enumerate(SENTENCES * 6)
    ]
    for one in sentences:
        one["candidates"].pop("gamma")
    task = make_task(sentences=sentences, overlap=1)
    answer_task(task, annotator("bob", task), favouring("beta", "alpha"))
    boss = signed_in(django_user_model.objects.create_superuser("root"))
    empty = boss.get(reverse("task", args=[task.slug])).content.decode()
    assert 'data-empty="stopping"' in empty
    update_running_tasks()
    shown = boss.get(reverse("task", args=[task.slug])).content.decode()
    assert "beta is better" in shown
    page = boss.get(reverse("task-standing", args=[task.slug])).content.decode()
    assert "enough, since sentence" in page
    assert "<svg" in page
    out = StringIO()
    call_command("report", "stopping", "--task", task.slug, stdout=out)
    told = json.loads(out.getvalue())
    assert (told["undecided"], told["systems"][0]["better"], told["kappa"]) == (0, "beta", None)
    out = StringIO()
    call_command("report", "stopping", "--task", task.slug, "--format", "text", stdout=out)
    assert "Better system of each pair" in out.getvalue()
    assert "Precision of kappa" in out.getvalue()


def test_a_look_is_kept_until_something_is_new(task: Task, bob: Annotator) -> None:
    update_running_tasks()
    assert not StoppingStatus.objects.exists()  # nothing to look at
    answer_task(task, bob, always(Choice.A_BETTER), most=1)
    update_running_tasks()
    first = StoppingStatus.objects.get()
    answer_task(task, bob, always(Choice.A_BETTER), most=1)
    update_running_tasks()
    assert StoppingStatus.objects.get().made_at == first.made_at  # a minute has not passed
    Task.objects.update(state=Task.State.CLOSED)
    update_running_tasks()
    final = StoppingStatus.objects.get()
    assert final.result["closed"] is True
    update_running_tasks()
    assert StoppingStatus.objects.get().made_at == final.made_at


def test_a_withdrawn_answer_is_new_though_it_opens_a_seat_again(task: Task, bob: Annotator) -> None:
    answer_task(task, bob, always(Choice.A_BETTER))
    update_running_tasks()
    StoppingStatus.objects.update(made_at=timezone.now() - timedelta(hours=1))
    ranking = Ranking.objects.latest("pk")
    assignment = bob.assignments.get(comparison=ranking.pair.owner)
    phrase = Occurrence.objects.asked_by(assignment).get(pair=ranking.pair).index
    answers.submit_ranking(assignment, answers.Submission(uuid4(), phrase, None, base=1))
    assert task.slots.filter(annotator=bob, state="taken").count() == 1
    update_running_tasks()
    assert timezone.now() - StoppingStatus.objects.get().made_at < timedelta(minutes=30)


def test_why_a_narrow_interval_of_few_sentences_is_not_enough_is_said(
    task: Task, alice: User, bob: Annotator, carol: Annotator, signed_in: SignIn
) -> None:
    for one in (bob, carol):
        answer_task(task, one, always(Choice.A_BETTER))
    page = signed_in(alice).get(reverse("task-standing", args=[task.slug])).content.decode()
    assert "half-width 0.000" in page
    assert "The interval is narrow enough, but" in page


def test_files_and_limits(task: Task, alice: User, signed_in: SignIn) -> None:
    client, base = signed_in(alice), reverse("task-standing", args=[task.slug])
    assert client.get(f"{base}/decisions.csv").content.startswith(b"system,")
    assert client.get(f"{base}/plots/contests.svg")["Content-Type"] == "image/svg+xml"
    assert client.get(f"{base}/plots/other.svg").status_code == 404
    wrong = client.get(base, {"alpha": "7", "wanted": "0.1"})
    assert wrong.context["errors"].keys() == {"alpha"}
    assert b"less than or equal to 0.5" in wrong.content
    assert (wrong.context["options"].alpha, wrong.context["options"].wanted) == (0.05, 0.1)
    with pytest.raises(CommandError, match="--alpha: Input should be less than or equal to"):
        call_command("report", "stopping", "--task", task.slug, "--alpha", "2")
