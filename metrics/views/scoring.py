"""Choose metrics and score; bring scores from elsewhere."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from evaluation.models import Task
from evaluation.problems import InputError, Problem
from evaluation.views.annotate import signed_in
from evaluation.views.reporting import report_context, scope_of
from metrics.forms import ImportForm, TrainForm
from metrics.jobs import begin_scoring
from metrics.reports.choice import choice_page
from metrics.services.importing import import_uploaded


@login_required
@never_cache
@require_GET
def choose(request: HttpRequest, slug: str) -> HttpResponse:
    return choice(request, slug)


@login_required
@require_POST
def score(request: HttpRequest, slug: str) -> HttpResponse:
    """Put the chosen metrics on the queue and show how far they are."""
    task = _task(request, slug)
    names = [name for name in request.POST.getlist("metric") if name]
    try:
        job = begin_scoring(task, names, signed_in(request))
    except InputError as error:
        return choice(request, slug, problems=error.problems)
    return redirect(job)


@login_required
@require_POST
def import_file(request: HttpRequest, slug: str) -> HttpResponse:
    task = _task(request, slug)
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return choice(request, slug, form=form)
    try:
        run = import_uploaded(task, form.cleaned_data["file"], **form.values)
    except InputError as error:
        return choice(request, slug, form=form, problems=error.problems)
    messages.success(request, _("The scores of %(name)s are here.") % {"name": run.metric})
    return redirect("task-metrics", slug)


def _task(request: HttpRequest, slug: str) -> Task:
    return scope_of(request, "task", slug).tasks[0]


def choice(
    request: HttpRequest,
    slug: str,
    *,
    form: ImportForm | None = None,
    train: TrainForm | None = None,
    problems: tuple[Problem, ...] = (),
) -> HttpResponse:
    """The page; with a form that was refused, filled in as it was sent."""
    scope = scope_of(request, "task", slug)
    context = {
        **report_context(request, scope, "results"),
        "page": choice_page(scope.tasks[0], signed_in(request)),
        "form": form or ImportForm(),
        "train": train or TrainForm(),
        "problems": problems,
    }
    return render(request, "metrics/choose.html", context, status=400 if problems or form or train else 200)
