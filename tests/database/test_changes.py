"""Two stored tasks side by side."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from evaluation.models import Annotator, Campaign, Membership, Role, Task, User
from evaluation.schemes import Choice
from tests.database.answering import always, another_task, answer_task
from tests.database.conftest import annotator, make_task, person
from tests.database.test_results_page import favouring

SignIn = Callable[[User | Annotator | None], Client]

DIFF = ("report", "campaign-diff", "--task")


@pytest.fixture
def again(task: Task, bob: Annotator, carol: Annotator) -> Task:
    """The same sentences, judged by others who like other systems; in the first task alpha won everything."""
    Task.objects.filter(pk=task.pk).update(digest="")  # a campaign takes the same content once only
    second = make_task("Houses again", seed=2)
    second.campaign = Campaign.objects.create(slug="later", name="Later")
    second.save()
    for who in (bob, carol):
        answer_task(task, who, favouring("alpha", "beta", "gamma"))
    for name in ("eve", "fay"):
        answer_task(second, annotator(name, second), favouring("beta", "gamma", "alpha"))
    return second


def test_wins_that_turned_are_paired_by_sentence_and_pairs_judged_again_are_listed(
    task: Task, again: Task, alice: User, signed_in: SignIn
) -> None:
    Membership.objects.create(user=alice, campaign=again.campaign, role=Role.RESEARCHER)
    page = signed_in(alice).get(reverse("task-changes", args=[again.slug]) + f"?before=task:{task.slug}")
    found = page.context["summary"]
    wins = {line.of: line.change for line in found.lines.wins}
    assert (wins["alpha"].before, wins["alpha"].paired) == (1, True)
    assert wins["alpha"].after < 0.5  # not 0: a pair that stands in two places is asked at one of them
    assert found.sentences == (4, 4, 4)
    assert found.rejudged.pairs == task.pairs.count()
    assert len(found.reversed_pairs) == found.rejudged.pairs - found.rejudged.kept > 0
    assert 'id="rejudged"' in page.content.decode()


def test_files_and_the_command_say_the_same(task: Task, again: Task, alice: User, signed_in: SignIn) -> None:
    Membership.objects.create(user=alice, campaign=again.campaign, role=Role.RESEARCHER)
    out = io.StringIO()
    before = f"--before=task:{task.slug}"
    call_command(*DIFF, again.slug, before, "--old=alpha", "--new=beta", stdout=out)
    document = json.loads(out.getvalue())
    base = reverse("task-changes", args=[again.slug])
    text = (
        signed_in(alice).get(f"{base}/wins.csv?before=task:{task.slug}&old=alpha&new=beta").content.decode()
    )
    [row] = csv.DictReader(io.StringIO(text))
    assert (row["of"], row["common opponents"]) == ("alpha → beta", "gamma")
    assert float(row["after"]) == document["wins"][0]["change"]["after"]
    with pytest.raises(CommandError, match="nothing to compare with: 'task:nowhere'"):
        call_command(*DIFF, again.slug, "--before=task:nowhere")


@pytest.mark.parametrize("systems", [[], ["--old=alpha", "--new=alpha"]])
def test_nothing_is_compared_with_itself(task: Task, systems: list[str]) -> None:
    with pytest.raises(CommandError, match=f"^'{task.slug}' is compared with itself; name another, or --old"):
        call_command(*DIFF, task.slug, f"--before=task:{task.slug}", *systems)


@pytest.mark.parametrize(
    "query", ["before=task:{0}", "before=task:{0}&old=alpha&new=alpha", "before=campaign:{1}"]
)
def test_nor_in_the_browser_where_its_systems_can_still_be_chosen(
    task: Task, alice: User, signed_in: SignIn, query: str
) -> None:
    answer_task(task, annotator("eve", task), always(Choice.A_BETTER))
    client, url = signed_in(alice), reverse("task-changes", args=[task.slug])
    asked = query.format(task.slug, task.campaign.slug)
    response = client.get(f"{url}?{asked}")
    page = response.content.decode()
    assert response.context["page"].compared.is_itself
    assert page.count('name="old"') == page.count('name="new"') == 1
    assert "<table" not in page
    assert client.get(f"{url}/wins.csv?{asked}").status_code == 404
    two = client.get(f"{url}?before=task:{task.slug}&old=alpha&new=beta").content.decode()
    assert "with itself" not in two
    assert "<table" in two


def test_nobody_compares_with_what_they_may_not_study(
    task: Task, again: Task, alice: User, signed_in: SignIn
) -> None:
    client = signed_in(alice)  # alice has no part in the later campaign
    page = client.get(reverse("task-changes", args=[task.slug]) + f"?before=task:{again.slug}")
    assert page.context["page"].summary is None
    assert again.name not in page.content.decode()
    assert client.get(reverse("task-changes", args=[again.slug])).status_code == 404


def test_a_task_without_answers_has_nothing_to_compare(task: Task, alice: User, signed_in: SignIn) -> None:
    barns = another_task("Barns")
    answer_task(task, annotator("eve", task), always(Choice.EQUAL))
    page = signed_in(alice).get(reverse("task-changes", args=[barns.slug]) + f"?before=task:{task.slug}")
    assert 'data-empty="answers"' in page.content.decode()


def test_whole_campaigns_are_compared_by_those_who_may_study_them(
    task: Task, again: Task, signed_in: SignIn
) -> None:
    ruth = person("ruth")
    for campaign in Campaign.objects.all():
        Membership.objects.create(user=ruth, campaign=campaign, role=Role.RESEARCHER)
    url = reverse("campaign-changes", args=["later"])
    page = signed_in(ruth).get(f"{url}?before=campaign:{task.campaign.slug}")
    assert page.context["summary"].lines.agreement
