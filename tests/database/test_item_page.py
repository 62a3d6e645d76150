"""One sentence as machines see it: scores of every output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from evaluation.models import Annotator, Task, User
from metrics.scoring.services.metric_lookup import find_metrics
from metrics.scoring.services.runs import score_task
from tests.database.conftest import make_task

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def first(task: Task) -> int:
    return task.items.order_by("position").values_list("position", flat=True)[0]


def test_every_output_stands_beside_its_scores(
    task: Task, first: int, alice: User, signed_in: SignIn, django_assert_max_num_queries: Any
) -> None:
    score_task(task, find_metrics(["wer"]))
    client = signed_in(alice)
    with django_assert_max_num_queries(10):
        page = client.get(f"/tasks/{task.slug}/metrics/items/{first}").content.decode()
    assert "Sentence 1: the crimson house is tiny." in page
    assert "0.00" in page  # alpha wrote the reference


def test_systems_that_wrote_the_same_share_a_line(db: None, alice: User, signed_in: SignIn) -> None:
    twins = [{"id": "s1", "source": "Haus", "references": ["house"],
              "candidates": {"x": "house", "y": "house", "z": "home"}}]  # fmt: skip
    task = make_task("Twins", twins)
    position = task.items.get().position
    assert "x, y" in signed_in(alice).get(f"/tasks/{task.slug}/metrics/items/{position}").content.decode()


def test_without_a_table_the_choice_names_no_folder_of_the_server(
    task: Task, alice: User, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("APPRAISE_HOME", str(tmp_path))
    page = signed_in(alice).get(f"/tasks/{task.slug}/metrics/choose").content.decode()
    assert "operator of this site" in page
    assert "collocation has no table" in page
    assert str(tmp_path) not in page


@pytest.mark.parametrize("who", ["bob", "dora"])
def test_others_find_nothing(
    task: Task, first: int, who: str, request: pytest.FixtureRequest, signed_in: SignIn
) -> None:
    client = signed_in(request.getfixturevalue(who))
    assert client.get(f"/tasks/{task.slug}/metrics/items/{first}").status_code == 404


def test_an_item_that_does_not_exist_is_not_found(task: Task, alice: User, signed_in: SignIn) -> None:
    assert signed_in(alice).get(f"/tasks/{task.slug}/metrics/items/9999").status_code == 404
