"""Uploaded files before they become a task: stored under generated names and checked completely.

Files are kept until the task exists, so that nothing has to be chosen twice. Small uploads are checked while
the person waits, large ones by a job; the result is stored with the upload.
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

from django.conf import settings as site
from django.core.files.uploadedfile import UploadedFile as DjangoFile
from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from evaluation import jobs
from evaluation.digests import text_digest
from evaluation.importers import (
    BROWSER,
    Candidate,
    GivenPhrase,
    ImportedItem,
    ImportedSet,
    Options,
    PairLinks,
    PairPhrases,
    Place,
    Role,
    SourceFile,
    detect,
    guess_role,
    languages,
    read,
)
from evaluation.models import Job, Upload, UploadedFile, User
from evaluation.problems import InputError, Problem

Incoming: TypeAlias = "DjangoFile[bytes]"
LIMITS = BROWSER
CHECK_AT_ONCE = 4 * 1024 * 1024
KEPT_FOR = timedelta(days=30)
SAMPLE_ITEMS, SAMPLE_CHARACTERS = 10, 200_000
OPTION_FIELDS = ("format", "source_language", "target_language", "link_base", "empty", "incomplete")
_LINKS_WORDS = ("align", "links", "pharaoh", ".a3")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of checking an upload, stored with it so that the page need not read the files again."""

    format: str = ""
    items: int = 0
    systems: list[str] = field(default_factory=list)
    digest: str = ""
    source_language: str = ""
    target_language: str = ""
    name: str = ""
    # What can stand above the candidates: every sentence has it.
    tops: list[str] = field(default_factory=lambda: ["source"])
    judgements: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[dict[str, Any]] = field(default_factory=list)
    sample: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not self.problems


# --- files -------------------------------------------------------------------------------------------------


def new_upload(owner: User, files: Sequence[Incoming]) -> Upload:
    """Keep these files; raises ``InputError`` before anything is stored if they are none or too large."""
    refuse_too_large(files)
    if not files:
        raise InputError(Problem("empty_file", "there is no file", "choose one or more files"))
    idle = Q(job=None) | Q(job__state__in=Job.OVER)
    for old in owner.uploads.filter(idle, created_at__lt=timezone.now() - KEPT_FOR):
        discard(old)
    with _gone_unless_committed() as made, transaction.atomic():
        upload = Upload.objects.create(owner=owner)
        made.append(_folder(upload))
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
    """A file replaces an earlier one of the same name, so that a corrected file is simply dropped again.

    All of them or none.
    """
    refuse_too_large(files)
    with _gone_unless_committed() as made, transaction.atomic():
        _add_files(upload, files, made)


def _add_files(upload: Upload, files: Sequence[Incoming], made: list[Path]) -> None:
    position = (upload.files.aggregate(n=Max("position"))["n"] or 0) + 1
    for number, file in enumerate(files, position):
        name = (file.name or "")[:300]
        path = _folder(upload) / secrets.token_hex(16)
        made.append(path)
        with path.open("wb") as target:
            for chunk in file.chunks():
                target.write(chunk)
        replaced = upload.files.filter(name=name).first()
        if replaced:
            _unlink_later(_folder(upload) / replaced.path)
            UploadedFile.objects.filter(pk=replaced.pk).update(path=path.name, size=file.size or 0)
            continue
        role, systems = _guess(name, path)
        upload.files.create(
            position=number, name=name, path=path.name, size=file.size or 0, role=role, systems=systems
        )


def remove_file(upload: Upload, position: str) -> None:
    """Remove the file at this position (as text from a form), if there is one."""
    for file in upload.files.all():
        if str(file.position) == position:
            _unlink_later(_folder(upload) / file.path)
            file.delete()


def set_roles(upload: Upload, roles: dict[int, tuple[str, list[str]]]) -> None:
    for file in upload.files.all():
        role, systems = roles.get(file.position, (file.role, file.systems))
        if (role, systems) != (file.role, file.systems):
            UploadedFile.objects.filter(pk=file.pk).update(role=role, systems=systems)


def keep_values(upload: Upload, values: dict[str, str]) -> None:
    """Remember what was filled into the form, as text."""
    upload.settings = {**upload.settings, "values": values}
    upload.save(update_fields=["settings"])


def sources(upload: Upload) -> list[SourceFile]:
    """The files as importers read them."""
    folder = _folder(upload)
    return [
        replace(SourceFile.from_path(folder / file.path, Role(file.role), *file.systems), name=file.name)
        for file in upload.files.all()
    ]


def _guess(name: str, path: Path) -> tuple[str, list[str]]:
    """Guess the role of plain text by its file name; other formats describe themselves."""
    try:
        found = detect([SourceFile.from_path(path)], limits=LIMITS).name
    except InputError:
        return Role.ITEMS, []
    if found != "text":
        return Role.ITEMS, []
    if any(word in name.lower() for word in _LINKS_WORDS):
        return Role.ALIGNMENTS, []
    role, system = guess_role(name)
    return role, [system] if system else []


def stem(upload: Upload) -> str:
    """A default name for the task: that of the first file that is no system output (annotators see it)."""
    files, named = list(upload.files.all()), (Role.ITEMS, Role.SOURCE, Role.REFERENCE)
    names = [file.name for role in named for file in files if file.role == role]
    return names[0].split(".")[0][:150] if names else ""


def languages_by_name(upload: Upload) -> tuple[str, str]:
    """Source and target language as plain text files are often named: ``news.de.txt``, ``system.en``."""
    found: dict[str, str] = {}
    for file in upload.files.all():
        parts = file.name.lower().removesuffix(".txt").split(".")
        code = languages.normalise(parts[-1]) if len(parts) > 1 and len(parts[-1]) in (2, 3) else None
        if code:
            found.setdefault("source" if file.role == Role.SOURCE else "target", code)
    texts = all(file.role != Role.ITEMS for file in upload.files.all())
    return (found.get("source", ""), found.get("target", "")) if texts else ("", "")


def _folder(upload: Upload) -> Path:
    folder = Path(site.MEDIA_ROOT) / str(upload.pk)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


# --- checking ----------------------------------------------------------------------------------------------


def checked(upload: Upload) -> Outcome | None:
    """What is known about the upload as it stands; checks it now if it is small.

    ``None``: a job is at it (``upload.job``).
    """
    kept = upload.settings.get("outcome")
    if kept and upload.settings.get("checked") == _fingerprint(upload):
        return Outcome(**kept)
    if sum(file.size for file in upload.files.all()) <= CHECK_AT_ONCE:
        return check(upload)
    if upload.job is None or upload.job.is_over or upload.job.kind != "check":
        names = ", ".join(file.name for file in upload.files.all())
        title = _("Check %(files)s") % {"files": names}
        upload.job = jobs.enqueue("check", title, owner=upload.owner, upload=str(upload.pk))
        upload.save(update_fields=["job"])
    return None


def check(upload: Upload) -> Outcome:
    """Read the files from the first byte to the last and keep what was found."""
    fingerprint = _fingerprint(upload)
    try:
        outcome = _outcome(read_upload(upload))
    except InputError as error:
        outcome = Outcome(problems=[problem.as_dict() for problem in error.problems])
    # Only these fields: the person may have changed the form in the meantime.
    with transaction.atomic():
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        locked.settings |= {"outcome": asdict(outcome), "checked": fingerprint}
        locked.save(update_fields=["settings"])
    upload.settings = locked.settings
    return outcome


@jobs.handler("check")
def run_check(job: Job, progress: jobs.Progress) -> jobs.Result:
    upload = Upload.objects.filter(pk=job.arguments["upload"]).first()
    if upload is None:  # discarded meanwhile
        return {}
    progress.update(0, 1, gettext_noop("Every line is being checked."))
    outcome = check(upload)
    progress.update(1, 1, gettext_noop("Every line is being checked."))
    return {"items": outcome.items, "problems": len(outcome.problems)}


def read_upload(upload: Upload) -> ImportedSet:
    values = upload.settings.get("values", {})
    return read(
        sources(upload),
        format=values.get("format") or "auto",
        limits=LIMITS,
        options=Options(
            source_language=values.get("source_language", ""),
            target_language=values.get("target_language", ""),
            link_base=1 if values.get("link_base") == "1" else 0,
            empty=values["empty"] if values.get("empty") in ("keep", "skip") else "refuse",
            incomplete=bool(values.get("incomplete")),
        ),
    )


def _outcome(imported: ImportedSet) -> Outcome:
    sample: list[ImportedItem] = []
    characters = 0
    # What every sentence has and can be shown above the candidates; with nothing, an empty source is shown.
    tops = {"source", "reference"}
    for item in imported.items:
        if len(sample) < SAMPLE_ITEMS and (not sample or characters < SAMPLE_CHARACTERS):
            sample.append(item)
            characters += sum(len(candidate.text) for candidate in item.candidates)
        tops -= set() if item.source else {"source"}
        tops -= set() if item.references else {"reference"}
        if not tops and len(sample) == SAMPLE_ITEMS:
            break
    return Outcome(
        format=imported.format,
        items=len(imported.items),
        systems=list(imported.systems),
        digest=imported.digest,
        source_language=imported.source_language,
        target_language=imported.target_language,
        name=imported.name,
        tops=sorted(tops, reverse=True) or ["source"],
        judgements=len(imported.judgements),
        warnings=[warning.as_dict() for warning in imported.warnings],
        sample=[asdict(item) for item in sample],
    )


def sampled(kept: dict[str, Any]) -> ImportedItem:
    """An item as it was stored with its upload."""
    fields = dict(kept)
    fields["place"] = Place(*fields["place"])
    fields["candidates"] = tuple(Candidate(*candidate) for candidate in fields["candidates"])
    fields["references"] = tuple(fields["references"])
    fields["links"] = tuple(
        PairLinks(a, b, tuple((i, j) for i, j in links)) for a, b, links in fields["links"]
    )
    fields["phrases"] = tuple(
        PairPhrases(a, b, tuple(GivenPhrase(*map(_span, phrase)) for phrase in phrases))
        for a, b, phrases in fields["phrases"]
    )
    return ImportedItem(**fields)


def _span(kept: list[int] | None) -> tuple[int, int] | None:
    return None if kept is None else (kept[0], kept[1])


def _fingerprint(upload: Upload) -> str:
    """What the outcome depends on: the files, their roles, and how they are to be read."""
    values = upload.settings.get("values", {})
    files = [(file.path, file.role, file.systems) for file in upload.files.all()]
    return text_digest(repr(files), repr([values.get(name, "") for name in OPTION_FIELDS]))


def discard(upload: Upload) -> None:
    """The files and what was decided about them; a task that was made of them stays."""
    folder = _folder(upload)
    upload.delete()
    # After the commit only: if the change is rolled back, the files are still needed.
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


@contextmanager
def _gone_unless_committed() -> Iterator[list[Path]]:
    """Deletes the files of an upload if its database row is not committed."""
    made: list[Path] = []
    try:
        yield made
    except BaseException:
        for path in made:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        raise


def _unlink_later(path: Path) -> None:
    transaction.on_commit(lambda: path.unlink(missing_ok=True))
