"""Where an annotator starts and where a task ends."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from evaluation.models import Task
from evaluation.reports.home import home_page
from evaluation.views.annotate import signed_in


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "evaluation/home.html", {"page": home_page(signed_in(request))})


@login_required
@require_GET
def finished(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(Task.objects.annotated_by(signed_in(request)), slug=slug)
    return render(request, "evaluation/finished.html", {"task": task})
