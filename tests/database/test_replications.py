"""Replications in the browser: from this site's answers or from offered data, seen by their owner alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.html import escape

from evaluation.jobs import run_job
from evaluation.models import Annotator, Job, Membership, Ranking, Role, Task, User
from evaluation.problems import InputError
from evaluation.schemes import Choice
from metrics.replicate.folder import look, options
from metrics.replicate.values import Cell, Missing, Report, from_dict
from metrics.services.replicating import stored_agreement
from tests.database.answering import another_task
from tests.database.conftest import person

SignIn = Callable[[User | Annotator | None], Client]
MOST = 10


@pytest.fixture(autouse=True)
def home(settings: object, tmp_path: Path) -> Path:
    settings.HOME = tmp_path  # type: ignore[attr-defined]  # any setting can be set
    return tmp_path


@pytest.fixture
def answered(task: Task, bob: Annotator, carol: Annotator) -> Task:
    """Bob finds A much better where carol finds it better: κ is below chance, κ′ is 1."""
    said(task, bob, Choice.A_MUCH_BETTER)
    said(task, carol, Choice.A_BETTER)
    return task


def said(task: Task, who: Annotator, choice: Choice) -> None:
    Ranking.objects.bulk_create(
        Ranking(uuid=uuid4(), annotator=who, pair=pair, version=1, choice=choice) for pair in task.pairs.all()
    )


def work(job: Job) -> Job:
    """What a worker does with the job."""
    run_job.call(str(job.pk))
    job.refresh_from_db()
    return job


def offer(home: Path) -> None:
    folder = home / "replication" / "wmt"
    folder.mkdir(parents=True)
    (folder / "one.judgements.tsv").write_text("annotator\titem\tlabel\nx\t1\tA>B\ny\t1\tA>B\n", "utf-8")
    (folder / "de-en.segments.tsv").write_text("seg\tsource\tref\n1\ta\tb\n", "utf-8")
    (folder / "de-en.rankings.jsonl").write_text("", "utf-8")
    (home / "replication" / "lm.npz").write_bytes(b"")


def test_a_campaign_becomes_the_papers_table_on_a_page_and_as_files(
    home: Path, answered: Task, alice: User, signed_in: SignIn
) -> None:
    client = signed_in(alice)
    empty = client.get("/replications/").content.decode()
    assert "No replication has been started yet" in empty
    assert str(home / "replication") in empty, "where data would be found"
    asked = client.post("/replications/", {"recipe": "paper-003", "campaign": answered.campaign.slug})
    job = Job.objects.get(kind="replicate")
    assert asked["Location"] == job.get_absolute_url()
    assert client.get(f"/replications/{job.pk}/").status_code == 404  # not before it has run
    assert work(job).state == Job.State.DONE
    assert f"/replications/{job.pk}/" in client.get(job.get_absolute_url()).content.decode()
    page = client.get(f"/replications/{job.pk}/").content.decode()
    assert f"task 1: {answered.slug}" in page
    assert "0.7770" not in page
    assert ".7770" in page
    assert "1.0000" in page
    report = from_dict(client.get(f"/replications/{job.pk}/report.json").json())
    kappa, prime = report.tables[0].rows[0].cells
    assert kappa.ours == pytest.approx(-0.2)  # (0 − 1/6) / (1 − 1/6)
    assert (prime.paper, prime.ours) == (0.7770, 1.0)
    for form, part in (("tex", r"\begin{tabular}"), ("md", "| κ′, ours |"), ("csv", "table,row,column")):
        answer = client.get(f"/replications/{job.pk}/report.{form}")
        assert part in answer.content.decode()
        assert f'filename="paper-003.{form}"' in answer["Content-Disposition"]
    assert client.get(f"/replications/{job.pk}/report.exe").status_code == 404


def test_the_command_gives_the_same_numbers(answered: Task) -> None:
    out = StringIO()
    call_command("replicate", "paper-003", "--task", answered.slug, "--resamples", "50", stdout=out)
    report = stored_agreement(campaign=answered.campaign.slug, resamples=50)
    assert from_dict(json.loads(out.getvalue())).tables == report.tables


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
    said(other, bob, Choice.A_BETTER)
    report = stored_agreement(campaign="study", resamples=0)
    assert [one.part for one in report.missing] == [f"κ of {other.slug}"]
    assert report.tables[0].rows[0].cells[1].ours == 1.0


def test_offered_data_can_be_chosen_and_nothing_else(
    home: Path, task: Task, alice: User, signed_in: SignIn
) -> None:
    offer(home)
    client = signed_in(alice)
    assert "wmt/one" in client.get("/replications/").content.decode()
    for wrong in (
        {"recipe": "paper-003"},
        {"recipe": "paper-003", "sets": ["../secret"]},
        {"recipe": "paper-001", "campaign": task.campaign.slug},
        {"recipe": "paper-002", "sets": ["wmt/de-en"], "second": ["wmt/de-en"]},
        {"recipe": "paper-003", "campaign": "elsewhere"},
        {"recipe": "paper-003", "sets": ["wmt/de-en"]},
        {"recipe": "paper-000", "sets": ["wmt/one"]},
        {},
    ):
        assert client.post("/replications/", wrong).status_code == 422, wrong
    assert not Job.objects.exists()
    client.post("/replications/", {"recipe": "paper-003", "sets": ["wmt/one"], "scheme": "four-way"})
    job = work(Job.objects.get())
    assert from_dict(job.result).tables[0].rows[0].cells[1] == Cell(
        0.7770, 1.0
    )  # one item: nothing to resample
    client.post("/replications/", {"recipe": "paper-004", "sets": ["wmt/de-en"]})
    failed = work(Job.objects.exclude(pk=job.pk).get())
    assert failed.state == Job.State.FAILED
    assert "missing_file" in failed.error
    page = client.get(failed.get_absolute_url()).content.decode()
    assert escape(failed.result["problems"][0]["message"][1:]) in page
    assert "missing_file" not in page, "the code is for programs"


def test_options_of_the_command_line_are_explained_to_who_has_a_browser(
    home: Path, task: Task, alice: User, signed_in: SignIn
) -> None:
    reports = {
        option: Report("paper-001", "t", "c", (), (Missing("a row", f"it needs a model{option}"),))
        for option in ("", " (--lm)")
    }
    for option, report in reports.items():
        done = {"kind": "replicate", "state": Job.State.DONE, "owner": alice, "result": report.as_dict()}
        page = signed_in(alice).get(f"/replications/{Job.objects.create(**done).pk}/").content.decode()
        assert ("options of the command line" in page) == bool(option)
        assert (str(home / "replication") in page and "lm.npz" in page) == bool(option)


def test_the_folder_offers_what_a_recipe_can_read(home: Path) -> None:
    offer(home)
    (home / "replication" / "out.judgements.tsv").symlink_to("/etc/hostname")
    found = look(home / "replication")
    assert (set(found.sets), set(found.judgements), set(found.tools)) == ({"wmt/de-en"}, {"wmt/one"}, {"lm"})
    asked = options("paper-001", found, ["wmt/de-en"], ["wmt/de-en"])
    assert asked.lm == str(home / "replication" / "lm.npz")
    assert asked.test == (str(home / "replication" / "wmt" / "de-en"),)
    assert options("paper-002", found, ["wmt/de-en"], []).lm == ""
    with pytest.raises(InputError, match="unknown_set"):
        options("paper-003", found, ["wmt/de-en"], [])
    assert not look(home / "nowhere")


def test_replications_belong_to_who_asked(
    answered: Task, alice: User, dora: User, bob: Annotator, signed_in: SignIn
) -> None:
    job = Job.objects.create(kind="replicate", title="R", owner=alice, state=Job.State.DONE,
                             result=stored_agreement(campaign="study", resamples=0).as_dict())  # fmt: skip
    other = person("erin", may_create=True)
    Membership.objects.create(user=other, campaign=answered.campaign, role=Role.RESEARCHER)
    root = User.objects.create_superuser("root")
    for who, list_status, page_status in ((alice, 200, 200), (other, 200, 404), (root, 200, 200),
                                          (dora, 403, 404), (bob, 403, 404)):  # fmt: skip
        client = signed_in(who)
        assert client.get("/replications/").status_code == list_status
        assert client.get(f"/replications/{job.pk}/").status_code == page_status
        assert client.get(f"/replications/{job.pk}/report.tex").status_code == page_status
    assert client.post("/replications/", {"recipe": "paper-003", "campaign": "study"}).status_code == 403


def test_pages_cost_few_queries(
    answered: Task, alice: User, signed_in: SignIn, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    result = stored_agreement(campaign="study", resamples=0).as_dict()
    jobs = [Job(kind="replicate", title=f"R{n}", owner=alice, state="done", result=result) for n in range(30)]
    Job.objects.bulk_create(jobs)
    client = signed_in(alice)
    for path in ("/replications/", f"/replications/{jobs[0].pk}/"):
        with django_assert_max_num_queries(MOST):  # type: ignore[attr-defined]  # pytest-django's own type
            assert client.get(path).status_code == 200
