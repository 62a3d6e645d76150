"""The results of the systems under test."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evaluation.reports import whole
from evaluation.reports.results import results_page, tables
from evaluation.views.reporting import filters_of, plot_file, report_context, scope_of, table_file


@login_required
@never_cache
@require_GET
def page(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    found = results_page(scope, filters_of(request))
    context = {
        **report_context(request, scope, "results"),
        "page": found,
        "whole": whole.whole_sentences(scope),
    }
    return render(request, "evaluation/results.html", context)


@login_required
@require_GET
def table(request: HttpRequest, kind: str, slug: str, name: str, form: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    if name in ("ratings", "sentence-verdicts"):
        return table_file(scope, whole.tables(scope), name, form)
    return table_file(scope, tables(scope, filters_of(request)), name, form)


@login_required
@require_GET
def plot(request: HttpRequest, kind: str, slug: str, name: str) -> HttpResponse:
    found = results_page(scope_of(request, kind, slug), filters_of(request))
    return plot_file(found.scope, {"strengths": found.strengths}, name)
