"""A sentence at the limits of the importers can be finished: the forms of its pages take every answer."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.test import Client

from evaluation.annotate import forms, places
from evaluation.annotate.places import MOST_FIELDS
from evaluation.annotate.services import assignments
from evaluation.annotate.services.answers import ranking_fields
from evaluation.blinding import canonical
from evaluation.importers import SourceFile, read
from evaluation.importers.model import COMMAND_LINE
from evaluation.models import Annotator, Assignment, Occurrence, Ranking, Task, User
from evaluation.schemes import Choice
from evaluation.tasks import planning
from tests.database.conftest import annotator, make_task

SignIn = Callable[[User | Annotator | None], Client]
LIMITS = COMMAND_LINE
BYTES = 100  # of the four fields of a question
FORM = "application/x-www-form-urlencoded"


def long_sentence(count: int, systems: int = 2) -> dict[str, object]:
    """Candidates that differ in every other word."""
    candidates = {
        f"system {n}": " ".join(f"w{n}x{place} same{place}" for place in range(count)) for n in range(systems)
    }
    return {"id": "long", "source": "lang", "candidates": candidates}


def linked_sentence(count: int) -> dict[str, object]:
    candidates = {side: " ".join(f"{side}{n}" for n in range(count)) for side in ("a", "b")}
    links = {"a": "a", "b": "b", "links": " ".join(f"{n}-{n}" for n in range(count))}
    return {"id": "linked", "source": "lang", "candidates": candidates, "links": [links]}


def begin(task: Task, who: Annotator) -> Assignment:
    assignment = assignments.next_assignment(task, who)
    assert assignment is not None
    return assignment


def store_all_but(rest: int, assignment: Assignment, shown: Choice) -> None:
    asked = Occurrence.objects.asked_by(assignment).order_by("index")
    Ranking.objects.bulk_create(
        Ranking(
            uuid=uuid.uuid4(),
            pair_id=occurrence.pair_id,
            choice=canonical(shown, swapped=assignment.swapped, flipped=occurrence.flipped),
            swapped=assignment.swapped != occurrence.flipped,
            **ranking_fields(assignment, 1, None, None),
        )
        for occurrence in asked[: len(asked) - rest]
    )


def hidden_fields(page: str) -> list[tuple[str, str]]:
    return re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page)


def test_the_form_of_the_longest_sentence_is_within_the_limits_of_a_request() -> None:
    questions = 2 * LIMITS.max_marks  # each has a word of its own, on one side at least
    others = 100  # about the whole sentence, and the CSRF token
    assert 4 * questions + others <= settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    assert MOST_FIELDS + others <= settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    assert BYTES * max(questions, MOST_FIELDS) <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    assert LIMITS.max_systems <= forms.MOST_VARIANTS


@pytest.mark.django_db
def test_a_sentence_with_as_many_questions_as_words_can_be_finished(signed_in: SignIn) -> None:
    task = make_task(sentences=[linked_sentence(LIMITS.max_tokens)], aligner="exact")
    bob = annotator("bob", task)
    assignment, client = begin(task, bob), signed_in(bob)
    fields = hidden_fields(client.get(assignment.get_absolute_url()).content.decode())
    phrases = [value for name, value in fields if name == "phrase"]
    assert len(phrases) == LIMITS.max_tokens
    body = urlencode([*fields, *((f"choice-{phrase}", "A>>B") for phrase in phrases)])
    assert len(body) < BYTES * len(phrases)
    store_all_but(50, assignment, Choice.A_MUCH_BETTER)  # as the page does, one by one
    assert client.post(assignment.get_absolute_url(), body, content_type=FORM).status_code == 302
    assert Ranking.objects.count() == len(phrases)
    assignment.refresh_from_db()
    assert assignment.finished_at is not None


@pytest.mark.django_db
def test_a_sentence_with_many_places_can_be_finished(signed_in: SignIn) -> None:
    task = make_task(sentences=[long_sentence(300, 3)], judging="places")
    bob = annotator("bob", task)
    assignment, client = begin(task, bob), signed_in(bob)
    page = client.get(assignment.get_absolute_url(), follow=True).content.decode()
    fields = hidden_fields(page)
    steps = dict.fromkeys(re.findall(r'name="(step-\d+-\d+)"', page), "1")
    assert len(fields) + len(steps) > 2000
    body = urlencode([*fields, *steps.items()])
    assert client.post(f"/p/{assignment.token}/", body, content_type=FORM).status_code == 302
    assignment.refresh_from_db()
    assert assignment.finished_at is not None


def test_candidates_with_too_many_variants_for_one_form_are_judged_in_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    imported = read([SourceFile.from_bytes("x.json", json.dumps([long_sentence(5, 3)]).encode())])
    planner = planning.Planner(ranks_places=True)
    pairs = [("system 0", "system 1"), ("system 0", "system 2"), ("system 1", "system 2")]
    (item,) = imported.items
    assert planner.plan(item, pairs).places
    monkeypatch.setattr(places, "MOST_FIELDS", 10)
    planned = planner.plan(item, pairs)
    assert not planned.places
    assert len(planned.comparisons) == 3
