"""The agreement page of a task or a campaign, its tables and its plots."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evaluation.reports.agreement import agreement_page, agreement_plots, offered_machines, summary, tables
from evaluation.views.reporting import filters_of, plot_file, report_context, scope_of, table_file


@login_required
@never_cache
@require_GET
def page(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    offered = offered_machines(scope)
    found = agreement_page(scope, filters_of(request), _machines(request, offered))
    return render(
        request,
        "evaluation/agreement.html",
        {
            **report_context(request, scope, "agreement"),
            "page": found,
            "voters": offered,
            "machines": _machines(request, offered),
            "kappa_prime_plot": found.plots["kappa-prime"],
            "over_time_plot": found.plots["over-time"],
        },
    )


@login_required
@require_GET
def table(request: HttpRequest, kind: str, slug: str, name: str, form: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    found = tables(scope, filters_of(request), _machines(request, offered_machines(scope)))
    return table_file(scope, found, name, form)


@login_required
@require_GET
def plot(request: HttpRequest, kind: str, slug: str, name: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    found = summary(scope, filters_of(request), _machines(request, offered_machines(scope)))
    return plot_file(scope, agreement_plots(found), name)


def _machines(request: HttpRequest, offered: list[str]) -> tuple[str, ...]:
    """The machines that the address lets take part; nobody does unless asked."""
    asked = request.GET.getlist("machine")
    return tuple(name for name in offered if name in asked)
