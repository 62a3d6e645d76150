"""Selection of questions: a switch for those who manage the task, and the log of draws."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from evaluation.agreement.rendering import as_csv
from evaluation.models import Task
from evaluation.reports.selection import selection_page
from evaluation.services import selecting
from evaluation.views.annotate import signed_in
from evaluation.views.members import managed_task
from evaluation.views.reporting import attachment


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def page(request: HttpRequest, slug: str) -> HttpResponse:
    task = managed_task(request, slug)
    wanted = request.POST.get("selection")
    if request.method == "POST" and wanted in Task.Selection.values:
        try:
            selecting.select(task, Task.Selection(wanted), by=signed_in(request))
            messages.success(request, _("Saved. The order changes within a minute."))
            return redirect("selection", slug=slug)
        except selecting.NotForPlaces:
            messages.error(request, _("Tasks that are judged place by place have a fixed order."))
    context = {"task": task, "choices": Task.Selection.choices, "page": selection_page(task)}
    return render(
        request, "evaluation/selection.html", context, status=422 if request.method == "POST" else 200
    )


@login_required
@require_GET
def draws(request: HttpRequest, slug: str) -> HttpResponse:
    task = managed_task(request, slug)
    return attachment(f"{slug}-draws.csv", "text/csv; charset=utf-8", as_csv(selection_page(task).table))
