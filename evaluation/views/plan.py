"""Plan a campaign before anybody is asked anything."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evaluation.forms_steering import PlanForm
from evaluation.reports.plan import pilot_of, pilot_values, plan_page, possible_pilots
from evaluation.reports.scope import Scope
from evaluation.views.annotate import signed_in
from evaluation.views.reporting import attachment, scope_of


@login_required
@never_cache
@require_GET
def page(request: HttpRequest) -> HttpResponse:
    scope, form = _form(request)
    valid = form.is_valid()
    context = {
        "told": pilot_of(scope) if scope else None,
        "form": form,
        "page": plan_page(form.cleaned_data) if valid else None,
        "pilots": possible_pilots(signed_in(request)),
        "pilot": scope.slug if scope else "",
        "base": request.path,
        "query": "?" + form.query,
    }
    return render(request, "evaluation/plan.html", context, status=200 if valid else 422)


@login_required
@require_GET
def plot(request: HttpRequest) -> HttpResponse:
    """The plot of the plan in the query string; invalid values are replaced by the defaults."""
    _scope, form = _form(request)
    drawn = plan_page(form.cleaned_data if form.is_valid() else PlanForm({}).values).plot
    return attachment("power.svg", "image/svg+xml", drawn.standalone)


def _form(request: HttpRequest) -> tuple[Scope | None, PlanForm]:
    pilot = request.GET.get("pilot")
    scope = scope_of(request, "task", pilot) if pilot else None
    return scope, PlanForm(request.GET, pilot_values(scope) if scope else None)
