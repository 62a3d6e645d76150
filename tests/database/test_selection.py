"""The most useful question next: the switch, the drawn order, its log, and weighted results."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import Annotator, AuditEntry, Draw, Slot, Task, User
from evaluation.models.steering import REST
from evaluation.reports import memo
from evaluation.reports.selection import pair_weights, selection_page
from evaluation.services import claiming, selecting
from evaluation.services.steering import steer
from tests.database.answering import another_task, answer_task
from tests.database.conftest import make_task, person
from tests.database.test_results_page import favouring

SignIn = Callable[[User | Annotator | None], Client]
CHOOSE = favouring("beta", "alpha", "gamma")


@pytest.fixture(autouse=True)
def small_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selecting, "AHEAD", 4)
    monkeypatch.setattr(selecting, "EVERY", 2)


def begin(task: Task, who: Annotator, n: int) -> list[int]:
    """The comparisons that this person is given and answers."""
    before = set(who.assignments.values_list("comparison", flat=True))
    answer_task(task, who, CHOOSE, most=n)
    after = who.assignments.order_by("number").values_list("comparison", flat=True)
    return [comparison for comparison in after if comparison not in before]


def test_switched_off_nothing_is_drawn_and_nothing_moves(task: Task, bob: Annotator) -> None:
    before = list(task.slots.order_by("pk").values_list("position", flat=True))
    begin(task, bob, 2)
    assert selecting.draw_for_running_tasks() == 0
    assert not Draw.objects.exists()
    assert list(task.slots.order_by("pk").values_list("position", flat=True)) == before


@pytest.mark.parametrize("selection", [Task.Selection.ORDER, Task.Selection.DISAGREEMENT])
def test_people_follow_the_drawn_order_and_every_chance_is_logged(
    task: Task, alice: User, bob: Annotator, carol: Annotator, selection: Task.Selection
) -> None:
    before = begin(task, bob, 2)
    selecting.select(task, selection, by=alice)
    asked: list[int] = []
    for _ in range(3):
        assert selecting.draw_for_running_tasks() == 1
        assert selecting.draw_for_running_tasks() == 0  # nothing has happened since
        drawn = list(task.draws.order_by("number").values_list("comparison", flat=True))
        assert drawn[: len(asked)] == asked  # what was begun keeps its place in the log
        asked += begin(task, bob, 2)
        assert drawn[: len(asked)] == asked  # and the rest of it is what people are given next
    pool = task.size - len(before)
    for n, draw in enumerate(task.draws.order_by("number")):
        assert (draw.number, draw.left) == (n, pool - n)
        assert 0.2 / draw.left - 1e-9 <= draw.probability <= 1
    # A second person is given the same comparisons, those from before first.
    assert begin(task, carol, len(before) + len(asked)) == before + asked


def test_all_seats_of_a_comparison_move_together(alice: User) -> None:
    task = another_task("Barns", overlap=3)
    selecting.select(task, Task.Selection.ORDER, by=alice)
    selecting.draw_questions(task, seed=1)
    for draw in task.draws.all():
        assert set(draw.comparison.slots.values_list("position", flat=True)) == {draw.number}
    waiting = Slot.objects.filter(task=task, position__gte=REST).values("comparison").distinct().count()
    assert waiting == task.size - 4


def test_what_is_taken_while_no_worker_runs_counts_as_drawn_at_random(
    task: Task, alice: User, bob: Annotator
) -> None:
    selecting.select(task, Task.Selection.ORDER, by=alice)
    steer()
    asked = begin(task, bob, 6)  # four were drawn
    weights = {one.comparison: one.weight for one in pair_weights([task])}
    assert [comparison for comparison, weight in weights.items() if weight is not None] != []
    steer()
    log = list(task.draws.order_by("number")[:6])
    assert [draw.comparison_id for draw in log] == asked
    assert [draw.probability for draw in log[4:]] == [1 / (task.size - 4), 1 / (task.size - 5)]
    again = {one.comparison: one.weight for one in pair_weights([task])}
    assert {c: w for c, w in again.items() if w is not None} == pytest.approx(
        {c: w for c, w in weights.items() if w is not None}
    )
    assert begin(task, bob, 1) == [task.draws.get(number=6).comparison_id]


def test_when_everything_is_asked_weights_are_one_and_nothing_is_drawn(
    task: Task, alice: User, bob: Annotator, signed_in: SignIn
) -> None:
    selecting.select(task, Task.Selection.ORDER, by=alice)
    steer()
    while begin(task, bob, 3):
        steer()
    assert not selecting.is_due(task)
    page = selection_page(task)
    assert (page.begun, page.comparisons) == (task.size, task.size)
    assert page.weights == pytest.approx((1.0, 1.0))
    shown = signed_in(alice).get(reverse("task-results", args=[task.slug]))
    for line, fair in shown.context["page"].lines:
        assert fair.expected_wins == pytest.approx(line.expected_wins)


def test_results_show_weighted_figures_beside_the_plain_ones_in_ten_queries(
    task: Task, alice: User, bob: Annotator, signed_in: SignIn
) -> None:
    client, url = signed_in(alice), reverse("task-results", args=[task.slug])
    begin(task, bob, 1)
    assert b"<small>weighted</small>" not in client.get(url).content
    selecting.select(task, Task.Selection.ORDER, by=alice)
    steer()
    begin(task, bob, 3)
    memo.forget()
    with CaptureQueriesContext(connection) as captured:
        shown = client.get(url)
    assert b"<small>weighted</small>" in shown.content
    assert len(captured) <= 10


def test_only_managers_switch_it_and_it_leaves_a_trace_in_the_history(
    task: Task, alice: User, bob: Annotator, signed_in: SignIn
) -> None:
    url = reverse("selection", args=[task.slug])
    assert signed_in(bob).post(url, {"selection": "order"}).status_code == 404
    assert signed_in(alice).post(url, {"selection": "random"}).status_code == 422
    assert signed_in(alice).post(url, {"selection": "order"}).status_code == 302
    task.refresh_from_db()
    assert task.selection == "order"
    assert AuditEntry.objects.get(action="selection").detail == {"selection": "order"}
    steer()
    page = signed_in(alice).get(url).content.decode()
    assert "of 12 comparisons" in page
    log = signed_in(alice).get(reverse("selection-draws", args=[task.slug])).content.decode()
    assert log.splitlines()[0] == "draw,sentence,left,probability,asked,weight"
    assert len(log.splitlines()) == 5


def test_tasks_judged_place_by_place_refuse_it(db: None) -> None:
    task = make_task(judging="places")
    with pytest.raises(selecting.NotForPlaces):
        selecting.select(task, Task.Selection.ORDER, by=person("root", is_superuser=True))


def test_the_annotation_page_costs_the_same_with_selection(
    task: Task, alice: User, bob: Annotator, signed_in: SignIn
) -> None:
    client, costs = signed_in(bob), []
    for _ in range(2):
        assignment = claiming.next_assignment(task, bob)
        assert assignment is not None
        with CaptureQueriesContext(connection) as captured:
            assert client.get(assignment.get_absolute_url()).status_code == 200
        costs.append(len(captured))
        answer_task(task, bob, CHOOSE, most=1)
        selecting.select(task, Task.Selection.ORDER, by=alice)
        steer()
    assert costs[0] == costs[1] <= 8


def test_what_steers_a_task_leaves_no_trace_on_the_annotation_page(
    task: Task, alice: User, bob: Annotator, signed_in: SignIn
) -> None:
    """Selection and standing, on or off: the same page from as many queries."""
    assignment = claiming.next_assignment(task, bob)
    assert assignment is not None
    client, url = signed_in(bob), assignment.get_absolute_url()

    def seen() -> tuple[str, int]:
        with CaptureQueriesContext(connection) as captured:
            page = client.get(url).content.decode()
        # Tokens and the ids of answers to come are new each time.
        return re.sub(r'value="(\w{64}|[0-9a-f-]{36})"', "", page), len(captured)

    client.get(url)
    without = seen()
    selecting.select(task, Task.Selection.ORDER, by=alice)
    steer()
    assert task.draws.exists()
    assert seen() == without
    selecting.select(task, Task.Selection.OFF, by=alice)
    task.draws.all().delete()
    assert seen() == without
