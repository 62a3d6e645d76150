"""The form with which a manager asks for scores and error spans of the translations of a task."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.annotate.known_answers import MOST_PERCENT
from evaluation.assessments import PROTOCOLS
from evaluation.people.forms import NumberField, SelectField
from evaluation.tasks.services.passages import MOST_SYSTEMS


def list_protocol_choices() -> list[tuple[str, Any]]:  # Any: a translated text
    return [(protocol.name, _(protocol.title)) for protocol in PROTOCOLS.values()]


class AssessmentForm(forms.Form):
    """``evidence`` are names of error spans that the task has, which can be offered as suggestions."""

    protocol = SelectField(label=_("Protocol"), choices=list_protocol_choices)
    systems = NumberField(
        initial=1,
        label=_("Translations side by side"),
        min_value=1,
        max_value=MOST_SYSTEMS,
        help_text=_("Identical translations are shown once."),
    )
    by_document = forms.BooleanField(label=_("A page for each document"), required=False)
    mark_differences = forms.BooleanField(
        label=_("Mark faintly where two translations differ"), required=False
    )
    items = NumberField(
        label=_("Only the first … sentences"),
        required=False,
        min_value=1,
        max_value=200_000,
        help_text=_("Leave empty for all sentences."),
    )
    checks = NumberField(
        initial=0,
        label=_("Hidden attention checks, %"),
        min_value=0,
        max_value=MOST_PERCENT,
        help_text=_("Shown a second time with damaged words; an attentive annotator rates the copy lower."),
    )
    suggestions = SelectField(
        label=_("Suggested errors"),
        required=False,
        help_text=_("Error spans that the task has. Annotators accept, change or remove them."),
    )

    def __init__(self, *args: Any, evidence: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        suggestions = self.fields["suggestions"]
        assert isinstance(suggestions, forms.ChoiceField)
        suggestions.choices = [("", "–"), *((name, name) for name in evidence)]
