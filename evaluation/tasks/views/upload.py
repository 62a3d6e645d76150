"""Upload files, show problems or a preview, confirm the import."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from appraise.lib.problems import InputError, Problem
from appraise.lib.tables import to_csv
from evaluation import importers
from evaluation.importers import EVIDENCE_FORMATS, FORMATS
from evaluation.models import Campaign, Job, Role, Task, Upload, User
from evaluation.schemes import SCHEMES
from evaluation.tasks import check_job  # noqa: F401 — registers the handler of its jobs
from evaluation.tasks.forms.upload import SettingsForm, copy_values, make_form, parse_roles
from evaluation.tasks.queries.upload_preview import ROLES, UploadPage, build_upload_page, make_problem_table
from evaluation.tasks.services import uploads
from evaluation.tasks.services.import_job import begin_import, discard_upload
from evaluation.tasks.services.upload_previews import get_preview
from evaluation.web import attachment, get_managed_task, get_user, private_page

SAMPLES = Path(settings.BASE_DIR) / "fixtures" / "samples"
SCHEMA = Path(importers.__file__).parent / "schema.json"
MEBIBYTE = 1024 * 1024


def get_uploader(request: HttpRequest) -> User:
    user = get_user(request)
    if not (user.may_create or user.is_superuser):
        raise PermissionDenied
    return user


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def new_upload(request: HttpRequest) -> HttpResponse:
    user = get_uploader(request)
    like = request.POST.get("like") or request.GET.get("like")
    model = get_managed_task(request, like) if like else None
    if request.method == "GET":
        return _new_page(request, user, [], model)
    try:
        upload = uploads.create_upload(user, request.FILES.getlist("files"))
    except InputError as error:
        return _new_page(request, user, list(error.problems), model)
    if model is not None:
        uploads.store_parts(upload, values=copy_values(model))
    outcome = uploads.get_check(upload)
    if outcome is not None and not outcome.is_good:
        return _page(request, upload, refused=True)
    form = make_form(upload, outcome)
    if outcome is not None and form.is_valid():
        get_preview(upload, outcome, form.settings())
    return redirect(upload)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def upload_detail(request: HttpRequest, pk: str) -> HttpResponse:
    user = get_uploader(request)
    own = Upload.objects.filter(owner=user, pk=pk).select_related("job", "owner")
    # A form may change the files, so these are read in advance only where nothing is sent.
    upload = (own.prefetch_related("files") if request.method == "GET" else own).first()
    if upload is None:
        return _redirect_to_task(user, pk)
    if request.method == "GET" or _is_importing(upload):
        return _page(request, upload)
    if "discard" in request.POST:
        discard_upload(upload)
        messages.success(request, _("Upload discarded."))
        return redirect("new-upload")
    return _store_changes(request, upload)


def _store_changes(request: HttpRequest, upload: Upload) -> HttpResponse:
    """Store the submitted files and values, then show the page or begin the import."""
    post = request.POST
    try:
        uploads.add_files(upload, request.FILES.getlist("files"))
    except InputError as error:
        return _page(request, upload, list(error.problems), refused=True)
    uploads.set_roles(upload, parse_roles(post, upload.files.all()))
    uploads.remove_file(upload, post.get("remove", ""))
    typed = {name: post[name] for name in SettingsForm.base_fields if name in post}
    if "create" not in post and not typed.get("name"):
        typed.pop("name", None)  # suggested by the files once their roles are known
    uploads.store_parts(upload, values=typed)
    uploads.retry_check(upload)
    if "create" in post:
        return _begin_import(request, upload)
    outcome = uploads.get_check(upload)
    form = make_form(upload, outcome)
    if outcome is not None and (outcome.problems or not form.is_valid()):
        return _page(request, upload, refused=True)
    return redirect(upload)


def _begin_import(request: HttpRequest, upload: Upload) -> HttpResponse:
    outcome = uploads.get_check(upload)
    if outcome is None:
        return redirect(upload)
    form = make_form(upload, outcome)
    if outcome.problems or not form.is_valid():
        return _page(request, upload, refused=True)
    data = form.cleaned_data
    try:
        begin_import(
            upload, outcome, form.settings(), campaign=data["campaign"], split=data["split"],
            like=data["like"], existing_task=data["existing_task"], match_content=data["match_content"],
        )  # fmt: skip
    except InputError as error:
        return _page(request, upload, list(error.problems), refused=True)
    return redirect(upload)


def _page(
    request: HttpRequest, upload: Upload, problems: list[Problem] | None = None, *, refused: bool = False
) -> HttpResponse:
    importing = _is_importing(upload)
    outcome = None if importing else uploads.get_check(upload)
    if importing or (outcome is None and not _has_failed(upload)):
        return render(request, "evaluation/upload_running.html", {"upload": upload, "job": upload.job})
    form = make_form(upload, outcome)
    page = build_upload_page(upload, outcome, form.settings() if form.is_valid() else None)
    problems = problems or page.problems
    context = {
        "upload": upload,
        "page": page,
        "form": form,
        "problems": problems,
        "roles": ROLES,
        "campaigns": _campaigns(get_uploader(request)),
        "tasks": _tasks(get_uploader(request)),
        "computing": upload.job if outcome and upload.job and not upload.job.is_over else None,
        "failed": upload.job if _has_failed(upload) else None,
    }
    return render(request, "evaluation/upload.html", context, status=_status(problems, refused=refused))


def _status(problems: list[Problem], *, refused: bool) -> int:
    if not refused:
        return 200
    if any(problem.code == "too_large" for problem in problems):
        return 413
    return 409 if any(problem.code == "already_imported" for problem in problems) else 422


def _is_importing(upload: Upload) -> bool:
    return upload.job is not None and upload.job.kind == "import" and not upload.job.is_over


def _has_failed(upload: Upload) -> bool:
    return upload.job is not None and upload.job.state in (Job.State.FAILED, Job.State.CANCELLED)


@cache
def samples() -> list[tuple[str, list[str]]]:
    """Every format, as the importers recognise it, and its files."""
    files_by_format: dict[str, list[str]] = {}
    for path in sorted(path for path in SAMPLES.rglob("*") if path.is_file()):
        form = importers.detect([importers.SourceFile.from_path(path)])
        files_by_format.setdefault(form.title, []).append(str(path.relative_to(SAMPLES)))
    return list(files_by_format.items())


def _new_page(
    request: HttpRequest, user: User, problems: list[Problem], model: Task | None = None
) -> HttpResponse:
    context = {
        "like": model,
        "problems": problems,
        "unfinished": user.uploads.select_related("job").prefetch_related("files")[:20],
        "samples": samples(),
        "formats": [*FORMATS.values(), *EVIDENCE_FORMATS.values()],
        "megabytes": uploads.LIMITS.max_bytes // MEBIBYTE,
    }
    status = _status(problems, refused=bool(problems))
    return render(request, "evaluation/upload_new.html", context, status=status)


def _campaigns(user: User) -> list[str]:
    mine = Campaign.objects.all()
    if not user.is_superuser:
        mine = mine.filter(memberships__user=user, memberships__role=Role.MANAGER, memberships__task=None)
    return list(mine.distinct().values_list("name", flat=True)[:200])


def _tasks(user: User) -> list[str]:
    """Return the tasks to which scores and error spans can be added, by slug."""
    own = Task.objects.with_role(user, Role.MANAGER).exclude(state=Task.State.IMPORTING)
    return list(own.order_by("-pk").values_list("slug", flat=True)[:200])


@private_page
def problem_file(request: HttpRequest, pk: str) -> HttpResponse:
    """The problems of the files as a table for a spreadsheet."""
    table = make_problem_table(_get_checked(request, pk)[0])
    return attachment("problems.csv", "text/csv; charset=utf-8", to_csv(table))


@private_page
def try_out(request: HttpRequest, pk: str, number: int) -> HttpResponse:
    """Show one of the first sentences as annotators will see it; no answer is stored."""
    page, form = _get_checked(request, pk)
    if not (form.is_valid() and 1 <= number <= len(page.previews)):
        raise Http404
    chosen, preview = form.settings(), page.previews[number - 1]
    shows_source = chosen.shows == "source"
    context = {
        "upload_pk": pk,
        "name": chosen.name,
        "instructions": chosen.instructions,
        "scheme": SCHEMES[chosen.scheme],
        "preview": preview,
        "number": number,
        "total": len(page.previews),
        "target_language": chosen.target_language,
        "above": [preview.source] if shows_source else preview.references,
        "above_language": chosen.source_language if shows_source else chosen.target_language,
        "shows_source": shows_source,
    }
    return render(request, "evaluation/upload_try.html", context)


def _get_checked(request: HttpRequest, pk: str) -> tuple[UploadPage, SettingsForm]:
    """Return the page and the form of a checked upload of this user."""
    own = Upload.objects.filter(owner=get_uploader(request)).select_related("job", "owner")
    upload = get_object_or_404(own.prefetch_related("files"), pk=pk)
    outcome = uploads.get_check(upload)
    if outcome is None:
        raise Http404
    form = make_form(upload, outcome)
    return build_upload_page(upload, outcome, form.settings() if form.is_valid() else None), form


def _redirect_to_task(user: User, pk: str) -> HttpResponse:
    """Redirect to the task of an upload, which is deleted once the task exists."""
    job = Job.objects.filter(kind="import", owner=user, arguments__upload=str(pk)).first()
    if job is None or job.task is None:
        raise Http404
    return redirect(job.task)


@require_GET
def task_schema(request: HttpRequest) -> JsonResponse:
    """Return the JSON Schema of the import format; public."""
    return JsonResponse(json.loads(SCHEMA.read_text("utf-8")), content_type="application/schema+json")


@require_GET
def sample_file(request: HttpRequest, name: str) -> FileResponse:
    known = {str(path.relative_to(SAMPLES)): path for path in SAMPLES.rglob("*") if path.is_file()}
    if name not in known:
        raise Http404
    return FileResponse(known[name].open("rb"), as_attachment=True, filename=known[name].name)
