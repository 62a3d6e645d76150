"""What annotators do all day stays cheap: few queries however much they have done, and a light page."""

from __future__ import annotations

import gzip
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.annotate.services import assignments
from evaluation.models import Annotator, Assignment, Occurrence, Task, User
from evaluation.voters import register_tag_provider
from metrics.taggers import Taggers
from tests.database.everything import use_everything

MOST_QUERIES = 8
MOST_BYTES = 60_000
TRANSACTION = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")

# What only some sites or tasks use: tables, and names in the page.
OPTIONAL = ("metrics_", "evaluation_sentenceanswer", "evaluation_draw", "evaluation_standing",
            "evaluation_practice", "evaluation_job", "evaluation_adjudication")  # fmt: skip
ASKED_ON_DEMAND = ('name="comment"', 'name="verdict"', 'name="rating_a"', 'name="rating_b"')

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def client(bob: Annotator, signed_in: SignIn) -> Client:
    return signed_in(bob)


@pytest.fixture
def assignment(task: Task, bob: Annotator) -> Assignment:
    found = assignments.next_assignment(task, bob)
    assert found is not None
    return found


def queries(action: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        action()
    return sum(not q["sql"].startswith(TRANSACTION) for q in captured.captured_queries)


def save(client: Client, assignment: Assignment, choice: str, base: int) -> None:
    index = Occurrence.objects.asked_by(assignment).order_by("index").values_list("index", flat=True)[0]
    body = {"uuid": str(uuid.uuid4()), "phrase": index, "choice": choice, "base": base}
    response = client.post(f"{assignment.get_absolute_url()}answer", body, content_type="application/json")
    assert response.status_code == 200


def test_a_page_and_an_answer_cost_few_queries_and_never_more(client: Client, assignment: Assignment) -> None:
    url = assignment.get_absolute_url()
    pages, answers = set(), []
    for base, choice in enumerate(("A>B", "A<B", "A=B", "A>B")):
        # One query of our own, which finds the question, is not the page's
        answers.append(queries(lambda b=base, c=choice: save(client, assignment, c, b)) - 1)  # type: ignore[misc]  # bound now
        pages.add(queries(lambda: client.get(url)))
    first, *corrections = answers
    assert len(pages) == 1
    assert set(corrections) == {first + 1}, "only a correction reads the versions that are stored"
    assert max(pages | set(answers)) <= MOST_QUERIES


@pytest.fixture
def busy(task: Task, alice: User, assignment: Assignment) -> Iterator[None]:
    """Everything that a site may use is used."""
    use_everything(alice)
    yield
    register_tag_provider(Taggers())


def constant(page: bytes) -> str:
    """A page without what is new at each opening: the keys of its form."""
    text = re.sub(r'(csrfmiddlewaretoken" value=)"\w+"', r"\1", page.decode())
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "", text)


def test_switched_off_nothing_optional_is_asked_for_or_shown(client: Client, assignment: Assignment) -> None:
    Task.objects.update(ask_sentence=False, ask_rating=False, ask_comment=False)
    with CaptureQueriesContext(connection) as captured:
        page = client.get(assignment.get_absolute_url()).content.decode()
    asked = " ".join(query["sql"] for query in captured.captured_queries)
    assert [name for name in OPTIONAL if name in asked] == []
    assert [name for name in ASKED_ON_DEMAND if name in page] == []


def test_what_organisers_use_leaves_no_byte_on_the_page(
    client: Client, assignment: Assignment, request: pytest.FixtureRequest
) -> None:
    before = constant(client.get(assignment.get_absolute_url()).content)
    request.getfixturevalue("busy")
    Task.objects.update(ask_sentence=False, ask_rating=False)  # these are meant to be seen
    assert constant(client.get(assignment.get_absolute_url()).content) == before


def test_switched_on_page_and_answer_stay_cheap(client: Client, assignment: Assignment, busy: None) -> None:
    page = client.get(assignment.get_absolute_url()).content.decode()
    assert [name for name in ASKED_ON_DEMAND if name not in page] == []
    assert queries(lambda: client.get(assignment.get_absolute_url())) <= MOST_QUERIES
    assert queries(lambda: save(client, assignment, "A>B", 0)) - 1 <= MOST_QUERIES


def test_the_page_with_styles_and_scripts_is_light(client: Client, assignment: Assignment) -> None:
    html = client.get(assignment.get_absolute_url()).content
    files = loaded_by(html.decode())
    assert {"js/annotate.js", "js/page.js", "js/outbox.js"} <= set(files)
    assert len(html) + sum(len(gzip.compress(content)) for content in files.values()) <= MOST_BYTES


def loaded_by(html: str) -> dict[str, bytes]:
    """The styles and scripts that a page names, and the scripts that these import."""
    found: dict[str, bytes] = {}
    names = re.findall(r'="/static/([^"]+\.(?:css|js))"', html)
    while names:
        name = names.pop()
        if name not in found:
            found[name] = (Path(settings.BASE_DIR) / "static" / name).read_bytes()
            imports = re.findall(r'^import .* from "\./(.+)";$', found[name].decode(), re.MULTILINE)
            names += [f"js/{imported}" for imported in imports]
    return found


def test_no_script_stands_before_the_first_paint(client: Client, assignment: Assignment) -> None:
    html = client.get(assignment.get_absolute_url()).content.decode()
    scripts = re.findall(r"<script[^>]*>", html)
    assert scripts
    assert all('type="module"' in script for script in scripts)
