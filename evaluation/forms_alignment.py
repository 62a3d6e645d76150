"""What the alignment editor sends: links in Pharaoh notation, counted from 0 as the page counts the words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.alignment import Link, format_links
from evaluation.alignment.formats import parse_links
from evaluation.correcting import Correction
from evaluation.problems import InputError, Problem

MOST_CHARACTERS = 50_000
REMEDIES = {
    "alignment_syntax": _("write a link as two numbers and a hyphen, such as 3-4"),
    "alignment_range": _("the numbers are those beside the words; both sentences count from 0"),
}


class CorrectionForm(forms.Form):
    """``lengths`` are the numbers of words of both sentences; ``problems`` what is wrong with the links."""

    links = forms.CharField(
        label=_("Links"),
        required=False,
        max_length=MOST_CHARACTERS,
        help_text=_("Word of A, hyphen, word of B; a space between links. Both count from 0."),
        widget=forms.TextInput(
            attrs={"class": "in mono", "autocomplete": "off", "spellcheck": "false", "dir": "ltr"}
        ),
    )
    join = forms.BooleanField(label=_("Ask about neighbouring differences together"), required=False)
    base = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, object], lengths: tuple[int, int]) -> None:
        super().__init__(data)
        self.lengths = lengths
        self.problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, correction: Correction, base: int, lengths: tuple[int, int]) -> CorrectionForm:
        """A form that says this correction."""
        data: dict[str, object] = {"links": format_links(correction.links), "base": base}
        return cls(data | ({"join": "on"} if correction.join else {}), lengths)

    def clean_links(self) -> tuple[Link, ...]:
        text = " ".join(str(self.cleaned_data["links"]).split())
        try:
            return parse_links(text, *self.lengths)
        except InputError as error:
            self.problems = tuple(
                replace(problem, remedy=str(REMEDIES.get(problem.code, problem.remedy)))
                for problem in error.problems
            )
            raise forms.ValidationError(_("Some links could not be read.")) from error

    def correction(self) -> Correction:
        return Correction(self.cleaned_data["links"], self.cleaned_data["join"])
