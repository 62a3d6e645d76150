"""Upload: drop files, see what is wrong or a preview, then confirm."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods

from evaluation import importers
from evaluation.agreement.rendering import as_csv
from evaluation.forms_upload import SettingsForm, first_values, roles_of
from evaluation.importers import FORMATS
from evaluation.markup_places import place_cards
from evaluation.models import Campaign, Job, Role, Upload, User
from evaluation.problems import InputError, Problem
from evaluation.reports.upload import ROLES, UploadPage, problem_table, upload_page
from evaluation.schemes import SCHEMES
from evaluation.services import uploads
from evaluation.services.uploading import begin_import, give_up
from evaluation.templatetags.appraise import lang_and_dir
from evaluation.views.annotate import signed_in
from evaluation.views.reporting import attachment

View = Callable[..., HttpResponse]
SAMPLES = Path(settings.BASE_DIR) / "fixtures" / "samples"
SCHEMA = Path(importers.__file__).parent / "schema.json"
MEBIBYTE = 1024 * 1024


def organiser(request: HttpRequest) -> User:
    user = signed_in(request)
    if not (user.may_create or user.is_superuser):
        raise PermissionDenied
    return user


def capped(view: View) -> View:
    """Answer 413 before a byte of the body is read: checking the form's token would read all of it."""
    protected = csrf_protect(view)

    @csrf_exempt
    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) > settings.APPRAISE_MAX_UPLOAD:
            cap = settings.APPRAISE_MAX_UPLOAD // MEBIBYTE
            problem = Problem(
                "too_large",
                _("the upload is larger than %(cap)d MB") % {"cap": cap},
                _("upload fewer files at a time, or import from the command line"),
            )
            return _new_page(request, organiser(request), [problem])
        return protected(request, *args, **kwargs)

    return guarded


@login_required
@capped
@never_cache
@require_http_methods(["GET", "POST"])
def new_upload(request: HttpRequest) -> HttpResponse:
    user = organiser(request)
    if request.method == "GET":
        return _new_page(request, user, [])
    try:
        upload = uploads.new_upload(user, request.FILES.getlist("files"))
    except InputError as error:
        return _new_page(request, user, list(error.problems))
    outcome = uploads.checked(upload)
    if outcome is None or outcome.is_good:
        return redirect(upload)
    return _page(request, upload, refused=True)


@login_required
@capped
@never_cache
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest, pk: str) -> HttpResponse:
    user = organiser(request)
    found = Upload.objects.filter(owner=user, pk=pk).select_related("job", "owner").first()
    if found is None:
        return _afterwards(user, pk)
    if request.method == "GET" or _is_importing(found):
        return _page(request, found)
    if "discard" in request.POST:
        give_up(found)
        messages.success(request, _("The upload was discarded."))
        return redirect("new-upload")
    return _change(request, found)


def _change(request: HttpRequest, found: Upload) -> HttpResponse:
    """Store everything that was sent, then show the updated page, or begin the import."""
    post = request.POST
    try:
        uploads.add_files(found, request.FILES.getlist("files"))
    except InputError as error:
        return _page(request, found, list(error.problems), refused=True)
    uploads.set_roles(found, roles_of(post, found.files.all()))
    uploads.remove_file(found, post.get("remove", ""))
    typed = {name: post[name] for name in SettingsForm.base_fields if name in post}
    if "create" not in post and not typed.get("name"):
        typed.pop("name", None)  # the files may suggest one, once it is clear what they are
    uploads.keep_values(found, typed)
    if "create" in post:
        return _create(request, found)
    outcome = uploads.checked(found)
    form = _form(found, outcome)
    if outcome is not None and (outcome.problems or not form.is_valid()):
        return _page(request, found, refused=True)
    return redirect(found)


def _create(request: HttpRequest, found: Upload) -> HttpResponse:
    outcome = uploads.checked(found)
    if outcome is None:
        return redirect(found)
    form = _form(found, outcome)
    if outcome.problems or not form.is_valid():
        return _page(request, found, refused=True)
    data = form.cleaned_data
    try:
        begin_import(found, outcome, form.settings(), campaign=data["campaign"], split=data["split"])
    except InputError as error:
        return _page(request, found, list(error.problems), refused=True)
    return redirect(found)


def _form(found: Upload, outcome: uploads.Outcome | None) -> SettingsForm:
    """The form as it was sent, else with defaults from the files."""
    known = outcome or uploads.Outcome()
    values = first_values(found, known)
    typed = found.settings.get("values")
    if typed is not None:
        languages = {name: typed.get(name) or values[name] for name in ("source_language", "target_language")}
        values = {"name": values["name"], **typed, **languages}
    return SettingsForm(values, systems=known.systems, tops=known.tops)


def _page(
    request: HttpRequest, found: Upload, problems: list[Problem] | None = None, *, refused: bool = False
) -> HttpResponse:
    if _is_importing(found):
        return render(request, "evaluation/upload_running.html", {"upload": found, "job": found.job})
    outcome = uploads.checked(found)
    if outcome is None:
        return render(request, "evaluation/upload_running.html", {"upload": found, "job": found.job})
    form = _form(found, outcome)
    page = upload_page(found, outcome, form.settings() if form.is_valid() else None)
    problems = problems or page.problems
    context = {
        "upload": found,
        "page": page,
        "form": form,
        "problems": problems,
        "roles": ROLES,
        "campaigns": _campaigns(organiser(request)),
        "failed": found.job if found.job and found.job.state in ("failed", "cancelled") else None,
    }
    return render(request, "evaluation/upload.html", context, status=_status(problems, refused=refused))


def _status(problems: list[Problem], *, refused: bool) -> int:
    if not refused:
        return 200
    if any(problem.code == "too_large" for problem in problems):
        return 413
    return 409 if any(problem.code == "already_imported" for problem in problems) else 422


def _is_importing(found: Upload) -> bool:
    return found.job is not None and found.job.kind == "import" and not found.job.is_over


@cache
def samples() -> list[tuple[str, list[str]]]:
    """Every format, as the importers recognise it, and its files."""
    found: dict[str, list[str]] = {}
    for path in sorted(path for path in SAMPLES.rglob("*") if path.is_file()):
        is_text = path.parent != SAMPLES
        form = FORMATS["text"] if is_text else importers.detect([importers.SourceFile.from_path(path)])
        found.setdefault(form.title, []).append(str(path.relative_to(SAMPLES)))
    return list(found.items())


def _new_page(request: HttpRequest, user: User, problems: list[Problem]) -> HttpResponse:
    context = {
        "problems": problems,
        "unfinished": user.uploads.select_related("job").prefetch_related("files")[:20],
        "samples": samples(),
        "formats": FORMATS.values(),
        "megabytes": uploads.LIMITS.max_bytes // MEBIBYTE,
    }
    status = _status(problems, refused=bool(problems))
    return render(request, "evaluation/upload_new.html", context, status=status)


def _campaigns(user: User) -> list[str]:
    mine = Campaign.objects.all()
    if not user.is_superuser:
        mine = mine.filter(memberships__user=user, memberships__role=Role.MANAGER, memberships__task=None)
    return list(mine.distinct().values_list("name", flat=True)[:200])


@login_required
@never_cache
@require_GET
def problems(request: HttpRequest, pk: str) -> HttpResponse:
    """The problems of the files as a table for a spreadsheet."""
    table = problem_table(_known(request, pk)[0])
    return attachment("problems.csv", "text/csv; charset=utf-8", as_csv(table))


@login_required
@never_cache
@require_GET
def attempt(request: HttpRequest, pk: str, number: int) -> HttpResponse:
    """One of the first sentences on the page that annotators get; no answer is sent or stored."""
    page, form = _known(request, pk)
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
        "cards": place_cards(preview.places, attributes=lang_and_dir(chosen.target_language), missing=()),
        "number": number,
        "total": len(page.previews),
        "target_language": chosen.target_language,
        "above": [preview.source] if shows_source else preview.references,
        "above_language": chosen.source_language if shows_source else chosen.target_language,
        "shows_source": shows_source,
    }
    return render(request, "evaluation/upload_try.html", context)


def _known(request: HttpRequest, pk: str) -> tuple[UploadPage, SettingsForm]:
    """An upload of this person that has been checked."""
    own = Upload.objects.filter(owner=organiser(request)).select_related("job", "owner")
    found = get_object_or_404(own, pk=pk)
    outcome = uploads.checked(found)
    if outcome is None:
        raise Http404
    form = _form(found, outcome)
    return upload_page(found, outcome, form.settings() if form.is_valid() else None), form


def _afterwards(user: User, pk: str) -> HttpResponse:
    """An upload is deleted once its task exists; its address then redirects to the task."""
    job = Job.objects.filter(kind="import", owner=user, arguments__upload=str(pk)).first()
    if job is None or job.task is None:
        raise Http404
    return redirect(job.task)


@require_GET
def schema(request: HttpRequest) -> JsonResponse:
    """The JSON Schema of our own format; open to scripts."""
    return JsonResponse(json.loads(SCHEMA.read_text("utf-8")), content_type="application/schema+json")


@require_GET
def sample(request: HttpRequest, name: str) -> FileResponse:
    known = {str(path.relative_to(SAMPLES)): path for path in SAMPLES.rglob("*") if path.is_file()}
    if name not in known:
        raise Http404
    return FileResponse(known[name].open("rb"), as_attachment=True, filename=known[name].name)
