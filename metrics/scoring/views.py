"""Views: choose metrics and score a task, import scores, train a model, look at trained models."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from appraise.lib.problems import InputError, Problem
from evaluation.models import Role, Task
from evaluation.reports.views import report_context, scope_of
from evaluation.web import attachment, get_researcher, get_user, private_page
from metrics.scoring.forms import ImportForm, TrainForm
from metrics.scoring.jobs import begin_scoring, begin_training
from metrics.scoring.pages import ModelCard, load_choice_page, visible_models
from metrics.scoring.services.runs import import_uploaded_scores


@private_page
def choose(request: HttpRequest, slug: str) -> HttpResponse:
    return _render_choice(request, slug)


@login_required
@require_POST
def score(request: HttpRequest, slug: str) -> HttpResponse:
    """Enqueue the chosen metrics and redirect to the job."""
    task = _task(request, slug)
    names = [name for name in request.POST.getlist("metric") if name]
    try:
        job = begin_scoring(task, names, get_user(request))
    except InputError as error:
        return _render_choice(request, slug, problems=error.problems)
    return redirect(job)


@login_required
@require_POST
def import_file(request: HttpRequest, slug: str) -> HttpResponse:
    task = _task(request, slug)
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _render_choice(request, slug, form=form)
    try:
        run = import_uploaded_scores(task, form.cleaned_data["file"], **form.values)
    except InputError as error:
        return _render_choice(request, slug, form=form, problems=error.problems)
    messages.success(request, _("Scores of %(name)s imported.") % {"name": run.metric})
    return redirect("task-metrics", slug)


def _task(request: HttpRequest, slug: str) -> Task:
    return scope_of(request, "task", slug).tasks[0]


def _render_choice(
    request: HttpRequest,
    slug: str,
    *,
    form: ImportForm | None = None,
    train: TrainForm | None = None,
    problems: tuple[Problem, ...] = (),
) -> HttpResponse:
    """Render the page; with a refused form, filled in as it was sent."""
    scope = scope_of(request, "task", slug)
    context = {
        **report_context(request, scope),
        "page": load_choice_page(scope.tasks[0], get_user(request)),
        "form": form or ImportForm(),
        "train": train or TrainForm(),
        "problems": problems,
    }
    return render(request, "metrics/choose.html", context, status=400 if problems or form or train else 200)


@private_page
def models(request: HttpRequest) -> HttpResponse:
    user = get_researcher(request)
    cards = [ModelCard(model) for model in visible_models(user)]
    trainable = bool(cards) or Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER).exists()
    return render(request, "metrics/models.html", {"cards": cards, "trainable": trainable})


@private_page
def model(request: HttpRequest, pk: int) -> HttpResponse:
    return render(request, "metrics/model.html", {"card": _card(request, pk)})


@login_required
@require_GET
def model_plot(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    plots = _card(request, pk).plots
    if name not in plots:
        raise Http404(f"no plot {name}")
    return attachment(f"model-{pk}-{name}.svg", "image/svg+xml", plots[name].standalone)


@login_required
@require_POST
def train(request: HttpRequest, slug: str) -> HttpResponse:
    task = scope_of(request, "task", slug).tasks[0]
    form = TrainForm(request.POST)
    if not form.is_valid():
        return _render_choice(request, slug, train=form)
    try:
        job = begin_training(task, owner=get_user(request), **form.cleaned_data)
    except InputError as error:
        return _render_choice(request, slug, train=form, problems=error.problems)
    return redirect(job)


def _card(request: HttpRequest, pk: int) -> ModelCard:
    return ModelCard(get_object_or_404(visible_models(get_user(request)), pk=pk))
