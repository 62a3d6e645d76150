"""Route × role × method, against the checked-in table ``routes.csv``. A route that is not listed fails.

The column ``example`` is an address with gaps that ``stage.py`` fills. A new route is two rows, GET and POST;
where they are missing or wrong, the failure prints what was observed: see whether you want it, and paste it.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from evaluation.models import ApiToken, User
from evaluation.people import api_tokens
from evaluation.reports.registry import AnyReport, load_reports
from tests.security.stage import ROLES, Stage, routes, set_stage

PUBLIC = "api/openapi.json"  # the description of the API: nothing of anybody's, whatever the method
TABLE = Path(__file__).with_name("routes.csv")


def table() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file), *report_rows()]


def report_rows() -> Iterator[dict[str, str]]:
    """The routes of every registered report: for those who study the scope, and read only."""
    for report in load_reports().values():
        for kind, gap in (("task", "{task}"), ("campaign", "{campaign}")):
            if kind in report.scopes:
                yield from _rows_of(report, f"{kind}s/<slug:slug>", f"{kind}s/{gap}")
        place = "<kind>" if "campaign" in report.scopes else "tasks"
        route, example = f"api/{place}/<slug>/{report.path}", f"api/tasks/{{task}}/{report.path}"
        yield _row(route, example, "GET", "401 404 404 200 200 200")
        yield _row(route, example, "POST", "405 405 405 405 405 405")


def _rows_of(report: AnyReport, route: str, example: str) -> Iterator[dict[str, str]]:
    others = "?before=task:{task}&old=alpha&new=beta" if report.compares_scopes else ""
    route, example = f"{route}/{report.path}", f"{example}/{report.path}"
    examples = [(route, example)]
    if report.plots:
        examples.append((f"{route}/plots/<slug:plot>.svg", f"{example}/plots/{next(iter(report.plots))}.svg"))
    if report.tables:
        name = next(iter(report.tables))
        examples.append((f"{route}/<slug:table>.<slug:form>", f"{example}/{name}.csv{others}"))
    for one, place in examples:
        yield _row(one, place, "GET", "302 404 404 200 200 200")
        yield _row(one, place, "POST", "302 405 405 405 405 405")


def _row(route: str, example: str, method: str, statuses: str) -> dict[str, str]:
    return {"route": route, "example": example, "method": method} | dict(
        zip(ROLES, statuses.split(), strict=True)
    )


def ours() -> set[str]:
    return {route for route, _ in routes() if not route.startswith("admin/")}


@pytest.fixture
def stage(db: None, settings: object, tmp_path: Path) -> Stage:
    settings.HOME = settings.MEDIA_ROOT = tmp_path  # type: ignore[attr-defined]  # any setting can be set
    return set_stage()


def test_every_route_is_listed_once_for_each_method() -> None:
    listed = Counter((row["route"], row["method"]) for row in table())
    wanted = {(route, method) for route in ours() for method in ("GET", "POST")}
    assert set(listed) == wanted, f"missing: {wanted - set(listed)}; too many: {set(listed) - wanted}"
    assert max(listed.values()) == 1


@pytest.mark.slow
def test_every_role_gets_what_the_table_says(stage: Stage) -> None:
    differences = []
    for row in table():
        path = stage.path(row["example"])
        seen = {role: str(stage.ask(role, row["method"], path).status_code) for role in ROLES}
        if seen != {role: row[role] for role in ROLES}:
            differences.append(",".join([row["route"], row["example"], row["method"], *seen.values()]))
    assert differences == [], "observed:\n" + "\n".join(differences)


def test_nobody_outside_gets_in_and_nothing_breaks() -> None:
    """What the table may say at all: read once more where it is easiest to get wrong."""
    for row in table():
        assert not any(row[role].startswith("5") for role in ROLES), row
        if "{task}" in row["example"] or "{campaign}" in row["example"]:
            assert row["anonymous"] in {"302", "401", "404", "405"}, row
            assert row["stranger"] in {"404", "405"}, row
        if "{assignment}" in row["example"]:
            everybody_else = {row[role] for role in ROLES if role != "annotator"}
            assert everybody_else <= {"302", "401", "404", "405"}, row


def test_a_post_without_its_token_is_refused_everywhere(stage: Stage) -> None:
    for row in table():
        if row["method"] == "POST" and row["route"] != PUBLIC:
            path = stage.path(row["example"])
            who = "anonymous" if path.startswith("/api/") else "administrator"
            status = stage.ask(who, "POST", path, csrf=True).status_code
            assert status in ({401, 403, 404, 405} if path.startswith("/api/") else {403}), path


def test_a_nul_in_an_address_or_a_field_breaks_nothing(stage: Stage) -> None:
    """PostgreSQL holds no text with one; no page of ours sends it."""
    task, upload = f"/tasks/{stage.values['task']}", f"/upload/{stage.values['upload']}/"
    for role, path in (
        ("anonymous", "/j/%00"),
        ("annotator", "/a/%00/"),
        ("manager", f"{task}/alignments/?item=a%00b"),
        ("manager", f"{task}/practice?item=a%00b"),
        ("manager", f"/api{task}/disagreements?text=a%00b"),
    ):
        assert stage.ask(role, "GET", path).status_code < 500, path
    for path, field in ((upload, "name"), (f"{task}/metrics/score", "metric")):
        client = Client(raise_request_exception=False)
        client.force_login(User.objects.get(username="alice"))
        with transaction.atomic():
            assert 400 <= client.post(path, {field: "trained:a\0b"}).status_code < 500, path
            transaction.set_rollback(True)


@pytest.mark.parametrize("number", ["9" * 9, "9" * 10, "9" * 23])
def test_no_number_in_an_address_is_too_large(stage: Stage, number: str) -> None:
    """SQLite and PostgreSQL refuse integers over 64 bits, and 32 bits in some columns, with an error."""
    assert not [route for route in ours() if "<int:" in route]
    examples = {row["route"]: row["example"] for row in table() if "<number:" in row["route"]}
    assert len(examples) > 10
    for route, example in examples.items():
        parts = zip(route.split("/"), example.split("/"), strict=True)
        path = stage.path("/".join(number if "<number:" in name else part for name, part in parts))
        for role in ("annotator", "manager", "administrator"):
            for method in ("GET", "POST"):
                assert stage.ask(role, method, path).status_code < 500, (role, method, path)
    assert stage.ask("administrator", "GET", f"/admin/evaluation/user/{number}/change/").status_code == 302


def test_a_session_alone_opens_nothing_in_the_api(stage: Stage) -> None:
    """So that no page elsewhere can make a browser use it."""
    client = Client()
    client.force_login(User.objects.get(username="root"))
    for row in table():
        if (
            row["route"].startswith("api/")
            and row["administrator"].startswith("2")
            and row["route"] != PUBLIC
        ):
            assert client.generic(row["method"], stage.path(row["example"])).status_code == 401, row


def test_other_methods_change_nothing(stage: Stage) -> None:
    for example in sorted({row["example"] for row in table()} - {PUBLIC}):
        for method in ("PUT", "PATCH", "DELETE"):
            status = stage.ask("administrator", method, stage.path(example)).status_code
            assert status in {302, 404, 405}, (example, method, status)


def test_the_administration_is_for_administrators(stage: Stage) -> None:
    for route in sorted({route for route, _ in routes() if route.startswith("admin/")}):
        path = "/" + re.sub(r"<[^>]+>", "1", route)
        for role in ("anonymous", "manager"):
            assert stage.ask(role, "GET", path).status_code in {302, 403}, (path, role)
        if "<" not in route:
            assert stage.ask("administrator", "GET", path).status_code in {200, 302, 403, 405}, path


class TestTokens:
    """Scopes: a token that may read cannot write, and a dead one is like no token at all."""

    def test_what_changes_something_needs_a_token_that_may_write(self, stage: Stage) -> None:
        manager = stage.people["manager"]
        assert manager is not None
        _, reading = api_tokens.create_token(manager, name="reads")
        stage.tokens["manager"] = reading
        tried = 0
        for row in table():
            if row["route"].startswith("api/"):
                status = str(stage.ask("manager", row["method"], stage.path(row["example"])).status_code)
                writes = (
                    row["method"] == "POST"
                    and row["manager"] not in {"404", "405"}
                    and row["route"] != PUBLIC
                )
                assert status == ("401" if writes else row["manager"]), row
                tried += writes
        assert tried >= 2

    def test_a_dead_token_is_refused_like_an_unknown_one(self, stage: Stage) -> None:
        past = timezone.now() - timedelta(seconds=1)
        assert stage.ask("manager", "GET", "/api/tasks").status_code == 200
        deaths: list[Callable[[], object]] = [
            lambda: ApiToken.objects.update(revoked_at=past),
            lambda: ApiToken.objects.update(revoked_at=None, expires_at=past),
            lambda: (ApiToken.objects.update(expires_at=None), User.objects.update(is_active=False)),
        ]
        bodies = set()
        for death in deaths:
            death()
            dead = stage.ask("manager", "GET", "/api/tasks")
            assert dead.status_code == 401
            bodies.add(getattr(dead, "content", None))
        stage.tokens["manager"] = "x" * 43
        bodies.add(getattr(stage.ask("manager", "GET", "/api/tasks"), "content", None))
        assert len(bodies) == 1
