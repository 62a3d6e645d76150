"""Pages of the site itself."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation.views import held


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say what to do; the reason belongs in the log, not on the page.

    Signing in makes a new token, so a page that was open before fails here, too: what it sends is not lost.
    """
    if held.is_from_here(request) and (form := held.sent_with(request)):
        return held.ask(request, form, status=403)
    return render(request, "403_csrf.html", status=403)
