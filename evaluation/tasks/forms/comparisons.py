"""The form with which a manager compares further systems of a task."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.alignment.designs import SystemPair
from evaluation.people.forms import NumberField, SelectField


class ComparisonForm(forms.Form):
    """Systems that are compared with one another, or each of them with a baseline."""

    systems = forms.MultipleChoiceField(
        label=_("Systems"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least two systems.")},
    )
    baseline = SelectField(
        label=_("Only with the baseline"),
        required=False,
        help_text=_("Leave empty to compare every two of these systems."),
    )
    items = NumberField(
        label=_("Only the first … sentences"),
        required=False,
        min_value=1,
        max_value=200_000,
        help_text=_("Leave empty for all sentences."),
    )

    def __init__(self, *args: Any, systems: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, empty in (("systems", []), ("baseline", [("", "–")])):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [*empty, *((system, system) for system in systems)]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("systems") and not self.pairs():
            self.add_error("systems", _("Choose at least two systems."))
        return data

    def pairs(self) -> list[SystemPair]:
        """Return the chosen pairs of systems, each with the smaller name first."""
        chosen, baseline = self.cleaned_data["systems"], self.cleaned_data.get("baseline")
        if baseline:
            return [(min(name, baseline), max(name, baseline)) for name in chosen if name != baseline]
        return list(combinations(sorted(chosen), 2))
