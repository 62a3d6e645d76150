"""The form for a new API key."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from evaluation.forms_upload import Field
from evaluation.models import ApiToken

MOST_DAYS = 3650


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Purpose"),
        max_length=100,
        widget=Field.text(),
        help_text=_("So that you know later which one to revoke."),
    )
    scope = forms.ChoiceField(
        label=_("It may"),
        choices=[
            (ApiToken.Scope.READ.value, _("read reports, progress and exports")),
            (ApiToken.Scope.WRITE.value, _("also upload and score")),
        ],
        widget=Field.select(),
    )
    days = forms.IntegerField(
        label=_("Valid for … days"),
        required=False,
        min_value=1,
        max_value=MOST_DAYS,
        widget=Field.number(1, MOST_DAYS),
        help_text=_("Empty: until you revoke it."),
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        return " ".join(name.split())

    @property
    def expires_at(self) -> datetime | None:
        days: int | None = self.cleaned_data["days"]
        return None if days is None else timezone.now() + timedelta(days=days)
