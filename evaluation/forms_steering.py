"""The forms of planning and stopping: read from the address, where what is not said has its usual value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.study.standing import ALPHA, HALF_WIDTH


class AddressForm(forms.Form):
    """Always bound: to what the address says, else to the usual values (or ``better`` ones)."""

    def __init__(self, address: Mapping[str, Any], better: Mapping[str, Any] | None = None) -> None:
        usual = {name: field.initial for name, field in self.base_fields.items()}
        said = {name: address[name] for name in usual if address.get(name, "") != ""}
        super().__init__({**usual, **(better or {}), **said})

    @property
    def values(self) -> dict[str, Any]:  # Any: each field has a type of its own
        """What is meant; a field with an error has its usual value."""
        self.is_valid()
        return {name: self.cleaned_data.get(name, field.initial) for name, field in self.fields.items()}


def number(label: Any, initial: float, least: float, most: float) -> forms.FloatField:  # Any: lazy text
    widget = forms.NumberInput(attrs={"class": "in", "step": "any"})
    return forms.FloatField(label=label, initial=initial, min_value=least, max_value=most, widget=widget)


def whole(label: Any, initial: int, least: int, most: int) -> forms.IntegerField:  # Any: lazy text
    widget = forms.NumberInput(attrs={"class": "in"})
    return forms.IntegerField(label=label, initial=initial, min_value=least, max_value=most, widget=widget)


class StandingForm(AddressForm):
    alpha = number(_("Chance of a wrong decision"), ALPHA, 0.0001, 0.5)
    wanted = number(_("κ to within ±"), HALF_WIDTH, 0.005, 1)
