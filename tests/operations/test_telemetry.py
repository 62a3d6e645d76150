"""A monitor reads true figures, strangers read none, and no log line names a person."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import multiprocessing
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import path
from pytest_django.fixtures import Settings

from appraise.lib.environment import SettingError, read_choice, read_networks, read_token
from appraise.operations import telemetry
from appraise.operations.logs import JsonFormatter
from appraise.operations.management.commands.start import reset_counters
from appraise.urls import urlpatterns as real
from evaluation.models import Job, Ranking

CANARIES = ("canary-name", "canary-token", "canary-query", "canary-body", "canary-cookie", "canary-value")


def broken(request: HttpRequest, token: str) -> HttpResponse:
    raise DatabaseError("duplicate key: (username)=(canary-value)")


urlpatterns = [path("broken/<str:token>", broken, name="broken"), *real]


REQUESTS = 'appraise_requests_total{method="GET",status="200"}'


def handle(requests: int) -> None:
    request = RequestFactory().get("/healthz")
    for _ in range(requests):
        telemetry.Telemetry(lambda _: HttpResponse())(request)


@pytest.mark.django_db
def test_counters_of_several_processes_add_up(watched: Settings) -> None:
    client = Client()
    before = figures(client)
    fork = multiprocessing.get_context("fork")
    children = [fork.Process(target=handle, args=(2,)) for _ in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    handle(1)
    after = figures(client)
    assert after[REQUESTS] - before.get(REQUESTS, 0) == 3 * 2 + 1 + 1  # and the first question itself
    name = 'appraise_request_seconds_count{group="static"}'
    assert after[name] - before[name] == 3 * 2 + 1


@pytest.fixture
def watched(settings: Settings) -> Settings:
    settings.METRICS = True
    settings.LOG_REQUESTS = True
    settings.METRICS_TOKEN = "t" * 24
    settings.METRICS_ALLOW = read_networks("X", ("127.0.0.1",))
    settings.MIDDLEWARE = ["appraise.operations.telemetry.Telemetry", *settings.MIDDLEWARE]
    settings.ROOT_URLCONF = __name__
    return settings


def figures(client: Client) -> dict[str, float]:
    response = client.get("/metrics")
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = response.content.decode().splitlines()
    for line in lines:  # the grammar of the format
        assert re.fullmatch(
            r"# (HELP|TYPE) \w+ .+|\w+(\{\w+=\"[^\"]*\"(,\w+=\"[^\"]*\")*\})? [0-9.e+-]+", line
        )
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


def test_counters_begin_at_zero(settings: Settings, tmp_path: Path) -> None:
    settings.METRICS_FOLDER = tmp_path / "metrics"
    reset_counters()  # where nothing was counted yet, too
    settings.METRICS_FOLDER.mkdir()
    (settings.METRICS_FOLDER / "counter_1.db").touch()
    reset_counters()
    assert list(settings.METRICS_FOLDER.iterdir()) == []


@pytest.mark.django_db
def test_requests_jobs_replays_and_faults_are_counted(watched: Settings) -> None:
    Job.objects.create(kind="check", title="one")
    client = Client(raise_request_exception=False)
    before = figures(client)
    client.get("/healthz")
    client.get("/no-such-page")
    client.get("/broken/canary-token")
    client.post("/a/unknown/answer", headers={"X-Outbox-Retry": "1"})
    telemetry.count_database_errors(None, connection)
    with contextlib.suppress(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT no_such_column")
    connection.execute_wrappers.pop()
    after = figures(client)
    more = {name: value - before.get(name, 0) for name, value in after.items()}
    assert more[REQUESTS] == 2  # and the first question itself
    assert more['appraise_requests_total{method="GET",status="500"}'] == 1
    assert more['appraise_request_seconds_bucket{group="page",le="+Inf"}'] >= 2
    assert more['appraise_request_seconds_count{group="answer"}'] == 1
    assert more["appraise_outbox_replays_total"] == 1
    assert more["appraise_database_errors_total"] == 1


@pytest.mark.django_db
def test_jobs_and_rankings_come_from_the_database(watched: Settings) -> None:
    Job.objects.create(kind="check", title="one")
    found = figures(Client())
    assert found['appraise_jobs{state="waiting"}'] == 1
    assert found["appraise_rankings_total"] == 0
    assert found["appraise_database_up"] == 1


@pytest.mark.parametrize(
    ("on", "address", "headers", "allowed"),
    [
        (True, "127.0.0.1", {}, True),
        (True, "10.1.2.3", {}, False),
        (True, "10.1.2.3", {"Authorization": "Bearer " + "t" * 24}, True),
        (True, "10.1.2.3", {"Authorization": "Bearer wrong"}, False),
        (True, "127.0.0.1", {"X-Forwarded-For": "8.8.8.8"}, False),
        (True, "127.0.0.1", {"Forwarded": "for=8.8.8.8"}, False),
        (True, "not an address", {}, False),
        (False, "127.0.0.1", {"Authorization": "Bearer " + "t" * 24}, False),
    ],
)
def test_figures_are_for_the_monitor_alone(
    watched: Settings, on: bool, address: str, headers: dict[str, str], allowed: bool, db: None
) -> None:
    watched.METRICS = on
    request = RequestFactory().get("/metrics", REMOTE_ADDR=address, headers=headers)
    if allowed:
        assert telemetry.metrics(request).status_code == 200
    else:
        with pytest.raises(Http404):
            telemetry.metrics(request)


def test_without_a_token_an_empty_one_opens_nothing(watched: Settings) -> None:
    watched.METRICS_TOKEN = ""
    request = RequestFactory().get("/metrics", REMOTE_ADDR="10.0.0.1", HTTP_AUTHORIZATION="Bearer ")
    with pytest.raises(Http404):
        telemetry.metrics(request)


@pytest.mark.django_db
def test_large_counts_are_not_rounded(watched: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ranking.objects, "aggregate", lambda **_: {"last": 123456789})
    assert figures(Client())["appraise_rankings_total"] == 123456789


@pytest.mark.parametrize("gone", [DatabaseError, InterfaceError])
def test_the_figures_say_when_the_database_is_away(
    monkeypatch: pytest.MonkeyPatch, gone: type[Exception]
) -> None:
    def away(*arguments: object, **options: object) -> None:
        raise gone("away")

    monkeypatch.setattr(Ranking.objects, "aggregate", away)
    *_, last = telemetry.SiteCollector().collect()
    assert [(sample.name, sample.value) for sample in last.samples] == [("appraise_database_up", 0)]


def test_readiness_says_when_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**values: object) -> None:
        raise DatabaseError("away")

    monkeypatch.setattr(Session.objects, "update_or_create", away)
    assert not telemetry.can_write()


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that is logged anywhere, as the JSON handler would write it."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.mark.django_db
@override_settings(DEBUG=False)
def test_no_log_line_names_a_person_or_a_secret(watched: Settings, log: io.StringIO) -> None:
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)
    client.cookies["sessionid"] = "canary-cookie"
    client.get("/broken/canary-token?q=canary-query")
    client.get("/canary-token/nowhere?q=canary-query")
    client.post("/sign-in", {"username": "canary-name", "password": "canary-body"})
    client.get("/", headers={"Host": "canary-value.example"})
    logging.getLogger("some.library").warning("user %s did %s", "canary-name", "canary-body")
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [word for word in CANARIES if word in log.getvalue()] == []
    requests = [line for line in lines if line["logger"] == "appraise.requests"]
    assert [(line["route"], line["status"]) for line in requests][:2] == [
        ("broken/<str:token>", 500),
        ("(none)", 404),
    ]
    failure = next(line for line in lines if line.get("exception") == "DatabaseError")
    assert failure["level"] == "ERROR"
    assert any("broken" in frame for frame in failure["raised_at"])


def test_nonsense_in_these_settings_refuses_to_start() -> None:
    with pytest.raises(SettingError, match=r"10\.0\.0\.0/8"):
        read_networks("METRICS_ALLOW", (), {"METRICS_ALLOW": "everybody"})
    with pytest.raises(SettingError, match="plain or json"):
        read_choice("LOG_FORMAT", "plain", ("plain", "json"), {"LOG_FORMAT": "xml"})
    with pytest.raises(SettingError, match="20 characters"):
        read_token("METRICS_TOKEN", {"METRICS_TOKEN": "short"})
