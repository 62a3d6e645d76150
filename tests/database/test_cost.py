"""Any page costs a constant number of queries, at most ten, whatever is stored; at first sight and later.

The addresses are those of the checked-in table of routes and roles: a page that is not in it fails there.
Each is opened on a plain site, and on one that uses everything that a site may use.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import cache as django_cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import Annotator, Candidate, Ranking, SentenceAnswer, Task
from evaluation.reports import adjudication, cache, word_tags
from evaluation.schemes import SIX_WAY
from evaluation.voters import register_tag_provider
from metrics.taggers import Taggers
from tests.database.answering import another_task
from tests.database.everything import use_everything
from tests.security.stage import Stage, set_stage
from tests.security.test_routes import table

MOST = 10
# These put six kinds of evidence side by side, each from tables of its own, where a site has all of them.
SIDE_BY_SIDE = {
    f"{scope}/evidence{rest}": 13
    for scope in ("tasks/{task}", "campaigns/{campaign}", "api/tasks/{task}")
    for rest in ("", "/ranks.csv")
}
LONG_AGO = timezone.now() - timedelta(hours=1)  # settled: a slow machine must not make pages look again
WHO = ("manager", "annotator", "administrator", "anonymous")  # the first of them who may enter
STREAMED = ("/export/", "me/data.json")  # files of any size, read block by block
ANNOTATE = "a/{assignment}/"
FURTHER = (
    "tasks/{task}/disagreements?order=voters",
    "tasks/{task}/disagreements?order=confidence",
    "tasks/{task}/disagreements?text=house&kind=different",
    "tasks/{task}/disagreements?phenomenon=number&text=house",
    "tasks/{task}/changes?before=campaign:{campaign}",
    "tasks/{task}/agreement?without=speeders",
    "plan?pilot={task}",
    "tasks/{task}/metrics?text=house&show=disagree",
)


PLAIN, EVERYTHING, HALF = (
    "a plain site",
    "a site that uses everything",
    "one with half of its sentences tagged",
)


@pytest.fixture
def stage(request: pytest.FixtureRequest, db: None, settings: object, tmp_path: Path) -> Iterator[Stage]:
    settings.HOME = settings.MEDIA_ROOT = tmp_path  # type: ignore[attr-defined]  # any setting can be set
    found = set_stage()
    another_task("Barns")  # a campaign has more than one
    pair = found.task.pairs.get(pk=str(found.values["pair"]))
    manager = found.people["manager"]
    assert manager is not None
    adjudication.append_adjudication(pair, choice=SIX_WAY.choices[0], reason="plain", by=manager)
    SentenceAnswer.objects.create(
        uuid=uuid.uuid4(), annotator=Annotator.objects.all()[0], comparison=pair.owner, question="comment",
        version=1, value="hard",
    )  # fmt: skip
    if request.param != PLAIN:
        use_everything(manager, tagged=Candidate.objects.count() // 2 if request.param == HALF else None)
    Ranking.objects.all().delete()
    yield found
    register_tag_provider(Taggers())


def fill(task: Task, n: int) -> None:
    """n rankings: thirty more people about every pair, divided, and then in further versions."""
    people = [Annotator.objects.get_or_create(key=f"p{n}")[0] for n in range(30)]
    pairs, done = list(task.pairs.order_by("pk")), Ranking.objects.count()
    seats = [(who, pair, version) for version in range(1, 99) for pair in pairs for who in people]
    Ranking.objects.bulk_create(
        Ranking(
            uuid=uuid.uuid4(), annotator=who, pair=pair, version=version,
            choice=SIX_WAY.labels[(who.pk * 7 + pair.pk * 3 + version) % 6], received_at=LONG_AGO,
        )
        for who, pair, version in seats[done:n]
    )  # fmt: skip
    assert Ranking.objects.count() == n


def pages(stage: Stage) -> dict[str, Client]:
    """Every address that somebody can open, with somebody who can."""
    rows = {row["example"]: row for row in table() if row["method"] == "GET"}
    found = {}
    for example in (*rows, *FURTHER):
        row = rows.get(example) or rows[example.split("?")[0]]
        for who in WHO:
            if row[who] == "200" and not any(part in example for part in STREAMED):
                found[example] = signed_in(stage, who, example)
                break
    return found


def signed_in(stage: Stage, who: str, example: str) -> Client:
    if example.startswith("api/"):
        return Client(headers={"Authorization": f"Bearer {stage.tokens.get(who, '')}"})
    client, user = Client(), stage.people[who]
    if user is not None:
        client.force_login(user)
    return client


def cost(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        response = client.get(url)
        if response.streaming:
            response.getvalue()  # read to the end, as a browser does: that closes it
    assert response.status_code == 200, url
    return len(captured)


def costs(stage: Stage) -> dict[str, tuple[int, int]]:
    """Queries of the first opening, when nothing is known, and of the second."""
    found = {}
    for example, client in pages(stage).items():
        url = stage.path(example)
        if example.startswith("api/") or example == "readyz":
            client.get(url)  # once a day a token notes that it was used; readiness adds its row once
        forget()
        first = cost(client, url)
        found[example] = (first, first if example == "readyz" else cost(client, url))
    return found


def forget() -> None:
    """As after a restart."""
    cache.clear_cache()
    word_tags.clear_cache()
    django_cache.delete("readyz")  # kept for two seconds, which a slow machine may or may not need


@pytest.mark.slow
@pytest.mark.usefixtures("without_estimates")
@pytest.mark.parametrize("stage", [PLAIN, EVERYTHING], indirect=True)
def test_ten_and_ten_thousand_rankings_cost_the_same_on_every_page(
    stage: Stage, request: pytest.FixtureRequest
) -> None:
    fill(stage.task, 10)
    few = costs(stage)
    fill(stage.task, 10_000)
    many = costs(stage)
    assert {page: pair for page, pair in many.items() if pair != few[page]} == {}
    limits = SIDE_BY_SIDE if EVERYTHING in request.node.callspec.params.values() else {}
    assert {page: pair for page, pair in many.items() if max(pair) > limits.get(page, MOST)} == {}
    assert len(many) > 50
    assert max(many[ANNOTATE]) <= 8


@pytest.mark.slow
@pytest.mark.usefixtures("without_estimates")
@pytest.mark.parametrize("stage", [HALF], indirect=True)
def test_a_page_that_must_look_for_tags_first_costs_no_more(stage: Stage) -> None:
    fill(stage.task, 10)
    assert {
        page: pair for page, pair in costs(stage).items() if max(pair) > SIDE_BY_SIDE.get(page, MOST)
    } == {}
