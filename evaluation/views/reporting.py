"""What the report pages share: the scope, the filters, and tables and plots as files."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from evaluation.agreement.rendering import Table, as_csv, as_latex
from evaluation.models import User
from evaluation.reports.plots import Plot
from evaluation.reports.scope import Scope, UnknownScope, find_scope
from evaluation.study import Filter
from evaluation.views.annotate import signed_in

FORMS = {"csv": ("text/csv; charset=utf-8", as_csv), "tex": ("application/x-tex; charset=utf-8", as_latex)}


def researcher(request: HttpRequest) -> User:
    user = signed_in(request)
    if not user.may_study:
        raise PermissionDenied
    return user


def scope_of(request: HttpRequest, kind: str, slug: str) -> Scope:
    try:
        return find_scope(signed_in(request), kind, slug)
    except UnknownScope as error:
        raise Http404(str(error)) from error


def filters_of(request: HttpRequest) -> tuple[Filter, ...]:
    """The filters in the query string; unknown words are ignored."""
    return tuple(name for name in Filter if name in request.GET.getlist("without"))


def report_context(request: HttpRequest, scope: Scope, page: str) -> dict[str, object]:
    """What every report page needs to link to the others and to its own files."""
    query = request.GET.urlencode()
    return {
        "scope": scope,
        "filters": list(Filter),
        "without": filters_of(request),
        "agreement_url": scope.url("agreement"),
        "disagreements_url": scope.url("disagreements"),
        "results_url": scope.url("results"),
        "phenomena_url": scope.url("phenomena"),
        "panel_url": scope.url("panel"),
        "changes_url": scope.url("changes"),
        "standing_url": scope.url("standing"),
        "campaign_url": reverse(f"campaign-{page}", args=[scope.campaign.slug]),
        "export_url": scope.url("export", "csv").removesuffix("/csv"),
        "base": scope.url(page),
        "query": f"?{query}" if query else "",
    }


def table_file(scope: Scope, tables: dict[str, Table], name: str, form: str) -> HttpResponse:
    if name not in tables or form not in FORMS:
        raise Http404(f"no table {name}.{form}")
    content_type, render = FORMS[form]
    return attachment(f"{scope.slug}-{name}.{form}", content_type, render(tables[name]))


def plot_file(scope: Scope, plots: dict[str, Plot], name: str) -> HttpResponse:
    if name not in plots:
        raise Http404(f"no plot {name}")
    return attachment(f"{scope.slug}-{name}.svg", "image/svg+xml", plots[name].standalone)


def attachment(name: str, content_type: str, content: str) -> HttpResponse:
    return HttpResponse(
        content,
        content_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )
