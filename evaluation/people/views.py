"""Sign-in with throttling, a person's own data, deleting the account, and API tokens."""

from __future__ import annotations

from datetime import timedelta
from math import ceil

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, UsernameField
from django.contrib.auth.views import LoginView, redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.models import ApiToken
from evaluation.people import api_tokens, erasure, throttling
from evaluation.people.forms import DeleteAccountForm, TokenForm
from evaluation.people.personal_data import stream_document, summarize_data
from evaluation.people.throttling import client_address
from evaluation.web import get_user, private_page

MOST_NAME = 254  # of what is typed; names of accounts are shorter


class SignInView(LoginView):
    redirect_authenticated_user = True
    http_method_names = ("get", "head", "post", "options")

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if waiting := throttling.begin_attempt(self.name(), client_address(request.META)):
            return self.refuse(waiting)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        throttling.record_attempt(self.name(), client_address(self.request.META), succeeded=True)
        return super().form_valid(form)

    def refuse(self, waiting: timedelta) -> HttpResponse:
        """The same response whether or not the account exists; the password is not checked."""
        seconds = ceil(waiting.total_seconds())
        context = self.get_context_data(form=AuthenticationForm(self.request), minutes=ceil(seconds / 60))
        return self.render_to_response(context, status=429, headers={"Retry-After": str(seconds)})

    def name(self) -> str:
        """The name as the form reads it: " wren" and "wren" are one account, so they share a limit."""
        name = UsernameField().to_python(self.request.POST.get("username", ""))
        return str(name or "")[:MOST_NAME]


def admin_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Replace the login page of the admin, which has no throttling."""
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next", "/admin/"))


@private_page
def my_data(request: HttpRequest) -> HttpResponse:
    user = get_user(request)
    return _my_data_page(request, DeleteAccountForm(user, client_address(request.META)))


@private_page
def download_my_data(request: HttpRequest) -> StreamingHttpResponse:
    headers = {"Content-Disposition": 'attachment; filename="my-data.json"'}
    return StreamingHttpResponse(
        stream_document(get_user(request)), content_type="application/json", headers=headers
    )


@sensitive_post_parameters("password")
@login_required
@never_cache
@require_POST
def delete_account(request: HttpRequest) -> HttpResponse:
    user = get_user(request)
    form = DeleteAccountForm(user, client_address(request.META), request.POST)
    if not form.is_valid():
        return _my_data_page(request, form, status=422)
    try:
        erasure.erase(user)
    except erasure.LastAdministrator:
        form.add_error(None, _("You are the only administrator. Appoint another one first."))
        return _my_data_page(request, form, status=422)
    logout(request)
    messages.success(request, _("Your account is deleted. Thank you for your work."))
    return redirect("sign-in")


def _my_data_page(request: HttpRequest, form: DeleteAccountForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "summary": summarize_data(get_user(request))}
    return render(request, "evaluation/personal_data.html", context, status=status)


TOKEN_DAYS = 365
MOST_TOKENS = 200


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def token_list(request: HttpRequest) -> HttpResponse:
    """List and create tokens. A POST shows the new token itself; a redirect would have to store it."""
    if request.method == "GET":
        return _token_page(request, _empty_token_form())
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _token_page(request, form, status=422)
    token, text = api_tokens.create_token(
        get_user(request),
        name=form.cleaned_data["name"],
        scope=form.cleaned_data["scope"],
        expires_at=form.expires_at,
    )
    return _token_page(request, _empty_token_form(), made=token, text=text, status=201)


@login_required
@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(get_user(request).api_tokens, pk=pk)
    api_tokens.revoke_token(token, by=get_user(request))
    messages.success(request, _("Token “%(name)s” revoked.") % {"name": token.name})
    return redirect("api-tokens")


def _empty_token_form() -> TokenForm:
    return TokenForm(initial={"scope": ApiToken.Scope.READ, "days": TOKEN_DAYS})


def _token_page(
    request: HttpRequest, form: TokenForm, *, made: ApiToken | None = None, text: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "tokens": get_user(request).api_tokens.order_by("-pk")[:MOST_TOKENS],
        "made": made,
        "text": text,
    }
    return render(request, "evaluation/tokens.html", context, status=status)
