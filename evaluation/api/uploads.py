"""Upload by API, with the checks, the form and the background job of the upload page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import translation
from ninja import Field, FileEx, Form, P, PathEx, Router, Schema, Status, UploadedFile
from pydantic import create_model

from appraise.lib.problems import InputError, Problem
from evaluation.api.core import WriteAuth, user_of
from evaluation.models import Job, Upload
from evaluation.tasks.forms.upload import SettingsForm, copy_values, suggest_values
from evaluation.tasks.services import uploads
from evaluation.tasks.services.import_job import begin_import, find_own_task
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


def _describe(field: forms.Field) -> tuple[Any, Any]:  # Any: what pydantic takes
    """Return the type of a form's field, and its initial value with a description."""
    if isinstance(field, forms.BooleanField):
        return bool, Field(bool(field.initial), description=str(field.label))
    description = str(field.label)
    if choices := [str(value) for value, _ in getattr(field, "choices", ()) if value]:
        description += f": {', '.join(choices)}"
    if isinstance(field, forms.IntegerField):
        return (int if field.required else int | None), Field(field.initial, description=description)
    return str, Field(str(field.initial or ""), description=description)


with translation.override("en"):
    _fields: dict[str, Any] = {name: _describe(field) for name, field in SettingsForm.base_fields.items()}
    SettingsIn = create_model(
        "SettingsIn",
        __base__=Schema,
        __doc__="Any field of the upload form by its name; what is left out is what the form suggests.",
        **_fields,
    )


@router.post("/uploads", response={202: JobOut}, auth=WriteAuth(), summary="Upload")
def upload(
    request: HttpRequest,
    settings: Form[SettingsIn],  # type: ignore[valid-type]  # made from the form
    files: Files,
) -> Status[dict[str, Any]]:
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


def _import(stored: Upload, settings: Schema) -> Job:
    like: str = settings.like  # type: ignore[attr-defined]  # a field of the form
    given = settings.dict(exclude_unset=bool(like))  # what is left out is what the other task has
    typed = {name: _as_form_value(value) for name, value in given.items() if value not in ("", None)}
    if like:
        typed = copy_values(find_own_task(stored.owner, like)) | typed
    uploads.store_parts(stored, values=typed)
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
    return begin_import(
        stored, outcome, form.settings(), campaign=data["campaign"], split=data["split"],
        like=like,
        existing_task=data["existing_task"], match_content=data["match_content"],
    )  # fmt: skip


def _as_form_value(value: str | int | bool) -> str:
    """Convert a value to what a browser would send; an unchecked box is empty."""
    if isinstance(value, bool):
        return "on" if value else ""
    return str(value)


def _job(job: Job) -> dict[str, Any]:
    names = ("kind", "state", "done", "total", "message", "result", "error")
    return {"id": str(job.pk), **{name: getattr(job, name) for name in names}}
