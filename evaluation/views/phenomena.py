"""What people disagree about, and what each system does worse."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evaluation.reports.phenomena import agreement_plot, phenomena_page, profile_of, tables
from evaluation.views.reporting import plot_file, report_context, scope_of, table_file


@login_required
@never_cache
@require_GET
def page(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    context = {**report_context(request, scope, "phenomena"), "page": phenomena_page(scope)}
    return render(request, "evaluation/phenomena.html", context)


@login_required
@require_GET
def table(request: HttpRequest, kind: str, slug: str, name: str, form: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    return table_file(scope, tables(scope), name, form)


@login_required
@require_GET
def plot(request: HttpRequest, kind: str, slug: str, name: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    return plot_file(scope, {"agreement": agreement_plot(profile_of(scope))}, name)
