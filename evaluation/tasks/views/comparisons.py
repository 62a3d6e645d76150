"""Ask for more about the translations of a task: compare further systems, or collect scores and errors."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from appraise.lib.problems import InputError, Problem
from evaluation.models import Comparison
from evaluation.tasks.forms.comparisons import ComparisonForm
from evaluation.tasks.forms.passages import AssessmentForm
from evaluation.tasks.services.later_comparisons import begin_comparing
from evaluation.tasks.services.passages import begin_collecting
from evaluation.web import get_managed_task, get_user


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form; POST begins the job."""
    task = get_managed_task(request, slug)
    systems = list(task.systems.values_list("name", flat=True))
    form = ComparisonForm(request.POST if request.method == "POST" else None, systems=systems)
    problems: list[Problem] = []
    if request.method == "POST" and form.is_valid():
        try:
            job = begin_comparing(task, form.pairs(), items=form.cleaned_data["items"], by=get_user(request))
        except InputError as error:
            problems = list(error.problems)
        else:
            return redirect(job)
    context = {
        "task": task,
        "form": form,
        "problems": problems,
        "sentences": task.items.count(),
        "comparisons": Comparison.objects.filter(item__task=task, check_kind="").count(),
    }
    status = 422 if problems or form.errors else 200
    return render(request, "evaluation/compare.html", context, status=status)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def collect(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form that asks for scores and error spans; POST begins the job."""
    task = get_managed_task(request, slug)
    evidence = sorted(name for name, protocol in task.protocols.items() if protocol.get("severities"))
    form = AssessmentForm(request.POST if request.method == "POST" else None, evidence=evidence)
    problems: list[Problem] = []
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(begin_collecting(task, form.cleaned_data, by=get_user(request)))
        except InputError as error:
            problems = list(error.problems)
    context = {
        "task": task,
        "form": form,
        "problems": problems,
        "sentences": task.items.count(),
        "systems": task.systems.count(),
    }
    status = 422 if problems or form.errors else 200
    return render(request, "evaluation/collect.html", context, status=status)
