"""The settings of an upload, and the roles of its files."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from appraise.lib.problems import InputError
from evaluation.annotate.known_answers import MOST_PERCENT
from evaluation.importers import EVIDENCE_FORMATS, FORMATS, languages as language_codes
from evaluation.importers.model import FileRole
from evaluation.models import Task, Upload, UploadedFile
from evaluation.people.forms import NumberField, SelectField, TextField, text_input
from evaluation.schemes import SCHEMES
from evaluation.tasks.forms.passages import list_protocol_choices
from evaluation.tasks.problem_texts import translate_problem
from evaluation.tasks.services import uploads
from evaluation.tasks.services.passages import MOST_SYSTEMS
from evaluation.tasks.services.task_settings import TaskSettings

DESIGNS = [
    ("all", _("all pairs of systems")),
    ("baseline", _("every system against a baseline")),
    ("round-robin", _("each system against some others, in rotation")),
    ("blocks", _("some systems per sentence, in rotation")),
    ("none", _("none for now; choose pairs of systems later")),
]
ALIGNERS = [
    ("lexical", _("built-in: words, stems, synonyms")),
    ("statistical", _("statistical: learns from the first 2,000 sentence pairs")),
    ("exact", _("exact: identical words only")),
]


class SettingsForm(forms.Form):
    """The settings of a task.

    ``systems`` are those of the files; ``tops`` is what every sentence has and can be shown above.
    """

    name = TextField(label=_("Name of the task"), max_length=150)
    campaign = forms.CharField(
        label=_("Campaign"),
        max_length=150,
        required=False,
        widget=text_input(list="campaigns"),
        help_text=_("A campaign groups tasks with their members and reports. Leave empty to create one."),
    )
    existing_task = forms.CharField(
        label=_("Add to the task"),
        max_length=80,
        required=False,
        widget=text_input(list="tasks"),
        help_text=_(
            "Scores and error spans about the texts of a task that exists. Leave empty for a new task."
        ),
    )
    match_content = forms.BooleanField(
        label=_("Texts may differ in Unicode form and spaces"),
        required=False,
        help_text=_("Error spans are moved to the texts of that task."),
    )
    source_language = forms.CharField(
        label=_("Source language"),
        required=False,
        max_length=20,
        widget=text_input(placeholder=_("for example de")),
    )
    target_language = forms.CharField(
        label=_("Target language"),
        required=False,
        max_length=20,
        widget=text_input(placeholder=_("for example en")),
    )
    scheme = forms.ChoiceField(
        initial="four-way",
        label=_("Choices"),
        choices=lambda: [(name, _(scheme.summary or scheme.title)) for name, scheme in SCHEMES.items()],
        widget=forms.RadioSelect,
    )
    shows = forms.ChoiceField(
        label=_("Text at the top"),
        choices=[("source", _("Source sentence")), ("reference", _("Reference translation"))],
        widget=forms.RadioSelect,
    )
    overlap = NumberField(initial=2, label=_("Annotators per comparison"), min_value=1, max_value=20)
    aligner = SelectField(
        initial="lexical",
        label=_("Aligner"),
        choices=ALIGNERS,
        help_text=_("Alignments in your files take precedence."),
    )
    segment_words = forms.BooleanField(
        label=_("Segment Chinese, Japanese or Thai into words"),
        required=False,
        help_text=_("With an optional library. Otherwise phrases consist of characters."),
    )
    design = SelectField(initial="all", label=_("Comparisons"), choices=DESIGNS)
    baseline = SelectField(label=_("Baseline"), required=False)
    design_size = NumberField(label=_("How many systems"), required=False, min_value=1, max_value=50)
    dedup = SelectField(
        initial=Task.Dedup.ITEM,
        label=_("Ask about identical phrase pairs only once"),
        choices=Task.Dedup.choices,
    )
    judging = SelectField(
        initial=Task.Judging.PAIRS,
        label=_("Three or more candidates are judged"),
        required=False,
        choices=Task.Judging.choices,
        help_text=_(
            "All at once: annotators rank the variants of each place, with fewer clicks and"
            " no contradictions."
        ),
    )
    question_size = SelectField(
        initial=Task.QuestionSizes.MEDIUM,
        label=_("Size of a question"),
        required=False,
        choices=Task.QuestionSizes.choices,
        help_text=_(
            "Neighbouring differences become one question. Links and phrases in your files are not regrouped."
        ),
    )
    ask_all = forms.BooleanField(
        label=_("Ask about every difference"),
        required=False,
        help_text=_(
            "Otherwise single function words, punctuation and spelling variants are not asked about."
        ),
    )
    practice = forms.BooleanField(
        label=_("A practice round before the first sentence"),
        required=False,
        help_text=_("Five questions with feedback; you can write your own afterwards."),
    )
    moved = SelectField(initial=Task.Moved.RANKED, label=_("Moved phrases are"), choices=Task.Moved.choices)
    order = SelectField(
        initial=Task.Order.DOCUMENT, label=_("Order of the sentences"), choices=Task.Order.choices
    )
    keep_documents = forms.BooleanField(
        label=_("One annotator gets all sentences of a document"), required=False
    )
    checks = NumberField(
        initial=0,
        label=_("Hidden attention checks, %"),
        min_value=0,
        max_value=MOST_PERCENT,
        help_text=_("One candidate is damaged on purpose, so the expected answer is known."),
    )
    repeats = NumberField(
        initial=0,
        label=_("Hidden repeats, %"),
        min_value=0,
        max_value=50,
        help_text=_("Shown again with the sides swapped, to measure the consistency of each annotator."),
    )
    split = NumberField(
        label=_("Split into tasks of … sentences"),
        required=False,
        min_value=1,
        max_value=200_000,
        help_text=_("Leave empty for one task."),
    )
    seed = NumberField(
        initial=1,
        label=_("Seed"),
        min_value=0,
        max_value=2**31 - 1,
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
    ask_comment = forms.BooleanField(initial=True, label=_("Offer a field for comments"), required=False)
    ask_reasons = forms.BooleanField(
        label=_("Ask for the reason of each choice, with one key"), required=False
    )
    tap_answers = forms.BooleanField(label=_("Answer by tapping the better phrase"), required=False)
    assess = SelectField(
        label=_("Scores and error spans"),
        required=False,
        choices=lambda: [("", _("not asked for")), *list_protocol_choices()],
        help_text=_("Of every translation; with comparisons, annotators rank phrases first."),
    )
    assess_systems = NumberField(
        initial=1,
        label=_("Translations side by side"),
        required=False,
        min_value=1,
        max_value=MOST_SYSTEMS,
    )
    assess_documents = forms.BooleanField(label=_("A page for each document"), required=False)
    mark_differences = forms.BooleanField(
        label=_("Mark faintly where two translations differ"), required=False
    )
    format = SelectField(
        initial="auto",
        label=_("Format"),
        required=False,
        choices=[
            ("auto", _("detected from the content")),
            *((form.name, _(form.title)) for form in FORMATS.values()),
            *((form.name, _(form.title)) for form in EVIDENCE_FORMATS.values()),
        ],
    )
    empty = SelectField(
        initial="refuse",
        label=_("Sentences with an empty side are"),
        required=False,
        choices=[("refuse", _("refused")), ("keep", _("kept")), ("skip", _("excluded"))],
    )
    link_base = SelectField(
        initial="0", label=_("Word links count from"), required=False, choices=[("0", "0"), ("1", "1")]
    )
    incomplete = forms.BooleanField(label=_("Allow missing translations"), required=False)
    replace_controls = forms.BooleanField(label=_("Replace control characters by spaces"), required=False)
    like = forms.CharField(
        label=_("A task of yours whose settings, members and practice questions to take"),
        required=False,
        max_length=80,
        widget=forms.HiddenInput,
    )

    def __init__(
        self, *args: Any, systems: Sequence[str] = (), tops: Sequence[str] = ("source",), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.tops = tops
        baseline = self.fields["baseline"]
        assert isinstance(baseline, forms.ChoiceField)
        # Files with problems name no systems: the chosen one is kept until they can be read.
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
        if data.get("design") in ("round-robin", "blocks") and not data.get("design_size"):
            self.add_error("design_size", _("Enter a number."))
        if data.get("shows") and data["shows"] not in self.tops:
            self.add_error("shows", _("Not every sentence in these files has this text."))
        for name in ("judging", "question_size", "assess_systems"):
            data[name] = data.get(name) or self.fields[name].initial
        if not self.errors:
            settings = self.settings()
            checks = {"judging": settings.check_judging, "segment_words": settings.find_segmenter}
            for field, check in checks.items():
                try:
                    check()
                except InputError as error:
                    self.add_error(
                        field, "; ".join(translate_problem(problem.message) for problem in error.problems)
                    )
        return data

    def comparisons(self) -> str:
        data = self.cleaned_data
        match data["design"]:
            case "baseline":
                return f"baseline:{data['baseline']}"
            case "round-robin" | "blocks":
                return f"{data['design']}:{data['design_size']}"
            case "none":
                return "none"
        return "all"

    def settings(self) -> TaskSettings:
        names = {field.name for field in dataclasses.fields(TaskSettings)}
        values = {name: value for name, value in self.cleaned_data.items() if name in names}
        return TaskSettings(comparisons=self.comparisons(), **values)


def copy_values(task: Task) -> dict[str, str]:
    """Return the settings of a task as a browser would send them, for new files like those of the task."""
    values = {name: field.initial for name, field in SettingsForm.base_fields.items()}
    for name in SettingsForm.base_fields:
        if name not in ("name", "campaign", "seed") and hasattr(task, name):
            values[name] = getattr(task, name)
    values |= {
        "scheme": task.scheme_name, "campaign": task.campaign.name, "like": task.slug,
        "repeats": round(100 * task.repeated / task.size) if task.size else 0,
    }  # fmt: skip
    return {
        name: _as_sent(value) for name, value in values.items() if value is not None and value is not False
    }


def _as_sent(value: object) -> str:
    return "on" if value is True else str(value)


def make_form(upload: Upload, outcome: uploads.UploadCheck | None) -> SettingsForm:
    """Return the form with the stored values, else with defaults from the files."""
    known = outcome or uploads.UploadCheck()
    values = suggest_values(upload, known)
    typed = upload.settings.get("values")
    if typed is not None:
        languages = {name: typed.get(name) or values[name] for name in ("source_language", "target_language")}
        values = {"name": values["name"], **typed, **languages}
    return SettingsForm(values, systems=known.systems, tops=known.tops)


def suggest_values(upload: Upload, outcome: uploads.UploadCheck) -> dict[str, str]:
    """Return the initial values for new files, as a browser would send them."""
    source, target = uploads.guess_languages(upload)
    initial = {name: field.initial for name, field in SettingsForm.base_fields.items()}
    return {
        **{name: _as_sent(value) for name, value in initial.items() if value is not None},
        "name": outcome.name or uploads.suggest_name(upload),
        "source_language": outcome.source_language or source,
        "target_language": outcome.target_language or target,
        "shows": outcome.tops[0],
        **({"design": "none"} if outcome.format in EVIDENCE_FORMATS else {}),
    }


def parse_roles(post: Mapping[str, str], files: Iterable[UploadedFile]) -> dict[int, tuple[str, list[str]]]:
    """Return role and systems of each file by its position, if the form names an existing role."""
    found = {}
    for file in files:
        role = post.get(f"role-{file.position}", "")
        if role in set(FileRole):
            named = [name.strip()[:200] for name in post.get(f"systems-{file.position}", "").split(",")]
            takes_names = role in (FileRole.SYSTEM, FileRole.ALIGNMENTS)
            found[file.position] = (role, [name for name in named if name] if takes_names else [])
    return found
