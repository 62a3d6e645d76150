"""Upload by API, with the checks, the form and the background job of the upload page."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, FileEx, Form, P, PathEx, Router, Schema, Status, UploadedFile

from appraise.lib.problems import InputError, Problem
from evaluation.api.core import WriteAuth, user_of
from evaluation.models import Job, Upload
from evaluation.schemes import SCHEMES
from evaluation.tasks.forms.upload import SettingsForm, suggest_values
from evaluation.tasks.services import uploads
from evaluation.tasks.services.import_job import begin_import
from evaluation.tasks.views.overview import visible_jobs

router = Router(tags=["upload"])
Files = FileEx[list[UploadedFile], P(description="One set of sentences, in one or more files")]
JobId = PathEx[
    str, P(description="The ID in the response to the upload or scoring request", examples=["JOB"])
]


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
    campaign: str = Field("", description="Name of the campaign; otherwise a new campaign")
    scheme: str = Field("four-way", description=f"One of {', '.join(SCHEMES)}")
    source_language: str = Field("", description="Language code, if the files do not contain it")
    target_language: str = Field("", description="Language code, if the files do not contain it")
    shows: str = Field("", description="What annotators compare with: source or reference")
    overlap: int = Field(2, description="Annotators per comparison")
    aligner: str = Field("lexical", description="lexical, statistical or exact")
    segment_words: bool = Field(False, description="Find the words of Chinese, Japanese or Thai")
    design: str = Field("all", description="Which systems are compared: all, baseline, round-robin or blocks")
    baseline: str = Field(
        "", description="The system that all others are compared with, for the design baseline"
    )
    meetings: int | None = Field(
        None, description="Opponents of each system (round-robin), or systems per block (blocks)"
    )
    dedup: str = Field(
        "item",
        description="Ask identical phrase pairs once per sentence (item), once per task"
        " (task) or every time (none)",
    )
    moved: str = Field("ranked", description="Moved phrases: ranked or only shown")
    judging: str = Field("pairs", description="How three or more candidates are judged: pairs or places")
    question_size: str = Field("medium", description="Size of a question: phrase, small, medium or large")
    ask_all: bool = Field(False, description="Ask about every difference, including trivial ones")
    practice: bool = Field(False, description="Start with a practice round")
    order: str = Field("document", description="Order of the sentences: document or shuffled")
    checks: int = Field(0, description="Attention checks, as a percentage of the comparisons")
    repeats: int = Field(0, description="Comparisons shown again to the same annotator, as a percentage")
    split: int | None = Field(None, description="Split into tasks of this many sentences")
    seed: int = Field(1, description="Seed of every random choice")
    instructions: str = Field("", description="Guidelines of the task")
    ask_sentence: bool = Field(False, description="Ask which whole sentence is better")
    ask_rating: bool = Field(False, description="Ask for a rating of each sentence, 1 to 5")
    ask_comment: bool = Field(True, description="Offer a field for comments")
    ask_reasons: bool = Field(False, description="Ask for the reason of each choice")
    tap_answers: bool = Field(False, description="Answer by tapping the better phrase")
    format: str = Field("auto", description="One of the formats of docs/formats.md")
    empty: str = Field("refuse", description="Sentences with an empty output: refuse, keep or skip")
    link_base: int = Field(0, description="The number of the first word in word links")
    incomplete: bool = Field(False, description="Allow missing translations")


@router.post("/uploads", response={202: JobOut}, auth=WriteAuth(), summary="Upload")
def upload(request: HttpRequest, settings: Form[SettingsIn], files: Files) -> Status[dict[str, Any]]:
    """Import files as a task. They are checked completely before anything is stored: faults answer 422 with
    every problem, a file that is too large 413."""
    user = user_of(request)
    if not (user.may_create or user.is_superuser):
        raise Http404("uploads")
    stored = uploads.create_upload(user, list(files))
    try:
        return Status(202, _job(_import(stored, settings)))
    except InputError:
        stored.discard()
        raise


@router.get("/jobs/{uuid:pk}", response=JobOut, summary="State of a job")
def job(request: HttpRequest, pk: JobId) -> dict[str, Any]:
    """Whether an upload or a scoring is waiting, running, done, failed or cancelled, and what it made."""
    return _job(get_object_or_404(visible_jobs(user_of(request)), pk=pk))


def _import(stored: Upload, settings: SettingsIn) -> Job:
    typed = {name: _typed(value) for name, value in settings.dict().items() if value not in ("", None)}
    uploads.save_values(stored, typed)
    outcome = uploads.check_upload(stored)
    if outcome.problems:
        raise InputError(Problem(**problem) for problem in outcome.problems)
    form = SettingsForm(
        {**suggest_values(stored, outcome), **typed}, systems=outcome.systems, tops=outcome.tops
    )
    if not form.is_valid():
        raise InputError(
            Problem("bad_setting", f"{field}: {message}")
            for field, messages in form.errors.items()
            for message in messages
        )
    data = form.cleaned_data
    return begin_import(stored, outcome, form.settings(), campaign=data["campaign"], split=data["split"])


def _typed(value: str | int | bool) -> str:
    """Convert a value to what a browser would send; an unchecked box is empty."""
    if isinstance(value, bool):
        return "on" if value else ""
    return str(value)


def _job(job: Job) -> dict[str, Any]:
    names = ("kind", "state", "done", "total", "message", "result", "error")
    return {"id": str(job.pk), **{name: getattr(job, name) for name in names}}
