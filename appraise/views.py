"""Pages of the site itself."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say what to do; the reason belongs in the log, not on the page."""
    return render(request, "403_csrf.html", status=403)
