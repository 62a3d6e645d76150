"""The history of a task, for those who manage it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evaluation.reports.history import history_page
from evaluation.views.members import managed_task


@login_required
@never_cache
@require_GET
def page(request: HttpRequest, slug: str) -> HttpResponse:
    task = managed_task(request, slug)
    shown, changes = history_page(task, request.GET.get("page", ""))
    return render(request, "evaluation/history.html", {"task": task, "page": shown, "changes": changes})
