"""From dropped files to a running task: checked, previewed, confirmed once, made in the background."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from evaluation import jobs
from evaluation.importers import ImportedCandidate, ImportedItem, SourcePosition, read
from evaluation.importers.model import SourceFile
from evaluation.models import AuditEntry, Campaign, Item, Job, Membership, Role, Task, Upload, User
from evaluation.tasks.planning import Planner
from evaluation.tasks.services import import_job, importing, task_settings, upload_previews, uploads
from evaluation.tasks.services.uploads import restore_item
from evaluation.tasks.views.upload import samples
from tests.database.conftest import SENTENCES, person
from tests.importers.bad_inputs import GOOD_TSV, many

SAMPLES = Path(settings.BASE_DIR) / "fixtures" / "samples"
NO_REFERENCE = [{key: s[key] for key in ("id", "source", "candidates")} for s in SENTENCES]
HOUSES = json.dumps({"source_language": "de", "target_language": "en", "items": NO_REFERENCE}).encode()


@pytest.fixture
def alice(db: None) -> User:
    return person("alice", may_create=True)


@pytest.fixture
def client(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def drop(client: Client, *files: tuple[str, bytes]) -> Any:  # Any: Django's test response
    return client.post("/upload/", {"files": [SimpleUploadedFile(name, data) for name, data in files]})


def settings_form(**changes: str) -> dict[str, str]:
    return {
        "name": "Houses", "scheme": "four-way", "shows": "source", "overlap": "2", "aligner": "lexical",
        "design": "all", "dedup": "item", "moved": "ranked", "order": "document", "checks": "0",
        "repeats": "0", "seed": "1", "format": "auto", "empty": "refuse", "link_base": "0",
        "source_language": "de", "target_language": "en", **changes,
    }  # fmt: skip


def create(client: Client, upload: Upload, **changes: str) -> Any:
    return client.post(upload.get_absolute_url(), {"create": "1", **settings_form(**changes)})


def work() -> None:
    """What a worker would do with everything that waits."""
    for job in Job.objects.runnable():
        jobs.run_job.call(str(job.pk))


class TestThePage:
    def test_every_setting_is_explained_where_it_stands(self, client: Client) -> None:
        drop(client, ("houses.json", HOUSES))
        page = client.get(Upload.objects.get().get_absolute_url()).content.decode()
        assert "Five questions with feedback; you can write your own afterwards." in page
        pointed = [
            name for names in re.findall(r'aria-describedby="([^"]+)"', page) for name in names.split()
        ]
        assert [name for name in pointed if page.count(f'id="{name}"') != 1] == []

    def test_a_good_file_is_kept_checked_and_previewed(self, client: Client) -> None:
        response = drop(client, ("houses.json", HOUSES))
        upload = Upload.objects.get()
        assert response.url == upload.get_absolute_url()
        page = " ".join(client.get(response.url).content.decode().split())
        assert "JSON · 4 sentences" in page
        assert "3 systems" in page
        names = page.partition("3 systems: ")[2].partition(" </span>")[0]
        assert names == "<bdi>alpha</bdi>, <bdi>beta</bdi>, <bdi>gamma</bdi>", "a column may be none"
        assert 'class="ph p1"' in page
        assert "Satz 1: das rote Haus ist klein." in page
        assert "alpha" not in page.split("First sentences")[1]

    def test_an_aligner_that_learns_is_previewed_and_imported(self, client: Client) -> None:
        upload = Upload.objects.get(pk=drop(client, ("houses.json", HOUSES)).url.split("/")[2])
        client.post(upload.get_absolute_url(), settings_form(aligner="statistical"))
        assert 'class="ph p1"' in client.get(upload.get_absolute_url()).content.decode()
        create(client, upload, aligner="statistical", campaign="learnt")
        work()
        assert Task.objects.get(campaign__slug="learnt").state == Task.State.OPEN

    def test_words_are_segmented_only_where_a_segmenter_exists(self, client: Client) -> None:
        drop(client, ("houses.json", json.dumps({"items": NO_REFERENCE}).encode()))
        upload = Upload.objects.get()
        page = create(client, upload, segment_words="on").content.decode()
        assert "no segmenter finds the words of the language &#x27;en&#x27;; known: ja, th, zh" in page
        create(client, upload, segment_words="on", target_language="zh", campaign="segmented")
        work()
        assert Task.objects.get(campaign__slug="segmented").state == Task.State.OPEN

    def test_whoever_says_which_file_is_the_source_need_not_name_the_task_first(self, client: Client) -> None:
        texts = {"news.de.txt": b"Ein Haus\n", "alpha.en.txt": b"A house\n", "beta.en.txt": b"The home\n"}
        assert drop(client, *texts.items()).status_code == 422
        upload = Upload.objects.get()
        page = client.get(upload.get_absolute_url()).content.decode()
        assert 'name="save" value="1" formnovalidate' in page
        sent = {**settings_form(name=""), "save": "1", "role-1": "source"}
        assert client.post(upload.get_absolute_url(), sent).status_code == 302
        assert 'value="news"' in client.get(upload.get_absolute_url()).content.decode()

    def test_a_task_is_not_called_after_a_system_and_shows_what_there_is(self, client: Client) -> None:
        texts = {"alpha.en": b"A house\n", "beta.en": b"The home\n", "week-12.src.de": b"Ein Haus\n"}
        page = client.get(drop(client, *texts.items()).url).content.decode()
        assert 'value="week-12"' in page
        assert "Source sentence" in page
        assert "Reference translation" not in page

    def test_files_are_stored_under_names_of_ours(self, client: Client) -> None:
        drop(client, ("../../etc/pass wd.json", HOUSES))
        file = Upload.objects.get().files.get()
        assert file.name == "pass wd.json"
        assert file.path.isalnum()
        assert (Path(settings.MEDIA_ROOT) / str(file.upload_id) / file.path).read_bytes() == HOUSES

    def test_a_fault_is_shown_with_place_remedy_and_excerpt(self, client: Client) -> None:
        response = drop(client, ("bad.tsv", (GOOD_TSV + "3\tx\ty\n").encode()))
        page = response.content.decode()
        assert response.status_code == 422
        assert 'role="alert"' in page
        assert "bad.tsv:4" in page
        assert "column_count" in page
        assert Task.objects.count() == 0

    @pytest.mark.django_db(transaction=True)
    def test_a_corrected_file_replaces_the_faulty_one(self, client: Client) -> None:
        drop(client, ("bad.tsv", (GOOD_TSV + "3\tx\ty\n").encode()))
        upload = Upload.objects.get()
        corrected = SimpleUploadedFile("bad.tsv", GOOD_TSV.encode())
        typed = settings_form(source_language="", target_language="")
        response = client.post(upload.get_absolute_url(), {**typed, "files": [corrected]})
        assert response.status_code == 302
        assert upload.files.count() == 1
        assert len(list((Path(settings.MEDIA_ROOT) / str(upload.pk)).iterdir())) == 1
        assert "column_count" not in client.get(upload.get_absolute_url()).content.decode()

    def test_roles_of_plain_text_are_guessed_from_the_names(self, client: Client) -> None:
        texts = sorted((SAMPLES / "text").iterdir())
        drop(client, *((path.name, path.read_bytes()) for path in texts))
        files = Upload.objects.get().files.all()
        assert {file.name: (file.role, file.systems) for file in files} == {
            "north-south.links": ("alignments", []),
            "north.en.txt": ("system", ["north"]),
            "reference.en.txt": ("reference", []),
            "source.de.txt": ("source", []),
            "south.en.txt": ("system", ["south"]),
        }
        assert Upload.objects.get().settings["outcome"]["problems"] == []
        page = client.get(Upload.objects.get().get_absolute_url()).content.decode()
        assert 'name="source_language" value="de"' in page
        assert 'name="target_language" value="en"' in page

    def test_a_role_can_be_changed_and_a_file_removed(self, client: Client) -> None:
        drop(client, ("a.txt", b"one\n"), ("b.txt", b"two\n"), ("c.txt", b"drei\n"))
        upload = Upload.objects.get()
        client.post(upload.get_absolute_url(), {**settings_form(), "role-3": "source"})
        assert uploads.get_check(Upload.objects.get()).is_good  # type: ignore[union-attr]  # it is small
        client.post(upload.get_absolute_url(), {**settings_form(), "remove": "9" * 5000})
        client.post(upload.get_absolute_url(), {**settings_form(), "remove": "1"})
        assert [file.name for file in upload.files.all()] == ["b.txt", "c.txt"]

    def test_nothing_typed_is_lost_on_an_error(self, client: Client) -> None:
        drop(client, ("houses.json", HOUSES))
        response = create(
            client, Upload.objects.get(), overlap="99", instructions="Read <b>twice</b>.", checks="11"
        )
        page = response.content.decode()
        assert response.status_code == 422
        assert "Read &lt;b&gt;twice&lt;/b&gt;." in page
        assert 'value="99"' in page
        assert "less than or equal to 10" in page
        later = client.get(Upload.objects.get().get_absolute_url()).content.decode()
        assert 'value="99"' in later
        assert Job.objects.count() == 0

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"source_language": "klingon"}, "bad_language"),
            ({"design": "baseline"}, "Choose the system"),
            ({"design": "blocks"}, "Enter a number"),
            ({"judging": "places", "checks": "5"}, "5% attention checks"),
            ({"name": ""}, "required"),
            ({"shows": "reference"}, "Not every sentence"),
        ],
    )
    def test_settings_that_make_no_sense_are_named(
        self, client: Client, change: dict[str, str], said: str
    ) -> None:
        drop(client, ("houses.json", HOUSES))
        response = create(client, Upload.objects.get(), **change)
        assert response.status_code == 422
        assert said in response.content.decode()
        assert Job.objects.count() == 0

    def test_a_fault_elsewhere_does_not_make_the_chosen_system_wrong(self, client: Client) -> None:
        drop(client, ("a.tsv", GOOD_TSV.encode()))
        page = create(
            client, Upload.objects.get(), source_language="klingon", baseline="one"
        ).content.decode()
        assert "bad_language" in page
        assert "Select a valid choice" not in page
        assert '<option value="one" selected>one</option>' in page

    def test_hostile_text_is_shown_literally(self, client: Client) -> None:
        table = GOOD_TSV.replace("Good day", "<script>alert(1)</script> day").encode()
        drop(client, ("a.tsv", table))
        page = client.get(Upload.objects.get().get_absolute_url()).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page

    def test_an_upload_over_the_cap_is_refused_before_it_is_read(
        self, client: Client, settings: Settings
    ) -> None:
        settings.APPRAISE_MAX_UPLOAD = 1000
        response = drop(client, ("large.tsv", b"x" * 2000))
        assert response.status_code == 413
        assert Upload.objects.count() == 0

    def test_no_file_at_all_is_a_plain_answer(self, client: Client) -> None:
        response = client.post("/upload/", {})
        assert response.status_code == 422
        assert "there is no file" in response.content.decode().lower()
        assert 'class="loc"' not in response.content.decode()  # no place, and no dash for one

    def test_forms_need_their_token(self, alice: User) -> None:
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(alice)
        assert drop(strict, ("houses.json", HOUSES)).status_code == 403
        assert Upload.objects.count() == 0

    def test_only_those_who_may_create_enter_and_each_sees_their_own(self, client: Client) -> None:
        drop(client, ("houses.json", HOUSES))
        address = Upload.objects.get().get_absolute_url()
        assert Client().get("/upload/").status_code == 302
        stranger = Client()
        stranger.force_login(person("dora"))
        assert stranger.get("/upload/").status_code == 403
        other = Client()
        other.force_login(person("eve", may_create=True))
        assert other.get(address).status_code == 404
        assert other.post(address, {"discard": "1"}).status_code == 404

    @pytest.mark.django_db(transaction=True)
    def test_an_upload_can_be_found_again_and_discarded(self, client: Client) -> None:
        drop(client, ("houses.json", HOUSES))
        upload = Upload.objects.get()
        assert "houses.json" in client.get("/upload/").content.decode()
        client.post(upload.get_absolute_url(), {"discard": "1"})
        assert Upload.objects.count() == 0
        assert not (Path(settings.MEDIA_ROOT) / str(upload.pk)).exists()

    def test_samples_and_the_schema_can_be_fetched(self, client: Client) -> None:
        assert client.get("/schema/task.json").json()["title"] == "A task for Appraise"
        page = client.get("/upload/").content.decode()
        for path in SAMPLES.rglob("*"):
            if path.is_file():
                name = str(path.relative_to(SAMPLES))
                address = reverse("sample", args=[name])
                assert address in page
                assert b"".join(client.get(address).streaming_content) == path.read_bytes()  # type: ignore[attr-defined]
        assert client.get("/samples/../../manage.py").status_code == 404

    def test_samples_are_listed_under_the_format_that_an_upload_finds_in_them(self) -> None:
        titles = {name: title for title, names in samples() for name in names}
        found = {
            name: titles[name] for name in ("tmx/north.tmx", "xliff/north.xlf", "sgml/village.north.sgm")
        }
        assert list(found.values()) == ["TMX", "XLIFF", "WMT SGML"]
        assert titles["text/south.en.txt"] == titles["text/north-south.links"] == "plain parallel text"

    def test_pages_cost_a_constant_number_of_queries(self, client: Client) -> None:
        texts = sorted((SAMPLES / "text").iterdir())
        drop(client, *((path.name, path.read_bytes()) for path in texts))
        for address in (Upload.objects.get().get_absolute_url(), "/upload/"):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(address).status_code == 200
            assert len(queries) <= 10


class TestThePreview:
    def test_what_is_kept_of_an_item_is_the_item(self) -> None:
        for path in (SAMPLES / "task.json", SAMPLES / "phrases.tsv"):
            for item in read([SourceFile.from_path(path)]).items:
                kept = json.loads(json.dumps(asdict(item)))
                assert restore_item(kept) == item

    def test_long_sentences_are_aligned_by_a_job_and_never_by_the_page(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        address = drop(client, ("long.tsv", long_sentences(700))).url
        client.post(address, settings_form())
        with monkeypatch.context() as in_the_request:
            in_the_request.setattr(Planner, "plan", explode)
            page = client.get(address).content.decode()
            assert "their preview is computed in the background" in page
            assert 'name="create"' in page, "nobody has to wait for it"
            assert client.get(reverse("upload-try", args=[Upload.objects.get().pk, 1])).status_code == 404
            client.get(address)
            assert Job.objects.filter(kind="check", state=Job.State.WAITING).count() == 1
        work()
        monkeypatch.setattr(Planner, "plan", explode)
        page = client.get(address).content.decode()
        assert 'class="ph p1"' in page
        assert "the background" not in page
        assert client.get(reverse("upload-try", args=[Upload.objects.get().pk, 1])).status_code == 200
        client.post(address, settings_form(name="Other", overlap="5"))
        assert 'class="ph p1"' in client.get(address).content.decode(), "these settings align nothing"
        client.post(address, settings_form(moved="shown"))
        assert "their preview is computed in the background" in client.get(address).content.decode()

    def test_a_job_for_older_settings_is_cancelled(self, client: Client) -> None:
        address = drop(client, ("long.tsv", long_sentences(700))).url
        client.get(address)
        client.post(address, settings_form(moved="shown"))
        client.get(address)
        assert list(Job.objects.order_by("created_at").values_list("state", flat=True)) == [
            Job.State.CANCELLED,
            Job.State.WAITING,
        ]

    @pytest.mark.parametrize("at_once", [0, uploads.CHECK_AT_ONCE])
    def test_a_check_that_failed_says_so_and_is_repeated_on_request_only(
        self, client: Client, monkeypatch: pytest.MonkeyPatch, at_once: int
    ) -> None:
        monkeypatch.setattr(uploads, "CHECK_AT_ONCE", at_once)
        address = drop(client, ("long.tsv", long_sentences(700))).url
        client.get(address)
        with monkeypatch.context() as broken:
            broken.setattr(uploads, "read_upload", explode)
            broken.setattr(Planner, "plan", explode)
            work()
        for _ in range(2):
            page = client.get(address)
            assert page.status_code == 200
            assert (page.context["failed"].kind, page.context["failed"].state) == ("check", Job.State.FAILED)
        assert Job.objects.count() == 1
        assert client.post(address, {**settings_form(), "save": "1"}).status_code == 302
        client.get(address)
        work()
        assert 'class="ph p1"' in client.get(address).content.decode()

    def test_a_cancelled_check_leads_back_to_its_files(self, client: Client) -> None:
        address = drop(client, ("long.tsv", long_sentences(700))).url
        client.get(address)
        response = client.post(reverse("cancel-job", args=[Job.objects.get().pk]))
        assert response["Location"] == address
        failed = client.get(address).context["failed"]
        assert (failed.kind, failed.state) == ("check", Job.State.CANCELLED)

    @pytest.mark.parametrize(
        ("aligner", "judging", "words", "systems", "pairs"),
        [
            ("lexical", "pairs", 2_000, 100, 1),
            ("lexical", "pairs", 100, 100, 378),
            ("lexical", "places", 2_000, 3, 0),
            ("lexical", "places", 1_000, 100, 3),
            ("statistical", "pairs", 2_000, 2, 0),
            ("statistical", "pairs", 600, 100, 1),
        ],
    )
    def test_a_preview_aligns_no_more_than_it_may(
        self, aligner: str, judging: str, words: int, systems: int, pairs: int
    ) -> None:
        names = [f"s{n}" for n in range(systems)]
        item = ImportedItem(
            "1", "eins", tuple(ImportedCandidate(name, "w " * words) for name in names), SourcePosition("x")
        )
        chosen = task_settings.TaskSettings("x", "four-way", aligner=aligner, judging=judging)
        compared = [(item, pairs_) for pairs_ in chosen.system_pairs([item])] * 2
        kept = [len(kept) for _, kept in upload_previews.select_affordable(compared, chosen)]
        assert kept[:1] == ([pairs] if pairs else [])
        assert sum(kept) * words**2 <= upload_previews.MAX_CELLS

    def test_sentences_that_are_too_long_are_named(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(upload_previews, "CELLS_AT_ONCE", 1_000_000)
        monkeypatch.setattr(upload_previews.select_affordable, "__defaults__", (1000,))
        address = drop(client, ("long.tsv", long_sentences(50))).url
        assert "too long for a preview" in client.get(address).content.decode()


def long_sentences(words: int, systems: int = 2) -> bytes:
    names = [f"s{n}" for n in range(systems)]
    rows = ["\t".join(["id", "source", *names])]
    for item in range(2):
        texts = [" ".join(f"w{n}" if n % 9 else f"{name}x{n}" for n in range(words)) for name in names]
        rows.append("\t".join([str(item), "eins", *texts]))
    return ("\n".join(rows) + "\n").encode()


@pytest.mark.django_db(transaction=True)
class TestTheImport:
    def begun(self, client: Client, **changes: str) -> Job:
        drop(client, ("houses.json", HOUSES))
        response = create(client, Upload.objects.get(), **changes)
        assert response.status_code == 302, response.content.decode()[-3000:]
        return Job.objects.get(kind="import")

    def test_confirming_makes_the_task_and_leads_to_it(self, client: Client, alice: User) -> None:
        job = self.begun(client, checks="10", repeats="10", instructions="Slowly.")
        address = f"/upload/{job.arguments['upload']}/"
        assert "Import Houses" in client.get(address).content.decode()
        work()
        task = Task.objects.get()
        job.refresh_from_db()
        assert (job.state, job.task, task.state) == (Job.State.DONE, task, Task.State.OPEN)
        assert (task.scheme_name, task.instructions, task.checks) == ("four-way", "Slowly.", 10)
        assert task.items.count() == 4
        assert client.get(address).url == task.get_absolute_url()  # type: ignore[attr-defined]
        assert Upload.objects.count() == 0
        assert list(Path(settings.MEDIA_ROOT).glob(f"{job.arguments['upload']}*")) == []
        assert Membership.objects.filter(user=alice, role=Role.MANAGER, campaign=task.campaign).exists()
        assert AuditEntry.objects.get().target == f"task {task.slug}"

    def test_an_upload_can_be_split_into_tasks_of_a_campaign(self, client: Client) -> None:
        job = self.begun(client, split="3", campaign="Spring study")
        work()
        job.refresh_from_db()
        assert job.result["tasks"] == ["houses-part-1", "houses-part-2"]
        assert Campaign.objects.get().name == "Spring study"
        assert [task.items.count() for task in Task.objects.order_by("slug")] == [3, 1]

    def test_somebody_elses_campaign_is_not_to_be_had(self, client: Client) -> None:
        Campaign.objects.create(slug="theirs", name="Theirs")
        drop(client, ("houses.json", HOUSES))
        response = create(client, Upload.objects.get(), campaign="Theirs")
        assert response.status_code == 422
        assert "not_yours" in response.content.decode()

    def test_campaigns_whose_names_have_no_latin_letters_are_not_one(self, client: Client) -> None:
        Campaign.objects.create(slug="campaign", name="Новости")
        self.begun(client, campaign="日本語")
        work()
        assert Task.objects.get().campaign.name == "日本語"
        assert sorted(Campaign.objects.values_list("slug", flat=True)) == ["campaign", "campaign-2"]

    def test_a_campaign_is_found_by_its_slug(self, client: Client, alice: User) -> None:
        mine = Campaign.objects.create(slug="spring-study", name="Spring study")
        mine.memberships.create(user=alice, role=Role.MANAGER)
        self.begun(client, campaign="spring-study")
        work()
        assert Task.objects.get().campaign == mine

    def test_of_two_who_press_create_at_once_the_second_finds_the_job_of_the_first(
        self, client: Client
    ) -> None:
        drop(client, ("houses.json", HOUSES))
        outcome = uploads.get_check(Upload.objects.get())
        assert outcome is not None
        pressed = [Upload.objects.get() for _ in range(2)]  # neither knows of the other
        options = task_settings.TaskSettings(name="Houses", scheme="four-way")
        first, second = (import_job.begin_import(upload, outcome, options) for upload in pressed)
        assert first == second == Job.objects.get(kind="import")

    def test_pressing_create_twice_makes_one_task(self, client: Client) -> None:
        job = self.begun(client)
        create(client, Upload.objects.get())
        assert Job.objects.filter(kind="import").get() == job
        work()
        assert Task.objects.count() == 1

    @pytest.mark.parametrize("split", ["", "2"])
    def test_an_import_that_was_killed_goes_on(
        self, client: Client, monkeypatch: pytest.MonkeyPatch, split: str
    ) -> None:
        monkeypatch.setattr(importing, "CHUNK", 1)
        job = self.begun(client, split=split)
        progress = Killed(after=3)
        with pytest.raises(KeyboardInterrupt):
            import_job.run_import(job, progress)  # type: ignore[arg-type]  # a stand-in
        assert Task.objects.filter(state=Task.State.IMPORTING).exists()
        assert Item.objects.count() == 3
        work()
        job.refresh_from_db()
        assert job.state == Job.State.DONE
        assert Item.objects.count() == 4
        assert set(Task.objects.values_list("state", flat=True)) == {Task.State.OPEN}
        assert Task.objects.count() == (2 if split else 1)

    def test_a_worker_that_died_at_the_very_end_is_logged_once(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        job = self.begun(client)
        with monkeypatch.context() as dying:
            dying.setattr(Upload, "discard", lambda upload: sys.exit("killed"))
            with pytest.raises(SystemExit):
                import_job.run_import(job, Killed(after=99))  # type: ignore[arg-type]  # a stand-in
        work()
        assert AuditEntry.objects.filter(action="import").count() == 1

    def test_cancelling_an_import_leads_back_to_its_files(self, client: Client, alice: User) -> None:
        drop(client, ("houses.json", HOUSES))
        upload = Upload.objects.get()
        create(client, upload)
        job = Job.objects.get()
        answer = client.post(reverse("cancel-job", args=[job.pk]), follow=True)
        assert answer.redirect_chain == [(upload.get_absolute_url(), 302)]
        assert answer.context["failed"].state == Job.State.CANCELLED
        page = client.get(job.get_absolute_url()).content.decode()
        assert upload.get_absolute_url() in page
        assert "Waiting for a worker" not in page

    def test_a_cancelled_import_leaves_the_upload_and_nothing_else(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(importing, "CHUNK", 1)
        monkeypatch.setattr(jobs, "SAVE_EVERY_SECONDS", 0)
        job = self.begun(client)
        Job.objects.filter(pk=job.pk).update(cancel_requested=True)
        work()
        job.refresh_from_db()
        assert job.state == Job.State.CANCELLED
        assert (Task.objects.count(), Item.objects.count(), Campaign.objects.count()) == (0, 0, 0)
        page = client.get(Upload.objects.get().get_absolute_url())
        assert page.context["failed"].state == Job.State.CANCELLED
        assert create(client, Upload.objects.get()).status_code == 302
        work()
        assert Task.objects.get().items.count() == 4

    def test_an_upload_whose_workers_died_is_discarded_with_what_they_left(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(importing, "CHUNK", 1)
        job = self.begun(client)
        with pytest.raises(KeyboardInterrupt):
            import_job.run_import(job, Killed(after=3))  # type: ignore[arg-type]  # a stand-in
        Job.objects.filter(pk=job.pk).update(state=Job.State.FAILED)
        assert client.post(Upload.objects.get().get_absolute_url(), {"discard": "yes"}).status_code == 302
        assert (Upload.objects.count(), Task.objects.count(), Campaign.objects.count()) == (0, 0, 0)

    def test_a_failed_import_says_so_and_can_be_tried_again(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        job = self.begun(client)
        with monkeypatch.context() as broken:
            broken.setattr(importing, "store_parts", explode)
            work()
        job.refresh_from_db()
        assert job.state == Job.State.FAILED
        assert Task.objects.count() == 0
        page = client.get(Upload.objects.get().get_absolute_url())
        assert page.context["failed"].state == Job.State.FAILED
        create(client, Upload.objects.get())
        work()
        assert Task.objects.get().state == Task.State.OPEN

    def test_a_task_that_is_open_outlives_the_failure_of_its_job(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Somebody may have answered it by then."""
        job = self.begun(client)
        with monkeypatch.context() as broken:
            broken.setattr(import_job, "_finish", explode)
            work()
        job.refresh_from_db()
        assert (job.state, Task.objects.get().state) == (Job.State.FAILED, Task.State.OPEN)
        assert create(client, Upload.objects.get()).status_code == 409
        assert Task.objects.get().items.count() == 4

    def test_a_large_upload_is_checked_in_the_background(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uploads, "CHECK_AT_ONCE", 100)
        response = drop(client, ("houses.json", HOUSES))
        address = response.url
        assert "the check runs in the background" in client.get(address).content.decode()
        assert client.get(address).content.decode().count("Check houses.json") >= 1
        assert Job.objects.filter(kind="check").count() == 1
        work()
        assert "JSON · 4 sentences" in client.get(address).content.decode()

    @pytest.mark.slow
    def test_200_000_items_are_checked_in_the_background(self, client: Client) -> None:
        with many(200_000)()[0].opener() as file:
            response = drop(client, ("many.tsv", file.read()))
        assert "the check runs in the background" in client.get(response.url).content.decode()
        work()
        assert "200000 sentences" in client.get(response.url).content.decode().replace(",", "")


class Killed:
    """A worker that dies in the middle."""

    def __init__(self, after: int) -> None:
        self.after = after

    def update(self, done: int, total: int, message: str = "") -> None:
        if done == self.after:
            raise KeyboardInterrupt


def test_the_problems_of_an_upload_are_a_file_for_a_spreadsheet(client: Client) -> None:
    drop(client, ("bad.tsv", b"id\tsource\ta\tb\n1\teins\tone\n2\tzwei\t=two\ttwo\textra\n"))
    upload = Upload.objects.get()
    address = reverse("upload-problems", args=[upload.pk])
    assert address in client.get(upload.get_absolute_url()).content.decode()
    response = client.get(address)
    assert response["Content-Disposition"] == 'attachment; filename="problems.csv"'
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [(row["kind"], row["file"], row["line"]) for row in rows] == [
        ("fault", "bad.tsv", "2"),
        ("fault", "bad.tsv", "3"),
    ]
    assert all(row["code"] and row["message"] and row["remedy"] for row in rows)
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


@pytest.mark.parametrize("judging", ["pairs", "places"])
def test_the_first_sentences_can_be_tried_and_nothing_is_stored(client: Client, judging: str) -> None:
    rows = (
        "id\tsource\ta\tb\tc",
        "1\teins\tthe red house\tthe blue house\tan old house",
        "2\tzwei\tyes\tno\tso",
    )
    table = "\n".join(rows) + "\n"
    drop(client, ("set.tsv", table.encode()))
    upload = Upload.objects.get()
    client.post(upload.get_absolute_url(), settings_form(judging=judging, instructions="Be kind."))
    page = client.get(upload.get_absolute_url()).content.decode()
    assert reverse("upload-try", args=[upload.pk, 1]) in page
    first = client.get(reverse("upload-try", args=[upload.pk, 1])).content.decode()
    assert 'method="post"' not in first.split("<main", 1)[1].split("</main>")[0]
    assert "Be kind." in first
    assert first.count("<fieldset") == (1 if judging == "places" else first.count('class="scale'))
    assert reverse("upload-try", args=[upload.pk, 2]) in first
    last = client.get(reverse("upload-try", args=[upload.pk, 2])).content.decode()
    assert f'href="{upload.get_absolute_url()}"' in last
    assert client.get(reverse("upload-try", args=[upload.pk, 3])).status_code == 404
    assert not Task.objects.exists()


def explode(*args: object, **kwargs: object) -> Iterator[None]:
    raise RuntimeError("the disk is full")
