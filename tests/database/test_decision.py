"""The page for whoever decides: the claim, its numbers, and the cases that it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.models import Annotator, PhrasePair, Task, User
from evaluation.reports import cache
from evaluation.reports.decision import Decision, DecisionPage
from evaluation.reports.scope import load_scope
from evaluation.schemes import Choice
from tests.database.answering import answer_task
from tests.database.conftest import annotator, make_task

# `test_reports.py` runs every report on both databases.
pytestmark = pytest.mark.any_database

SignIn = Callable[[User | Annotator | None], Client]
Chooser = Callable[[PhrasePair, int], Choice]


def sentences(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"s{n}",
            "source": f"Satz {n}: das Haus.",
            "candidates": {
                "lark": f"Sentence {n}: the red house.",
                "robin": f"Sentence {n}: the blue house.",
            },
        }
        for n in range(count)
    ]


@pytest.fixture
def task(db: None) -> Task:
    return make_task("News", sentences(12))


def prefer(system: str, except_for: tuple[int, ...] = (), choice: Choice = Choice.A_MUCH_BETTER) -> Chooser:
    """Prefer the words of one system, of the other in some sentences."""
    word = {"lark": "red", "robin": "blue"}

    def choose(pair: PhrasePair, presentation: int) -> Choice:
        other = "robin" if system == "lark" else "lark"
        number = int(pair.owner.item.key.removeprefix("s"))
        liked = word[other if number in except_for else system]
        return choice if liked in pair.first else choice.mirrored

    return choose


def page_of(task: Task) -> DecisionPage:
    return Decision().compute(load_scope("task", task.slug), Decision.options())


def test_a_clear_winner_is_named_with_cases_for_and_against(
    task: Task, alice: User, signed_in: SignIn
) -> None:
    for name in ("bob", "carol"):
        answer_task(task, annotator(name, task), prefer("lark", except_for=(3,)))
    page = page_of(task)
    assert page.lead is not None
    assert (page.lead.first, page.lead.second, page.is_decided) == ("lark", "robin", True)
    assert page.lead.counts == (22, 0, 0, 0, 2, 0)
    assert page.lead.lead == pytest.approx(20 / 24)
    assert page.lead.interval is not None
    assert page.lead.lead is not None
    assert page.lead.interval[0] <= page.lead.lead <= page.lead.interval[1]
    assert (page.lead.sentences, page.lead.annotators, page.lead.pairs) == (12, 2, 12)
    assert [case.votes for case in page.cases] == [
        [(Choice.A_MUCH_BETTER, 2)], [(Choice.A_MUCH_BETTER, 2)], [(Choice.B_MUCH_BETTER, 2)],
    ]  # fmt: skip
    for case in page.cases:
        for side, word in ((case.first, "red"), (case.second, "blue")):
            assert [part.text for part in side if part.number == 1] == [word]
    text = signed_in(alice).get(reverse("task-decision", args=[task.slug])).content.decode()
    assert "lark translates better than robin." in text
    assert "<mark>red</mark> house." in text
    assert "robin much better (2)" in text


def test_people_who_contradict_each_other_decide_nothing(task: Task, alice: User, signed_in: SignIn) -> None:
    answer_task(task, annotator("bob", task), prefer("lark"))
    answer_task(task, annotator("carol", task), prefer("robin", except_for=(0, 1)))
    page = page_of(task)
    assert not page.is_decided
    text = signed_in(alice).get(reverse("task-decision", args=[task.slug])).content.decode()
    assert "No clear winner between" in text
    assert "translates better" not in text


def test_few_sentences_are_not_enough_however_large_the_lead(task: Task) -> None:
    for name in ("bob", "carol"):
        answer_task(task, annotator(name, task), prefer("lark"), most=3)
    page = page_of(task)
    assert page.lead is not None
    assert page.lead.lead == 1
    assert not page.is_decided
    assert page.is_small


def test_without_answers_it_says_so(task: Task, alice: User, signed_in: SignIn) -> None:
    page = page_of(task)
    assert (page.lead, page.cases, page.is_decided) == (None, [], False)
    text = signed_in(alice).get(reverse("task-decision", args=[task.slug])).content.decode()
    assert "There is nothing to decide yet" in text


def test_exchanging_the_names_exchanges_the_result(task: Task) -> None:
    answer_task(task, annotator("bob", task), prefer("lark", except_for=(0, 1, 2), choice=Choice.A_BETTER))
    before = page_of(task).lead
    for old, new in (("lark", "x"), ("robin", "lark"), ("x", "robin")):
        task.systems.filter(name=old).update(name=new)
    cache.clear_cache()
    after = page_of(task).lead
    assert before is not None
    assert after is not None
    assert (before.first, after.first) == ("lark", "robin")
    assert before.counts == after.counts


def test_every_system_is_compared_with_the_best(db: None) -> None:
    three = [{**s, "candidates": {**s["candidates"], "wren": "Something else."}} for s in sentences(6)]
    task = make_task("Three", three)

    def choose(pair: PhrasePair, presentation: int) -> Choice:
        order = ["Something", "blue", "red"]  # the later the better
        rank = [max((n for n, word in enumerate(order) if word in text), default=-1)
                for text in (pair.first, pair.second)]  # fmt: skip
        return Choice.A_BETTER if rank[0] > rank[1] else Choice.B_BETTER

    for name in ("bob", "carol"):
        answer_task(task, annotator(name, task), choose)
    page = page_of(task)
    assert page.lead is not None
    assert page.lead.first == "lark"
    assert {page.lead.second, *(lead.second for lead in page.others)} == {"robin", "wren"}
    assert page.ranking.rows[0][0] == "lark"
