"""The files of an upload go when the database says so for good, and not before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from evaluation.models import Job, Upload
from evaluation.tasks.services import uploads
from tests.database.conftest import person

pytestmark = pytest.mark.django_db(transaction=True)


def dropped(text: bytes) -> list[SimpleUploadedFile]:
    return [SimpleUploadedFile("houses.en", text)]


@pytest.fixture
def upload(settings: Settings, tmp_path: Path) -> Upload:
    settings.MEDIA_ROOT = tmp_path
    return uploads.create_upload(person("alice", may_create=True), dropped(b"A house\n"))


CHANGES: dict[str, Callable[[Upload], None]] = {
    "discard": Upload.discard,
    "remove": lambda upload: uploads.remove_file(upload, "1"),
    "replace": lambda upload: uploads.add_files(upload, dropped(b"A home\n")),
}


class RolledBack(Exception):
    """Something later in the same transaction failed."""


def undone(change: Callable[[Upload], None]) -> None:
    with transaction.atomic():
        change(Upload.objects.get())
        raise RolledBack


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_files_survive_a_change_that_is_rolled_back(upload: Upload, change: Callable[[Upload], None]) -> None:
    with pytest.raises(RolledBack):
        undone(change)
    (kept,) = uploads.open_sources(Upload.objects.get(pk=upload.pk))
    with kept.open(uploads.LIMITS) as file:
        assert file.read() == b"A house\n"


class Torn(SimpleUploadedFile):
    """A file whose second half never arrives."""

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        yield b"A"
        raise OSError("the line was cut")


def test_a_replacement_that_breaks_off_leaves_nothing_behind_and_the_old_file_in_place(
    upload: Upload, settings: Settings
) -> None:
    before = list((Path(settings.MEDIA_ROOT) / str(upload.pk)).iterdir())
    torn = [*dropped(b"A home\n"), Torn("more.en", b"A cottage\n")]
    with pytest.raises(OSError, match="cut"):
        uploads.add_files(upload, torn)
    (kept,) = uploads.open_sources(upload)
    assert list((Path(settings.MEDIA_ROOT) / str(upload.pk)).iterdir()) == before
    with kept.open(uploads.LIMITS) as file:
        assert file.read() == b"A house\n"


def test_an_upload_that_breaks_off_leaves_no_folder(upload: Upload, settings: Settings) -> None:
    with pytest.raises(OSError, match="cut"):
        uploads.create_upload(upload.owner, [Torn("more.en", b"A cottage\n")])
    assert [path.name for path in Path(settings.MEDIA_ROOT).iterdir()] == [str(upload.pk)]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_files_go_with_the_change_that_is_committed(
    upload: Upload, change: Callable[[Upload], None], settings: Settings
) -> None:
    (path,) = (Path(settings.MEDIA_ROOT) / str(upload.pk)).iterdir()
    with transaction.atomic():
        change(Upload.objects.get())
    assert not path.exists()


@pytest.mark.parametrize(
    ("state", "stays"),
    [(None, False), (Job.State.DONE, False), (Job.State.FAILED, False), (Job.State.WAITING, True)],
)
def test_an_upload_that_was_left_goes_after_a_month_unless_a_job_is_at_it(
    upload: Upload, settings: Settings, state: str | None, stays: bool
) -> None:
    job = Job.objects.create(kind="check", title="Check", state=state) if state else None
    Upload.objects.update(created_at=timezone.now() - uploads.KEPT_FOR - timedelta(days=1), job=job)
    uploads.create_upload(upload.owner, dropped(b"A cottage\n"))
    assert Upload.objects.filter(pk=upload.pk).exists() is stays
    assert (Path(settings.MEDIA_ROOT) / str(upload.pk)).exists() is stays
