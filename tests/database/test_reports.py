"""The contract of reports: what holds for every registered one, whatever it shows."""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from appraise.lib.tables import FORMATS, FORMULA_STARTS, to_markdown, to_text
from evaluation.models import Annotator, ApiToken, Campaign, Membership, Ranking, Role, Task, User
from evaluation.people.api_tokens import create_token
from evaluation.reports import cache
from evaluation.reports.registry import AnyReport, load_reports
from evaluation.reports.scope import Scope, load_scope
from evaluation.schemes import SIX_WAY
from metrics.scoring.services.metric_lookup import find_metrics
from metrics.scoring.services.runs import score_task
from tests.database.conftest import annotator, make_task, person
from tests.database.test_cost import LONG_AGO

REPORTS = list(load_reports().values())
every_report = pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)

FORMULA = '=HYPERLINK("http://x","y")'
HOSTILE = [
    {
        "id": f"@item{n}",
        "document": f"+document {n % 2}",
        "source": f"-Satz {n}",
        "references": [f"={n} red house"],
        "candidates": {
            FORMULA: f"=1+{n} the red house is small.",
            "+beta": f"=1+{n} the crimson house is tiny.",
            "@gamma": f"-{n} house red the is very small.",
        },
    }
    for n in range(1, 5)
]


def make_manager(task: Task) -> User:
    manager = person("alice", first_name="Alice", last_name="Organiser")
    Membership.objects.create(user=manager, campaign=task.campaign, role=Role.MANAGER)
    return manager


def store_answers(task: Task, people: list[Annotator], count: int) -> None:
    """Store so many further answers: every pair by every annotator, in further versions where needed."""
    pairs, done = list(task.pairs.order_by("pk")), Ranking.objects.count()
    cells = [(who, pair, version) for version in range(1, 99) for pair in pairs for who in people]
    Ranking.objects.bulk_create(
        Ranking(
            uuid=uuid.uuid4(), annotator=who, pair=pair, version=version, received_at=LONG_AGO,
            choice=SIX_WAY.labels[(who.pk * 7 + pair.pk * 3 + version) % 6],
        )
        for who, pair, version in cells[done : done + count]
    )  # fmt: skip


def scopes_of(report: AnyReport, task: Task) -> list[tuple[str, str]]:
    slugs = {"task": task.slug, "campaign": task.campaign.slug}
    return [(kind, slugs[kind]) for kind in report.scopes]


def options_of(report: AnyReport, task: Task) -> dict[str, str]:
    """Those without which a report shows nothing: what it compares with."""
    return (
        {"before": f"campaign:{task.campaign.slug}", "old": FORMULA, "new": "+beta"}
        if "before" in report.options.model_fields
        else {}
    )


def pages(report: AnyReport, task: Task) -> Iterator[tuple[Scope, Any]]:
    """Each scope with the summary of the report about it, as files and the API get it."""
    for kind, slug in scopes_of(report, task):
        scope = load_scope(kind, slug)
        yield scope, report.compute(scope, report.options(**options_of(report, task)))


def check_everything(report: AnyReport, task: Task, client: Client) -> None:
    """Open the page and each of its files, in every format; ask the API's document and the command."""
    for kind, slug in scopes_of(report, task):
        base = f"/{kind}s/{slug}/{report.path}"
        page = client.get(base, options_of(report, task))
        assert page.status_code == 200
        assert str(report.title) in page.content.decode()
        assert page.context["base"] == base
    for scope, summary in pages(report, task):
        tables = {name: make(summary) for name, make in report.tables.items()}
        for name, table in tables.items():
            address = f"{scope.url(report.path)}/{name}"
            for form in FORMATS:
                status = client.get(f"{address}.{form}", options_of(report, task)).status_code
                assert status == (404 if table is None else 200), (address, form)
            if table is not None:
                assert all(len(row) == len(table.columns) for row in table.rows)
                assert to_text(table)
                assert to_markdown(table)
        for name, make in report.plots.items():
            status = client.get(
                f"{scope.url(report.path)}/plots/{name}.svg", options_of(report, task)
            ).status_code
            assert status == (404 if make(summary) is None else 200), name
        json.dumps(report.document(summary), allow_nan=False)


@every_report
def test_a_task_without_answers_has_every_page_and_file(report: AnyReport, task: Task) -> None:
    client = Client()
    client.force_login(make_manager(task))
    check_everything(report, task, client)


@every_report
def test_one_answer_is_enough_for_every_page_and_file(report: AnyReport, task: Task) -> None:
    client = Client()
    client.force_login(make_manager(task))
    store_answers(task, [annotator("bob", task)], 1)
    check_everything(report, task, client)


@pytest.mark.slow
@pytest.mark.usefixtures("without_estimates")
@every_report
def test_ten_thousand_answers_cost_as_many_queries_as_ten(report: AnyReport, task: Task) -> None:
    client = Client()
    client.force_login(make_manager(task))
    people = [Annotator.objects.create(key=f"p{n}") for n in range(30)]
    addresses = [f"/{kind}s/{slug}/{report.path}" for kind, slug in scopes_of(report, task)]
    store_answers(task, people, 10)
    few = [count_queries(client, address) for address in addresses]
    store_answers(task, people, 9_990)
    assert [count_queries(client, address) for address in addresses] == few


def count_queries(client: Client, address: str) -> int:
    cache.clear_cache()
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


@pytest.fixture
def hostile(db: None) -> Task:
    """A task whose every text is a formula, judged and scored."""
    task = make_task("=Task", HOSTILE)
    Campaign.objects.update(name="@Study")
    people = [annotator(name, task) for name in ("bob", "carol", "dave")]
    User.objects.update(first_name="Firstname", last_name="Lastname")
    store_answers(task, people, 200)
    score_task(task, find_metrics(["wer"]))
    return task


@every_report
def test_no_text_of_a_spreadsheet_file_is_a_formula(report: AnyReport, hostile: Task) -> None:
    client = Client()
    client.force_login(make_manager(hostile))
    for scope, summary in pages(report, hostile):
        for name, make in report.tables.items():
            table = make(summary)
            if table is None:
                continue
            for form, delimiter in (("csv", ","), ("tsv", "\t")):
                address = f"{scope.url(report.path)}/{name}.{form}"
                text = client.get(address, options_of(report, hostile)).content.decode()
                header, *rows = csv.reader(io.StringIO(text), delimiter=delimiter)
                assert len(rows) == len(table.rows)
                for row, cells in zip([header, *rows], [table.columns, *table.rows], strict=True):
                    live = [
                        shown
                        for shown, cell in zip(row, cells, strict=True)
                        if isinstance(cell, str) and shown[:1] in FORMULA_STARTS
                    ]
                    assert live == [], (name, form)


@every_report
def test_files_the_api_and_the_command_have_pseudonyms_only(
    report: AnyReport, hostile: Task, capsys: pytest.CaptureFixture[str]
) -> None:
    manager = make_manager(hostile)
    client = Client()
    client.force_login(manager)
    token = create_token(manager, name="t", scope=ApiToken.Scope.READ)[1]
    texts = []
    for kind, slug in scopes_of(report, hostile):
        options = options_of(report, hostile)
        base = f"/{kind}s/{slug}/{report.path}"
        files = [f"{name}.{form}" for name in report.tables for form in FORMATS]
        files += [f"plots/{name}.svg" for name in report.plots]
        texts += [client.get(f"{base}/{file}", options).content.decode() for file in files]
        answer = Client(headers={"Authorization": f"Bearer {token}"}).get(f"/api{base}", options)
        assert answer.status_code == 200
        texts.append(answer.content.decode())
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        call_command("report", report.name, f"--{kind}", slug, *words)
        texts.append(capsys.readouterr().out)
    names = [*User.objects.values_list("username", flat=True), "Firstname", "Lastname"]
    assert [name for name in names for text in texts if f'"{name}"' in text or f">{name}<" in text] == []
    assert not any(name in text for name in ("Firstname", "Lastname") for text in texts)


def test_every_report_is_in_the_navigation_of_its_scopes(task: Task) -> None:
    client = Client()
    client.force_login(make_manager(task))
    for report in REPORTS:
        for kind, slug in scopes_of(report, task):
            section = load_reports()[report.section]
            page = client.get(f"/{kind}s/{slug}/{section.path}").content.decode()
            assert f'href="/{kind}s/{slug}/{report.path}"' in page, report.name
