"""What changed between two tasks, two campaigns or two releases of a system."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evaluation.reports.changes import Asked, compared, others, tables
from evaluation.reports.scope import Scope
from evaluation.views.annotate import signed_in
from evaluation.views.reporting import report_context, table_file


@login_required
@never_cache
@require_GET
def page(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    known, scope, asked = _asked(request, kind, slug)
    context = {
        **report_context(request, scope, "changes"),
        "others": known.items(),
        "chosen": request.GET.get("before", ""),
        "asked": asked,
        "old": request.GET.get("old", ""),
        "new": request.GET.get("new", ""),
        "found": None if asked is None else compared(asked),
    }
    return render(request, "evaluation/changes.html", context)


@login_required
@require_GET
def table(request: HttpRequest, kind: str, slug: str, name: str, form: str) -> HttpResponse:
    _, scope, asked = _asked(request, kind, slug)
    found = {} if asked is None or asked.is_itself else tables(compared(asked))
    return table_file(scope, found, name, form)


def _asked(request: HttpRequest, kind: str, slug: str) -> tuple[dict[str, Scope], Scope, Asked | None]:
    """Everything that may be compared, the current scope, and the comparison that the query string asks
    for."""
    known = others(signed_in(request))
    scope = known.get(f"{kind}:{slug}")
    if scope is None:
        raise Http404(f"no {kind} {slug}")
    before = known.get(request.GET.get("before", ""))
    if before is None:
        return known, scope, None
    old, new = request.GET.get("old", ""), request.GET.get("new", "")
    return known, scope, Asked(before, scope, (old, new) if old and new else None)
