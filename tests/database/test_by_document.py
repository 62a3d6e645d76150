"""Agreement and results by document."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.models import Annotator, PhrasePair, Task, User
from evaluation.reports.by_document import PAGE_SIZE, compute_documents
from evaluation.reports.scope import load_scope
from evaluation.schemes import Choice
from tests.database.answering import answer_task
from tests.database.conftest import SENTENCES, annotator, make_task

# `test_reports.py` runs every report on both databases.
pytestmark = pytest.mark.any_database

SignIn = Callable[[User | Annotator | None], Client]
DOCUMENTS = ["harbour", "harbour", "market", ""]


def first_text(pair: PhrasePair, presentation: int) -> Choice:
    return Choice.A_BETTER


def divided(pair: PhrasePair, presentation: int) -> Choice:
    """Like the other annotator, except in the document about the market."""
    return Choice.B_BETTER if pair.owner.item.document == "market" else Choice.A_BETTER


def make_documents(names: list[str]) -> Task:
    sentences = [
        {**SENTENCES[0], "id": f"s{n}", "source": f"{n} {SENTENCES[0]['source']}", "document": name}
        for n, name in enumerate(names)
    ]
    return make_task(sentences=sentences, dedup="none")


@pytest.fixture
def task(db: None) -> Task:
    return make_documents(DOCUMENTS)


@pytest.fixture
def judged(task: Task) -> Task:
    answer_task(task, annotator("bob", task), first_text)
    answer_task(task, annotator("carol", task), divided)
    return task


def test_the_document_with_the_lowest_agreement_comes_first(judged: Task) -> None:
    rows = compute_documents(load_scope("task", judged.slug))
    assert [row.name for row in rows] == ["market", "", "harbour"]
    assert [row.p_a for row in rows] == [0.0, 1.0, 1.0]
    assert rows[0].agreement.kappa == pytest.approx(-0.2)  # (0 − 1/6) / (5/6)
    assert rows[1].agreement.kappa == 1.0
    assert [(row.sentences, row.annotators) for row in rows] == [(1, 2), (1, 2), (2, 2)]
    assert sum(row.agreement.judgements for row in rows) == judged.pairs.count() * 2
    assert all(row.agreement.interval is None for row in rows)  # of so few sentences


def test_wins_are_counted_for_each_system(judged: Task) -> None:
    rows = {row.name: row for row in compute_documents(load_scope("task", judged.slug))}
    for row in rows.values():
        assert sum(wins.wins for wins in row.systems) == sum(wins.losses for wins in row.systems) > 0
    assert {wins.wins for wins in rows["market"].systems} == {wins.losses for wins in rows["market"].systems}
    best = max(rows["harbour"].systems, key=lambda wins: wins.wins)
    assert best.share == best.wins / (best.wins + best.ties + best.losses)


def test_a_document_with_enough_sentences_has_an_interval(db: None) -> None:
    task = make_documents(["long"] * 6)
    answer_task(task, annotator("bob", task), first_text)
    answer_task(
        task, annotator("carol", task), lambda pair, _: list(Choice)[1 + pair.owner.item.position % 3]
    )
    (row,) = compute_documents(load_scope("task", task.slug))
    assert row.agreement.interval is not None
    assert row.agreement.kappa is not None
    assert row.agreement.interval[0] < row.agreement.kappa < row.agreement.interval[1]


def test_one_annotator_has_no_agreement_with_anybody(task: Task) -> None:
    answer_task(task, annotator("bob", task), first_text)
    for row in compute_documents(load_scope("task", task.slug)):
        assert (row.p_a, row.agreement.kappa, row.agreement.interval) == (None, None, None)
        assert row.agreement.judgements > 0


def test_a_campaign_joins_documents_of_one_name(judged: Task) -> None:
    other = make_task("More", [{**SENTENCES[1], "document": "market"}])
    answer_task(other, Annotator.objects.get(user__username="bob"), first_text)
    rows = {row.name: row for row in compute_documents(load_scope("campaign", "study"))}
    assert set(rows) == {"market", "", "harbour"}
    assert rows["market"].sentences == 2


def test_the_page_shows_documents_and_systems(judged: Task, alice: User, signed_in: SignIn) -> None:
    for kind, slug in (("task", judged.slug), ("campaign", "study")):
        page = signed_in(alice).get(reverse(f"{kind}-by-document", args=[slug]))
        agreement, results = page.context["page"].agreement_table, page.context["page"].result_table
        assert [row[0] for row in agreement.rows] == ["market", "(no document)", "harbour"]
        assert results.columns[1:] == ("alpha", "beta", "gamma")
        assert "harbour" in page.content.decode()
    files = signed_in(alice).get(reverse("task-by-document-table", args=[judged.slug, "systems", "csv"]))
    assert files.content.decode().splitlines()[0] == "document,system,wins,ties,losses,share of wins"


def test_without_answers_the_page_says_so(task: Task, alice: User, signed_in: SignIn) -> None:
    page = signed_in(alice).get(reverse("task-by-document", args=[task.slug]))
    assert page.context["page"].rows == ()
    assert 'class="panel"' in page.content.decode()


def test_many_documents_are_paged(db: None, alice: User, signed_in: SignIn) -> None:
    task = make_documents([f"d{n}" for n in range(PAGE_SIZE + 3)])
    answer_task(task, annotator("bob", task), first_text)
    client, url = signed_in(alice), reverse("task-by-document", args=[task.slug])
    first, last = (client.get(url, {"page": number}).context["page"].page_obj for number in ("", "9"))
    assert (len(first), first.next_page_number(), first.has_previous()) == (PAGE_SIZE, 2, False)
    assert (len(last), last.has_next(), last.previous_page_number()) == (3, False, 1)
