"""API keys: create, list, revoke. A key is shown once, when it is created."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.forms_tokens import TokenForm
from evaluation.models import ApiToken
from evaluation.reports.tokens import token_rows
from evaluation.services import oversight
from evaluation.views.annotate import signed_in

DAYS = 365


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """A POST answers with the key itself: a redirect would need it stored in plain text."""
    if request.method == "GET":
        return _page(request, _fresh())
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    made, text = oversight.make_token(
        signed_in(request),
        name=form.cleaned_data["name"],
        scope=form.cleaned_data["scope"],
        expires_at=form.expires_at,
    )
    return _page(request, _fresh(), made=made, text=text, status=201)


@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(signed_in(request).api_tokens, pk=pk)
    oversight.revoke_token(token, by=signed_in(request))
    messages.success(request, _("“%(name)s” is revoked.") % {"name": token.name})
    return redirect("api-tokens")


def _fresh() -> TokenForm:
    return TokenForm(initial={"scope": ApiToken.Scope.READ, "days": DAYS})


def _page(
    request: HttpRequest, form: TokenForm, *, made: ApiToken | None = None, text: str = "", status: int = 200
) -> HttpResponse:
    context = {"form": form, "tokens": token_rows(signed_in(request)), "made": made, "text": text}
    return render(request, "evaluation/tokens.html", context, status=status)
