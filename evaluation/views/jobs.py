"""Background jobs as a person sees them; each person sees their own."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from evaluation import jobs
from evaluation.models import Job, Role, Task, Upload, User
from evaluation.models.jobs import JobQuerySet
from evaluation.templatetags.figures import job_message
from evaluation.views.annotate import signed_in

JOBS_AT_ONCE = 100
STOPPED = (Job.State.FAILED, Job.State.CANCELLED)


def visible_jobs(user: User) -> JobQuerySet:
    if user.is_superuser:
        return Job.objects.all()
    return Job.objects.filter(Q(owner=user) | Q(task__in=Task.objects.with_role(user, Role.MANAGER)))


@login_required
@require_GET
def job_list(request: HttpRequest) -> HttpResponse:
    found = visible_jobs(signed_in(request)).listed().select_related("task").order_by("-created_at", "pk")
    shown = Paginator(found, JOBS_AT_ONCE).get_page(request.GET.get("page"))
    return render(request, "evaluation/jobs.html", {"jobs": shown})


@login_required
@never_cache
@require_GET
def job(request: HttpRequest, pk: str) -> HttpResponse:
    """A page, or its figures as JSON for the progress bar."""
    found = get_object_or_404(visible_jobs(signed_in(request)).select_related("task"), pk=pk)
    if request.headers.get("Accept") == "application/json":
        return JsonResponse(
            {
                "state": found.state,
                "done": found.done,
                "total": found.total,
                "message": job_message(found.message),
            }
        )
    upload = _upload(found, signed_in(request)) if found.state in STOPPED else None
    return render(request, "evaluation/job.html", {"job": found, "upload": upload})


@login_required
@require_POST
def cancel(request: HttpRequest, pk: str) -> HttpResponse:
    """An import leads back to its files, which are still there; a check would begin again at once."""
    found = get_object_or_404(visible_jobs(signed_in(request)), pk=pk)
    jobs.cancel(found)
    return redirect((found.kind == "import" and _upload(found, signed_in(request))) or found)


def _upload(job: Job, user: User) -> Upload | None:
    """The files of this person from which a job was to make something."""
    return user.uploads.filter(job=job).first()
