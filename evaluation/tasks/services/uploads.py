"""Uploaded files before they become a task: stored under generated names and checked completely.

Files are kept until the task exists, so that nothing has to be chosen twice. Small uploads are checked while
the user waits, large ones by a job (``check_job``); the result is stored with the upload.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

from django.core.files.uploadedfile import UploadedFile as DjangoFile
from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from appraise.lib.digests import text_digest
from appraise.lib.problems import InputError, Problem
from evaluation import jobs
from evaluation.importers import (
    BROWSER,
    FileRole,
    GivenPhrase,
    ImportedCandidate,
    ImportedItem,
    ImportedSet,
    ImportOptions,
    PairLinks,
    PairPhrases,
    SourceFile,
    SourcePosition,
    detect,
    guess_role,
    languages,
    read,
    strip_shared_parts,
)
from evaluation.models import Job, Upload, UploadedFile, User

Incoming: TypeAlias = "DjangoFile[bytes]"
LIMITS = BROWSER
CHECK_AT_ONCE = 4 * 1024 * 1024
KEPT_FOR = timedelta(days=30)
SAMPLE_ITEMS, SAMPLE_CHARACTERS = 10, 200_000
OPTION_FIELDS = (
    *("format", "source_language", "target_language", "link_base", "empty", "incomplete"),
    "replace_controls",
    "assess",
)
_LINKS_WORDS = ("align", "links", "pharaoh", ".a3")


@dataclass(frozen=True, slots=True)
class UploadCheck:
    """The result of checking an upload, stored with it so that the page need not read the files again."""

    format: str = ""
    items: int = 0
    systems: list[str] = field(default_factory=list)
    digest: str = ""
    source_language: str = ""
    target_language: str = ""
    name: str = ""
    # What can be shown above the candidates, because every sentence has it.
    tops: list[str] = field(default_factory=lambda: ["source"])
    judgements: int = 0
    assessments: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[dict[str, Any]] = field(default_factory=list)
    sample: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not self.problems


# --- files -------------------------------------------------------------------------------------------------


def create_upload(owner: User, files: Sequence[Incoming]) -> Upload:
    """Store files; raises ``InputError`` before anything is stored if there are none or too large ones."""
    refuse_too_large(files)
    if not files:
        raise InputError.of("empty_file", "there is no file", "choose one or more files")
    idle = Q(job=None) | Q(job__state__in=Job.OVER)
    for old in owner.uploads.filter(idle, created_at__lt=timezone.now() - KEPT_FOR):
        old.discard()
    with _delete_unless_committed() as made, transaction.atomic():
        upload = Upload.objects.create(owner=owner)
        made.append(upload.folder())
        add_files(upload, files)
    return upload


def refuse_too_large(files: Iterable[Incoming]) -> None:
    cap = LIMITS.max_bytes
    large = [file for file in files if (file.size or 0) > cap]
    if large:
        raise InputError(
            Problem(
                "too_large",
                f"the file has {file.size or 0:,} bytes; at most {cap:,} are accepted",
                "split it, or import it from the command line",
                str(file.name)[:300],
            )
            for file in large
        )


def add_files(upload: Upload, files: Sequence[Incoming]) -> None:
    """Add all files, or none. A file replaces an earlier one with the same name."""
    refuse_too_large(files)
    with _delete_unless_committed() as made, transaction.atomic():
        _add_files(upload, files, made)


def _add_files(upload: Upload, files: Sequence[Incoming], made: list[Path]) -> None:
    position = (upload.files.aggregate(n=Max("position"))["n"] or 0) + 1
    for number, file in enumerate(files, position):
        name = (file.name or "")[:300]
        path = upload.folder() / secrets.token_hex(16)
        made.append(path)
        with path.open("wb") as target:
            for chunk in file.chunks():
                target.write(chunk)
        replaced = upload.files.filter(name=name).first()
        if replaced:
            _unlink_later(upload.folder() / replaced.path)
            UploadedFile.objects.filter(pk=replaced.pk).update(path=path.name, size=file.size or 0)
            continue
        role, systems = _guess_role(name, path)
        upload.files.create(
            position=number, name=name, path=path.name, size=file.size or 0, role=role, systems=systems
        )
    _name_systems(upload)


def _name_systems(upload: Upload) -> None:
    """Shorten the names that were guessed from those of files: the parts that all share are no names."""
    files = [
        file
        for file in upload.files.filter(role=FileRole.SYSTEM)
        if file.systems == [guess_role(file.name)[1]]
    ]
    for file, name in zip(files, strip_shared_parts([file.systems[0] for file in files]), strict=True):
        if file.systems != [name]:
            file.systems = [name]
            file.save(update_fields=["systems"])


def remove_file(upload: Upload, position: str) -> None:
    """Remove the file at this position (as text from a form), if there is one."""
    for file in upload.files.all():
        if str(file.position) == position:
            _unlink_later(upload.folder() / file.path)
            file.delete()


def set_roles(upload: Upload, roles: dict[int, tuple[str, list[str]]]) -> None:
    for file in upload.files.all():
        role, systems = roles.get(file.position, (file.role, file.systems))
        if (role, systems) != (file.role, file.systems):
            UploadedFile.objects.filter(pk=file.pk).update(role=role, systems=systems)


def store_parts(upload: Upload, **parts: object) -> None:
    """Store these parts of ``settings``, such as the ``values`` of the form.

    A job may store others at the same time.
    """
    with transaction.atomic():
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        locked.settings |= parts
        locked.save(update_fields=["settings"])
    upload.settings = locked.settings


def open_sources(upload: Upload) -> list[SourceFile]:
    """Return the files in the form that importers read."""
    folder = upload.folder()
    return [
        replace(SourceFile.from_path(folder / file.path, FileRole(file.role), *file.systems), name=file.name)
        for file in upload.files.all()
    ]


def _guess_role(name: str, path: Path) -> tuple[str, list[str]]:
    """Guess the role of a plain text file by its name; other formats are self-describing."""
    try:
        detected = detect([SourceFile.from_path(path)], limits=LIMITS).name
    except InputError:
        return FileRole.ITEMS, []
    if detected != "text":
        return FileRole.ITEMS, []
    if any(word in name.lower() for word in _LINKS_WORDS):
        return FileRole.ALIGNMENTS, []
    role, system = guess_role(name)
    return role, [system] if system else []


def suggest_name(upload: Upload) -> str:
    """Return a name for the task from the first file that is no system output, because annotators see it."""
    files, named = list(upload.files.all()), (FileRole.ITEMS, FileRole.SOURCE, FileRole.REFERENCE)
    names = [file.name for role in named for file in files if file.role == role]
    return names[0].split(".")[0][:150] if names else ""


def guess_languages(upload: Upload) -> tuple[str, str]:
    """Guess source and target language from file names such as ``news.de.txt`` and ``system.en``."""
    languages_by_side: dict[str, str] = {}
    for file in upload.files.all():
        parts = file.name.lower().removesuffix(".txt").split(".")
        code = languages.normalise(parts[-1]) if len(parts) > 1 and len(parts[-1]) in (2, 3) else None
        if code and languages.is_known(code):  # any three letters may be a language, but also an extension
            languages_by_side.setdefault("source" if file.role == FileRole.SOURCE else "target", code)
    texts = all(file.role != FileRole.ITEMS for file in upload.files.all())
    return (languages_by_side.get("source", ""), languages_by_side.get("target", "")) if texts else ("", "")


# --- checking ----------------------------------------------------------------------------------------------


def get_check(upload: Upload) -> UploadCheck | None:
    """Return the check of the upload in its current state; a small upload is checked now.

    ``None`` if it is left to a job (``upload.job``), which may be running or have failed.
    """
    if (stored := load_check(upload)) is not None:
        return stored
    if sum(file.size for file in upload.files.all()) <= CHECK_AT_ONCE:
        return check_upload(upload)
    begin_check(upload, fingerprint(upload))
    return None


def load_check(upload: Upload) -> UploadCheck | None:
    """Return the stored check if the files and options are still the same."""
    stored = upload.settings.get("outcome")
    is_current = stored and upload.settings.get("checked") == fingerprint(upload)
    return UploadCheck(**stored) if is_current else None


def begin_check(upload: Upload, key: str) -> None:
    """Enqueue the job that checks an upload and computes its preview.

    ``key`` identifies what it computes. A job for the same key is kept unless it is done. One that failed
    would probably fail again, so a new attempt takes ``retry_check``.
    """
    job = upload.job
    if job is not None and job.kind == "check":
        if job.arguments.get("key") == key and job.state != Job.State.DONE:
            return
        jobs.cancel_job(job)  # of older files or settings
    names = ", ".join(file.name for file in upload.files.all())
    title = _("Check %(files)s") % {"files": names}
    upload.job = jobs.enqueue("check", title, owner=upload.owner, upload=str(upload.pk), key=key)
    upload.save(update_fields=["job"])


def retry_check(upload: Upload) -> None:
    """Let the next ``begin_check`` enqueue a job even if the last one failed or was cancelled."""
    if upload.job is not None and upload.job.kind == "check" and upload.job.is_over:
        upload.job = None
        upload.save(update_fields=["job"])


def check_upload(upload: Upload) -> UploadCheck:
    """Read the files completely and store the result."""
    checked = fingerprint(upload)
    try:
        outcome = _make_check(read_upload(upload))
    except InputError as error:
        outcome = UploadCheck(problems=[problem.as_dict() for problem in error.problems])
    store_parts(upload, outcome=asdict(outcome), checked=checked)
    return outcome


def read_upload(upload: Upload) -> ImportedSet:
    values = upload.settings.get("values", {})
    return read(
        open_sources(upload),
        format=values.get("format") or "auto",
        limits=LIMITS,
        options=ImportOptions(
            source_language=values.get("source_language", ""),
            target_language=values.get("target_language", ""),
            link_base=1 if values.get("link_base") == "1" else 0,
            empty=values["empty"] if values.get("empty") in ("keep", "skip") else "refuse",
            incomplete=bool(values.get("incomplete")),
            controls="replace" if values.get("replace_controls") else "refuse",
            one_system=bool(values.get("assess")),
        ),
    )


def _make_check(imported: ImportedSet) -> UploadCheck:
    sample: list[ImportedItem] = []
    characters = 0
    # What every sentence has can be shown above the candidates; otherwise an empty source is shown.
    tops = {"source", "reference"}
    for item in imported.items:
        if len(sample) < SAMPLE_ITEMS and (not sample or characters < SAMPLE_CHARACTERS):
            sample.append(item)
            characters += sum(len(candidate.text) for candidate in item.candidates)
        tops -= set() if item.source else {"source"}
        tops -= set() if item.references else {"reference"}
        if not tops and len(sample) == SAMPLE_ITEMS:
            break
    return UploadCheck(
        format=imported.format,
        items=len(imported.items),
        systems=list(imported.systems),
        digest=imported.digest,
        source_language=imported.source_language,
        target_language=imported.target_language,
        name=imported.name,
        tops=sorted(tops, reverse=True) or ["source"],
        judgements=len(imported.judgements),
        assessments=imported.evidence.count if imported.evidence else 0,
        warnings=[warning.as_dict() for warning in imported.warnings],
        sample=[asdict(item) for item in sample],
    )


def restore_item(kept: dict[str, Any]) -> ImportedItem:
    """Return an item that was stored with the upload."""
    fields = dict(kept)
    fields["position"] = SourcePosition(*fields["position"])
    fields["candidates"] = tuple(ImportedCandidate(*candidate) for candidate in fields["candidates"])
    fields["damaged"] = tuple(ImportedCandidate(*copy) for copy in fields["damaged"])
    fields["references"] = tuple(fields["references"])
    fields["links"] = tuple(
        PairLinks(a, b, tuple((i, j) for i, j in links)) for a, b, links in fields["links"]
    )
    fields["phrases"] = tuple(
        PairPhrases(a, b, tuple(GivenPhrase(*map(_restore_span, phrase)) for phrase in phrases))
        for a, b, phrases in fields["phrases"]
    )
    return ImportedItem(**fields)


def _restore_span(kept: list[int] | None) -> tuple[int, int] | None:
    return None if kept is None else (kept[0], kept[1])


def fingerprint(upload: Upload) -> str:
    """Return a digest of what the check depends on: files, roles and options."""
    values = upload.settings.get("values", {})
    files = [(file.path, file.role, file.systems) for file in upload.files.all()]
    return text_digest(repr(files), repr([values.get(name, "") for name in OPTION_FIELDS]))


@contextmanager
def _delete_unless_committed() -> Iterator[list[Path]]:
    """Delete the files in the yielded list if the transaction is not committed."""
    made: list[Path] = []
    try:
        yield made
    except BaseException:
        for path in made:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        raise


def _unlink_later(path: Path) -> None:
    transaction.on_commit(lambda: path.unlink(missing_ok=True))
