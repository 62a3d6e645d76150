"""Forms of a campaign: settings for many tasks, people in bulk, the crowd platform, and a copy.

The functions at the end are for the API and the command, which check their input by the same forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.core.validators import RegexValidator, URLValidator
from django.utils.translation import gettext_lazy as _

from appraise.lib.problems import InputError, Problem
from evaluation.importers.languages import normalise
from evaluation.models import Campaign, CrowdPlatform, Task, User
from evaluation.people.forms import NumberField, SelectField, TextField, text_input
from evaluation.tasks.forms.management import InvitationForm, MemberForm, QuotaForm
from evaluation.tasks.services.campaigns import TASK_COLUMNS, CampaignChange, apply_change

MOST_BYTES = 500_000  # of a list of people
KEEP = ("", _("keep"))
SWITCH = [KEEP, ("on", _("on")), ("off", _("off"))]
STATES = [
    KEEP,
    (Task.State.OPEN.value, _("open")),
    (Task.State.CLOSED.value, _("close")),
    (Task.State.ARCHIVED.value, _("archive")),
]
CLEARABLE = {
    "most_per_person": (_("no limit for one person"), None),
    "opens_at": (_("no opening time"), None),
    "closes_at": (_("no closing time"), None),
    "instructions": (_("no guidelines of their own"), ""),
    "completion_code": (_("no completion code"), ""),
    "completion_url": (_("no return URL"), ""),
}


def _switch(label: Any) -> SelectField:  # Any: a lazy text
    return SelectField(label=label, required=False, choices=SWITCH)


def _moment(label: Any) -> forms.DateTimeField:  # Any: a lazy text
    widget = forms.DateTimeInput(attrs={"class": "in", "type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    return forms.DateTimeField(
        label=label,
        required=False,
        widget=widget,
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"],
    )


class WebAddressField(forms.URLField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"assume_scheme": "https", **kwargs})
        self.validators = [URLValidator(["http", "https"])]


class CampaignSettingsForm(forms.Form):
    """What to set for all tasks of a campaign, or for the chosen ones; an empty field changes nothing."""

    which = forms.ChoiceField(
        choices=[("all", _("all tasks")), ("chosen", _("the chosen tasks"))],
        widget=forms.RadioSelect,
        initial="all",
    )
    tasks = forms.MultipleChoiceField(required=False)
    overlap = NumberField(label=_("People per comparison"), required=False, min_value=1, max_value=20)
    most_per_person = NumberField(
        label=_("At most for one person"), required=False, min_value=1, max_value=1_000_000
    )
    state = SelectField(label=_("State"), required=False, choices=STATES)
    opens_at = _moment(_("Opens on"))
    closes_at = _moment(_("Closes on"))
    practice = _switch(_("Practice round"))
    practice_from = SelectField(label=_("Practice questions of"), required=False)
    ask_sentence = _switch(_("Whole-sentence question at the end"))
    ask_reasons = _switch(_("Ask for a reason, optional"))
    instructions = forms.CharField(
        label=_("Guidelines"), required=False, max_length=10_000,
        widget=forms.Textarea(attrs={"class": "in area", "rows": 3}),
    )  # fmt: skip
    completion_code = TextField(label=_("Completion code"), required=False, max_length=80)
    completion_url = WebAddressField(
        label=_("Return URL"), required=False, max_length=200, widget=text_input(inputmode="url")
    )
    clear = forms.MultipleChoiceField(
        label=_("Clear"),
        required=False,
        choices=[(name, label) for name, (label, _value) in CLEARABLE.items()],
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, data: Mapping[str, object] | None, tasks: Sequence[Task]) -> None:
        super().__init__(data)
        self._tasks = {task.slug: task for task in tasks}
        choices = [(task.slug, task.name) for task in tasks]
        for name, empty in (("tasks", []), ("practice_from", [KEEP])):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [*empty, *choices]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("which") == "chosen" and not data.get("tasks"):
            self.add_error(None, _("Choose at least one task."))
        elif not self.errors and self.change.is_empty:
            self.add_error(None, _("Nothing is filled in, so nothing would change."))
        return data

    @property
    def is_for_all(self) -> bool:
        return bool(self.cleaned_data["which"] == "all")

    @property
    def chosen(self) -> list[Task]:
        """The tasks that the change is for."""
        names = self._tasks if self.is_for_all else self.cleaned_data["tasks"]
        return [self._tasks[name] for name in names]

    @property
    def change(self) -> CampaignChange:
        data = self.cleaned_data
        values = {name: CLEARABLE[name][1] for name in data["clear"]}
        for name in TASK_COLUMNS:
            if data[name] not in ("", None):
                values[name] = data[name] == "on" if data[name] in ("on", "off") else data[name]
        return CampaignChange(values, data["state"], self._tasks.get(data["practice_from"]))


class LanguagesMixin(forms.Form):
    languages = forms.CharField(
        label=_("Languages"), required=False, max_length=200, widget=text_input(placeholder=_("all")),
    )  # fmt: skip

    def clean_languages(self) -> list[str]:
        codes = str(self.cleaned_data["languages"]).replace(",", " ").split()
        known = [normalise(code) for code in codes]
        if None in known:
            raise forms.ValidationError(_("Write language codes such as de or eng, with spaces between."))
        return [code for code in known if code]


class CampaignMemberForm(LanguagesMixin, MemberForm):
    """Existing users become members of the campaign."""


class CampaignQuotaForm(LanguagesMixin, QuotaForm):
    pass


class CampaignInvitationForm(InvitationForm):
    is_crowd = forms.BooleanField(label=_("For a crowd platform"), required=False)


class PeopleForm(forms.Form):
    """A list of names, or a table, as a file or as text."""

    text = forms.CharField(
        label=_("Names, one per line, or a table"),
        required=False,
        max_length=MOST_BYTES,
        widget=forms.Textarea(
            attrs={"class": "in area mono", "rows": 4, "placeholder": "name,quota,languages"}
        ),
    )
    file = forms.FileField(label=_("or a CSV file"), required=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        file = data.get("file")
        if file is not None and file.size > MOST_BYTES:
            self.add_error("file", _("The file is larger than 500 kB."))
        elif file is not None:
            try:
                data["text"] = file.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                self.add_error("file", _("The file is not UTF-8 text. Save it as “CSV UTF-8”."))
        if not self.errors and not data.get("text", "").strip():
            self.add_error("text", _("Enter at least one name."))
        return data

    @property
    def source(self) -> tuple[str, str]:
        """The text, and the name by which problems call it."""
        file = self.cleaned_data["file"]
        return self.cleaned_data["text"], file.name if file else "people.csv"


class CrowdForm(forms.ModelForm[CrowdPlatform]):
    """The parameters of a platform, and what people take back to it."""

    class Meta:
        model = CrowdPlatform
        fields = (
            "worker_parameter", "study_parameter", "session_parameter", "least_checks", "passed_code",
            "passed_url", "failed_code", "failed_url", "screened_code", "screened_url",
        )  # fmt: skip
        field_classes: ClassVar = dict.fromkeys(("passed_url", "failed_url", "screened_url"), WebAddressField)
        labels: ClassVar = {
            "worker_parameter": _("Parameter of the person"),
            "study_parameter": _("Parameter of the study"),
            "session_parameter": _("Parameter of the visit"),
            "least_checks": _("Checks to pass, % (0: all pass)"),
            "passed_code": _("Code if passed"),
            "passed_url": _("URL if passed"),
            "failed_code": _("Code if checks failed"),
            "failed_url": _("URL if checks failed"),
            "screened_code": _("Code if screened out"),
            "screened_url": _("URL if screened out"),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs["class"] = "in"
            field.help_text = ""
            if name.endswith("_parameter"):
                field.validators.append(RegexValidator(r"^[A-Za-z0-9_.-]*$"))

    @property
    def rows(self) -> list[list[forms.BoundField]]:
        """The fields in the groups in which the page shows them."""
        fields = list(self)
        return [fields[:4], *(fields[n : n + 2] for n in (4, 6, 8))]


class CopyForm(forms.Form):
    name = TextField(label=_("Name of the new campaign"), max_length=150)
    people = forms.BooleanField(label=_("with its members and their quotas"), required=False, initial=True)

    def clean_name(self) -> str:
        name = " ".join(str(self.cleaned_data["name"]).split())
        if Campaign.objects.filter(name=name).exists():
            raise forms.ValidationError(_("There is a campaign with this name already."))
        return name


def check_form(form: forms.Form) -> None:
    """Raise ``InputError`` with every error of a form."""
    if not form.is_valid():
        raise InputError(
            Problem("bad_setting", f"{field}: {message}")
            for field, messages in form.errors.items()
            for message in messages
        )


def apply_settings(campaign: Campaign, typed: Mapping[str, object], *, by: User | None) -> int:
    """Set something for all tasks or for those in ``tasks``; returns how many changed."""
    tasks = list(campaign.tasks.exclude(state=Task.State.IMPORTING).order_by("pk"))
    form = CampaignSettingsForm({**typed, "which": "chosen" if "tasks" in typed else "all"}, tasks)
    check_form(form)
    return apply_change(campaign, form.chosen, form.change, by=by, for_all=form.is_for_all)


def add_named_members(
    campaign: Campaign, names: Iterable[str], *, by: User | None, **typed: object
) -> list[User]:
    """Make existing users members of the campaign; ``InputError`` names those who do not exist."""
    form = CampaignMemberForm({"names": " ".join(names), **typed})
    members = form.add_to(campaign, by=by)
    check_form(form)
    return members or []
