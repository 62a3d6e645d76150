"""Uploading by API: the same checks, the same form and the same background job as the page."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, File, Form, Router, Schema, Status, UploadedFile

from evaluation.api import WriteAuth, user_of
from evaluation.forms_upload import SettingsForm, first_values
from evaluation.models import Job, Upload
from evaluation.problems import InputError, Problem
from evaluation.services import uploads
from evaluation.services.uploading import begin_import
from evaluation.views.jobs import visible_jobs

router = Router(tags=["upload"])


class JobOut(Schema):
    id: str
    kind: str
    state: str
    done: int
    total: int
    message: str
    result: dict[str, Any] | None
    error: str


class SettingsIn(Schema):
    """Any field of the upload form by its name; what is left out is what the form suggests."""

    name: str = ""
    campaign: str = ""
    scheme: str = "four-way"
    source_language: str = ""
    target_language: str = ""
    shows: str = ""
    overlap: int = 2
    aligner: str = "lexical"
    design: str = "all"
    baseline: str = ""
    meetings: int | None = None
    dedup: str = "item"
    moved: str = "ranked"
    judging: str = "pairs"
    practice: bool = False
    order: str = "document"
    checks: int = 0
    repeats: int = 0
    split: int | None = None
    seed: int = 1
    instructions: str = ""
    ask_sentence: bool = Field(False, description="Ask which whole sentence is better")
    ask_rating: bool = Field(False, description="Ask for a rating of each sentence, 1 to 5")
    ask_comment: bool = Field(True, description="Offer a field for comments")
    format: str = "auto"
    empty: str = "refuse"
    link_base: int = 0
    incomplete: bool = Field(False, description="Not every system has translated every sentence")


@router.post(
    "/uploads", response={202: JobOut}, auth=WriteAuth(), summary="Upload files and import them as a task"
)
def upload(
    request: HttpRequest, settings: Form[SettingsIn], files: File[list[UploadedFile]]
) -> Status[dict[str, Any]]:
    """Checked whole before anything is stored; 422 with every problem, 413 for a file that is too large."""
    user = user_of(request)
    if not (user.may_create or user.is_superuser):
        raise Http404("uploads")
    kept = uploads.new_upload(user, list(files))
    try:
        return Status(202, _job(_import(kept, settings)))
    except InputError:
        uploads.discard(kept)
        raise


@router.get("/jobs/{uuid:pk}", response=JobOut, summary="How far a job is")
def job(request: HttpRequest, pk: str) -> dict[str, Any]:
    return _job(get_object_or_404(visible_jobs(user_of(request)), pk=pk))


def _import(kept: Upload, settings: SettingsIn) -> Job:
    typed = {name: _typed(value) for name, value in settings.dict().items() if value not in ("", None)}
    kept.settings |= {"values": typed}
    kept.save(update_fields=["settings"])
    outcome = uploads.check(kept)
    if outcome.problems:
        raise InputError(Problem(**problem) for problem in outcome.problems)
    source, target = uploads.languages_by_name(kept)
    suggested = first_values(
        outcome.name or uploads.stem(kept),
        outcome.source_language or source,
        outcome.target_language or target,
        outcome.tops[0],
    )
    form = SettingsForm({**suggested, **typed}, systems=outcome.systems, tops=outcome.tops)
    if not form.is_valid():
        raise InputError(
            Problem("bad_setting", f"{field}: {message}")
            for field, messages in form.errors.items()
            for message in messages
        )
    data = form.cleaned_data
    return begin_import(kept, outcome, form.settings(), campaign=data["campaign"], split=data["split"])


def _typed(value: str | int | bool) -> str:
    """As a browser would send it: an unticked box is left out."""
    if isinstance(value, bool):
        return "on" if value else ""
    return str(value)


def _job(found: Job) -> dict[str, Any]:
    names = ("kind", "state", "done", "total", "message", "result", "error")
    return {"id": str(found.pk), **{name: getattr(found, name) for name in names}}
