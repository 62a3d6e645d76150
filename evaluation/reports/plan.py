"""The Plan page: a power analysis from expected values, or from the estimates of a pilot task.

The values come from the query string; missing fields have their defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from math import inf
from operator import attrgetter
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from appraise.lib.tables import Table
from evaluation.models import Role, Task
from evaluation.people.forms import NumberField, SelectField
from evaluation.power.design import Design, accuracy_from_agreement
from evaluation.power.pilot import StudyPilot, estimate_from_study
from evaluation.power.plan import PowerPlan, Requirements, make_plan
from evaluation.reports import plots
from evaluation.reports.scope import Scope, get_study, get_system_pairs
from evaluation.reports.views import scope_of
from evaluation.schemes import FOUR_WAY
from evaluation.web import attachment, get_user, private_page

THREE_WAY_CHANCE = 1 / 3  # of win, tie and loss


class AgreementMeasure(StrEnum):
    P_A = "p_a"
    KAPPA = "kappa"


def _float_field(label: Any, initial: float, least: float, most: float) -> forms.FloatField:  # Any: lazy text
    widget = forms.NumberInput(attrs={"class": "in", "step": "any"})
    return forms.FloatField(label=label, initial=initial, min_value=least, max_value=most, widget=widget)


class PlanForm(forms.Form):
    """Expectations and requirements. Always bound, to ``values``, else ``estimates``, else the defaults."""

    systems = NumberField(label=_("Systems"), initial=2, min_value=2, max_value=50)
    win_rate = _float_field(_("Win rate of the better of two systems"), 0.6, 0.5, 1)
    ties = _float_field(_("Share of ties"), 0.2, 0, 0.99)
    agreement = _float_field(_("Agreement between annotators"), 0.66, 0, 1)
    agreement_is = SelectField(
        label=_("Agreement measured as"),
        choices=[(AgreementMeasure.P_A, "P(A)"), (AgreementMeasure.KAPPA, _("κ over four choices"))],
        initial=AgreementMeasure.P_A,
    )
    phrases = NumberField(label=_("Phrase pairs per comparison"), initial=3, min_value=1, max_value=100)
    clustering = _float_field(_("Correlation of phrases within a sentence (ρ)"), 0.1, 0, 1)
    overlap = NumberField(label=_("Annotators per comparison"), initial=2, min_value=1, max_value=20)
    people = NumberField(label=_("Annotators in total"), initial=3, min_value=1, max_value=1000)
    seconds = _float_field(_("Seconds per answer"), 10, 0.1, 3600)
    price = _float_field(_("Price per hour"), 15, 0, 100000)
    hours = _float_field(_("Hours per day"), 4, 0.1, 24)
    power = _float_field(_("Desired power"), 0.8, 0.05, 0.999)
    alpha = _float_field(_("Risk of a false positive"), 0.05, 0.0001, 0.5)

    def __init__(self, values: Mapping[str, Any], estimates: Mapping[str, Any] | None = None) -> None:
        defaults = {name: field.initial for name, field in self.base_fields.items()}
        filled = {name: values[name] for name in defaults if values.get(name, "") != ""}
        super().__init__({**defaults, **(estimates or {}), **filled})

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if (data.get("overlap") or 0) > (data.get("people") or 1000):
            self.add_error("people", _("There are fewer annotators than each comparison needs."))
        is_share = data.get("agreement_is") == AgreementMeasure.P_A
        if "agreement" in data and is_share and data["agreement"] < 0.34:
            self.add_error("agreement", _("Random answers agree in a third of cases."))
        return data

    @property
    def query(self) -> str:
        """The same values as a query string."""
        return urlencode({name: self[name].value() for name in self.fields})


@private_page
def page(request: HttpRequest) -> HttpResponse:
    scope, form = _read_form(request)
    tasks = Task.objects.with_role(get_user(request), Role.MANAGER, Role.RESEARCHER)
    is_valid = form.is_valid()
    plan = plan_from(form.cleaned_data) if is_valid else None
    context = {
        "pilot_study": get_pilot(scope) if scope else None,
        "form": form,
        "plan": plan,
        "plot": plots.power_curve(plan) if plan else None,
        "pilots": tasks.exclude(state=Task.State.IMPORTING).order_by("name"),
        "pilot": scope.slug if scope else "",
        "base": request.path,
        "query": "?" + form.query,
    }
    return render(request, "evaluation/plan.html", context, status=200 if is_valid else 422)


@login_required
@require_GET
def plot(request: HttpRequest) -> HttpResponse:
    """Return the plot of the plan in the query string; an invalid one is replaced by the default plan."""
    _scope, form = _read_form(request)
    if not form.is_valid():
        form = PlanForm({})
        form.full_clean()
    return attachment(
        "power.svg", "image/svg+xml", plots.power_curve(plan_from(form.cleaned_data)).standalone
    )


def _read_form(request: HttpRequest) -> tuple[Scope | None, PlanForm]:
    pilot = request.GET.get("pilot")
    scope = scope_of(request, "task", pilot) if pilot else None
    return scope, PlanForm(request.GET, estimate_values(scope) if scope else None)


def plan_from(values: dict[str, Any]) -> PowerPlan:  # Any: the cleaned data of ``PlanForm``
    """Make a plan; ``agreement`` is P(A) over win, tie and loss, or κ over four choices with fixed chance."""
    p_a = values["agreement"]
    if values["agreement_is"] == AgreementMeasure.KAPPA:
        p_a = FOUR_WAY.chance + (1 - FOUR_WAY.chance) * p_a
    names = ("win_rate", "ties", "phrases", "overlap", "clustering")
    accuracy = accuracy_from_agreement(max(p_a, THREE_WAY_CHANCE))
    design = Design(accuracy=accuracy, **{name: values[name] for name in names})
    names = ("systems", "people", "seconds", "power", "alpha")
    cost = {"price_per_hour": values["price"], "hours_per_day": values["hours"]}
    return make_plan(design, Requirements(**cost, **{name: values[name] for name in names}))


def get_pilot(scope: Scope) -> StudyPilot:
    return scope.cached("pilot", lambda: estimate_from_study(get_study(scope), get_system_pairs(scope)))


def estimate_values(scope: Scope) -> dict[str, float]:
    """Return form values estimated from a task; what cannot be estimated keeps its default."""
    pilot = get_pilot(scope)
    estimates = pilot.estimates
    values: dict[str, float | None] = {
        "systems": pilot.systems if pilot.systems > 1 else None,
        "seconds": _clip(pilot.seconds, 1),
        # From few votes it may seem that one system always wins; no plan follows from such extremes.
        "win_rate": _clip(estimates.win_rate, 3, 0.5, 0.95),
        "ties": _clip(estimates.ties, 3, 0, 0.99),
        "agreement": _clip(estimates.agreement, 3, 0.34),
        "clustering": _clip(estimates.clustering, 3),
        "phrases": None if estimates.phrases is None else max(1, round(estimates.phrases)),
        "overlap": scope.tasks[0].overlap,
        "people": max(3, scope.tasks[0].overlap),
    }
    return {name: value for name, value in values.items() if value is not None}


def _clip(value: float | None, digits: int, low: float = 0, high: float = inf) -> float | None:
    return None if value is None else round(min(max(value, low), high), digits)


def plan_document(plan: PowerPlan) -> dict[str, object]:
    """Return the plan as JSON values."""
    return {
        "design": asdict(plan.design),
        "requirements": asdict(plan.requirements),
        "alpha_each": plan.requirements.alpha_each,
        "enough": None if plan.required_point is None else plan.required_point._asdict(),
        "simulated": None if plan.simulated_power is None else plan.simulated_power._asdict(),
        "by_overlap": [{"overlap": overlap, **point._asdict()} for overlap, point in plan.points_by_overlap],
        "curve": [point._asdict() for point in plan.curve],
    }


def plan_tables(plan: PowerPlan) -> dict[str, Table]:
    """Return what the wished power takes, and what it takes with other numbers of people per comparison."""
    columns = ("sentences", "comparisons", "judgements", "hours", "days", "money", "power")
    cells = attrgetter(*columns)
    title = (
        "No number of sentences tells these systems apart" if plan.required_point is None else _title(plan)
    )
    enough = () if plan.required_point is None else (cells(plan.required_point),)
    others = tuple((overlap, *cells(point)) for overlap, point in plan.points_by_overlap)
    return {
        "plan": Table(title, columns, enough),
        "overlaps": Table(
            "The same power with more or fewer annotators per comparison", ("people", *columns), others
        ),
    }


def _title(plan: PowerPlan) -> str:
    wanted, checked = plan.requirements, plan.simulated_power
    title = f"Win rate {plan.design.win_rate}, power {wanted.power}, alpha {wanted.alpha_each:.4f} per pair"
    if checked is None:
        return title
    return f"{title}; simulated power {checked.power:.3f} ({checked.low:.3f} to {checked.high:.3f})"
