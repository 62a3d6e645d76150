"""Forms for API tokens and for deleting an account; form fields."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from evaluation.models import ApiToken, User
from evaluation.people import throttling

MOST_DAYS = 3650


# With the class of the style sheet, for forms of all activities.


class TextField(forms.CharField):
    widget = forms.TextInput(attrs={"class": "in"})


class NumberField(forms.IntegerField):
    widget = forms.NumberInput(attrs={"class": "in"})


class SelectField(forms.ChoiceField):
    widget = forms.Select(attrs={"class": "in"})


def text_input(**attributes: Any) -> forms.TextInput:
    return forms.TextInput(attrs={"class": "in", **attributes})


class TokenForm(forms.Form):
    name = TextField(
        label=_("Purpose"), max_length=100, help_text=_("Helps you find the token to revoke later.")
    )
    scope = SelectField(
        label=_("Permissions"),
        choices=[
            (ApiToken.Scope.READ.value, _("read reports, progress and exports")),
            (ApiToken.Scope.WRITE.value, _("read, upload and score")),
        ],
    )
    days = NumberField(
        label=_("Valid for … days"),
        required=False,
        min_value=1,
        max_value=MOST_DAYS,
        help_text=_("Leave empty for no expiry."),
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        return " ".join(name.split())

    @property
    def expires_at(self) -> datetime | None:
        days: int | None = self.cleaned_data["days"]
        return None if days is None else timezone.now() + timedelta(days=days)


class DeleteAccountForm(forms.Form):
    """The user name prevents accidental deletion; the password makes sure that it is the owner."""

    name = forms.CharField(
        label=_("Your user name"),
        max_length=150,
        widget=text_input(autocomplete="off", autocapitalize="none"),
    )
    password = forms.CharField(
        label=_("Your password"),
        widget=forms.PasswordInput(attrs={"class": "in", "autocomplete": "current-password"}),
    )

    def __init__(self, user: User, address: str, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]  # a QueryDict or None, as Django's own forms take
        self.user, self.address = user, address
        if not user.has_usable_password():  # guests who joined by an invitation link have none
            del self.fields["password"]

    def clean_name(self) -> str:
        typed = str(self.cleaned_data["name"])
        if typed != self.user.get_username():
            raise forms.ValidationError(_("This is not your user name. Nothing was deleted."))
        return typed

    def clean_password(self) -> str:
        typed, name = str(self.cleaned_data["password"]), self.user.get_username()
        if throttling.begin_attempt(name, self.address):
            raise forms.ValidationError(_("Too many attempts. Try again later."))
        if not self.user.check_password(typed):
            raise forms.ValidationError(_("This is not your password. Nothing was deleted."))
        throttling.record_attempt(name, self.address, succeeded=True)
        return typed
