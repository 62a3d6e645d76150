"""The forms of the practice round."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation import markup
from evaluation.places import step_count, verdict
from evaluation.schemes import Choice, Scheme


class PracticeAnswerForm(forms.Form):
    """One of the scheme's choices."""

    choice = forms.CharField(max_length=4)

    def __init__(self, scheme: Scheme, *args: Any) -> None:
        super().__init__(*args)
        self.scheme = scheme

    def clean_choice(self) -> Choice:
        given: str = self.cleaned_data["choice"]
        if given not in self.scheme.labels:
            raise forms.ValidationError("not a choice of this task")
        return Choice(given)


class PracticeStepsForm(forms.Form):
    """Two variants on steps, for tasks that are judged place by place; equivalent to a choice."""

    def __init__(self, scheme: Scheme, *args: Any) -> None:
        super().__init__(*args)
        self.scheme = scheme
        for number in range(2):
            self.fields[f"step-0-{number}"] = forms.IntegerField(min_value=0, max_value=step_count(2, scheme))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not self.errors:
            one, other = (data[f"step-0-{number}"] or None for number in range(2))
            data["choice"] = verdict(one, other, self.scheme)
        return data

    @property
    def steps(self) -> list[int | None]:
        return (
            [self.cleaned_data.get(f"step-0-{number}") for number in range(2)]
            if self.is_bound
            else [None] * 2
        )


class PracticeQuestionForm(forms.Form):
    """Two sentences, and what is expected about the first (A) and the second (B)."""

    above = forms.CharField(
        label=_("Text on top"),
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"class": "in area", "rows": 2}),
    )
    first = forms.CharField(
        label=_("Sentence A"), max_length=5000, widget=forms.Textarea(attrs={"class": "in area", "rows": 2})
    )
    second = forms.CharField(
        label=_("Sentence B"),
        max_length=5000,
        widget=forms.Textarea(attrs={"class": "in area", "rows": 2}),
        help_text=_("Each annotator sees the two in an order of their own."),
    )
    expected = forms.ChoiceField(label=_("Expected answer"), widget=forms.Select(attrs={"class": "in"}))
    why = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"class": "in area", "rows": 2}),
        help_text=_("Shown with the answer. Do not say A or B: the sides may be exchanged."),
    )

    def __init__(self, scheme: Scheme, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        expected = self.fields["expected"]
        assert isinstance(expected, forms.ChoiceField)
        expected.choices = [
            (choice.value, f"{markup.SYMBOLS[choice]}: {markup.words(scheme, choice)}")
            for choice in scheme.choices
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("first") and data.get("first") == data.get("second"):
            self.add_error("second", _("The two sentences are the same."))
        return data
