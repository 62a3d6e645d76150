"""Forms for members, invitations and completion codes, and for corrected word links."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms
from django.contrib.auth.models import Group
from django.core.validators import URLValidator
from django.utils.translation import gettext_lazy as _

from appraise.lib.problems import InputError, Problem
from evaluation.alignment import Link, format_links
from evaluation.alignment.link_files import parse_links
from evaluation.models import Campaign, Role, Task, User
from evaluation.people.forms import NumberField, SelectField, TextField, text_input
from evaluation.tasks.edited_links import Groups, Realignment
from evaluation.tasks.services import management


class MemberForm(forms.Form):
    """Existing users, by name, or all members of a group."""

    names = forms.CharField(
        label=_("User names"), required=False, max_length=5000, widget=text_input(autocapitalize="none")
    )
    group = forms.ModelChoiceField(
        label=_("or a group"), queryset=Group.objects.none(), required=False, widget=SelectField.widget
    )
    role = SelectField(label=_("Role"), choices=Role.choices)
    quota = NumberField(label=_("Quota"), required=False, min_value=1, max_value=1_000_000)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        group = self.fields["group"]
        assert isinstance(group, forms.ModelChoiceField)
        group.queryset = Group.objects.order_by("name")

    def clean_names(self) -> list[str]:
        typed: str = self.cleaned_data["names"]
        return [name for name in re.split(r"[\s,;]+", typed) if name]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not data.get("names") and not data.get("group"):
            self.add_error("names", _("Enter at least one user name."))
        return data

    def add_to(self, subject: Task | Campaign, *, by: User | None) -> list[User] | None:
        """Add the people; None, with errors in the form, if something is wrong or somebody does not exist."""
        if not self.is_valid():
            return None
        data = self.cleaned_data
        try:
            return management.add_members(
                subject, data["names"], by=by, group=data["group"], role=data["role"], quota=data["quota"],
                languages=data.get("languages", ()),
            )  # fmt: skip
        except management.UnknownPeople as error:
            names = {"names": ", ".join(error.names)}
            self.add_error("names", _("No such user: %(names)s. Nobody was added.") % names)
            return None


class QuotaForm(forms.Form):
    quota = forms.IntegerField(required=False, min_value=1, max_value=1_000_000)


class InvitationForm(forms.Form):
    note = TextField(label=_("Note for yourself"), required=False, max_length=200)
    most_uses = NumberField(label=_("Number of uses"), min_value=1, max_value=10_000)
    days = NumberField(label=_("Valid for … days"), min_value=1, max_value=365)


class CompletionForm(forms.Form):
    """What annotators take back to the site that sent them."""

    completion_code = TextField(label=_("Completion code"), required=False, max_length=80)
    completion_url = forms.URLField(
        label=_("Return URL"),
        required=False,
        max_length=200,
        assume_scheme="https",
        widget=text_input(inputmode="url"),
        validators=[URLValidator(["http", "https"])],
    )


class QuestionForm(forms.Form):
    """How a task is cut into questions."""

    question_size = SelectField(label=_("Size of a question"), choices=Task.QuestionSizes.choices)
    ask_all = forms.BooleanField(label=_("Ask about every difference"), required=False)


MOST_CHARACTERS = 50_000
REMEDIES = {
    "alignment_syntax": _("write a link as two numbers and a hyphen, such as 3-4"),
    "alignment_range": _("use the numbers shown beside the words; both sentences count from 0"),
}


class RealignmentForm(forms.Form):
    """``lengths`` are the numbers of words of both sentences; ``problems`` what is wrong with the links."""

    links = forms.CharField(
        label=_("Links"),
        required=False,
        max_length=MOST_CHARACTERS,
        help_text=_(
            "One link per pair of words, such as 3-4: word of A, hyphen, word of B. Separate"
            " links with spaces; words count from 0."
        ),
        widget=forms.TextInput(
            attrs={"class": "in mono", "autocomplete": "off", "spellcheck": "false", "dir": "ltr"}
        ),
    )
    join = forms.BooleanField(label=_("Ask about neighbouring differences together"), required=False)
    base = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    groups = forms.JSONField(required=False, widget=forms.HiddenInput)
    grouped_links = forms.CharField(required=False, max_length=MOST_CHARACTERS, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, object], lengths: tuple[int, int]) -> None:
        super().__init__(data)
        self.lengths = lengths
        self.problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, correction: Realignment, base: int, lengths: tuple[int, int]) -> RealignmentForm:
        """Return a bound form with this correction."""
        links = format_links(correction.links)
        data: dict[str, object] = {"links": links, "base": base}
        if correction.groups is not None:
            data |= {"groups": json.dumps(correction.groups), "grouped_links": links}
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

    def correction(self) -> Realignment:
        """Return the correction; questions that were grouped by hand are forgotten when the links change."""
        links = self.cleaned_data["links"]
        groups = self.cleaned_data["groups"]
        if groups is not None and self.cleaned_data["grouped_links"] != format_links(links):
            groups = None
        return Realignment(links, self.cleaned_data["join"], groups)

    def clean_groups(self) -> Groups | None:
        """Return lists of phrase numbers; anything else is no grouping, because only this site sends them."""
        groups = self.cleaned_data["groups"]
        if not isinstance(groups, list) or not all(
            isinstance(group, list) and group and all(type(n) is int for n in group) for group in groups
        ):
            return None
        return tuple(tuple(group) for group in groups)
