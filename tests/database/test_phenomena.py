"""Phenomena of stored pairs: told, counted, filtered, exported."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from evaluation.models import Annotator, PhrasePair, Task, User
from evaluation.phenomena.classification import Phenomenon
from evaluation.reports.phenomena import classify_stored_pair, get_phenomena, get_profile
from evaluation.reports.scope import get_study, load_scope
from evaluation.schemes import Choice
from tests.database.answering import always, another_task, answer_task
from tests.database.conftest import annotator, make_task

# `test_reports.py` runs every report on both databases.
pytestmark = pytest.mark.any_database

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def judged(task: Task, bob: Annotator, carol: Annotator) -> Task:
    """They differ about omissions only."""
    answer_task(task, bob, always(Choice.A_BETTER))
    one_sided = PhrasePair.Kind.ONE_SIDED
    answer_task(task, carol, lambda pair, _: Choice.B_BETTER if pair.kind == one_sided else Choice.A_BETTER)
    return task


def test_all_pairs_at_once_are_told_as_one_pair_is(judged: Task) -> None:
    scope = load_scope("task", judged.slug)
    study, shown = get_study(scope), get_phenomena(scope)
    for pair in PhrasePair.objects.select_related("task", "owner__item", "owner__first", "owner__second"):
        code = list(study.pair_keys).index(pair.pk)
        told = tuple(p for p, here in zip(Phenomenon, shown[code], strict=True) if here)
        assert told == classify_stored_pair(pair)


def test_a_task_without_a_target_language_is_told_what_that_costs(
    task: Task, alice: User, signed_in: SignIn
) -> None:
    Task.objects.update(target_language="")
    page = signed_in(alice).get(reverse("task-phenomena", args=[task.slug])).content.decode()
    assert "No target language" in page
    assert "No word list for" not in page


def test_the_first_word_of_a_sentence_is_no_name(bob: Annotator) -> None:
    sentences = [
        {"id": "1", "source": "Gestern schlief er.", "references": ["He slept yesterday."],
         "candidates": {"a": "Yesterday he slept .", "b": "Lately he slept ."}},
    ]  # fmt: skip
    task = make_task("Beginnings", sentences)
    answer_task(task, annotator("eve", task), always(Choice.EQUAL))
    assert [line.phenomenon for line in get_profile(load_scope("task", task.slug)).lines] == [
        Phenomenon.CHOICE
    ]


def test_a_name_is_one_also_where_the_sentence_begins_with_the_same_letters(bob: Annotator) -> None:
    """Whether a phrase opens its sentence is asked of the database, and small letters are not capitals."""
    sentences = [
        {"id": "1", "source": "?", "candidates": {"a": "roses for Rose", "b": "roses for Paul"}},
    ]
    task = make_task("Flowers", sentences)
    answer_task(task, annotator("eve", task), always(Choice.EQUAL))
    assert [line.phenomenon for line in get_profile(load_scope("task", task.slug)).lines] == [Phenomenon.NAME]


def test_the_page_names_what_divides_people_and_links_to_the_pairs(
    judged: Task, alice: User, signed_in: SignIn
) -> None:
    client = signed_in(alice)
    found = get_profile(load_scope("task", judged.slug))
    divided = [line for line in found.lines if line.disputed]
    assert {line.phenomenon for line in divided} <= {Phenomenon.OMISSION, Phenomenon.INSERTION}
    page = client.get(reverse("task-phenomena", args=[judged.slug]))
    link = reverse("task-disagreements", args=[judged.slug]) + f"?phenomenon={divided[0].phenomenon}"
    assert link in page.content.decode()
    listed = client.get(link).context["page"]
    assert listed.matching == divided[0].disputed
    assert all(divided[0].phenomenon in row.phenomena for row in listed.rows)
    nothing = client.get(reverse("task-disagreements", args=[judged.slug]) + "?phenomenon=number")
    assert nothing.context["page"].matching == 0


def test_tables_plot_and_command_say_the_same(judged: Task, alice: User, signed_in: SignIn) -> None:
    client, out = signed_in(alice), io.StringIO()
    base = reverse("task-phenomena", args=[judged.slug])
    rows = list(csv.DictReader(io.StringIO(client.get(f"{base}/systems.csv").content.decode())))
    call_command("report", "phenomena", "--task", judged.slug, stdout=out)
    document = json.loads(out.getvalue())
    assert [row["system"] for row in rows] == [cell["system"] for cell in document["systems"]]
    assert [float(row["rate"]) for row in rows] == [cell["rate"] for cell in document["systems"]]
    assert client.get(f"{base}/plots/agreement.svg")["Content-Type"] == "image/svg+xml"
    assert client.get(f"{base}/nothing.csv").status_code == 404


def test_before_the_first_answer_the_page_says_what_will_come(
    task: Task, alice: User, signed_in: SignIn
) -> None:
    page = signed_in(alice).get(reverse("task-phenomena", args=[task.slug]))
    assert 'data-empty="answers"' in page.content.decode()


def test_a_language_without_word_lists_is_named(alice: User, signed_in: SignIn) -> None:
    finnish = another_task("Finnish", target_language="fi")
    page = signed_in(alice).get(reverse("task-phenomena", args=[finnish.slug]))
    assert page.context["page"].unlisted == ["fi"]


def test_the_order_of_disagreements_is_said_as_it_is(judged: Task, alice: User, signed_in: SignIn) -> None:
    client, url = signed_in(alice), reverse("task-disagreements", args=[judged.slug])
    for order in ("", "voters", "confidence"):
        text = client.get(f"{url}?order={order}").content.decode()
        assert text.count("data-order=") == 1
        assert f'data-order="{order or "entropy"}"' in text
