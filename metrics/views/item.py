"""One sentence of a task as machines see it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from evaluation.views.reporting import report_context, scope_of
from metrics.reports.item import collocation_drawings, discourse_drawings, item_page

DRAWINGS = {"discourse": discourse_drawings, "collocation": collocation_drawings}


@login_required
@require_GET
def page(request: HttpRequest, slug: str, position: int) -> HttpResponse:
    """Trees only where they were asked for: a parser may take its time."""
    scope = scope_of(request, "task", slug)
    task = scope.tasks[0]
    found = item_page(task, position)
    if found is None:
        raise Http404(f"no item {position}")
    wanted = request.GET.get("trees", "")
    draw = DRAWINGS.get(wanted)
    context = {
        **report_context(request, scope, "results"),
        "task": task,
        "page": found,
        "wanted": wanted,
        "drawings": draw(found.texts, task.target_language) if draw else None,
    }
    return render(request, "metrics/item.html", context)
