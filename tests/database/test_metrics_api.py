"""Scores by API: the same figures and the same rights as the pages."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from evaluation.models import Annotator, ApiToken, Job, Ranking, Task, User
from evaluation.people.api_tokens import create_token
from evaluation.reports.cache import clear_cache
from metrics.scoring.services.metric_lookup import find_metrics
from metrics.scoring.services.runs import score_task


def ask(path: str, user: User, body: dict[str, Any] | None = None, scope: str = ApiToken.Scope.READ) -> Any:
    headers = {"Authorization": f"Bearer {create_token(user, name='t', scope=scope)[1]}"}
    if body is None:
        return Client().get(f"/api{path}", headers=headers)
    return Client().post(f"/api{path}", body, content_type="application/json", headers=headers)


def test_scores_are_those_of_the_command(task: Task, alice: User) -> None:
    score_task(task, find_metrics(["wer"]))
    found = ask(f"/tasks/{task.slug}/scores", alice).json()
    assert found["wer"]["segments"]["alpha"] == [0.0] * 4
    assert found["wer"]["higher_is_better"] is False


def test_a_metric_is_compared_with_people(task: Task, alice: User, bob: Annotator) -> None:
    score_task(task, find_metrics(["wer"]))
    (before,) = ask(f"/tasks/{task.slug}/metrics", alice).json()
    assert (before["same_side"], before["pairs"], before["tau"]) == (None, 0, None)
    Ranking.objects.bulk_create(
        Ranking(uuid=uuid4(), annotator=bob, pair=pair, version=1, choice="A>B") for pair in task.pairs.all()
    )
    clear_cache()
    (after,) = ask(f"/tasks/{task.slug}/metrics", alice).json()
    assert after["pairs"] == task.pairs.count()
    assert 0 <= after["same_side"] <= 1


def test_scoring_needs_a_token_that_may_write(task: Task, alice: User) -> None:
    body = {"metrics": ["chrf"]}
    assert ask(f"/tasks/{task.slug}/scores", alice, body).status_code == 401
    answer = ask(f"/tasks/{task.slug}/scores", alice, body, ApiToken.Scope.WRITE)
    assert answer.status_code == 202
    assert answer.json()["job"] == str(Job.objects.get().pk)


@pytest.mark.parametrize("names", [["nonsense"], [], ["bleu:order=x"]])
def test_what_means_nothing_is_refused(task: Task, alice: User, names: list[str]) -> None:
    answer = ask(f"/tasks/{task.slug}/scores", alice, {"metrics": names}, ApiToken.Scope.WRITE)
    assert answer.status_code == 422
    assert not Job.objects.exists()


@pytest.mark.parametrize("page", ["scores", "metrics"])
def test_strangers_find_nothing(task: Task, dora: User, page: str) -> None:
    assert ask(f"/tasks/{task.slug}/{page}", dora).status_code == 404
    assert Client().get(f"/api/tasks/{task.slug}/{page}").status_code == 401
