"""People and machines as one panel."""

from __future__ import annotations

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from evaluation.panel import MODELS, Seats
from evaluation.reports.panel import Asked, members_of, panel_of, panel_page, reliability_plot, tables
from evaluation.views.reporting import plot_file, report_context, scope_of, table_file

TITLES = {"dawid-skene": "Dawid–Skene", "mace": "MACE"}


class AskedForm(forms.Form):
    """The options in the query string; invalid values are ignored."""

    model = forms.ChoiceField(choices=[(name, name) for name in MODELS], required=False)
    machines = forms.ChoiceField(choices=[(s.value, s.value) for s in Seats], required=False)

    def asked(self) -> Asked:
        self.full_clean()
        given = self.cleaned_data
        seats = Seats(given.get("machines") or Seats.ONE_VOICE)
        return Asked(given.get("model") or "dawid-skene", seats)


@login_required
@never_cache
@require_GET
def page(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    found = panel_page(scope, AskedForm(request.GET).asked())
    context = {**report_context(request, scope, "panel"), "page": found, "models": TITLES.items()}
    return render(request, "evaluation/panel.html", context)


@login_required
@require_GET
def table(request: HttpRequest, kind: str, slug: str, name: str, form: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    return table_file(scope, tables(scope, AskedForm(request.GET).asked()), name, form)


@login_required
@require_GET
def plot(request: HttpRequest, kind: str, slug: str, name: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    found = panel_of(scope, AskedForm(request.GET).asked())
    drawn = {} if found is None else {"reliability": reliability_plot(members_of(found))}
    return plot_file(scope, drawn, name)
