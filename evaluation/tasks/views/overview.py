"""The home page, the end of a task, its progress and history, and background jobs."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from evaluation import jobs
from evaluation.annotate.queries import list_sentences
from evaluation.models import Assignment, Campaign, Job, Role, Task, Upload, User
from evaluation.models.jobs import JobQuerySet
from evaluation.tasks.queries.campaigns import has_work
from evaluation.tasks.queries.history import build_history_page
from evaluation.tasks.queries.progress import build_home_page, build_monitor_page, load_task_end
from evaluation.tasks.services import management
from evaluation.web import get_managed_task, get_user, private_page


@login_required
@never_cache  # contains the return link of a guest
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    user = get_user(request)
    page = build_home_page(user, request.GET.get("page", ""), request.GET.get("managed", ""))
    context = {"page": page, "return_link": make_return_link(request, user)}
    return render(request, "evaluation/home.html", context)


def make_return_link(request: HttpRequest, user: User) -> str:
    """Return the link by which a guest comes back; empty for accounts with a password."""
    if not user.is_guest:
        return ""
    token = management.sign_return_token(user)
    return request.build_absolute_uri(reverse("come-back", args=[token]))


@private_page
def finished(request: HttpRequest, slug: str) -> HttpResponse:
    """The end of a task; the completion code is shown only to annotators who have finished.

    Who has more to do in the campaign is led there; who came from a crowd platform has another page at the
    end.
    """
    user = get_user(request)
    task = get_object_or_404(Task.objects.annotated_by(user).select_related("campaign"), slug=slug)
    end = load_task_end(user, task)
    has_next = end.is_end and has_work(task.campaign, user)
    if end.is_end and not has_next and task.campaign.crowd_workers.filter(user=user).exists():
        return redirect("campaign-finished", slug=task.campaign.slug)
    context = {
        "task": task, "end": end, "has_next": has_next, "return_link": make_return_link(request, user),
    }  # fmt: skip
    return render(request, "evaluation/finished.html", context)


@private_page
def review(request: HttpRequest, slug: str) -> HttpResponse:
    """The annotator's sentences of a task, those marked as unsure first: the last page before the end."""
    user = get_user(request)
    task = get_object_or_404(Task.objects.annotated_by(user), slug=slug)
    own = Assignment.objects.filter(annotator__user=user, task=task)
    sentences = list_sentences(own)
    sentences.sort(key=lambda sentence: (not sentence.is_unsure, sentence.state == "done", sentence.number))
    is_shown = task.shows == Task.Shows.SOURCE
    sources = dict(own.values_list("number", "comparison__item__source")) if is_shown else {}
    context = {
        "task": task, "sentences": [(sentence, sources.get(sentence.number)) for sentence in sentences],
        "end": load_task_end(user, task),
        "return_link": make_return_link(request, user),
    }  # fmt: skip
    return render(request, "evaluation/review.html", context)


@login_required
@require_GET
def monitor(request: HttpRequest, slug: str) -> HttpResponse:
    user = get_user(request)
    campaigns = Campaign.objects.with_role(user, Role.MANAGER, Role.RESEARCHER)
    tasks = Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER)
    tasks = tasks.annotate(sees_campaign=Exists(campaigns.filter(pk=OuterRef("campaign"))))
    task = get_object_or_404(tasks.select_related("campaign", "stopping_status"), slug=slug)
    is_manager = Task.objects.with_role(user, Role.MANAGER).filter(pk=task.pk).exists()
    context = {
        "task": task,
        "page": build_monitor_page(task, named=is_manager),
        "protocol": task.protocols.get(task.assessed_as),
        "is_manager": is_manager,
    }
    return render(request, "evaluation/task.html", context)


@private_page
def history(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_managed_task(request, slug)
    shown, changes = build_history_page(task, request.GET.get("page", ""))
    return render(request, "evaluation/history.html", {"task": task, "page": shown, "changes": changes})


JOBS_AT_ONCE = 100
UNFINISHED_STATES = (Job.State.FAILED, Job.State.CANCELLED)


def visible_jobs(user: User) -> JobQuerySet:
    if user.is_superuser:
        return Job.objects.all()
    return Job.objects.filter(Q(owner=user) | Q(task__in=Task.objects.with_role(user, Role.MANAGER)))


@login_required
@require_GET
def job_list(request: HttpRequest) -> HttpResponse:
    listed = visible_jobs(get_user(request)).listed().select_related("task").order_by("-created_at", "pk")
    shown = Paginator(listed, JOBS_AT_ONCE).get_page(request.GET.get("page"))
    return render(request, "evaluation/jobs.html", {"jobs": shown})


@private_page
def job_detail(request: HttpRequest, pk: str) -> HttpResponse:
    """Show a job, or return its progress as JSON."""
    job = get_object_or_404(visible_jobs(get_user(request)).select_related("task"), pk=pk)
    if request.headers.get("Accept") == "application/json":
        return JsonResponse(jobs.describe_state(job))
    upload = _find_upload(job, get_user(request)) if job.state in UNFINISHED_STATES else None
    return render(request, "evaluation/job.html", {"job": job, "upload": upload})


@login_required
@require_POST
def cancel_job(request: HttpRequest, pk: str) -> HttpResponse:
    """Cancel a job. That of an upload redirects to the upload."""
    job = get_object_or_404(visible_jobs(get_user(request)), pk=pk)
    jobs.cancel_job(job)
    return redirect((job.kind in ("import", "check") and _find_upload(job, get_user(request))) or job)


def _find_upload(job: Job, user: User) -> Upload | None:
    """Return the upload of this user that the job belongs to."""
    return user.uploads.filter(job=job).first()
