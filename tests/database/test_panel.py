"""The panel of stored answers and machine votes; it stands beside them and changes none."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from evaluation.models import Annotator, PhrasePair, Ranking, Task, User
from evaluation.panel.votes import VoterWeighting
from evaluation.reports import adjudication
from evaluation.reports.panel import ConsensusPanel, PanelOptions
from evaluation.reports.scope import load_scope
from evaluation.schemes import Choice
from evaluation.voters import Vote, register_provider, unregister_provider
from tests.database.answering import Chooser, always, answer_task
from tests.database.conftest import annotator

# `test_reports.py` runs every report on both databases.
pytestmark = pytest.mark.any_database

SignIn = Callable[[User | Annotator | None], Client]


def by_length(pair: PhrasePair, _presentation: int = 0) -> Choice:
    """Something to agree about: the longer text is better."""
    return Choice.A_BETTER if len(pair.first) > len(pair.second) else Choice.B_BETTER


def mostly(choose: Chooser, every: int) -> Chooser:
    return lambda pair, n: Choice.EQUAL if pair.pk % every == 0 else choose(pair, n)


@pytest.fixture
def judged(task: Task, bob: Annotator, carol: Annotator) -> Task:
    """Two careful people and one who always says the same."""
    Task.objects.filter(pk=task.pk).update(overlap=3)
    answer_task(task, bob, by_length)
    answer_task(task, carol, mostly(by_length, 7))
    return task


@pytest.fixture
def machine() -> Iterator[None]:
    def provider(task_ids: object, pair_ids: object) -> dict[int, list[Vote]]:
        return {
            pair.pk: [Vote("coin", Choice.EQUAL), Vote("twin", Choice.EQUAL)]
            for pair in PhrasePair.objects.all()
        }

    register_provider("tests", provider)
    yield
    unregister_provider("tests")


def test_who_agrees_is_believed_and_machines_sit_beside_people(judged: Task, machine: None) -> None:
    page = ConsensusPanel().compute(load_scope("task", judged.slug), PanelOptions())
    reliable = {member.name: member.reliability or 0 for member in page.members}
    people = [member.reliability or 0 for member in page.members if not member.is_voter]
    assert {member.name for member in page.members if member.is_voter} >= {"coin", "twin"}
    assert min(people) > max(reliable["coin"], reliable["twin"])
    alone = ConsensusPanel().compute(
        load_scope("task", judged.slug), PanelOptions(voter_weighting=VoterWeighting.PEOPLE)
    )
    assert not any(member.is_voter for member in alone.members)


def test_a_moved_phrase_is_told_from_one_that_is_the_same_on_both_sides(
    judged: Task, alice: User, signed_in: SignIn
) -> None:
    """Twelve machines of one mind overrule everybody; of a moved pair both texts may be equal."""
    judged.pairs.update(kind=PhrasePair.Kind.MOVED)
    voices = [Vote(f"m{n}", Choice.NOT_APPLICABLE) for n in range(12)]
    register_provider("tests", lambda tasks, pairs: {p.pk: voices for p in PhrasePair.objects.all()})
    try:
        page = signed_in(alice).get(reverse("task-panel", args=[judged.slug]) + "?voter_weighting=each")
    finally:
        unregister_provider("tests")
    assert page.context["page"].overruled
    assert "⇄ moved" in page.content.decode()
    assert all(row.is_unanimous for row in page.context["page"].overruled)  # the surest come first
    assert page.context["page"].unanimous >= len(page.context["page"].overruled)
    assert "gave the same answer" in page.content.decode()


def test_new_votes_of_machines_are_seen_though_nobody_answered(judged: Task) -> None:
    scope = load_scope("task", judged.slug)
    before = ConsensusPanel().compute(scope, PanelOptions()).members
    register_provider(
        "tests", lambda tasks, pairs: {p.pk: [Vote("late", by_length(p))] for p in PhrasePair.objects.all()}
    )
    try:
        assert {m.name for m in ConsensusPanel().compute(scope, PanelOptions()).members} - {
            m.name for m in before
        } == {"late"}
    finally:
        unregister_provider("tests")


def test_the_page_files_and_the_command_leave_every_answer_as_it_was(
    judged: Task, alice: User, signed_in: SignIn, machine: None
) -> None:
    before = list(Ranking.objects.order_by("pk").values())
    client, base = signed_in(alice), reverse("task-panel", args=[judged.slug])
    pair = judged.pairs.order_by("pk")[0]
    adjudication.append_adjudication(pair, choice=by_length(pair), reason="longer", by=alice)
    page = client.get(f"{base}?model=mace&voter_weighting=each")
    assert 'class="alert alert-warn"' in page.content.decode()
    assert page.context["page"].adjudicated.n == 1
    rows = list(csv.DictReader(io.StringIO(client.get(f"{base}/consensus.csv").content.decode())))
    assert len(rows) == judged.pairs.count()
    for row in rows:
        shares = {label: float(row[f"p({label})"]) for label in ("A>B", "A=B", "A<B", "N/A")}
        assert sum(shares.values()) == pytest.approx(1)
        assert max(shares, key=lambda label: shares[label]) == row["consensus"]
        counts = {label: int(row[label]) for label in shares}
        most = [label for label, n in counts.items() if n == max(counts.values())]
        assert row["plurality"] == (most[0] if len(most) == 1 else "")
        against = row["plurality"] not in ("", row["consensus"])
        unanimous = against and sum(counts.values()) > 1 and sorted(counts.values())[-2] == 0
        assert row["contradicts"] == ("unanimous" if unanimous else "plurality" if against else "")
    assert "bob" not in client.get(f"{base}/members.csv").content.decode()
    out = io.StringIO()
    call_command("report", "panel", "--task", judged.slug, "--resamples", "10", stdout=out)
    document = json.loads(out.getvalue())
    assert len(document["members"]) >= 4
    assert document["model"] == "staged"
    assert 0 <= document["held_out"]["calibration_error"] <= 1
    assert list(Ranking.objects.order_by("pk").values()) == before


def test_a_panel_that_contradicts_nobody_says_so(
    task: Task, alice: User, bob: Annotator, carol: Annotator, signed_in: SignIn
) -> None:
    for who in (bob, carol):
        answer_task(task, who, by_length)
    response = signed_in(alice).get(reverse("task-panel", args=[task.slug]))
    page = response.context["page"]
    assert (page.contradicted, page.unanimous) == (0, 0)
    assert page.panel.held_out[:3] == (3 * task.pairs.count(), 1.0, 1.0)
    assert "three times" in response.content.decode()


def test_without_answers_there_is_no_panel(task: Task, alice: User, signed_in: SignIn) -> None:
    client, base = signed_in(alice), reverse("task-panel", args=[task.slug])
    assert 'data-empty="answers"' in client.get(base).content.decode()
    assert client.get(f"{base}/members.csv").status_code == 404
    assert client.get(f"{base}/plots/reliability.svg").status_code == 404
    with pytest.raises(CommandError, match="nobody has judged"):
        call_command("report", "panel", "--task", task.slug)


def test_two_people_who_share_nothing_are_still_a_panel(task: Task, alice: User, signed_in: SignIn) -> None:
    answer_task(task, annotator("eve", task), always(Choice.NOT_APPLICABLE), most=1)
    answer_task(task, annotator("fay", task), always(Choice.EQUAL), most=2)
    assert signed_in(alice).get(reverse("task-panel", args=[task.slug])).status_code == 200
