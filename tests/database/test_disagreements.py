"""Disputed pairs: order, filters, machine votes, adjudication."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import Adjudication, Annotator, AuditEntry, PhrasePair, Ranking, Task, User
from evaluation.reports import adjudication
from evaluation.reports.disagreements import (
    PAGE_SIZE,
    DisagreementOptions,
    Disagreements,
    DisputeOrder,
    count_opponents,
    find_disputes,
)
from evaluation.reports.scope import get_study, load_scope
from evaluation.schemes import Choice
from evaluation.study.disagreements import Split
from evaluation.voters import Vote, collect_votes, register_provider, unregister_provider
from tests.database.answering import always, answer_task
from tests.database.conftest import SENTENCES, make_task

# `test_reports.py` runs every report on both databases.
pytestmark = pytest.mark.any_database

SignIn = Callable[[User | Annotator | None], Client]


@pytest.fixture
def disputed(task: Task, bob: Annotator, carol: Annotator) -> Task:
    """Carol contradicts bob on every second pair and differs in degree on the others."""
    answer_task(task, bob, always(Choice.A_BETTER))
    answer_task(task, carol, lambda pair, _: Choice.B_BETTER if pair.pk % 2 else Choice.A_MUCH_BETTER)
    return task


@pytest.fixture
def machine() -> Iterator[None]:
    def votes(task_ids: Sequence[int], pair_ids: Sequence[int] | None) -> dict[int, list[Vote]]:
        pairs = PhrasePair.objects.filter(task__in=task_ids).values_list("pk", flat=True)
        return {pair: [Vote("chrF", Choice.B_BETTER)] for pair in (pairs if pair_ids is None else pair_ids)}

    register_provider("test", votes)
    yield
    unregister_provider("test")


def url(task: Task) -> str:
    return reverse("task-disagreements", args=[task.slug])


def test_disputes_are_found_by_how_the_votes_differ(disputed: Task) -> None:
    scope = load_scope("task", disputed.slug)
    study = get_study(scope)
    pairs = PhrasePair.objects.filter(task=disputed)
    odd = sum(pk % 2 for pk in pairs.values_list("pk", flat=True))
    assert len(find_disputes(scope, study, DisagreementOptions())[0]) == pairs.count()
    assert len(find_disputes(scope, study, DisagreementOptions(split=Split.OPPOSITE))[0]) == odd
    assert len(find_disputes(scope, study, DisagreementOptions(split=Split.DEGREE))[0]) == pairs.count() - odd
    assert (
        len(find_disputes(scope, study, DisagreementOptions(kind="moved"))[0])
        == pairs.filter(kind="moved").count()
    )
    assert (
        len(find_disputes(scope, study, DisagreementOptions(text="CRIMSON"))[0])
        == pairs.filter(second__icontains="crimson").count()
        + pairs.filter(first__icontains="crimson").count()
    )
    assert find_disputes(scope, study, DisagreementOptions(text="no such words"))[0] == []


def test_the_page_shows_votes_and_costs_at_most_ten_queries(
    disputed: Task, alice: User, signed_in: SignIn
) -> None:
    client = signed_in(alice)
    page = client.get(url(disputed)).content.decode()  # the study is read once for all reports
    assert "Entropy" in page
    with CaptureQueriesContext(connection) as queries:
        client.get(url(disputed) + "?page=2&split=opposite")
    assert len(queries) <= 6


def test_the_second_page_goes_on_counting(disputed: Task, alice: User, signed_in: SignIn) -> None:
    client = signed_in(alice)
    assert '<ol class="dis" start="1">' in client.get(url(disputed)).content.decode()
    assert '<ol class="dis" start="21">' in client.get(url(disputed) + "?page=2").content.decode()


def test_an_alignment_can_be_corrected_only_where_two_candidates_have_one(
    disputed: Task, bob: Annotator, carol: Annotator, alice: User, signed_in: SignIn
) -> None:
    """Where all candidates are judged together, the editor knows no such comparison: the link led nowhere."""
    together = make_task("Together", SENTENCES[:1], judging="places")
    Ranking.objects.bulk_create(
        Ranking(uuid=uuid4(), annotator=who, pair=pair, version=1, choice=choice)
        for pair in together.pairs.all()
        for who, choice in ((bob, Choice.A_BETTER), (carol, Choice.B_BETTER))
    )
    client = signed_in(alice)
    assert f"/tasks/{disputed.slug}/alignments/" in client.get(url(disputed)).content.decode()
    page = client.get(url(together)).content.decode()
    assert 'class="who-said"' in page
    assert f"/tasks/{together.slug}/alignments/" not in page


def test_each_sentence_stands_under_the_letter_of_its_phrase(disputed: Task) -> None:
    rows = Disagreements().compute(load_scope("task", disputed.slug), DisagreementOptions()).rows
    assert rows
    for row in rows:
        assert row.pair.first in row.sentences[0]
        assert row.pair.second in row.sentences[1]
    assert any(row.sentences[0] != row.pair.owner.first.text for row in rows), "none is turned round"


def test_only_those_who_study_the_task_see_it(
    disputed: Task, alice: User, bob: Annotator, dora: User, signed_in: SignIn
) -> None:
    assert [signed_in(who).get(url(disputed)).status_code for who in (alice, bob, dora)] == [200, 404, 404]


@pytest.mark.parametrize(
    "address", ["?page=0", "?page=x", "?split=z", "?kind=z&order=z", "?page=99999", "?annotator=q"]
)
def test_nonsense_in_the_address_is_as_if_it_were_not_there(
    disputed: Task, alice: User, signed_in: SignIn, address: str
) -> None:
    assert signed_in(alice).get(url(disputed) + address).status_code == 200


def test_a_link_behind_the_last_page_leads_to_it(disputed: Task, alice: User, signed_in: SignIn) -> None:
    found = signed_in(alice).get(url(disputed), {"page": "99999"}).context["page"]
    assert found.rows
    assert (found.page_obj.has_next(), found.page_obj.number) == (False, -(-found.matching // PAGE_SIZE))


def test_filters_that_nothing_passes_lead_back_to_all(disputed: Task, alice: User, signed_in: SignIn) -> None:
    address = reverse("task-disagreements", args=[disputed.slug])
    page = signed_in(alice).get(address, {"text": "nowhere to be found"}).content.decode()
    assert f'No phrase pair matches. <a href="{address}">Show all</a>' in page


def test_machine_votes_stand_beside_those_of_people(
    disputed: Task, alice: User, machine: None, signed_in: SignIn
) -> None:
    page = Disagreements().compute(
        load_scope("task", disputed.slug), DisagreementOptions(order=DisputeOrder.VOTERS)
    )
    assert page.has_voters
    assert page.rows[0].voter_votes == [("chrF", Choice.B_BETTER, None)]
    assert (
        count_opponents(page.rows[0].votes, page.rows[0].voter_votes) == 1
    )  # people say A, the machine B: these come first
    assert "chrF" in signed_in(alice).get(url(disputed)).content.decode()
    assert collect_votes([disputed.pk], [5]) == {5: [("chrF", Choice.B_BETTER, None)]}


def test_the_list_can_be_taken_home(disputed: Task, alice: User, signed_in: SignIn) -> None:
    content = signed_in(alice).get(url(disputed) + "/disagreements.csv?split=degree").content.decode()
    assert content.startswith("task,item,pair,kind,first,second,A>>B")
    assert "bob" not in content


class TestAdjudication:
    def post(self, client: Client, pair: PhrasePair, **fields: str) -> int:
        data = {"choice": "A>B", "reason": "idiomatic", "back": url(pair.task), **fields}
        return client.post(reverse("adjudicate", args=[pair.pk]), data).status_code

    def test_it_is_kept_apart_from_the_answers(self, disputed: Task, alice: User, signed_in: SignIn) -> None:
        pair, rankings = PhrasePair.objects.filter(task=disputed)[0], Ranking.objects.count()
        client = signed_in(alice)
        assert self.post(client, pair) == 302
        assert self.post(client, pair, choice="A=B", reason="on second thought") == 302
        made = Adjudication.objects.order_by("pk")
        assert [(a.choice, a.made_by) for a in made] == [("A>B", alice), ("A=B", alice)]
        assert Ranking.objects.count() == rankings
        assert AuditEntry.objects.filter(action="adjudicate").count() == 2
        found = client.get(f"{url(disputed)}?text={pair.first or pair.second}").content.decode()
        assert "on second thought" in found

    def test_it_needs_a_reason_and_a_choice_of_the_scheme(
        self, disputed: Task, alice: User, signed_in: SignIn
    ) -> None:
        pair, client = PhrasePair.objects.filter(task=disputed)[0], signed_in(alice)
        self.post(client, pair, reason="   ")
        self.post(client, pair, choice="A?B")
        Task.objects.update(scheme_name="four-way")
        self.post(client, pair, choice="A>>B")
        assert not Adjudication.objects.exists()
        with pytest.raises(adjudication.ReasonMissing):
            adjudication.append_adjudication(pair, choice=Choice.EQUAL, reason=" ", by=alice)

    def test_it_is_for_those_who_manage_the_task(
        self, disputed: Task, bob: Annotator, dora: User, signed_in: SignIn
    ) -> None:
        pair = PhrasePair.objects.filter(task=disputed)[0]
        assert [self.post(signed_in(who), pair) for who in (bob, dora)] == [404, 404]

    def test_it_never_sends_anybody_to_another_site(
        self, disputed: Task, alice: User, signed_in: SignIn
    ) -> None:
        pair = PhrasePair.objects.filter(task=disputed)[0]
        data = {"choice": "A>B", "reason": "x", "back": "https://evil.example/"}
        response = signed_in(alice).post(reverse("adjudicate", args=[pair.pk]), data)
        assert response["Location"] == disputed.get_absolute_url()
