"""The script of docs/campaigns.md runs as it stands: three tasks, six people, and a decision."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer

from evaluation import jobs
from evaluation.models import Annotator, Job, Task
from evaluation.people.api_tokens import create_token
from evaluation.schemes import Choice
from tests.database.answering import answer_task
from tests.database.conftest import person

PAGE = Path(__file__).resolve().parents[2] / "docs" / "campaigns.md"
PEOPLE = ("wren", "lark", "robin", "heron", "finch", "swift")


def read_script() -> str:
    [script] = re.findall(r"```python\n(.+?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return str(script)


def test_the_script_is_short() -> None:
    assert len(read_script().splitlines()) < 60


def write_files(folder: Path) -> None:
    (folder / "files").mkdir()
    for word in ("house", "barn", "shed"):
        rows = [f"{n}\tSatz {n}\tthe red {word} {n} is wide\tthe blue {word} {n} is tiny" for n in range(8)]
        table = "\n".join(["id\tsource\talpha\tbeta", *rows, ""])
        (folder / "files" / f"{word}.tsv").write_text(table, "utf-8")
    (folder / "people.csv").write_text("name\n" + "\n".join(PEOPLE) + "\n", "utf-8")


def work_by_link(link: str) -> None:
    """Sign in with a card and judge everything that the campaign asks for, always for alpha."""
    client = Client()
    assert client.post(urlsplit(link).path).status_code == 302
    while (led := client.post(reverse("campaign-work", args=["autumn"]))["Location"]).startswith("/a/"):
        annotator = Annotator.objects.get(user=client.get("/").context["user"])
        task = Task.objects.get(assignments__token=led.split("/")[2])
        answer_task(task, annotator, lambda pair, _n: prefer_alpha(pair.first), most=1)


def prefer_alpha(first: str) -> Choice:
    return Choice.A_BETTER if "red" in first or "small" in first else Choice.B_BETTER


def pass_time(names: dict[str, Any]) -> Callable[[float], None]:
    """What happens on the site while the script waits."""

    def sleep(_seconds: float) -> None:
        waiting = list(Job.objects.runnable())
        for job in waiting:
            jobs.run_job.call(str(job.pk))
        if not waiting:
            for link in names["links"].values():
                work_by_link(link)

    return sleep


@pytest.mark.django_db(transaction=True)
def test_the_script_runs_from_files_to_the_decision(
    live_server: LiveServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    manager = person("manager", may_create=True)
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APPRAISE_URL", live_server.url)
    monkeypatch.setenv("APPRAISE_TOKEN", create_token(manager, name="script", scope="write")[1])
    names: dict[str, Any] = {}
    monkeypatch.setattr(time, "sleep", pass_time(names))
    exec(compile(read_script(), str(PAGE), "exec"), names)
    printed = capsys.readouterr().out
    assert [line.split(":")[0] for line in printed.splitlines()[:6]] == list(PEOPLE)
    assert "alpha against beta: +100 of 100 answers" in printed
    assert "\ndecided\n" in printed
    assert (tmp_path / "autumn.zip").stat().st_size > 1000
    assert set(Task.objects.values_list("campaign__slug", "state")) == {("autumn", "closed")}
    assert Task.objects.count() == 3
    client = Client()
    client.force_login(manager)
    page = client.get(urlsplit(printed.splitlines()[-1]).path).content.decode()
    assert "alpha translates better than beta." in page
    for name in PEOPLE:
        assert name not in page
