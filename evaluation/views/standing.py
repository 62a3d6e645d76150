"""Is it decided? Enough, or not yet, and about how many more."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evaluation.forms_steering import StandingForm
from evaluation.reports.standing import StandingPage, standing_page, standing_tables
from evaluation.views.reporting import plot_file, report_context, scope_of, table_file


@login_required
@never_cache
@require_GET
def page(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    found, form = _found(request, kind, slug)
    context = {**report_context(request, found.scope, "standing"), "page": found, "form": form}
    return render(request, "evaluation/standing.html", context, status=200 if form.is_valid() else 422)


@login_required
@require_GET
def table(request: HttpRequest, kind: str, slug: str, name: str, form: str) -> HttpResponse:
    found, _asked = _found(request, kind, slug)
    return table_file(found.scope, standing_tables(found.standing), name, form)


@login_required
@require_GET
def plot(request: HttpRequest, kind: str, slug: str, name: str) -> HttpResponse:
    found, _asked = _found(request, kind, slug)
    return plot_file(found.scope, {"contests": found.plot}, name)


def _found(request: HttpRequest, kind: str, slug: str) -> tuple[StandingPage, StandingForm]:
    """The options in the query string; invalid values are ignored."""
    scope = scope_of(request, kind, slug)
    form = StandingForm(request.GET)
    return standing_page(scope, **form.values), form
