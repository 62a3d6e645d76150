"""The organiser's view of a running task."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from evaluation.models import Role, Task
from evaluation.reports.monitor import monitor_page
from evaluation.views.annotate import signed_in


@login_required
@require_GET
def task(request: HttpRequest, slug: str) -> HttpResponse:
    user = signed_in(request)
    found = get_object_or_404(
        Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER).select_related("campaign", "standing"),
        slug=slug,
    )
    organises = Task.objects.with_role(user, Role.MANAGER).filter(pk=found.pk).exists()
    context = {"task": found, "page": monitor_page(found, named=organises), "organises": organises}
    return render(request, "evaluation/task.html", context)
