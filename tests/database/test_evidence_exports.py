"""Exports of scores and error spans: the imported file in canonical order; a changed answer, one line."""

from __future__ import annotations

import csv
import io
import json
import uuid
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from evaluation.annotate.services.assessments import append_assessment
from evaluation.assessments import MarkedSpan
from evaluation.models import Annotator, Assessment, AuditEntry, Membership, Role, Task
from tests.assessments.test_round_trip import canonical_csv, canonical_mtme, count_different_lines
from tests.database.conftest import person
from tests.database.evidence_files import import_files, write_appraise, write_mqm, write_mtme

pytestmark = pytest.mark.django_db


def export(task: Task, form: str, out: Path) -> dict[str, str]:
    call_command("export", "--task", task.slug, "--format", form, "--out", str(out))
    files = sorted(out.rglob("*")) if out.is_dir() else [out]
    return {
        path.relative_to(out).as_posix() if out.is_dir() else "": path.read_bytes().decode()
        for path in files
        if path.is_file()
    }


def read_folder(folder: Path) -> dict[str, str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in paths}


def change(answer: Assessment, spans: tuple[MarkedSpan, ...], score: float | None = None) -> None:
    append_assessment(answer, score=score, spans=spans, uuid=uuid.uuid4(), base=answer.version)


def test_an_exported_directory_is_the_imported_one(tmp_path: Path) -> None:
    folder = write_mtme(tmp_path / "in")
    exported = export(import_files(folder), "mtme", tmp_path / "out")
    expected = dict(canonical_mtme(path, text) for path, text in read_folder(folder).items())
    without_reference = {path: text.split("\n")[:-1] for path, text in exported.items()}
    for path, lines in without_reference.items():  # the reference was judged by nobody
        if path.endswith(".rating"):
            without_reference[path] = [line for line in lines if not line.startswith("refA\t")]
    assert without_reference == expected


@pytest.mark.realdata
def test_the_published_directory_and_campaign_survive_the_database(tmp_path: Path, real_data: Path) -> None:
    root = real_data / "mtme_wmt23"
    task = import_files(root)
    exported = export(task, "mtme", tmp_path / "out")
    expected = dict(canonical_mtme(path, text) for path, text in read_folder(root).items())
    assert exported.keys() == expected.keys()
    assert [path for path in expected if exported[path].split("\n")[:-1] != expected[path]] == []
    esa = real_data / "esa_wmt23"
    words = ("--batches", str(esa / "batches_esa.json.gz"), "--task", task.slug)
    call_command("import_task", str(esa / "ESA-1.scores.csv"), *words)
    (text,) = export(task, "appraise-csv", tmp_path / "esa.csv").values()
    assert list(csv.reader(io.StringIO(text))) == canonical_csv((esa / "ESA-1.scores.csv").read_text("utf-8"))


def test_a_changed_answer_changes_its_line_of_the_directory(tmp_path: Path) -> None:
    task = import_files(write_mtme(tmp_path / "in"))
    before = export(task, "mtme", tmp_path / "one")
    answer = Assessment.objects.get(
        output__system__name="south", output__item__key="1", annotator__label="rater1"
    )
    change(answer, (MarkedSpan("major", "accuracy/mistranslation", 4, 9),))
    after = export(task, "mtme", tmp_path / "two")
    differing = [path for path in before if before[path] != after[path]]
    assert differing == ["human-scores/de-en.mqm.rater1.seg.rating"]
    assert count_different_lines(before[differing[0]], after[differing[0]]) == 1


def test_an_appraise_csv_survives_and_a_changed_answer_changes_its_line(tmp_path: Path) -> None:
    answers, batches = write_appraise(tmp_path)
    task = import_files(answers, "--batches", batches)
    (before,) = export(task, "appraise-csv", tmp_path / "one.csv").values()
    assert list(csv.reader(io.StringIO(before))) == canonical_csv(answers.read_text())
    answer = Assessment.objects.get(score=77)
    change(answer, (MarkedSpan("minor", "", 0, 3),), 60)
    (after,) = export(task, "appraise-csv", tmp_path / "two.csv").values()
    assert count_different_lines(before, after) == 1
    line = next(row for row in csv.reader(io.StringIO(after)) if row[6] == "60")
    assert json.loads(line[9]) == [{"start_i": 0, "end_i": 2, "severity": "minor", "error_type": None}]


def test_an_mqm_table_survives(tmp_path: Path) -> None:
    table = write_mqm(tmp_path)
    (text,) = export(import_files(table), "mqm-tsv", tmp_path / "out.tsv").values()
    assert text == table.read_text()


def test_scores_of_another_campaign_are_part_of_the_directory(tmp_path: Path) -> None:
    task = import_files(write_mtme(tmp_path / "in"))
    answers, batches = write_appraise(tmp_path)
    call_command("import_task", str(answers), "--batches", str(batches), "--task", task.slug)
    exported = export(task, "mtme", tmp_path / "out")
    scores = exported["human-scores/de-en.ESA-1.seg.score"].splitlines()
    assert scores[:2] == ["north\t77.0", "north\t75.0"]
    assert scores[8] == "south\t65.0"  # the mean of two annotators: 80 and 50


def test_what_a_task_does_not_have_is_refused(tmp_path: Path) -> None:
    task = import_files(write_mqm(tmp_path))
    with pytest.raises(CommandError, match="nothing_to_export"):
        call_command("export", "--task", task.slug, "--format", "appraise-csv")


SignInAs = Callable[[Any], Client]


def test_the_download_is_for_those_who_may_study_the_task(tmp_path: Path, signed_in: SignInAs) -> None:
    task = import_files(write_mtme(tmp_path / "in"))
    manager, stranger = person("alice"), person("dora")
    Membership.objects.create(user=manager, campaign=task.campaign, role=Role.MANAGER)
    address = f"/tasks/{task.slug}/export/mtme"
    response = signed_in(manager).get(address)
    content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert "human-scores/de-en.mqm.rater2.seg.rating" in names
    assert AuditEntry.objects.filter(action="export", user=manager).count() == 1
    assert signed_in(stranger).get(address).status_code == 404
    assert signed_in(None).get(address).status_code == 302
    assert signed_in(manager).get(f"/tasks/{task.slug}/export/appraise-csv").status_code == 404


def test_people_of_this_site_have_pseudonyms(tmp_path: Path) -> None:
    task = import_files(write_mtme(tmp_path / "in"))
    answer = Assessment.objects.filter(annotator__label="rater2").order_by("pk")[0]
    bob = Annotator.objects.create(user=person("bob"), key="key of bob")
    Assessment.objects.filter(annotator=answer.annotator).update(annotator=bob)
    texts = "".join(export(task, "mtme", tmp_path / "out").values())
    assert "bob" not in texts
