"""Models that were trained here: the list, and training on a task."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from evaluation.models import Role, Task
from evaluation.views.annotate import signed_in
from evaluation.views.reporting import attachment, scope_of
from metrics.forms import TrainForm
from metrics.jobs import begin_training
from metrics.reports.models import model_cards, visible_models, weight_bars


@login_required
@never_cache
@require_GET
def page(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    if not Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER).exists():
        raise PermissionDenied
    return render(request, "metrics/models.html", {"cards": model_cards(user)})


@login_required
@require_GET
def weights(request: HttpRequest, pk: int) -> HttpResponse:
    for model in visible_models(signed_in(request)):
        if model.pk == pk:
            return attachment(f"weights-{pk}.svg", "image/svg+xml", weight_bars(model).standalone)
    raise Http404(f"no model {pk}")


@login_required
@require_POST
def train(request: HttpRequest, slug: str) -> HttpResponse:
    task = scope_of(request, "task", slug).tasks[0]
    form = TrainForm(request.POST)
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, str(errors[0]))
        return redirect("choose-metrics", slug)
    return redirect(begin_training(task, owner=signed_in(request), **form.cleaned_data))
