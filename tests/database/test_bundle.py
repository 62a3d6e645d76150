"""A bundle verifies without the database, and any change to it is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

from appraise.lib.problems import InputError
from evaluation.exporters.bundle_reader import Bundle, read_study, verify_bundle
from evaluation.models import Annotator, Campaign, Comparison, Ranking, Task
from evaluation.reports import bundles, study_query
from evaluation.reports.scope import load_scope
from evaluation.schemes import Choice
from tests.database.answering import always, another_task, answer_task, change_mind
from tests.database.conftest import annotator, make_task

Change = Callable[[str, bytes], bytes | None]


def write_bundle_of_two_tasks(task: Task, bob: Annotator, carol: Annotator, path: Path) -> Path:
    """Two tasks with different schemes, repeats, corrections, a withdrawn answer, a check."""
    four = another_task("Four", scheme="four-way", repeats=50)
    for here in (task, four):
        answer_task(here, bob, always(Choice.A_BETTER))
        answer_task(here, carol, lambda pair, time: Choice.EQUAL if (pair.pk + time) % 2 else Choice.A_BETTER)
    Comparison.objects.filter(pk=Comparison.objects.order_by("pk")[0].pk).update(
        check_kind="degraded", expected="A<B"
    )
    first, second = Ranking.objects.filter(annotator=carol).order_by("pk")[:2]
    change_mind(first, Choice.NOT_APPLICABLE)
    change_mind(second, None)
    call_command("export", "--campaign", "study", "--format", "bundle", "--out", str(path))
    return path


@pytest.fixture
def stored(task: Task, bob: Annotator, carol: Annotator, tmp_path: Path) -> Path:
    """The bundle of a study that is in the database."""
    return write_bundle_of_two_tasks(task, bob, carol, tmp_path / "study.zip")


@pytest.fixture(scope="module")
def packed(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> bytes:
    """The same, written once; of the study nothing is left."""
    with django_db_blocker.unblock(), transaction.atomic():
        task = make_task()
        path = tmp_path_factory.mktemp("bundle") / "study.zip"
        write_bundle_of_two_tasks(task, annotator("bob", task), annotator("carol", task), path)
        transaction.set_rollback(True)
    return path.read_bytes()


@pytest.fixture
def bundle(packed: bytes, tmp_path: Path) -> Path:
    """A bundle where no database may be used."""
    path = tmp_path / "study.zip"
    path.write_bytes(packed)
    return path


def rewritten(path: Path, change: Change) -> Path:
    """A copy of the archive with some members changed, left out (None) or left alone."""
    copy = path.with_name("changed.zip")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w") as new:
        for name in old.namelist():
            content = change(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return copy


def test_the_study_of_a_bundle_is_the_stored_study(stored: Path) -> None:
    study = study_query.load_study(list(Task.objects.order_by("pk")))
    read, _ = read_study(Bundle.open(stored))
    assert read.tasks == study.tasks
    assert read.annotator_names == study.annotator_names
    for name in ("annotators", "pairs", "presentations", "labels", "swapped", "surplus", "active_ms"):
        assert getattr(read, name).tolist() == getattr(study, name).tolist(), name
    for name in ("pair_tasks", "pair_sentences", "expected"):
        assert getattr(read, name).tolist() == getattr(study, name).tolist(), name
    assert (study.expected >= 0).any()


@pytest.mark.django_db(transaction=True)
def test_it_holds_also_where_somebody_answers_while_it_is_written(
    task: Task, bob: Annotator, carol: Annotator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_task(task, bob, always(Choice.A_BETTER))
    answer_task(task, carol, always(Choice.EQUAL), most=1)

    def answer() -> None:
        answer_task(task, carol, always(Choice.B_BETTER))
        connection.close()

    def meanwhile(*arguments: Any) -> Any:
        carols = Thread(target=answer)
        carols.start()
        carols.join()
        return items(*arguments)

    items, path = bundles._items, tmp_path / "study.zip"
    monkeypatch.setattr(bundles, "_items", meanwhile)
    with path.open("wb") as stream:
        bundles.write_bundle(load_scope("task", task.slug), stream)
    assert Ranking.objects.filter(annotator=carol, choice="A<B").exists()
    assert verify_bundle(path).differences == ()


def test_it_holds_without_the_database(bundle: Path) -> None:
    found = verify_bundle(bundle)
    assert found.differences == ()
    assert found.tables == 13
    assert found.signature.startswith("appraise|campaign:study|tasks:2|scheme:four-way+six-way|")


def test_a_member_that_was_changed_is_named_before_what_came_of_it(bundle: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            new.writestr(
                name,
                old.read(name).replace(b'"pair": "', b'"pair": "x') if "rankings" in name else old.read(name),
            )
    with pytest.raises(InputError) as caught:
        verify_bundle(changed)
    first, last = caught.value.problems[0], caught.value.problems[-1]
    assert first.message == "data/rankings.jsonl: its content is not what the manifest says"
    assert last.code == "bad_bundle"
    assert "KeyError" not in str(caught.value)


def test_a_site_that_never_saw_the_study_verifies_it(bundle: Path, tmp_path: Path) -> None:
    """Other processes, with a home of their own, in which no database ever comes to be."""

    def change(name: str, content: bytes) -> bytes:
        return content.replace(b'"A>B"', b'"A<B"', 5) if name == "data/rankings.jsonl" else content

    home = tmp_path / "elsewhere"
    home.mkdir()
    for path, answer in ((bundle, (0, True)), (rewritten(bundle, change), (1, False))):
        done = subprocess.run(
            [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), "verify_bundle", str(path)],
            env={"PATH": os.environ["PATH"], "APPRAISE_HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, json.loads(done.stdout)["verified"]) == answer, done.stderr
    assert not list(home.glob("*.sqlite3*"))


def test_the_same_study_gives_the_same_bytes(stored: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    call_command("export", "--campaign", "study", "--format", "bundle", "--out", str(again))
    assert again.read_bytes() == stored.read_bytes()


def test_a_changed_answer_is_found(bundle: Path) -> None:
    def change(name: str, content: bytes) -> bytes:
        return content.replace(b'"A>B"', b'"A<B"', 5) if name == "data/rankings.jsonl" else content

    found = verify_bundle(rewritten(bundle, change))
    assert any("data/rankings.jsonl" in difference for difference in found.differences)
    assert any("tables/" in difference for difference in found.differences)


def test_a_changed_table_with_a_matching_sum_is_found(bundle: Path) -> None:
    """Whoever also mends the sums still cannot make the numbers follow from the data."""
    import hashlib

    from evaluation.exporters.bundle import sign_manifest

    target = "tables/agreement/coefficients.csv"
    with zipfile.ZipFile(bundle) as archive:
        better = archive.read(target).replace(b"0.", b"0.9")

    def change(name: str, content: bytes) -> bytes:
        if name == target:
            return better
        if name == "manifest.json":
            manifest = json.loads(content)
            manifest["files"][target]["sha256"] = hashlib.sha256(better).hexdigest()
            manifest["signature"] = sign_manifest(manifest)
            return json.dumps(manifest).encode()
        return content

    found = verify_bundle(rewritten(bundle, change))
    assert found.differences
    assert all(difference.startswith(target) for difference in found.differences)


@pytest.mark.parametrize(("version", "names"), [(1, "earlier development version"), (3, "version 3")])
def test_a_bundle_of_another_version_is_refused(bundle: Path, version: int, names: str) -> None:
    def change(name: str, content: bytes) -> bytes:
        return content.replace(b'"version": 2,', f'"version": {version},'.encode(), 1)

    with pytest.raises(InputError, match=names) as caught:
        verify_bundle(rewritten(bundle, change))
    assert [problem.code for problem in caught.value.problems] == ["bundle_version"]


@pytest.mark.parametrize("field", ["tasks", "resampling", "code", "summary"])
def test_a_changed_manifest_is_found(bundle: Path, field: str) -> None:
    def change(name: str, content: bytes) -> bytes:
        if name != "manifest.json":
            return content
        manifest = json.loads(content)
        if isinstance(manifest[field], list):
            manifest[field][0]["seed"] = 99
        else:
            manifest[field]["seed"] = 99
        return json.dumps(manifest).encode()

    assert "signature: does not belong to these files" in verify_bundle(rewritten(bundle, change)).differences


def test_a_missing_and_a_foreign_member_are_found(bundle: Path) -> None:
    gone = rewritten(bundle, lambda name, content: None if name.endswith("labels.tex") else content)
    assert "tables/agreement/labels.tex" in verify_bundle(gone).differences[0]
    with zipfile.ZipFile(gone, "a") as archive:
        archive.writestr("extra.txt", "x")
    assert any("extra.txt" in difference for difference in verify_bundle(gone).differences)


def test_the_command_says_what_it_found(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = StringIO()
    call_command("verify_bundle", str(bundle), stdout=out)
    assert json.loads(out.getvalue())["verified"] is True
    broken = rewritten(bundle, lambda name, content: content + b"\n" if name == "README.txt" else content)
    out = StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("verify_bundle", str(broken), stdout=out)
    assert left.value.code == 1
    assert json.loads(out.getvalue())["verified"] is False
    assert "README.txt" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", [b"", b"not a zip", b"PK\x05\x06" + b"\0" * 18], ids=["empty", "text", "empty archive"]
)
def test_what_is_no_bundle_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(InputError):
        verify_bundle(path)
    with pytest.raises(CommandError) as caught:
        call_command("verify_bundle", str(path))
    assert caught.value.returncode == 2


@pytest.mark.parametrize("member", ["manifest.json", "data/rankings.jsonl"])
def test_a_bundle_that_was_damaged_on_its_way_is_refused_in_one_line(bundle: Path, member: str) -> None:
    with zipfile.ZipFile(bundle) as archive:
        assert member in archive.namelist()
        place = archive.getinfo(member).header_offset + 30 + len(member)
    content = bundle.read_bytes()
    for shift in range(12):  # a changed byte may unpack to something else, to nothing, or not at all
        damaged = bundle.with_name(f"{shift}.zip")
        damaged.write_bytes(content[: place + shift] + b"\xff" * 3 + content[place + shift + 3 :])
        with pytest.raises(CommandError, match=r"^.+: \w+: .+; .+$"):
            call_command("verify_bundle", str(damaged))


def test_data_that_does_not_fit_together_is_refused(bundle: Path) -> None:
    for member, old, new in (
        ("data/rankings.jsonl", b'"A>B"', b'"A?B"'),
        ("data/pairs.jsonl", b'"pair"', b'"pear"'),
        ("data/items.jsonl", b"{", b"["),
    ):

        def change(
            name: str, content: bytes, member: str = member, old: bytes = old, new: bytes = new
        ) -> bytes:
            return content.replace(old, new) if name == member else content

        with pytest.raises(InputError):
            verify_bundle(rewritten(bundle, change))


def test_an_empty_campaign_has_a_bundle_too(tmp_path: Path, db: None) -> None:
    make_task("Silent")
    path = tmp_path / "silent.zip"
    call_command("export", "--task", "silent", "--format", "bundle", "--out", str(path))
    assert verify_bundle(path).is_valid
    assert Campaign.objects.count() == 1
