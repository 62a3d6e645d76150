"""Compare further systems of a task, for example of one that came with scores and error spans only."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from appraise.lib.problems import InputError, Problem
from evaluation.models import Comparison
from evaluation.tasks.forms.comparisons import ComparisonForm
from evaluation.tasks.services.later_comparisons import begin_comparing
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
