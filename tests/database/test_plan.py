"""The planning page and its command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from evaluation.models import Annotator, Task, User
from tests.database.answering import answer_task
from tests.database.test_results_page import favouring

# `test_reports.py` runs every report on both databases.
pytestmark = pytest.mark.any_database

SignIn = Callable[[User | Annotator | None], Client]
URL = reverse("plan")


def plan(*arguments: str) -> dict[str, object]:
    out = StringIO()
    call_command("plan", *arguments, stdout=out)
    return dict(json.loads(out.getvalue()))


def test_the_page_and_the_command_say_the_same(dora: User, signed_in: SignIn) -> None:
    asked = {"win_rate": "0.7", "overlap": "1", "price": "30", "ties": "0.1"}
    page = signed_in(dora).get(URL, asked)
    assert page.status_code == 200
    told = plan(*(f"--{name.replace('_', '-')}={value}" for name, value in asked.items()))
    enough = told["enough"]
    assert isinstance(enough, dict)
    out = StringIO()
    call_command(
        "plan", "--win-rate=0.7", "--overlap=1", "--price=30", "--ties=0.1", "--format=text", stdout=out
    )
    headline, columns, values, *others = out.getvalue().splitlines()
    assert headline.startswith("Win rate 0.7, power 0.8, alpha 0.0500 per pair; simulated power 0.")
    assert dict(zip(columns.split(), values.split(), strict=True))["sentences"] == str(enough["sentences"])
    assert others[1] == "The same power with more or fewer annotators per comparison"
    assert page.context["plan"].required_point.sentences == enough["sentences"]
    assert re.search(rf"<dd>\s*{enough['sentences']}\s*<small>", page.content.decode())


def test_every_task_is_offered_as_a_pilot(task: Task, alice: User, signed_in: SignIn) -> None:
    Task.objects.bulk_create(
        Task(
            campaign=task.campaign, slug=f"part-{n}", name=f"Part {n:03}", scheme_name="six-way", state="open"
        )
        for n in range(250)
    )
    assert signed_in(alice).get(URL).content.decode().count('<option value="part-') == 250


def test_a_pilot_fills_what_is_not_typed_in(
    task: Task, alice: User, bob: Annotator, carol: Annotator, dora: User, signed_in: SignIn
) -> None:
    for who in (bob, carol):
        answer_task(task, who, favouring("beta", "alpha", "gamma"), ms=6000)
    page = signed_in(alice).get(URL, {"pilot": task.slug, "price": "99"})
    values = page.context["form"].cleaned_data
    assert (values["systems"], values["seconds"], values["win_rate"], values["price"]) == (3, 6.0, 0.95, 99)
    assert plan("--pilot", task.slug)["pilot"]["systems"] == 3  # type: ignore[index]  # a document
    assert signed_in(dora).get(URL, {"pilot": task.slug}).status_code == 404
    assert task.name not in signed_in(dora).get(URL).content.decode()


def test_values_that_mean_nothing_are_told_beside_their_fields(dora: User, signed_in: SignIn) -> None:
    client = signed_in(dora)
    wrong = client.get(URL, {"people": "1", "overlap": "2", "agreement": "0.1"})
    assert wrong.status_code == 422
    assert wrong.content.count(b'class="wrong"') == 2
    assert client.get(URL, {"win_rate": "0.5"}).context["plan"].required_point is None
    kappa = client.get(URL, {"agreement": "0.1", "agreement_is": "kappa"})
    assert kappa.context["plan"].design.accuracy < 0.5
    with pytest.raises(CommandError, match="--people: "):
        plan("--people", "1")
    with pytest.raises(CommandError, match="--win-rate: Enter a number"):
        plan("--win-rate", "much")


def test_the_picture_is_a_file(dora: User, signed_in: SignIn) -> None:
    drawn = signed_in(dora).get(reverse("plan-plot"), {"price": "0"})
    assert drawn["Content-Type"] == "image/svg+xml"
    assert b"hours of work" in drawn.content
