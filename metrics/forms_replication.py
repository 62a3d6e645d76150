"""What a person chooses for a replication."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.models import Campaign
from evaluation.schemes import SCHEMES
from evaluation.templatetags.figures import spoken
from metrics.replicate.folder import SECOND, Offer
from metrics.replicate.recipes import RECIPES, title

OWN = "paper-003"


class ReplicationForm(forms.Form):
    """A recipe and its data: a campaign of this site, or sets that the operator offers."""

    recipe = forms.ChoiceField(label=_("Paper"), widget=forms.Select(attrs={"class": "in"}))
    campaign = forms.ChoiceField(
        label=_("Campaign of this site"),
        required=False,
        help_text=_("For the paper on agreement only: its table from the answers collected here."),
        widget=forms.Select(attrs={"class": "in"}),
    )
    sets = forms.MultipleChoiceField(
        label=_("Data"), required=False, widget=forms.CheckboxSelectMultiple(attrs={"class": "check"})
    )
    second = forms.MultipleChoiceField(
        label=_("Second data"),
        required=False,
        help_text=_("To train on (Kulesza 2004), or to test on (Avramidis 2011, Guzmán 2014)."),
        widget=forms.CheckboxSelectMultiple(attrs={"class": "check"}),
    )
    scheme = forms.ChoiceField(
        label=_("Scheme of judgement files"),
        choices=lambda: [(name, spoken(scheme.title)) for name, scheme in SCHEMES.items()],
        required=False,
        widget=forms.Select(attrs={"class": "in"}),
    )

    def __init__(
        self, *args: Any, campaigns: Sequence[Campaign], offer: Offer, **more: Any
    ) -> None:  # Any: Django
        super().__init__(*args, **more)
        self.offer = offer
        judgements = [(name, _("%(name)s (judgements)") % {"name": name}) for name in offer.judgements]
        names = judgements + [(name, name) for name in offer.sets]
        self._choices("recipe", [(name, title(name)) for name in ([OWN] if not names else RECIPES)])
        self._choices("campaign", [("", "–"), *((one.slug, one.name) for one in campaigns)])
        self._choices("sets", names)
        self._choices("second", [(name, name) for name in offer.sets])
        if not names:
            for name in ("sets", "second", "scheme"):
                del self.fields[name]

    def _choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices

    def clean(self) -> dict[str, Any]:  # Any: Django
        values: dict[str, Any] = super().clean() or self.cleaned_data
        campaign, sets = values.get("campaign"), values.get("sets") or []
        if campaign and (values.get("recipe") != OWN or sets):
            raise forms.ValidationError(
                _("A campaign goes with the paper on agreement, and without other data.")
            )
        if not campaign and not sets:
            raise forms.ValidationError(_("Choose a campaign, or data."))
        fitting = self.offer.judgements if values.get("recipe") == OWN else self.offer.sets
        if not set(sets) <= fitting.keys():
            raise forms.ValidationError(
                _("Files of judgements go with the paper on agreement, other data with the other papers.")
            )
        if values.get("second") and values.get("recipe") not in SECOND:
            raise forms.ValidationError(_("This paper has no second data."))
        return values

    @property
    def arguments(self) -> dict[str, Any]:  # Any: JSON of a job
        given = self.cleaned_data
        return {
            "recipe": given["recipe"],
            "campaign": given.get("campaign", ""),
            "sets": given.get("sets", []),
            "second": given.get("second", []),
            "scheme": given.get("scheme", ""),
        }
