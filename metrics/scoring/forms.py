"""Forms for training a model and importing scores."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.people.forms import SelectField


class TrainForm(forms.Form):
    """A model to be trained on a task."""

    name = forms.RegexField(
        r"^[\w .+-]+$",
        label=_("Name of the model"),
        max_length=60,
        error_messages={"invalid": _("Use letters, digits, spaces and . + - _ only.")},
        widget=forms.TextInput(attrs={"class": "in", "autocomplete": "off", "id": "train-name"}),
    )
    method = forms.ChoiceField(
        label=_("What to train"),
        required=False,
        choices=[
            ("combination", _("combination of metrics, needs references")),
            ("svm", _("human or machine (SVM), needs references")),
            ("ranker", _("ranker without references (logistic regression)")),
            ("ranker-bayes", _("ranker without references (naïve Bayes, as in Avramidis et al. 2011)")),
            ("ranker-trees", _("ranker without references (boosted trees)")),
        ],
        widget=forms.Select(attrs={"class": "in", "id": "train-method"}),
    )
    parser = forms.BooleanField(
        label=_("Let rankers use the parser (slow)"),
        required=False,
        widget=forms.CheckboxInput(attrs={"id": "train-parser"}),
    )

    def clean_method(self) -> str:
        """The default is a combination."""
        return str(self.cleaned_data["method"] or "combination")


class ImportForm(forms.Form):
    """Scores that were computed elsewhere."""

    name = forms.RegexField(
        r"^[\w .+-]+$",
        label=_("Name of the metric"),
        max_length=80,
        error_messages={"invalid": _("Use letters, digits, spaces and . + - _ only.")},
        widget=forms.TextInput(attrs={"class": "in", "autocomplete": "off"}),
    )
    direction = SelectField(
        label=_("Direction"), choices=[("higher", _("higher is better")), ("lower", _("lower is better"))]
    )
    file = forms.FileField(
        label=_("File"),
        help_text=_("Tab-separated, UTF-8, plain or gzipped, with the columns system, item and score."),
        widget=forms.ClearableFileInput(attrs={"class": "in in-file", "accept": ".tsv,.txt,.gz"}),
    )

    def clean_direction(self) -> bool:
        """Whether higher is better."""
        return bool(self.cleaned_data["direction"] == "higher")

    @property
    def values(self) -> dict[str, Any]:
        return {"name": self.cleaned_data["name"], "higher_is_better": self.cleaned_data["direction"]}
