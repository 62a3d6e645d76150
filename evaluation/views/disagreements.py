"""Disputed pairs: list, export, adjudicate."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from evaluation.models import PhrasePair, Role, Task
from evaluation.models.tasks import TaskQuerySet
from evaluation.phenomena import Phenomenon
from evaluation.reports.disagreements import Order, Query, disagreements_page, dispute_table
from evaluation.schemes import Choice
from evaluation.services import judging, oversight
from evaluation.study.disputes import Split
from evaluation.views.annotate import signed_in
from evaluation.views.reporting import report_context, scope_of, table_file


class QueryForm(forms.Form):
    """The filters in the query string; invalid values are ignored."""

    order = forms.ChoiceField(choices=[(o.value, o.value) for o in Order], required=False)
    kind = forms.ChoiceField(choices=[(k, k) for k in PhrasePair.Kind.values], required=False)
    phenomenon = forms.ChoiceField(choices=[(p.value, p.value) for p in Phenomenon], required=False)
    split = forms.ChoiceField(choices=[(s.value, s.value) for s in Split], required=False)
    annotator = forms.CharField(max_length=80, required=False)
    text = forms.CharField(max_length=200, required=False)
    page = forms.IntegerField(min_value=1, max_value=100_000, required=False)

    def query(self) -> Query:
        self.full_clean()
        given = {name: value for name, value in self.cleaned_data.items() if value}
        return Query(
            order=Order(given.get("order", Order.ENTROPY)),
            kind=given.get("kind", ""),
            phenomenon=given.get("phenomenon", ""),
            split=Split(given.get("split", Split.ANY)),
            annotator=given.get("annotator", ""),
            text=given.get("text", ""),
            page=given.get("page", 1),
        )


class AdjudicationForm(forms.Form):
    choice = forms.ChoiceField(choices=[(c.value, c.value) for c in Choice])
    reason = forms.CharField(max_length=2000)


@login_required
@never_cache
@require_GET
def page(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    found = disagreements_page(scope, QueryForm(request.GET).query())
    rest = request.GET.copy()
    rest.pop("page", None)
    context = {
        **report_context(request, scope, "disagreements"),
        "page": found,
        "phenomena": list(Phenomenon),
        "rest": rest.urlencode(),
    }
    return render(request, "evaluation/disagreements.html", context)


@login_required
@require_GET
def table(request: HttpRequest, kind: str, slug: str, name: str, form: str) -> HttpResponse:
    scope = scope_of(request, kind, slug)
    tables = {"disagreements": dispute_table(scope, QueryForm(request.GET).query())}
    return table_file(scope, tables, name, form)


@login_required
@require_POST
def adjudicate(request: HttpRequest, pair: int) -> HttpResponse:
    found = get_object_or_404(
        PhrasePair.objects.filter(task__in=_managed(request)).select_related("task"), pk=pair
    )
    form = AdjudicationForm(request.POST)
    try:
        if not form.is_valid():
            raise oversight.ReasonMissing
        oversight.adjudicate(
            found,
            choice=Choice(form.cleaned_data["choice"]),
            reason=form.cleaned_data["reason"],
            by=signed_in(request),
        )
        messages.success(request, _("Saved beside the annotators’ answers."))
    except (judging.ChoiceNotInScheme, oversight.ReasonMissing):
        messages.error(request, _("Choose a verdict of this task and give a reason in a few words."))
    back = request.POST.get("back", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = found.task.get_absolute_url()
    return redirect(back)


def _managed(request: HttpRequest) -> TaskQuerySet:
    return Task.objects.with_role(signed_in(request), Role.MANAGER)
