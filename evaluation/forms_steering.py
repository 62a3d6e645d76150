"""The forms of planning and stopping, read from the query string; missing fields have their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.study.standing import ALPHA, HALF_WIDTH


class AddressForm(forms.Form):
    """Always bound: to the query string, else to the defaults (or to ``better`` ones)."""

    def __init__(self, address: Mapping[str, Any], better: Mapping[str, Any] | None = None) -> None:
        usual = {name: field.initial for name, field in self.base_fields.items()}
        said = {name: address[name] for name in usual if address.get(name, "") != ""}
        super().__init__({**usual, **(better or {}), **said})

    @property
    def values(self) -> dict[str, Any]:  # Any: each field has a type of its own
        """The cleaned values; a field with an error has its default."""
        self.is_valid()
        return {name: self.cleaned_data.get(name, field.initial) for name, field in self.fields.items()}

    @property
    def query(self) -> str:
        """The same values as a query string."""
        return urlencode({name: self[name].value() for name in self.fields})


def number(label: Any, initial: float, least: float, most: float) -> forms.FloatField:  # Any: lazy text
    widget = forms.NumberInput(attrs={"class": "in", "step": "any"})
    return forms.FloatField(label=label, initial=initial, min_value=least, max_value=most, widget=widget)


def whole(label: Any, initial: int, least: int, most: int) -> forms.IntegerField:  # Any: lazy text
    widget = forms.NumberInput(attrs={"class": "in"})
    return forms.IntegerField(label=label, initial=initial, min_value=least, max_value=most, widget=widget)


class StandingForm(AddressForm):
    alpha = number(_("Risk of a wrong decision"), ALPHA, 0.0001, 0.5)
    wanted = number(_("κ to within ±"), HALF_WIDTH, 0.005, 1)


class Agreement(StrEnum):
    P_A = "p_a"
    KAPPA = "kappa"


class PlanForm(AddressForm):
    """What is expected, wanted and paid."""

    systems = whole(_("Systems"), 2, 2, 50)
    win_rate = number(_("Win rate of the better of two systems"), 0.6, 0.5, 1)
    ties = number(_("Share of ties"), 0.2, 0, 0.99)
    agreement = number(_("Agreement between people"), 0.66, 0, 1)
    agreement_is = forms.ChoiceField(
        label=_("… measured as"),
        choices=[(Agreement.P_A, "P(A)"), (Agreement.KAPPA, _("κ over four choices"))],
        initial=Agreement.P_A,
        widget=forms.Select(attrs={"class": "in"}),
    )
    phrases = whole(_("Phrase pairs per comparison"), 3, 1, 100)
    clustering = number(_("Likeness of phrases within a sentence (ρ)"), 0.1, 0, 1)
    overlap = whole(_("People per comparison"), 2, 1, 20)
    people = whole(_("People in total"), 3, 1, 1000)
    seconds = number(_("Seconds per answer"), 10, 0.1, 3600)
    price = number(_("Price per hour"), 15, 0, 100000)
    hours = number(_("Hours per day"), 4, 0.1, 24)
    power = number(_("Desired power"), 0.8, 0.05, 0.999)
    alpha = number(_("Risk of a false finding"), 0.05, 0.0001, 0.5)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if (data.get("overlap") or 0) > (data.get("people") or 1000):
            self.add_error("people", _("Fewer people than judge each comparison."))
        if "agreement" in data and data.get("agreement_is") == Agreement.P_A and data["agreement"] < 0.34:
            self.add_error("agreement", _("People who answer at random agree in a third of cases."))
        return data
