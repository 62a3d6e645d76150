"""Every bad file meets the same answer at every door: refused whole, with its code, and nothing stored.

A door takes a case and says how it was answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from evaluation.importers import FileRole, SourceFile
from evaluation.management.commands import import_task
from evaluation.models import ApiToken, Campaign, Item, Job, Task, Upload, User
from evaluation.people.api_tokens import create_token
from evaluation.tasks.services import uploads
from tests.importers.bad_inputs import CASES, BadInput

LARGE = "200,000 items"  # accepted in the background; see test_upload


@dataclass(frozen=True)
class Answer:
    """How a door answered: ``status`` as HTTP would say it, what was said, whether the import may go on."""

    status: int
    text: str
    accepted: bool
    warnings: str = ""


@dataclass
class Doors:
    """What the doors need: a signed-in browser, a folder, and a way to lower the caps."""

    client: Client
    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]


@pytest.fixture
def doors(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Doors:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_user("alice", may_create=True))
    return Doors(client, tmp_path, monkeypatch, capsys)


def by_page(doors: Doors, case: BadInput) -> Answer:
    """Drop the files, say what they are, press “Create”."""
    doors.monkeypatch.setattr(uploads, "LIMITS", case.limits)
    files = case.files()
    response = doors.client.post("/upload/", {"files": [incoming(file) for file in files]})
    upload = Upload.objects.first()
    if upload is not None:
        response = doors.client.post(upload.get_absolute_url(), form(case, files, upload))
    text = response.content.decode()
    accepted = response.status_code == 302 and Job.objects.filter(kind="import").exists()
    warnings = json.dumps(Upload.objects.get().settings["outcome"]["warnings"]) if accepted else ""
    return Answer(response.status_code, text, accepted, warnings)


def incoming(file: SourceFile) -> SimpleUploadedFile:
    with file.opener() as opened:
        return SimpleUploadedFile(file.name or "nameless", opened.read())


def form(case: BadInput, files: list[SourceFile], upload: Upload) -> dict[str, str]:
    given = {
        "create": "1", "name": "Bad", "scheme": "six-way", "shows": "source", "overlap": "2",
        "aligner": "exact", "design": "all", "dedup": "item", "moved": "ranked", "order": "document",
        "checks": "0", "repeats": "0", "seed": "1", "format": case.format,
        "source_language": case.options.source_language, "link_base": str(case.options.link_base),
        "empty": case.options.empty,
    }  # fmt: skip
    for row, file in zip(upload.files.all(), files, strict=True):
        given[f"role-{row.position}"] = file.role
        given[f"systems-{row.position}"] = ", ".join(file.systems)
    return given


def by_command(doors: Doors, case: BadInput) -> Answer:
    doors.monkeypatch.setattr(import_task, "COMMAND_LINE", case.limits)
    arguments = ["--name", "Bad", "--scheme", "six-way", "--aligner", "exact", "--format", case.format]
    arguments += ["--link-base", str(case.options.link_base)]
    if case.options.source_language:
        arguments += ["--source-lang", case.options.source_language]
    options = {FileRole.SOURCE: "--source", FileRole.ALIGNMENTS: "--alignments"}
    for number, file in enumerate(case.files()):
        path = doors.folder / f"{number}-{len(file.name)}"
        with file.opener() as opened:
            path.write_bytes(opened.read())
        if file.role is FileRole.SYSTEM:
            arguments += ["--system", f"{file.systems[0]}={path}"]
        elif file.role is FileRole.ITEMS:
            arguments.insert(0, str(path))
        else:
            arguments += [options[file.role], str(path)]
    try:
        call_command("import_task", *arguments)
    except CommandError as error:
        return Answer(400 if error.returncode == 2 else 500, str(error), accepted=False)
    printed = doors.capsys.readouterr().out
    return Answer(200, printed, accepted=True, warnings=json.dumps(json.loads(printed)["warnings"]))


def by_api(doors: Doors, case: BadInput) -> Answer:
    """One request with a key; what the files are is read from their names."""
    doors.monkeypatch.setattr(uploads, "LIMITS", case.limits)
    _, secret = create_token(User.objects.get(), name="doors", scope=ApiToken.Scope.WRITE)
    given = {
        "name": "Bad", "scheme": "six-way", "aligner": "exact", "format": case.format,
        "source_language": case.options.source_language, "link_base": str(case.options.link_base),
        "empty": case.options.empty, "files": [incoming(file) for file in case.files()],
    }  # fmt: skip
    response = Client(raise_request_exception=False).post(
        "/api/uploads", given, headers={"Authorization": f"Bearer {secret}"}
    )
    accepted = response.status_code == 202
    warnings = json.dumps(Upload.objects.get().settings["outcome"]["warnings"]) if accepted else ""
    return Answer(response.status_code, response.content.decode(), accepted, warnings)


ENTRIES: dict[str, Callable[[Doors, BadInput], Answer]] = {
    "page": by_page,
    "command": by_command,
    "API": by_api,
}


# All entries store files by the same services: on a second database one of them is enough.
MARKED = [pytest.param(entry, marks=[] if entry == "page" else pytest.mark.any_database) for entry in ENTRIES]


def stored() -> list[int]:
    imports = Job.objects.filter(kind="import").count()
    return [imports, *(model.objects.count() for model in (Campaign, Task, Item))]


REFUSED = [case for case in CASES if case.stage == "read" and case.code]
ACCEPTED = [case for case in CASES if case.stage == "read" and not case.code and case.title != LARGE]


@pytest.mark.parametrize("entry", MARKED)
@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_a_bad_file_is_refused_whole_with_its_code(doors: Doors, case: BadInput, entry: str) -> None:
    answer = ENTRIES[entry](doors, case)
    assert 400 <= answer.status < 500
    assert not answer.accepted
    assert str(case.code) in answer.text
    assert stored() == [0, 0, 0, 0]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("case", ACCEPTED, ids=str)
def test_an_odd_file_is_accepted_with_its_warning(doors: Doors, case: BadInput, entry: str) -> None:
    answer = ENTRIES[entry](doors, case)
    assert answer.accepted, answer.text[-2000:]
    assert (case.warning or "") in answer.warnings


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_same_content_twice_is_refused(doors: Doors, entry: str) -> None:
    case = next(case for case in CASES if case.number == 55)
    by_command(doors, case)
    Campaign.objects.get().memberships.create(user=User.objects.get(), role="manager")
    before = stored()
    answer = ENTRIES[entry](doors, case)
    assert 400 <= answer.status < 500
    assert "already_imported" in answer.text
    assert stored() == before


def test_every_case_of_the_table_is_tried_here_or_in_the_background() -> None:
    tried = {case.number for case in (*REFUSED, *ACCEPTED)} | {54, 55}
    assert tried == set(range(1, 58))
