"""System results from stored answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.models import Annotator, Output, PhrasePair, Task, User
from evaluation.reports.exports import load_display_names, read_answered_pairs
from evaluation.reports.scope import load_scope
from evaluation.reports.system_results import compute_results
from evaluation.schemes import Choice
from tests.database.answering import Chooser, always, answer_task
from tests.database.conftest import annotator, make_task

# `test_reports.py` runs every report on both databases.
pytestmark = pytest.mark.any_database

SignIn = Callable[[User | Annotator | None], Client]


def url(task: Task) -> str:
    return reverse("task-results", args=[task.slug])


def favouring(*order: str) -> Chooser:
    """Prefers the phrase of the system that stands earlier in ``order``."""

    def choose(pair: PhrasePair, presentation: int) -> Choice:
        place = pair.occurrences.select_related("alignment__comparison").filter(
            alignment__comparison=pair.owner_id
        )[0]
        comparison = place.alignment.comparison
        sides = [comparison.first_id, comparison.second_id]
        if place.flipped:
            sides.reverse()
        best = [
            min(
                order.index(name)
                for name in Output.objects.filter(candidate=side).values_list("system__name", flat=True)
            )
            for side in sides
        ]
        return Choice.A_BETTER if best[0] < best[1] else Choice.B_BETTER

    return choose


def test_one_sentence_of_two_systems_is_told_in_the_singular(db: None, signed_in: SignIn) -> None:
    only = {"id": "s1", "candidates": {"alpha": "the red house", "beta": "the blue house"}, "source": "Haus"}
    task = make_task(sentences=[only])
    answer_task(task, annotator("bob", task), always(Choice.A_BETTER))
    page = signed_in(User.objects.create_superuser("root")).get(url(task)).content.decode()
    assert "1 vote on 1 sentence by 1 annotator." in page
    assert "Cyclic triads" not in page


def test_the_system_that_everybody_prefers_wins(task: Task, bob: Annotator, carol: Annotator) -> None:
    for who in (bob, carol):
        answer_task(task, who, favouring("beta", "alpha", "gamma"))
    found = compute_results(load_scope("task", task.slug))
    assert [line.system for line in found.systems] == ["beta", "alpha", "gamma"]
    best, _, worst = found.systems
    assert (best.losses, worst.wins) == (0, 0)
    assert best.wins > 0
    assert found.connected
    assert found.annotators == 2


def test_votes_agree_with_the_systems_that_an_export_names(task: Task, bob: Annotator) -> None:
    """Two ways through the data: occurrences for results, the owning comparison for exports."""
    answer_task(task, bob, favouring("gamma", "alpha", "beta"))
    scope = load_scope("task", task.slug)
    for pair in read_answered_pairs(scope, load_display_names(scope, identify=False)):
        better = pair.systems_first if pair.answers[0][4] == "A>B" else pair.systems_second
        worse = pair.systems_second if better == pair.systems_first else pair.systems_first
        order = ["gamma", "alpha", "beta"]
        assert min(map(order.index, better)) < min(map(order.index, worse))


def test_two_who_contradict_each_other_yield_nothing_significant(
    task: Task, bob: Annotator, carol: Annotator
) -> None:
    answer_task(task, bob, favouring("alpha", "beta", "gamma"))
    answer_task(task, carol, favouring("gamma", "beta", "alpha"))
    assert not any(pair.significant for pair in compute_results(load_scope("task", task.slug)).comparisons)


def test_the_page_and_its_files(
    task: Task, alice: User, bob: Annotator, dora: User, signed_in: SignIn
) -> None:
    client = signed_in(alice)
    assert 'data-empty="votes"' in client.get(url(task)).content.decode()
    answer_task(task, bob, favouring("alpha", "beta", "gamma"))
    page = client.get(url(task)).content.decode()
    assert "alpha" in page
    assert "style=" not in page
    for file in ("systems.csv", "systems.tex", "system-pairs.csv", "system-pairs.tex", "plots/strengths.svg"):
        assert client.get(f"{url(task)}/{file}").status_code == 200
    assert client.get(f"{url(task)}/plots/other.svg").status_code == 404
    assert [signed_in(who).get(url(task)).status_code for who in (bob, dora)] == [404, 404]
