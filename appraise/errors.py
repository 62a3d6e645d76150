"""Responses to what goes wrong outside a view: the database is down or cannot store what was sent, there is
no such page, or an address that only takes forms is opened as a page.

The templates use neither the signed-in user nor the database, so they still render without them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import DataError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.defaults import page_not_found

logger = logging.getLogger(__name__)
RETRY_AFTER_SECONDS = 30


class ErrorPages:
    """503 instead of 500 while the database is down, 400 for text that it cannot store, and a real page where
    Django's 405 is empty."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == 405 and not response.content and _reads_pages(request):
            # Signing in again leads back to the previous address, which may be one that only takes forms.
            response.content = render_to_string("405.html").encode()
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, DataError):
            # Our own pages never send what PostgreSQL cannot store: a NUL, in an address or in a field.
            detail = "the database cannot hold what was sent"
            logger.warning(detail, exc_info=exception, extra={"request": request})
            return _answer(request, 400, detail)
        if not isinstance(exception, (OperationalError, InterfaceError)):
            return None
        detail = "the database does not answer"
        logger.error(detail, exc_info=exception, extra={"request": request})
        return _answer(request, 503, detail, {"Retry-After": str(RETRY_AFTER_SECONDS)})


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 404, "Not Found") if _is_api(request) else page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    return _answer(request, 500, "Internal Server Error")


def _answer(
    request: HttpRequest, status: int, detail: str, headers: dict[str, str] | None = None
) -> HttpResponse:
    """JSON for programs, a page for people."""
    if _is_api(request):
        return JsonResponse({"detail": detail}, status=status, headers=headers)
    return HttpResponse(render_to_string(f"{status}.html"), status=status, headers=headers)


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")


def _reads_pages(request: HttpRequest) -> bool:
    return "text/html" in request.headers.get("Accept", "")
