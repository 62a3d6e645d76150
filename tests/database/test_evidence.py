"""Scores and error spans from files: what an import stores, and what it refuses without storing anything."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from appraise.lib.problems import InputError
from evaluation.importers import SourceFile, read
from evaluation.models import (
    Annotator,
    ApiToken,
    Assessment,
    AuditEntry,
    Candidate,
    Comparison,
    ErrorSpan,
    Item,
    Membership,
    Role,
    ScoreSet,
    System,
    Task,
    Upload,
    User,
)
from evaluation.people.api_tokens import create_token
from evaluation.tasks.services.evidence import store_evidence
from tests.database.conftest import person
from tests.database.evidence_files import OUTPUTS, import_files, write_appraise, write_mqm, write_mtme
from tests.database.test_upload import create, drop, work

pytestmark = pytest.mark.django_db


def refused(*words: object) -> str:
    with pytest.raises(CommandError) as caught:
        call_command("import_task", *map(str, words), verbosity=0)
    assert caught.value.returncode == 2
    return str(caught.value)


class TestDirectory:
    def test_it_stores_texts_assessments_and_scores_without_comparisons(self, tmp_path: Path) -> None:
        task = import_files(write_mtme(tmp_path))
        assert (task.state, task.source_language, task.target_language) == (Task.State.OPEN, "de", "en")
        assert not Comparison.objects.exists()
        assert list(task.items.values_list("key", "document", "domain"))[2] == ("3", "trip", "travel")
        assert list(System.objects.filter(is_reference=True).values_list("name", flat=True)) == ["refA"]
        assert task.reference_names == ["refA"]
        assert task.items.first().references == [OUTPUTS["refA"][0]]  # type: ignore[union-attr]
        assert (Assessment.objects.count(), ErrorSpan.objects.count()) == (12, 6)
        assert set(Annotator.objects.values_list("label", flat=True)) == {"rater1", "rater2"}
        assert list(task.protocols) == ["mqm"]
        worst = ErrorSpan.objects.get(
            assessment__annotator__label="rater2", severity="major", assessment__output__item__key="1"
        )
        assert (worst.side, worst.category, worst.details) == (
            "target", "accuracy/mistranslation", {"weight": 5},
        )  # fmt: skip

    def test_scores_without_a_person_are_no_assessments(self, tmp_path: Path) -> None:
        task = import_files(write_mtme(tmp_path))
        rows = {(row.name, row.reference, row.level): row for row in ScoreSet.objects.filter(task=task)}
        published = {("mqm", "", "sys"), ("mqm", "", "domain")}
        assert set(rows) == {("chrF", "refA", "seg"), ("chrF", "refA", "sys"), *published}
        assert rows["chrF", "refA", "seg"].values["north"] == ["60.5", "90.0", "99.5", "40.25"]
        assert rows["mqm", "", "domain"].groups == ["news", "travel"]
        assert rows["mqm", "", "domain"].values["south"] == ["-6.0", None]

    def test_the_same_content_is_refused_a_second_time(self, tmp_path: Path) -> None:
        task = import_files(write_mtme(tmp_path))
        assert "already_imported" in refused(tmp_path, "--name", "Again", "--campaign", task.campaign.slug)
        assert "already_imported" in refused(tmp_path, "--task", task.slug)
        assert (Task.objects.count(), Assessment.objects.count()) == (1, 12)

    def test_other_ratings_of_the_same_texts_are_other_content(self, tmp_path: Path) -> None:
        task = import_files(write_mtme(tmp_path))
        (tmp_path / "human-scores" / "de-en.mqm.rater2.seg.rating").unlink()
        import_files(tmp_path, "--campaign", task.campaign.slug, name="One rater")
        assert Task.objects.count() == 2

    @pytest.mark.parametrize(
        ("name", "old", "new", "code"),
        [
            ("human-scores/de-en.mqm.rater2.seg.rating", '"end": 20', '"end": 999', "span_outside_text"),
            ("human-scores/de-en.mqm.rater1.seg.rating", "south\t", "west\t", "unknown_system"),
            ("metric-scores/de-en/chrF-refA.seg.score", "north\t60.5\n", "", "line_count"),
            ("system-outputs/de-en/south.txt", "We walk home.\n", "", "line_count"),
            ("human-scores/de-en.mqm.sys.score", "-3.5", "x", "bad_number"),
        ],
    )
    def test_a_defect_is_named_and_nothing_is_stored(
        self, tmp_path: Path, name: str, old: str, new: str, code: str
    ) -> None:
        file = write_mtme(tmp_path) / name
        file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
        message = refused(tmp_path, "--name", "Broken")
        assert code in message
        assert Path(name).name in message
        for model in (Task, Item, Candidate, Assessment, ErrorSpan, ScoreSet, Annotator):
            assert not model.objects.exists()

    def test_a_directory_of_several_language_pairs_needs_one(self, tmp_path: Path) -> None:
        (write_mtme(tmp_path) / "sources" / "de-fr.txt").write_text("Eins.\n")
        assert "bad_language" in refused(tmp_path, "--name", "Two")
        assert import_files(tmp_path, "--target-lang", "en").items.count() == 4


class TestAppraise:
    def test_rows_become_versions_presentations_and_checks(self, tmp_path: Path) -> None:
        answers, batches = write_appraise(tmp_path)
        task = import_files(answers, "--batches", batches)
        assert list(task.protocols) == ["ESA-1"]
        assert task.protocols["ESA-1"]["name"] == "esa"
        corrected = Assessment.objects.filter(
            annotator__label="ann1", output__system__name="north", output__item__key="1"
        )
        assert list(corrected.order_by("version").values_list("version", "score")) == [(1, 85.0), (2, 77.0)]
        assert [row.score for row in Assessment.objects.filter(pk__in=corrected).current()] == [77.0]
        check = Assessment.objects.get(shown__isnull=False)
        assert (check.presentation, check.score, str(check.shown)) == (1, 3.0, "The hound on milk.")
        spans = list(check.spans.values_list("start", "end", "severity"))
        assert spans == [(4, 9, "major"), (None, None, "minor")]
        assert Assessment.objects.ordinary().current().count() == 9
        tutorials = [row.origin["tutorial"] for row in Assessment.objects.all() if "tutorial" in row.origin]
        assert [len(rows) for rows in tutorials] == [1]

    def test_it_can_be_added_to_the_task_of_the_same_texts(self, tmp_path: Path) -> None:
        task = import_files(write_mtme(tmp_path / "mtme"))
        answers, batches = write_appraise(tmp_path)
        call_command("import_task", str(answers), "--batches", str(batches), "--task", task.slug)
        task.refresh_from_db()
        assert sorted(task.protocols) == ["ESA-1", "mqm"]
        assert Task.objects.count() == 1
        assert Assessment.objects.filter(output__item__task=task, protocol="ESA-1").count() == 11
        detail = AuditEntry.objects.filter(action="import evidence", target=f"task {task.slug}")[0].detail
        assert detail == {"protocols": ["ESA-1"], "assessments": 11}
        assert "already_imported" in refused(answers, "--batches", batches, "--task", task.slug)

    def test_other_evidence_of_the_same_name_is_refused(self, tmp_path: Path) -> None:
        answers, batches = write_appraise(tmp_path)
        task = import_files(answers, "--batches", batches)
        answers.write_text(answers.read_text().replace(",77,", ",78,"))
        assert "name_taken" in refused(answers, "--batches", batches, "--task", task.slug)

    def test_without_batches_there_are_no_texts(self, tmp_path: Path) -> None:
        answers, _ = write_appraise(tmp_path)
        assert "missing_file" in refused(answers, "--name", "No texts")

    @pytest.mark.parametrize(
        ("old", "new", "code"),
        [
            ("The hound is asleep.", "The hound is sleeping.", "text_differs"),
            ("Der Hund schl\\u00e4ft.", "Der Hund schla\\u0308ft.", "unicode_form"),
            ("south | 0 |", "west | 0 |", "text_differs"),
            ("pets#south", "pets#west", "unknown_"),
        ],
    )
    def test_other_texts_than_those_of_the_task_are_refused(
        self, tmp_path: Path, old: str, new: str, code: str
    ) -> None:
        task = import_files(write_mtme(tmp_path / "mtme"))
        answers, batches = write_appraise(tmp_path)
        for file in (answers, batches) if "#" in old else (batches,):
            file.write_text(file.read_text().replace(old, new))
        before = Assessment.objects.count()
        if new.startswith("west"):  # the system of an item is that of its document
            call_command("import_task", str(answers), "--batches", str(batches), "--task", task.slug)
            return
        assert code in refused(answers, "--batches", batches, "--task", task.slug)
        assert Assessment.objects.count() == before
        task.refresh_from_db()
        assert list(task.protocols) == ["mqm"]


def test_an_mqm_table_is_a_task_of_its_own_or_evidence_for_another(tmp_path: Path) -> None:
    table = write_mqm(tmp_path)
    alone = import_files(table, name="Table")
    assert list(alone.items.values_list("key", flat=True)) == ["1", "2"]
    assert Assessment.objects.count() == 3
    span = ErrorSpan.objects.get(severity="Major")
    assert (span.start, span.end) == (15, 20)


def test_a_file_of_sentences_is_no_evidence(tmp_path: Path) -> None:
    task = import_files(write_mtme(tmp_path / "mtme"))
    file = tmp_path / "s.tsv"
    file.write_text("id\tsource\tone\ttwo\n1\tGuten Tag\tHello\tGood day\n")
    assert "no_evidence" in refused(file, "--task", task.slug)


def test_an_interrupted_import_leaves_nothing_that_a_second_one_would_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = import_files(write_mtme(tmp_path / "mtme"))
    answers, batches = write_appraise(tmp_path)
    words = (str(answers), "--batches", str(batches), "--task", task.slug)
    from evaluation.tasks.services import evidence

    def fail(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(evidence, "_store_scores", fail)
        with pytest.raises(KeyboardInterrupt):
            call_command("import_task", *words)
    assert not Assessment.objects.filter(protocol="ESA-1").exists()
    call_command("import_task", *words)
    assert Assessment.objects.filter(protocol="ESA-1").count() == 11
    assert json.dumps(task.protocols)


class TestUploadPage:
    """A directory as an archive or as its files, whose names a browser sends without their folders."""

    @pytest.fixture
    def client(self) -> Client:
        client = Client()
        client.force_login(person("alice", may_create=True))
        return client

    def upload(self, client: Client, files: dict[str, bytes], **changes: str) -> Upload | None:
        drop(client, *files.items())
        upload = Upload.objects.get()
        page = client.get(upload.get_absolute_url())
        values = {"source_language": "de", "target_language": "en", "design": "none", **changes}
        assert page.status_code == 200
        create(client, upload, **values)
        work()
        return upload

    def test_an_archive_becomes_a_task(self, client: Client, tmp_path: Path) -> None:
        folder = write_mtme(tmp_path / "wmt")
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as target:
            for path in folder.rglob("*"):
                target.write(path, f"wmt/{path.relative_to(folder)}")
        drop(client, ("wmt.zip", archive.getvalue()))
        page = client.get(Upload.objects.get().get_absolute_url()).content.decode()
        assert "mt-metrics-eval directory" in page
        assert "12 assessments" in page
        assert '<option value="none" selected>' in page
        create(client, Upload.objects.get(), design="none")
        work()
        assert list(Task.objects.get().protocols) == ["mqm"]
        assert (Assessment.objects.count(), ScoreSet.objects.count()) == (12, 4)

    def test_the_files_of_a_directory_become_a_task(self, client: Client, tmp_path: Path) -> None:
        folder = write_mtme(tmp_path / "wmt")
        files = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        self.upload(client, files)
        assert (Assessment.objects.count(), ScoreSet.objects.count()) == (12, 4)

    @pytest.mark.parametrize("kind", ["ratings", "scores alone"])
    def test_the_page_of_a_task_without_comparisons_leads_to_its_evidence(
        self, client: Client, tmp_path: Path, kind: str
    ) -> None:
        folder = write_mtme(tmp_path / "wmt")
        files = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        if kind == "scores alone":
            files = {name: content for name, content in files.items() if not name.endswith(".rating")}
        self.upload(client, files)
        address = Task.objects.get().get_absolute_url()
        page = " ".join(client.get(address).content.decode().split())
        assert f'No systems are compared yet. <a href="{address}evidence">' in page

    def test_scores_are_added_to_a_task_of_ones_own(self, client: Client, tmp_path: Path) -> None:
        task = import_files(write_mtme(tmp_path / "wmt"))
        answers, batches = write_appraise(tmp_path)
        files = {path.name: path.read_bytes() for path in (answers, batches)}
        drop(client, *files.items())
        upload = Upload.objects.get()
        refused_page = create(client, upload, existing_task=task.slug)
        assert refused_page.status_code == 422
        assert "unknown_task" in refused_page.content.decode()
        alice = User.objects.get(username="alice")
        Membership.objects.create(user=alice, campaign=task.campaign, role=Role.MANAGER)
        assert f'<option value="{task.slug}">' in client.get(upload.get_absolute_url()).content.decode()
        create(client, upload, existing_task=task.slug)
        work()
        task.refresh_from_db()
        assert sorted(task.protocols) == ["ESA-1", "mqm"]
        assert Task.objects.count() == 1
        assert not Upload.objects.exists()

    @pytest.mark.parametrize("content", [b"PK\x03\x04 nothing", b"PK\x03\x04" + bytes(100)])
    def test_a_damaged_archive_is_no_text(self, client: Client, content: bytes) -> None:
        response = drop(client, ("broken.zip", content))
        assert response.status_code == 422
        assert "type_mismatch" in response.content.decode()

    def test_a_damaged_member_is_named(self, client: Client, tmp_path: Path) -> None:
        folder, archive = write_mtme(tmp_path / "wmt"), io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as target:
            for path in folder.rglob("*"):
                target.write(path, f"wmt/{path.relative_to(folder)}")
        broken = archive.getvalue().replace(b"The hound is asleep.", b"The hound is asleeq.")
        response = drop(client, ("wmt.zip", broken))
        assert response.status_code == 422
        assert "damaged_archive" in response.content.decode()
        assert "south.txt" in response.content.decode()


@pytest.mark.parametrize(
    "content",
    [b"\x1f\x8b", b"\x1f\x8b\x08\x00 nothing packed", gzip.compress(b"a,b\n" * 9, mtime=0)[:-4], b"\xff\xfe"],
)
def test_a_file_that_cannot_be_unpacked_is_refused_with_a_reason(content: bytes) -> None:
    for form in ("auto", "appraise-csv", "mqm-tsv", "mtme"):
        with pytest.raises(InputError) as caught:
            read([SourceFile.from_bytes("file.csv.gz", content)], format=form)
        assert caught.value.problems[0].code


def test_the_api_adds_evidence_to_a_task(tmp_path: Path) -> None:
    task = import_files(write_mtme(tmp_path / "mtme"))
    alice = person("alice", may_create=True)
    Membership.objects.create(user=alice, campaign=task.campaign, role=Role.MANAGER)
    token = create_token(alice, name="t", scope=ApiToken.Scope.WRITE)[1]
    files = [SimpleUploadedFile(path.name, path.read_bytes()) for path in write_appraise(tmp_path)]
    client = Client(headers={"Authorization": f"Bearer {token}"})
    response = client.post("/api/uploads", {"files": files, "existing_task": task.slug})
    assert response.status_code == 202, response.content
    work()
    task.refresh_from_db()
    assert sorted(task.protocols) == ["ESA-1", "mqm"]


def test_a_repeated_import_of_stored_evidence_adds_nothing(tmp_path: Path) -> None:
    """The worker may die after the last step, before the job knows about it."""
    folder = write_mtme(tmp_path)
    task = import_files(folder)
    files = [
        replace(SourceFile.from_path(path), name=path.relative_to(folder).as_posix())
        for path in folder.rglob("*")
        if path.is_file()
    ]
    evidence = read(files).evidence
    assert evidence is not None
    before = Assessment.objects.count(), ScoreSet.objects.count(), AuditEntry.objects.count()
    assert store_evidence(task, evidence).assessments == 0
    assert (Assessment.objects.count(), ScoreSet.objects.count(), AuditEntry.objects.count()) == before


def test_texts_in_another_unicode_form_can_be_matched_by_content(tmp_path: Path) -> None:
    """The hound of the file has a no-break space and a combining mark before the error."""
    folder = write_mtme(tmp_path / "mtme")
    output = folder / "system-outputs" / "de-en" / "south.txt"
    output.write_text(output.read_text("utf-8").replace("The hound", "Th\u00e9 hound"), "utf-8")
    task = import_files(folder)
    answers, batches = write_appraise(tmp_path)
    batches.write_text(batches.read_text().replace("The hound is", "The\\u0301 hound is"))
    words = (answers, "--batches", batches, "--task", task.slug)
    rows = answers.read_text().splitlines()
    place = next(n for n, row in enumerate(rows) if ",TGT," in row and "pets#south" in row)
    span = '"[{""start_i"":5,""end_i"":9,""severity"":""minor"",""error_type"":null}]"'
    rows[place] = rows[place].replace("[]", span)
    answers.write_text("".join(f"{row}\n" for row in rows))
    assert "unicode_form" in refused(*words)
    call_command("import_task", *map(str, words), "--match", "content")
    (moved,) = ErrorSpan.objects.filter(
        assessment__protocol="ESA-1", assessment__shown=None, start__isnull=False
    )
    assert str(moved.assessment.output.candidate)[moved.start : moved.end] == "hound"
