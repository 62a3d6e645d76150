"""Django's log-in page with a limit on guessing passwords; the administration uses it too."""

from __future__ import annotations

from datetime import timedelta
from math import ceil
from typing import Any

from django.contrib.auth import logout
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from appraise.addresses import client_address
from evaluation.services import throttling
from evaluation.views import held

MOST_NAME = 254  # of what is typed; names of accounts are shorter


class SignIn(LoginView):
    redirect_authenticated_user = True
    http_method_names = ("get", "head", "post", "options")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if "another" in request.POST:  # who holds a form that was filled in under another name
            logout(request)
        response = super().dispatch(request, *args, **kwargs)
        if request.user.is_authenticated and (form := held.sent_with(request)):
            return held.take_up(request, form)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        form = held.sent_with(self.request)
        return super().get_context_data(held=form and form.signed(), **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not self.name() and (form := held.sent_with(request)):
            return held.ask(request, form, status=401)  # nobody is named, so nobody guesses
        if waiting := throttling.wait(self.name(), client_address(request.META)):
            return self.refuse(waiting)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        throttling.record(self.name(), client_address(self.request.META), succeeded=True)
        return super().form_valid(form)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        throttling.record(self.name(), client_address(self.request.META), succeeded=False)
        return super().form_invalid(form)

    def refuse(self, waiting: timedelta) -> HttpResponse:
        """The same response whether or not the account exists; the password is not checked."""
        seconds = ceil(waiting.total_seconds())
        context = self.get_context_data(form=AuthenticationForm(self.request), minutes=ceil(seconds / 60))
        return self.render_to_response(context, status=429, headers={"Retry-After": str(seconds)})

    def name(self) -> str:
        return self.request.POST.get("username", "")[:MOST_NAME]


def administration(request: HttpRequest) -> HttpResponseBase:
    """Replaces the administration's own log-in page, which has no limit on guessing."""
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next", "/admin/"))
