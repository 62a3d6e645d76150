"""A scheme is data: one more constant in ``SCHEMES`` works from the import to the verified bundle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import reverse

from evaluation.exporters.bundle_reader import verify_bundle
from evaluation.models import Ranking, Task, User
from evaluation.reports.bundles import write_bundle
from evaluation.reports.scope import load_scope
from evaluation.schemes import SCHEMES, Choice, Option, Scheme
from tests.database.answering import answer_task
from tests.database.conftest import SENTENCES, annotator
from tests.database.test_pages import SignIn, assigned, post_answer

THREE_WAY = Scheme(
    "three-way",
    "3 choices",
    (
        Option(Choice.A_BETTER, "A wins", "A is the better one."),
        Option(Choice.EQUAL, "a draw", "Neither is better."),
        Option(Choice.B_BETTER, "B wins", "B is the better one."),
    ),
    step_meanings=("Worse.",),
)


@pytest.fixture
def task(db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Task:
    """A task of that scheme, imported by the command."""
    monkeypatch.setitem(SCHEMES, THREE_WAY.name, THREE_WAY)
    file = tmp_path / "houses.json"
    document = {"format": "appraise-task", "version": 1, "source_language": "de", "target_language": "en"}
    file.write_text(json.dumps({**document, "items": SENTENCES}))
    call_command("import_task", str(file), "--name=Houses", "--scheme=three-way", "--campaign=study")
    return Task.objects.get()


def test_the_annotation_page_offers_its_choices_and_keys(task: Task, signed_in: SignIn) -> None:
    bob = annotator("bob", task)
    assignment, client = assigned(task, bob), signed_in(bob)
    page = client.get(reverse("annotate", args=[assignment.token])).content.decode()
    assert "3 choices" in page
    assert "<kbd>1</kbd>–<kbd>3</kbd>" in page
    assert all(page.count(f"<em>{option.words}</em>") for option in THREE_WAY.options)
    assert page.count("opt-na") == 0
    assert post_answer(client, assignment, choice="A=B")[0] == 200
    assert Ranking.objects.get().choice == "A=B"
    status, refusal = post_answer(client, assignment, choice="A>>B")
    assert (status, Ranking.objects.count()) == (400, 1), refusal


def test_reports_read_it_by_its_own_chance_level(task: Task, alice: User, signed_in: SignIn) -> None:
    bob, carol = annotator("bob", task), annotator("carol", task)
    answer_task(task, bob, lambda pair, presentation: THREE_WAY.choices[pair.pk % 3])
    answer_task(task, carol, lambda pair, presentation: THREE_WAY.choices[pair.pk % 2])
    client = signed_in(alice)
    page = client.get(reverse("task-agreement", args=[task.slug]))
    report = page.context["page"].report
    assert report.p_e == pytest.approx(1 / 3)
    assert report.kappa.value == pytest.approx((report.p_a - 1 / 3) / (2 / 3))
    text = " ".join(page.content.decode().split())  # as a browser shows it
    assert "P(E) = 1/3" in text
    assert "3 choices, κ" in text
    assert "κ′" not in text.split("</dl>")[0]  # nothing is collapsed
    results = client.get(reverse("task-results", args=[task.slug])).context["page"].results
    assert sum(line.wins for line in results.systems) == sum(line.losses for line in results.systems) > 0
    disputed = client.get(reverse("task-disagreements", args=[task.slug]))
    assert [choice for choice, _n in disputed.context["page"].rows[0].votes] == list(THREE_WAY.choices)


def test_exports_and_the_bundle_carry_it(task: Task, alice: User, signed_in: SignIn, tmp_path: Path) -> None:
    for name in ("bob", "carol"):
        answer_task(task, annotator(name, task), lambda pair, presentation: THREE_WAY.choices[pair.pk % 3])
    client = signed_in(alice)
    export = client.get(reverse("task-export", args=[task.slug, "jsonl"]))
    lines = [json.loads(line) for line in b"".join(export).decode().splitlines()]
    assert {line["label"] for line in lines} == set(THREE_WAY.labels)
    path = tmp_path / "study.zip"
    with path.open("wb") as stream:
        assert "scheme:three-way" in write_bundle(load_scope("task", task.slug), stream)
    assert verify_bundle(path).differences == ()
