"""Comparisons that are planned after the import, for chosen pairs of systems."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from appraise.lib.problems import InputError
from evaluation.models import (
    Annotator,
    AuditEntry,
    Comparison,
    Membership,
    Ranking,
    Role,
    Slot,
    Task,
    User,
)
from evaluation.schemes import Choice
from evaluation.tasks.services.later_comparisons import compare_systems
from tests.database.answering import always, answer_task
from tests.database.conftest import make_task, person
from tests.database.test_upload import work

SignInAs = Callable[[User | Annotator | None], Client]


@pytest.fixture
def bare(db: None) -> Task:
    return make_task("Bare", comparisons="none")


def test_a_task_without_comparisons_has_its_texts_and_no_questions(bare: Task) -> None:
    assert (bare.items.count(), bare.systems.count()) == (4, 3)
    assert not Comparison.objects.exists()
    assert not Slot.objects.exists()


def test_comparisons_planned_later_are_those_of_an_import(bare: Task) -> None:
    compare_systems(bare, [("alpha", "beta"), ("beta", "gamma"), ("gamma", "alpha")])
    Task.objects.update(digest="")  # so that the same content can be imported again
    at_once = make_task("At once")
    for task in (bare, at_once):
        task.refresh_from_db()
    rows = [
        (
            sorted(task.pairs.values_list("first", "second", "kind", "key")),
            sorted(
                Comparison.objects.filter(item__task=task).values_list(
                    "item__key", "first__text", "second__text", "alignments__phrases", "alignments__groups"
                ),
                key=repr,
            ),
            task.slots.count(),
            task.size,
        )
        for task in (bare, at_once)
    ]
    assert rows[0] == rows[1]
    assert AuditEntry.objects.get(action="compare systems").detail["comparisons"] == 12


def test_repeating_it_adds_nothing(bare: Task) -> None:
    assert compare_systems(bare, [("alpha", "beta")], items=2) == 2
    before = bare.slots.count()
    assert compare_systems(bare, [("beta", "alpha")], items=2) == 0
    assert bare.slots.count() == before
    assert compare_systems(bare, [("alpha", "beta")]) == 2


def test_what_was_asked_before_stays_as_it_is(bare: Task) -> None:
    compare_systems(bare, [("alpha", "beta")])
    answer_task(bare, Annotator.objects.create(key="k"), always(Choice.A_BETTER))
    owners = dict(bare.pairs.values_list("pk", "owner"))
    rankings = list(Ranking.objects.order_by("pk").values())
    compare_systems(bare, [("alpha", "gamma"), ("beta", "gamma")])
    assert {pk: owner for pk, owner in bare.pairs.values_list("pk", "owner") if pk in owners} == owners
    assert list(Ranking.objects.order_by("pk").values()) == rankings


@pytest.mark.parametrize(
    ("pairs", "code"),
    [([("alpha", "delta")], "unknown_system"), ([("alpha", "alpha")], "bad_design"), ([], "bad_design")],
)
def test_impossible_pairs_are_refused(bare: Task, pairs: list[tuple[str, str]], code: str) -> None:
    with pytest.raises(InputError) as caught:
        compare_systems(bare, pairs)
    assert caught.value.problems[0].code == code
    assert not Comparison.objects.exists()


class TestPage:
    def test_a_manager_compares_the_chosen_systems(self, bare: Task, signed_in: SignInAs) -> None:
        alice = person("alice")
        Membership.objects.create(user=alice, campaign=bare.campaign, role=Role.MANAGER)
        client = signed_in(alice)
        address = f"/tasks/{bare.slug}/compare"
        page = client.get(address).content.decode()
        assert "0 comparisons" in page
        assert all(name in page for name in ("alpha", "beta", "gamma"))
        response = client.post(address, {"systems": ["alpha", "gamma"], "items": "2"})
        assert response.status_code == 302
        work()
        assert Comparison.objects.filter(item__task=bare).count() == 2
        client.post(address, {"systems": ["alpha", "beta", "gamma"], "baseline": "beta"})
        work()
        assert Comparison.objects.filter(item__task=bare).count() == 10
        assert {by.user for by in AuditEntry.objects.filter(action="compare systems")} == {alice}

    @pytest.mark.parametrize("data", [{}, {"systems": ["alpha"]}, {"systems": ["alpha", "delta"]}])
    def test_one_system_is_refused(self, bare: Task, signed_in: SignInAs, data: dict[str, list[str]]) -> None:
        alice = person("alice")
        Membership.objects.create(user=alice, campaign=bare.campaign, role=Role.MANAGER)
        response = signed_in(alice).post(f"/tasks/{bare.slug}/compare", data)
        assert response.status_code == 422
        assert not Comparison.objects.exists()

    def test_others_do_not_find_it(self, bare: Task, signed_in: SignInAs) -> None:
        researcher = person("rita")
        Membership.objects.create(user=researcher, campaign=bare.campaign, role=Role.RESEARCHER)
        assert signed_in(researcher).get(f"/tasks/{bare.slug}/compare").status_code == 404
        assert signed_in(None).get(f"/tasks/{bare.slug}/compare").status_code == 302
