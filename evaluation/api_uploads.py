"""Uploading by API: the same checks, the same form and the same background job as the page."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, FileEx, Form, P, PathEx, Router, Schema, Status, UploadedFile

from evaluation.api import WriteAuth, user_of
from evaluation.forms_upload import SettingsForm, first_values
from evaluation.models import Job, Upload
from evaluation.problems import InputError, Problem
from evaluation.services import uploads
from evaluation.services.uploading import begin_import
from evaluation.views.jobs import visible_jobs

router = Router(tags=["upload"])
Files = FileEx[list[UploadedFile], P(description="One set of sentences, in one or more files")]
JobId = PathEx[str, P(description="The id in the answer to the upload or scoring", examples=["JOB"])]


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

    name: str = Field("", description="The title of the task; otherwise taken from the files")
    campaign: str = Field("", description="Name of the campaign; otherwise one of its own")
    scheme: str = Field("four-way", description="four-way or six-way")
    source_language: str = Field("", description="Code, where the files do not name it")
    target_language: str = Field("", description="Code, where the files do not name it")
    shows: str = Field("", description="What annotators compare with: source or reference")
    overlap: int = Field(2, description="Annotators for each comparison")
    aligner: str = Field("lexical", description="lexical, statistical or exact")
    design: str = Field("all", description="Who meets whom: all, baseline, round-robin or blocks")
    baseline: str = Field("", description="The system that all others meet, with the design baseline")
    meetings: int | None = Field(None, description="How many others each system meets, or systems of a block")
    dedup: str = Field(
        "item", description="Ask identical pairs once in a sentence (item), task, or each (none)"
    )
    moved: str = Field("ranked", description="Moved phrases: ranked or only shown")
    judging: str = Field("pairs", description="Three or more candidates: pairs, or places")
    practice: bool = Field(False, description="A practice round comes first")
    order: str = Field("document", description="Sentences as in the document, or shuffled")
    checks: int = Field(0, description="Attention checks, per cent of the comparisons")
    repeats: int = Field(0, description="Comparisons shown again to the same person, per cent")
    split: int | None = Field(None, description="Make tasks of this many sentences")
    seed: int = Field(1, description="Decides every random draw")
    instructions: str = Field("", description="Guidelines of the task")
    ask_sentence: bool = Field(False, description="Ask which whole sentence is better")
    ask_rating: bool = Field(False, description="Ask for a rating of each sentence, 1 to 5")
    ask_comment: bool = Field(True, description="Offer a field for comments")
    format: str = Field("auto", description="One of the formats of docs/formats.md")
    empty: str = Field("refuse", description="Sentences that a system left empty: refuse, keep or skip")
    link_base: int = Field(0, description="The number of the first word in word links")
    incomplete: bool = Field(False, description="Not every system has translated every sentence")


@router.post("/uploads", response={202: JobOut}, auth=WriteAuth(), summary="Upload")
def upload(request: HttpRequest, settings: Form[SettingsIn], files: Files) -> Status[dict[str, Any]]:
    """Import files as a task. They are checked completely before anything is stored: faults answer 422 with
    every problem, a file that is too large 413."""
    user = user_of(request)
    if not (user.may_create or user.is_superuser):
        raise Http404("uploads")
    kept = uploads.new_upload(user, list(files))
    try:
        return Status(202, _job(_import(kept, settings)))
    except InputError:
        uploads.discard(kept)
        raise


@router.get("/jobs/{uuid:pk}", response=JobOut, summary="State of a job")
def job(request: HttpRequest, pk: JobId) -> dict[str, Any]:
    """Whether an upload or a scoring is waiting, running, done, failed or cancelled, and what it made."""
    return _job(get_object_or_404(visible_jobs(user_of(request)), pk=pk))


def _import(kept: Upload, settings: SettingsIn) -> Job:
    typed = {name: _typed(value) for name, value in settings.dict().items() if value not in ("", None)}
    uploads.keep_values(kept, typed)
    outcome = uploads.check(kept)
    if outcome.problems:
        raise InputError(Problem(**problem) for problem in outcome.problems)
    form = SettingsForm({**first_values(kept, outcome), **typed}, systems=outcome.systems, tops=outcome.tops)
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
