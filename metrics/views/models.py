"""Models that were trained here: the list, the page of each, and training on a task."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from evaluation.models import Role, Task
from evaluation.views.annotate import signed_in
from evaluation.views.reporting import attachment, researcher, scope_of
from metrics.forms import TrainForm
from metrics.jobs import begin_training
from metrics.reports.models import ModelCard, find_card, model_cards
from metrics.views.scoring import choice


@login_required
@never_cache
@require_GET
def page(request: HttpRequest) -> HttpResponse:
    user = researcher(request)
    cards = model_cards(user)
    trainable = bool(cards) or Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER).exists()
    return render(request, "metrics/models.html", {"cards": cards, "trainable": trainable})


@login_required
@never_cache
@require_GET
def one(request: HttpRequest, pk: int) -> HttpResponse:
    return render(request, "metrics/model.html", {"card": _card(request, pk)})


@login_required
@require_GET
def plot(request: HttpRequest, pk: int, name: str) -> HttpResponse:
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
        return choice(request, slug, train=form)
    return redirect(begin_training(task, owner=signed_in(request), **form.cleaned_data))


def _card(request: HttpRequest, pk: int) -> ModelCard:
    card = find_card(signed_in(request), pk)
    if card is None:
        raise Http404(f"no model {pk}")
    return card
