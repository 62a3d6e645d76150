"""Views of the registered reports, of their files, and of the exports.

Files contain pseudonyms only, whoever downloads them; an administrator may export user names. Each export is
recorded in the audit trail.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial, wraps
from http import HTTPStatus
from typing import IO

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from appraise.lib.problems import InputError
from appraise.lib.tables import FORMATS as TABLE_FORMATS, to_latex
from evaluation import jobs
from evaluation.exporters import FORMATS
from evaluation.models import AuditEntry, Job, User
from evaluation.reports.agreement import get_agreement
from evaluation.reports.bundles import write_bundle
from evaluation.reports.evidence_exports import EVIDENCE_EXPORTS, export_files, write_archive
from evaluation.reports.exports import DisplayNames, load_display_names
from evaluation.reports.preferences import CONTENT_TYPE, PREFERENCE_EXPORTS
from evaluation.reports.registry import REPORTS, AnyReport, StudyOptions, read_options
from evaluation.reports.report_job import ReportPending, compute_report
from evaluation.reports.scope import Scope, choose_kind, find_scope, find_scopes
from evaluation.reports.sentence_exports import read_answers
from evaluation.reports.system_results import compute_results
from evaluation.reports.word_tags import find_taggable_tasks
from evaluation.reports.workbooks import write_spreadsheet
from evaluation.study import AnswerKind, Filter
from evaluation.study.tables import build_agreement_tables, build_result_tables
from evaluation.web import attachment, get_user, post_only


def show_pending(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Show the progress of a report that a job computes, instead of the page or file made from it."""

    @wraps(view)
    def guarded(request: HttpRequest, report: AnyReport, kind: str, slug: str, **names: str) -> HttpResponse:
        wants_state = request.headers.get("Accept") == "application/json"
        try:
            response = view(request, report, kind, slug, **names)
            return JsonResponse({"state": Job.State.DONE}) if wants_state else response
        except ReportPending as pending:
            job = pending.job
        if wants_state:
            return JsonResponse(jobs.describe_state(job))
        scope = scope_of(request, kind, slug)
        context = {**report_context(request, scope, report), "report": report, "job": job}
        response = render(request, "reports/pending.html", context, status=HTTPStatus.ACCEPTED)
        response["Retry-After"], response["Cache-Control"] = "2", "no-store"
        return response

    return guarded


@login_required
@never_cache
@require_safe
@show_pending
def page(request: HttpRequest, report: AnyReport, kind: str, slug: str) -> HttpResponse:
    scope = scope_of(request, kind, slug, others=report.compares_scopes)
    options, errors = read_options(report.options, request.GET)
    summary, as_of = compute_report(report, scope, options)
    context = {
        **report_context(request, scope, report),
        "report": report,
        "options": options,
        "errors": errors,
        "page": summary,
        "as_of": as_of,
        "plots": {name.replace("-", "_"): plot(summary) for name, plot in report.plots.items()},
        **report.context(summary),
    }
    return render(request, report.template, context)


@login_required
@require_safe
@show_pending
def table(
    request: HttpRequest, report: AnyReport, kind: str, slug: str, table: str, form: str
) -> HttpResponse:
    summary = _pseudonymous_summary(request, report, kind, slug)
    rows = report.tables[table](summary) if table in report.tables else None
    if rows is None or form not in TABLE_FORMATS:
        raise Http404(f"no table {table}.{form}")
    file_format = TABLE_FORMATS[form]
    return attachment(f"{slug}-{table}.{form}", file_format.content_type, file_format.render(rows))


@login_required
@require_safe
@show_pending
def plot(request: HttpRequest, report: AnyReport, kind: str, slug: str, plot: str) -> HttpResponse:
    summary = _pseudonymous_summary(request, report, kind, slug)
    picture = report.plots[plot](summary) if plot in report.plots else None
    if picture is None:
        raise Http404(f"no plot {plot}")
    return attachment(f"{slug}-{plot}.svg", "image/svg+xml", picture.standalone)


def _pseudonymous_summary(request: HttpRequest, report: AnyReport, kind: str, slug: str) -> object:
    scope = replace(scope_of(request, kind, slug, others=report.compares_scopes), managed=False)
    options, _errors = read_options(report.options, request.GET)
    return compute_report(report, scope, options).summary


@post_only
def tag(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    """Tag the sentences in the background, unless such a job is already running."""
    scope, user = scope_of(request, kind, slug), get_user(request)
    tasks = [task.slug for task in find_taggable_tasks(scope.tasks)]
    if not tasks:
        messages.info(request, _("No tagger on this site supports these sentences."))
        return redirect(scope.url("phenomena"))
    unfinished = Job.objects.filter(kind="tag", state__in=[Job.State.WAITING, Job.State.RUNNING])
    running = unfinished.filter(owner=user, arguments={"tasks": tasks}).first()
    title = _("Tag %(name)s") % {"name": scope.name}
    return redirect(running or jobs.enqueue("tag", title, owner=user, tasks=tasks))


@login_required
@require_GET
def export(request: HttpRequest, kind: str, slug: str, form: str) -> HttpResponseBase:
    user, scope = get_user(request), scope_of(request, kind, slug)
    options, _errors = read_options(StudyOptions, request.GET)
    identify = request.GET.get("identify") == "yes"
    return send_export(user, scope, form, identify=identify, answers=options.answers)


def send_export(
    user: User, scope: Scope, form: str, *, identify: bool, answers: AnswerKind | None
) -> HttpResponseBase:
    """Return the response to a request for an export, by page or by API."""
    if form not in {*FORMATS, *EVIDENCE_EXPORTS, *PREFERENCE_EXPORTS, "xlsx", "latex", "bundle"}:
        raise Http404(f"no format {form}")
    if form in EVIDENCE_EXPORTS and not scope.task:
        raise Http404(f"{form} is a format of single tasks")
    if identify and not (user.is_superuser and form in {*FORMATS, *EVIDENCE_EXPORTS, "xlsx"}):
        return JsonResponse({"detail": "Names are for administrators, in the plain formats."}, status=403)
    detail = {"format": form, "identified": identify}
    AuditEntry.objects.record(user, "export", f"{scope.kind} {scope.slug}", detail)
    if form == "bundle":
        return _send_file(f"{scope.slug}-bundle.zip", partial(write_bundle, scope))
    if form == "xlsx":
        return _send_file(
            f"{scope.slug}.xlsx", partial(write_spreadsheet, scope, identify=identify, answers=answers)
        )
    if form == "latex":
        of = choose_kind(scope, answers)
        tables = {
            **build_agreement_tables(get_agreement(scope, kind=of)),
            **build_result_tables(compute_results(scope, kind=of)),
        }
        text = "\n".join(to_latex(table) for table in tables.values())
        return attachment(f"{scope.slug}-tables.tex", "application/x-tex; charset=utf-8", text)
    if form in EVIDENCE_EXPORTS:
        return _evidence(scope, form, load_display_names(scope, identify=identify))
    if form in PREFERENCE_EXPORTS:
        pieces = PREFERENCE_EXPORTS[form](scope, answers)
        return _stream(pieces, f"{scope.slug}.{form}.jsonl", CONTENT_TYPE)
    file_format = FORMATS[form]
    pairs = read_answers(scope, load_display_names(scope, identify=identify), answers)
    name = f"{scope.slug}.{file_format.extension}"
    return _stream(file_format.write(pairs), name, file_format.content_type)


def _stream(pieces: Iterable[str], name: str, content_type: str) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        (piece.encode() for piece in pieces),
        content_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )


def _send_file(name: str, write: Callable[[IO[bytes]], object]) -> FileResponse:
    # On disk, not in memory: the archive of a campaign may be of any size.
    file = tempfile.TemporaryFile()  # noqa: SIM115 — closed by the response after the last byte
    write(file)
    file.seek(0)
    headers = {"Cache-Control": "no-store"}
    return FileResponse(file, as_attachment=True, filename=name, headers=headers)


def _evidence(scope: Scope, form: str, names: DisplayNames) -> HttpResponseBase:
    """Return scores and error spans as a file; a directory is an archive."""
    extension, content_type = EVIDENCE_EXPORTS[form]
    try:
        files = export_files(scope.tasks[0], form, names)
        file = tempfile.TemporaryFile()  # noqa: SIM115 — as in ``_send_file``
        if form == "mtme":
            write_archive(files, file)
        else:
            file.writelines(line.encode() for _, lines in files for line in lines)
    except InputError as error:
        return JsonResponse({"detail": str(error)}, status=HTTPStatus.NOT_FOUND)
    file.seek(0)
    name = f"{scope.slug}-{form}.{extension}"
    headers = {"Cache-Control": "no-store"}
    return FileResponse(file, as_attachment=True, filename=name, content_type=content_type, headers=headers)


def scope_of(request: HttpRequest, kind: str, slug: str, *, others: bool = False) -> Scope:
    """Return the task or campaign if the signed-in user may study it; everybody else gets a 404.

    With ``others``, the same query finds everything else that the user may study.
    """
    user = get_user(request)
    if not others:
        return find_scope(user, kind, slug)
    scopes = find_scopes(user)
    if scope := scopes.get(f"{kind}:{slug}"):
        return replace(scope, others=scopes)
    raise Http404(f"no {kind} {slug}")


def report_context(request: HttpRequest, scope: Scope, report: AnyReport | None = None) -> dict[str, object]:
    """Return what every page about a scope needs to link to its reports and to its own files."""
    query = request.GET.urlencode()
    rest = request.GET.copy()
    rest.pop("page", None)
    reports = [report for report in REPORTS.values() if scope.kind in report.scopes]
    campaign = Scope(scope.campaign, scope.tasks, None)
    path = report.path if report and "campaign" in report.scopes else "agreement"
    return {
        "scope": scope,
        "filters": list(Filter),
        "urls": {report.path.replace("-", "_"): scope.url(report.path) for report in reports},
        "export_url": scope.url("export", "csv").removesuffix("/csv"),
        "campaign_url": campaign.url(path),
        "base": scope.url(report.path) if report else "",
        "query": f"?{query}" if query else "",
        "rest": rest.urlencode(),
    }
