"""What annotators do all day stays cheap: few queries however much they have done, and a light page."""

from __future__ import annotations

import gzip
import re
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import Annotator, Assignment, Task, User
from evaluation.services import judging

MOST_QUERIES = 8
MOST_BYTES = 60_000
TRANSACTION = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def client(bob: Annotator, signed_in: SignIn) -> Client:
    return signed_in(bob)


@pytest.fixture
def assignment(task: Task, bob: Annotator) -> Assignment:
    found = judging.next_assignment(task, bob)
    assert found is not None
    return found


def queries(action: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        action()
    return sum(not q["sql"].startswith(TRANSACTION) for q in captured.captured_queries)


def save(client: Client, assignment: Assignment, choice: str, base: int) -> None:
    index = judging.asked(assignment).order_by("index").values_list("index", flat=True)[0]
    body = {"uuid": str(uuid.uuid4()), "phrase": index, "choice": choice, "base": base}
    response = client.post(f"{assignment.get_absolute_url()}answer", body, content_type="application/json")
    assert response.status_code == 200


def test_a_page_and_an_answer_cost_few_queries_and_never_more(client: Client, assignment: Assignment) -> None:
    url = assignment.get_absolute_url()
    pages, answers = set(), set()
    for base, choice in enumerate(("A>B", "A<B", "A=B", "A>B")):
        # One query of our own, which finds the question, is not the page's
        answers.add(queries(lambda b=base, c=choice: save(client, assignment, c, b)) - 1)  # type: ignore[misc]  # bound now
        pages.add(queries(lambda: client.get(url)))
    assert len(pages) == len(answers) == 1
    assert max(pages | answers) <= MOST_QUERIES


def test_the_page_with_styles_and_scripts_is_light(client: Client, assignment: Assignment) -> None:
    html = client.get(assignment.get_absolute_url()).content
    files = loaded_by(html.decode())
    assert {"appraise.css", "annotate.js", "desk.js", "outbox.js"} <= set(files)
    assert len(html) + sum(len(gzip.compress(content)) for content in files.values()) <= MOST_BYTES


def loaded_by(html: str) -> dict[str, bytes]:
    """The styles and scripts that a page names, and the scripts that these import."""
    found: dict[str, bytes] = {}
    names = re.findall(r'="/static/([^"]+\.(?:css|js))"', html)
    while names:
        name = names.pop()
        if name not in found:
            found[name] = (Path(settings.BASE_DIR) / "static" / name).read_bytes()
            names += re.findall(r'^import .* from "\./(.+)";$', found[name].decode(), re.MULTILINE)
    return found


def test_no_script_stands_before_the_first_paint(client: Client, assignment: Assignment) -> None:
    html = client.get(assignment.get_absolute_url()).content.decode()
    scripts = re.findall(r"<script[^>]*>", html)
    assert scripts
    assert all('type="module"' in script for script in scripts)
