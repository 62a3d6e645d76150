"""Reports that would take over a second are computed by a job; they look as if the page had computed them."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evaluation import jobs
from evaluation.models import Annotator, Job, Ranking, Task, User
from evaluation.reports import cache, report_job
from evaluation.reports.panel import ConsensusPanel, PanelOptions
from evaluation.reports.registry import REPORTS, AnyReport, ReportOptions, load_reports
from evaluation.reports.scope import find_scope
from tests.database.answering import another_task
from tests.database.everything import use_everything
from tests.security.stage import Stage, set_stage

NAMES = sorted(load_reports())


@pytest.fixture
def stage(db: None, settings: Settings, tmp_path: Path) -> Stage:
    settings.HOME = settings.MEDIA_ROOT = tmp_path
    return set_stage()


@pytest.fixture
def manager(stage: Stage) -> User:
    user = stage.people["manager"]
    assert user is not None
    return user


@pytest.fixture
def client(manager: User) -> Client:
    client = Client()
    client.force_login(manager)
    return client


@pytest.fixture
def heavy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_job, "AT_ONCE_SECONDS", -1.0)


def work() -> None:
    """What a worker would do, and then nothing is in the memory of this process, because that is another."""
    for job in Job.objects.runnable().filter(kind="report"):
        jobs.run_job.call(str(job.pk))
    cache.clear_cache()


def page_of(report: AnyReport, stage: Stage) -> str:
    others = "?before=task:barns&old=alpha&new=beta" if report.compares else ""
    return stage.path(f"tasks/{{task}}/{report.path}{others}")


def text_of(response: Any) -> str:  # Any: Django's test response
    """The page without the token of its forms, which is new every time."""
    assert response.status_code == 200
    return re.sub(r'value="[A-Za-z0-9]{64}"', "", response.content.decode())


@pytest.mark.parametrize("name", NAMES)
def test_a_report_of_a_job_is_the_report_that_the_page_would_compute(
    stage: Stage, manager: User, client: Client, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    another_task("Barns")
    use_everything(manager)
    report = REPORTS[name]
    address, address_of_api = page_of(report, stage), f"/api/tasks/{stage.values['task']}/{report.path}"
    token = {"Authorization": f"Bearer {stage.tokens['manager']}"}
    direct, document = text_of(client.get(address)), client.get(address_of_api, headers=token).content
    monkeypatch.setattr(report_job, "AT_ONCE_SECONDS", -1.0)
    cache.clear_cache()
    response = client.get(address)
    assert response.status_code == 202
    assert "computed in the background" in response.content.decode()
    assert client.get(address_of_api, headers=token).status_code == 202
    work()
    assert text_of(client.get(address)) == direct
    assert client.get(address_of_api, headers=token).content == document


@pytest.mark.usefixtures("heavy")
class TestTheJob:
    def test_it_is_enqueued_once_and_its_progress_can_be_asked_for(
        self, stage: Stage, client: Client
    ) -> None:
        address = page_of(REPORTS["panel"], stage)
        page = client.get(address).content.decode()
        assert f'<a href="{address}">Reload</a>' in page
        assert '<meta http-equiv="refresh"' in page
        progress = client.get(address, headers={"Accept": "application/json"}).json()
        assert progress == {"state": "waiting", "done": 0, "total": 0, "message": ""}
        researcher = Client()
        assert stage.people["researcher"] is not None
        researcher.force_login(stage.people["researcher"])
        assert researcher.get(address).status_code == 202, "whoever else waits sees the same job"
        assert Job.objects.filter(kind="report").count() == 1
        assert client.get(f"{address}?model=mace").status_code == 202
        assert Job.objects.filter(kind="report").count() == 2, "other options are another report"
        work()
        assert client.get(address, headers={"Accept": "application/json"}).json() == {"state": "done"}
        assert researcher.get(address).status_code == 200
        assert address in client.get(Job.objects.filter(kind="report")[0].get_absolute_url()).content.decode()

    def test_files_and_the_api_wait_for_it_too(self, stage: Stage, client: Client) -> None:
        address = page_of(REPORTS["panel"], stage)
        token = {"Authorization": f"Bearer {stage.tokens['researcher']}"}
        for file in ("/members.csv", "/plots/reliability.svg"):
            assert client.get(address + file).status_code == 202
        response = client.get(f"/api{address}", headers=token)
        assert response.status_code == 202
        assert response["Retry-After"] == "2"
        assert response.json()["state"] == "waiting"
        work()
        for file in ("/members.csv", "/plots/reliability.svg"):
            assert client.get(address + file)["Content-Disposition"].startswith("attachment")
        assert client.get(f"/api{address}", headers=token).status_code == 200

    def test_on_a_busy_site_a_result_is_shown_for_a_while(
        self, stage: Stage, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        address = page_of(REPORTS["panel"], stage)
        client.get(address)
        work()
        assert not client.get(address).context.get("as_of")
        rank_again(stage.task)
        assert client.get(address).context["as_of"]
        assert Job.objects.filter(kind="report").count() == 1
        monkeypatch.setattr(report_job, "SHOWN_FOR", timedelta(0))
        monkeypatch.setattr(report_job, "RETRY_AFTER", timedelta(0))
        assert client.get(address).status_code == 202
        assert Job.objects.filter(kind="report").count() == 2

    def test_one_that_failed_says_so_and_is_tried_again_later(
        self, stage: Stage, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        address = page_of(REPORTS["panel"], stage)
        client.get(address)
        with monkeypatch.context() as broken:
            broken.setattr(ConsensusPanel, "compute", explode)
            work()
        response = client.get(address)
        assert response.status_code == 202
        assert "could not be computed" in response.content.decode()
        assert '<meta http-equiv="refresh"' not in response.content.decode()
        Job.objects.update(finished_at=timezone.now() - timedelta(minutes=2))
        assert "Waiting for a worker" in client.get(address).content.decode()
        work()
        assert client.get(address).status_code == 200

    def test_a_result_that_was_dropped_is_computed_again(self, stage: Stage, client: Client) -> None:
        address = page_of(REPORTS["panel"], stage)
        client.get(address)
        work()
        caches["reports"].clear()
        Job.objects.update(finished_at=timezone.now() - timedelta(minutes=2))
        assert client.get(address).status_code == 202
        work()
        assert client.get(address).status_code == 200


def test_small_reports_are_computed_at_once_and_large_ones_are_not(
    stage: Stage, manager: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = find_scope(manager, "task", stage.task.slug)
    for report in load_reports().values():
        assert report.estimate_seconds(scope, report.options()) <= report_job.AT_ONCE_SECONDS
    panel = REPORTS["panel"]
    assert panel.estimate_seconds(scope, PanelOptions(resamples=10_000)) > panel.estimate_seconds(
        scope, PanelOptions()
    )
    monkeypatch.setattr(type(panel), "microseconds", 1_000_000)
    assert panel.estimate_seconds(scope, PanelOptions()) > report_job.AT_ONCE_SECONDS
    monkeypatch.setattr(type(REPORTS["agreement"]), "microseconds", 1_000_000)
    assert REPORTS["agreement"].estimate_seconds(scope, ReportOptions()) > report_job.AT_ONCE_SECONDS


def test_a_small_task_on_a_site_with_many_rankings_is_computed_at_once(stage: Stage, manager: User) -> None:
    scope = find_scope(manager, "task", stage.task.slug)
    assert scope.state is not None
    busy_site = replace(scope, state=scope.state._replace(ids=(10**9, *scope.state.ids[1:])))
    for report in load_reports().values():
        assert report.estimate_seconds(busy_site, report.options()) <= report_job.AT_ONCE_SECONDS


def rank_again(task: Task) -> None:
    pair = task.pairs.first()
    assert pair is not None
    Ranking.objects.create(
        uuid=uuid.uuid4(),
        annotator=Annotator.objects.create(key="late"),
        pair=pair,
        version=1,
        choice="A>B",
        received_at=timezone.now(),
    )


def explode(*args: object, **kwargs: object) -> Iterator[None]:
    raise RuntimeError("the disk is full")
