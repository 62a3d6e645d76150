"""The agreement page of a task or a campaign, its tables and its plots."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evaluation.reports.agreement import agreement_page, agreement_plots, summary, tables
from evaluation.views.reporting import filters_of, plot_file, report_context, scope_of, table_file


@login_required
@never_cache
@require_GET
def page(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    found = agreement_page(scope, filters_of(request))
    return render(
        request,
        "evaluation/agreement.html",
        {
            **report_context(request, scope, "agreement"),
            "page": found,
            "kappa_prime_plot": found.plots["kappa-prime"],
            "over_time_plot": found.plots["over-time"],
        },
    )


@login_required
@require_GET
def table(request: HttpRequest, kind: str, slug: str, name: str, form: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    return table_file(scope, tables(scope, filters_of(request)), name, form)


@login_required
@require_GET
def plot(request: HttpRequest, kind: str, slug: str, name: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    return plot_file(scope, agreement_plots(summary(scope, filters_of(request))), name)
