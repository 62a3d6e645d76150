"""The home page of an annotator, and the page at the end of a task."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from evaluation.models import Task
from evaluation.reports.home import home_page, task_end
from evaluation.services import people
from evaluation.views.annotate import never_kept, signed_in


@login_required
@never_kept  # a guest's way back is on it, which nobody should find by the back button
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    token = people.return_token(user) if people.is_guest(user) else None
    link = request.build_absolute_uri(reverse("come-back", args=[token])) if token else ""
    page = home_page(user, request.GET.get("page", ""), request.GET.get("managed", ""))
    return render(request, "evaluation/home.html", {"page": page, "return_link": link})


@login_required
@require_GET
def finished(request: HttpRequest, slug: str) -> HttpResponse:
    """The end of a task; the completion code is shown only to those who have finished."""
    user = signed_in(request)
    task = get_object_or_404(Task.objects.annotated_by(user), slug=slug)
    return render(request, "evaluation/finished.html", {"task": task, "end": task_end(user, task)})
