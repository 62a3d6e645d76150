"""``replicate paper-003`` on the answers of this site."""

from __future__ import annotations

import json
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command

from appraise.lib.problems import InputError
from evaluation.models import Annotator, Ranking, Task
from evaluation.schemes import Choice
from metrics.management.commands.replicate import stored_agreement
from metrics.replicate.report import Replication
from tests.database.answering import another_task
from tests.replicate.reading import report_from_dict


@pytest.fixture
def answered(task: Task, bob: Annotator, carol: Annotator) -> Task:
    """Bob finds A much better where carol finds it better: κ is below chance, κ′ is 1."""
    rank_all(task, bob, Choice.A_MUCH_BETTER)
    rank_all(task, carol, Choice.A_BETTER)
    return task


def rank_all(task: Task, who: Annotator, choice: Choice) -> None:
    Ranking.objects.bulk_create(
        Ranking(uuid=uuid4(), annotator=who, pair=pair, version=1, choice=choice) for pair in task.pairs.all()
    )


def replicated(*options: str) -> Replication:
    out = StringIO()
    call_command("replicate", "paper-003", *options, "--resamples", "50", stdout=out)
    return report_from_dict(json.loads(out.getvalue()))


def test_a_campaign_becomes_the_table_of_the_paper(answered: Task) -> None:
    table = replicated("--campaign", answered.campaign.slug).tables[0]
    kappa, prime = table.rows[0].cells
    assert table.rows[0].label == f"task 1: {answered.slug}"
    assert kappa.ours == pytest.approx(-0.2)  # (0 − 1/6) / (1 − 1/6)
    assert (prime.paper, prime.ours) == (0.7770, 1.0)


def test_a_task_has_the_numbers_of_its_campaign(answered: Task) -> None:
    of_campaign = replicated("--campaign", answered.campaign.slug)
    assert replicated("--task", answered.slug).tables == of_campaign.tables


def test_a_task_without_answers_is_left_out_and_none_at_all_is_refused(answered: Task) -> None:
    another_task("Barns")
    report = stored_agreement(campaign=answered.campaign.slug, resamples=0)
    assert [row.label for row in report.tables[0].rows if row.cells[1].ours is not None] == [
        f"task 1: {answered.slug}", "mean over tasks", "pooled",
    ]  # fmt: skip
    Ranking.objects.all().delete()
    with pytest.raises(InputError, match="no_judgements"):
        stored_agreement(campaign=answered.campaign.slug)


def test_tasks_of_two_schemes_stand_in_one_table(answered: Task, bob: Annotator) -> None:
    other = another_task("Barns", scheme="four-way")
    rank_all(other, bob, Choice.A_BETTER)
    report = stored_agreement(campaign="study", resamples=0)
    assert [one.part for one in report.missing] == [f"κ of {other.slug}"]
    assert report.tables[0].rows[0].cells[1].ours == 1.0
