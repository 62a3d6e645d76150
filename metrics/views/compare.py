"""Metrics next to human votes, with its tables and plots as files."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evaluation.views.reporting import filters_of, plot_file, report_context, scope_of, table_file
from metrics.reports.compare_page import Choices, ComparePage, Wanted


@login_required
@never_cache
@require_GET
def page(request: HttpRequest, slug: str) -> HttpResponse:
    found = compared(request, slug)
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        **report_context(request, found.scope, "results"),
        "base": reverse("task-metrics", args=[slug]),
        "page": found,
        "plots": found.plots,
        "pager": query.urlencode(),
    }
    return render(request, "metrics/compare.html", context)


@login_required
@require_GET
def table(request: HttpRequest, slug: str, name: str, form: str) -> HttpResponse:
    found = compared(request, slug)
    return table_file(found.scope, found.table(name), name, form)


@login_required
@require_GET
def plot(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    found = compared(request, slug)
    return plot_file(found.scope, found.plots, name)


def compared(request: HttpRequest, slug: str) -> ComparePage:
    return ComparePage(scope_of(request, "task", slug), wanted(request))


def wanted(request: HttpRequest) -> Wanted:
    """What the address asks for; a word or number that means nothing is not a filter."""
    run, page = request.GET.get("run", ""), request.GET.get("page", "")
    show, side = request.GET.get("show", ""), request.GET.get("side", "")
    return Wanted(
        run=int(run) if _is_number(run) else None,
        show=show if show in Choices.show else "all",
        side=side if side in Choices.side else "any",
        text=request.GET.get("text", "").replace("\0", "").strip()[:200],
        page=int(page) if _is_number(page) else 1,
        without=filters_of(request),
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
