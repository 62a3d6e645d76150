"""A person's own page: download all data about them, or delete the account."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from appraise.addresses import client_address
from evaluation.models import User
from evaluation.reports.mydata import document, summary
from evaluation.services import privacy, throttling
from evaluation.views.annotate import signed_in


class LeaveForm(forms.Form):
    """The name typed out, so that nobody leaves by a slip; the password, so that only its owner can."""

    name = forms.CharField(
        label=gettext_lazy("Your user name"),
        max_length=150,
        widget=forms.TextInput(attrs={"class": "in", "autocomplete": "off", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Your password"),
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
        if throttling.wait(name, self.address):
            raise forms.ValidationError(_("Too many attempts. Try again later."))
        if not self.user.check_password(typed):
            throttling.record(name, self.address, succeeded=False)
            raise forms.ValidationError(_("This is not your password. Nothing was deleted."))
        return typed


@login_required
@never_cache
@require_GET
def page(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    return _page(request, LeaveForm(user, client_address(request.META)))


@login_required
@never_cache
@require_GET
def download(request: HttpRequest) -> StreamingHttpResponse:
    headers = {"Content-Disposition": 'attachment; filename="my-data.json"'}
    return StreamingHttpResponse(
        document(signed_in(request)), content_type="application/json", headers=headers
    )


@sensitive_post_parameters("password")
@login_required
@never_cache
@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = LeaveForm(user, client_address(request.META), request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        privacy.erase(user)
    except privacy.LastAdministrator:
        form.add_error(None, _("You are the only administrator. Appoint another one first."))
        return _page(request, form, status=422)
    logout(request)
    messages.success(request, _("Your account is deleted. Thank you for your work."))
    return redirect("sign-in")


def _page(request: HttpRequest, form: LeaveForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "summary": summary(signed_in(request))}
    return render(request, "evaluation/mydata.html", context, status=status)
