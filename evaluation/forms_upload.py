"""The forms of organisers: settings of an upload, members, invitations, completion codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.contrib.auth.models import Group
from django.core.validators import URLValidator
from django.utils.translation import gettext_lazy as _

from evaluation.checks import MOST_PERCENT
from evaluation.importers import FORMATS
from evaluation.importers import languages as language_codes
from evaluation.importers.source import Role as FileRole
from evaluation.models import Role, Task, Upload, UploadedFile
from evaluation.problems import InputError
from evaluation.schemes import SCHEMES
from evaluation.services import uploads
from evaluation.services.importing import TaskSettings

DESIGNS = [
    ("all", _("every two systems")),
    ("baseline", _("every system against one")),
    ("round-robin", _("each system meets some others, in turn")),
    ("blocks", _("some systems of each sentence, in turn")),
]
SCHEME_WORDS = {
    "four-way": _("Four: better, comparable, worse, N/A"),
    "six-way": _("Six: with “much” and “slightly”"),
}
ALIGNERS = [
    ("lexical", _("built-in: words, stems, synonyms")),
    ("statistical", _("statistical: learns from the first 2,000 pairs of sentences")),
    ("exact", _("plain difference: equal words only")),
]


class Field:
    """Widgets with the classes of our style sheet."""

    @staticmethod
    def number(low: int, high: int) -> forms.NumberInput:
        return forms.NumberInput(attrs={"class": "in", "min": low, "max": high})

    @staticmethod
    def text(**attributes: Any) -> forms.TextInput:
        return forms.TextInput(attrs={"class": "in", **attributes})

    @staticmethod
    def select() -> forms.Select:
        return forms.Select(attrs={"class": "in"})


class SettingsForm(forms.Form):
    """Everything that the person who uploads decides.

    ``systems`` are those of the files; ``tops`` what every sentence of them has to stand on top.
    """

    name = forms.CharField(label=_("Name of the task"), max_length=150, widget=Field.text())
    campaign = forms.CharField(
        label=_("Campaign"),
        max_length=150,
        required=False,
        widget=Field.text(list="campaigns"),
        help_text=_("Groups tasks, their members and reports. Empty: a campaign of its own."),
    )
    source_language = forms.CharField(
        label=_("Source language"),
        required=False,
        max_length=20,
        widget=Field.text(placeholder=_("for example de")),
    )
    target_language = forms.CharField(
        label=_("Target language"),
        required=False,
        max_length=20,
        widget=Field.text(placeholder=_("for example en")),
    )
    scheme = forms.ChoiceField(
        label=_("Choices"),
        choices=[(name, SCHEME_WORDS.get(name, scheme.title)) for name, scheme in SCHEMES.items()],
        widget=forms.RadioSelect,
    )
    shows = forms.ChoiceField(
        label=_("Text on top"),
        choices=[("source", _("Source sentence")), ("reference", _("Reference translation"))],
        widget=forms.RadioSelect,
    )
    overlap = forms.IntegerField(
        label=_("Annotators per sentence"), min_value=1, max_value=20, widget=Field.number(1, 20)
    )
    aligner = forms.ChoiceField(
        label=_("Aligner"),
        choices=ALIGNERS,
        widget=Field.select(),
        help_text=_("If your files contain alignments, those are used."),
    )
    design = forms.ChoiceField(label=_("Comparisons"), choices=DESIGNS, widget=Field.select())
    baseline = forms.ChoiceField(label=_("… against"), required=False, widget=Field.select())
    meetings = forms.IntegerField(
        label=_("… how many"), required=False, min_value=1, max_value=50, widget=Field.number(1, 50)
    )
    dedup = forms.ChoiceField(
        label=_("Ask about identical phrase pairs only once"),
        choices=Task.Dedup.choices,
        widget=Field.select(),
    )
    judging = forms.ChoiceField(
        label=_("Three or more candidates are judged"),
        required=False,
        choices=Task.Judging.choices,
        widget=Field.select(),
        help_text=_("All at once: the variants of a place are ranked; fewer clicks, no contradictions."),
    )
    practice = forms.BooleanField(
        label=_("A practice round before the first sentence"),
        required=False,
        help_text=_("Five questions with feedback; you can write your own afterwards."),
    )
    moved = forms.ChoiceField(label=_("Moved phrases are"), choices=Task.Moved.choices, widget=Field.select())
    order = forms.ChoiceField(
        label=_("Order of the sentences"), choices=Task.Order.choices, widget=Field.select()
    )
    checks = forms.IntegerField(
        label=_("Hidden attention checks, %"),
        min_value=0,
        max_value=MOST_PERCENT,
        widget=Field.number(0, MOST_PERCENT),
        help_text=_("A candidate is damaged on purpose; the better side is known."),
    )
    repeats = forms.IntegerField(
        label=_("Hidden repeats, %"),
        min_value=0,
        max_value=50,
        widget=Field.number(0, 50),
        help_text=_("Shown again with the sides exchanged: how steady is each annotator?"),
    )
    split = forms.IntegerField(
        label=_("Split into tasks of … sentences"),
        required=False,
        min_value=1,
        max_value=200_000,
        widget=Field.number(1, 200_000),
        help_text=_("Empty: one task."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        widget=Field.number(0, 2**31 - 1),
        help_text=_("Determines every random choice; the same seed gives the same task."),
    )
    instructions = forms.CharField(
        label=_("Instructions for annotators"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"class": "in area", "rows": 4}),
        help_text=_("Plain text; shown with the guidelines."),
    )
    ask_sentence = forms.BooleanField(label=_("Ask which whole sentence is better"), required=False)
    ask_rating = forms.BooleanField(label=_("Ask for a rating of each sentence, 1 to 5"), required=False)
    ask_comment = forms.BooleanField(label=_("Offer a field for comments"), required=False)
    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=[("auto", _("detected from the content")), *((f.name, _(f.title)) for f in FORMATS.values())],
        widget=Field.select(),
    )
    empty = forms.ChoiceField(
        label=_("Sentences with an empty side are"),
        required=False,
        choices=[("refuse", _("faults")), ("keep", _("kept")), ("skip", _("left out"))],
        widget=Field.select(),
    )
    link_base = forms.ChoiceField(
        label=_("Word links count from"),
        required=False,
        choices=[("0", "0"), ("1", "1")],
        widget=Field.select(),
    )
    incomplete = forms.BooleanField(label=_("Not every system has translated every sentence"), required=False)

    def __init__(
        self, *args: Any, systems: Sequence[str] = (), tops: Sequence[str] = ("source",), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.tops = tops
        baseline = self.fields["baseline"]
        assert isinstance(baseline, forms.ChoiceField)
        # Files with a fault name no systems: what was chosen stands until they can be read.
        baseline.choices = [(name, name) for name in systems or [self["baseline"].value() or ""]]

    def clean_source_language(self) -> str:
        return self._language("source_language")

    def clean_target_language(self) -> str:
        return self._language("target_language")

    def _language(self, field: str) -> str:
        code: str = self.cleaned_data[field].strip()
        known = language_codes.normalise(code) if code else ""
        if known is None:
            raise forms.ValidationError(
                _("“%(code)s” is not a language code (bad_language). Use one such as de, eng or zh-Hans."),
                params={"code": code},
            )
        return known

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("design") == "baseline" and not data.get("baseline"):
            self.add_error("baseline", _("Choose the system that the others are compared with."))
        if data.get("design") in ("round-robin", "blocks") and not data.get("meetings"):
            self.add_error("meetings", _("Say how many."))
        if data.get("shows") and data["shows"] not in self.tops:
            self.add_error("shows", _("Not every sentence in these files has one."))
        data["judging"] = data.get("judging") or Task.Judging.PAIRS
        if not self.errors:
            try:
                self.settings().check_judging()
            except InputError as error:
                self.add_error("judging", "; ".join(problem.message for problem in error.problems))
        return data

    def comparisons(self) -> str:
        data = self.cleaned_data
        match data["design"]:
            case "baseline":
                return f"baseline:{data['baseline']}"
            case "round-robin" | "blocks":
                return f"{data['design']}:{data['meetings']}"
        return "all"

    def settings(self) -> TaskSettings:
        data = self.cleaned_data
        same = ("name", "scheme", "source_language", "target_language", "shows", "overlap", "aligner")
        asked = ("dedup", "order", "moved", "judging", "seed", "checks", "repeats", "instructions")
        questions = ("ask_sentence", "ask_rating", "ask_comment", "practice")
        return TaskSettings(
            comparisons=self.comparisons(), **{name: data[name] for name in (*same, *asked, *questions)}
        )


def first_values(upload: Upload, outcome: uploads.Outcome) -> dict[str, str]:
    """What the form suggests for fresh files, as a browser would send it."""
    source, target = uploads.languages_by_name(upload)
    return {
        "name": outcome.name or uploads.stem(upload),
        "source_language": outcome.source_language or source,
        "target_language": outcome.target_language or target,
        "scheme": "four-way",
        "shows": outcome.tops[0],
        "overlap": "2",
        "aligner": "lexical",
        "design": "all",
        "dedup": "item",
        "moved": "ranked",
        "judging": "pairs",
        "order": "document",
        "checks": "0",
        "repeats": "0",
        "seed": "1",
        "ask_comment": "on",
        "format": "auto",
        "empty": "refuse",
        "link_base": "0",
    }


def roles_of(post: Mapping[str, str], files: Iterable[UploadedFile]) -> dict[int, tuple[str, list[str]]]:
    """Position → role and systems, where the form names a role that exists."""
    found = {}
    for file in files:
        role = post.get(f"role-{file.position}", "")
        if role in set(FileRole):
            named = [name.strip()[:200] for name in post.get(f"systems-{file.position}", "").split(",")]
            takes_names = role in (FileRole.SYSTEM, FileRole.ALIGNMENTS)
            found[file.position] = (role, [name for name in named if name] if takes_names else [])
    return found


class MemberForm(forms.Form):
    """Existing people, by user name, or all of a group."""

    names = forms.CharField(
        label=_("User names"), required=False, max_length=5000, widget=Field.text(autocapitalize="none")
    )
    group = forms.ModelChoiceField(
        label=_("or a group"), queryset=Group.objects.none(), required=False, widget=Field.select()
    )
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, widget=Field.select())
    quota = forms.IntegerField(
        label=_("Quota"), required=False, min_value=1, max_value=1_000_000, widget=Field.number(1, 1_000_000)
    )

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
            self.add_error("names", _("Name at least one person."))
        return data


class QuotaForm(forms.Form):
    quota = forms.IntegerField(required=False, min_value=1, max_value=1_000_000)


class InvitationForm(forms.Form):
    note = forms.CharField(label=_("Note for yourself"), required=False, max_length=200, widget=Field.text())
    most_uses = forms.IntegerField(
        label=_("Number of uses"), min_value=1, max_value=10_000, widget=Field.number(1, 10_000)
    )
    days = forms.IntegerField(
        label=_("Valid for … days"), min_value=1, max_value=365, widget=Field.number(1, 365)
    )


class CompletionForm(forms.Form):
    """What people who finish a task take back to the site that sent them."""

    completion_code = forms.CharField(
        label=_("Completion code"), required=False, max_length=80, widget=Field.text()
    )
    completion_url = forms.URLField(
        label=_("Address to return to"),
        required=False,
        max_length=200,
        assume_scheme="https",
        widget=Field.text(inputmode="url"),
        validators=[URLValidator(["http", "https"])],
    )
