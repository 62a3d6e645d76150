"""Pages for what goes wrong outside a view: the database is away, or a form's address is opened as a page.

The templates ask neither for the person nor for the database, so that they stand when both are gone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

logger = logging.getLogger(__name__)
RETRY_AFTER_SECONDS = 30


class ErrorPages:
    """503 instead of 500 while the database is away, and words where Django's own 405 is an empty page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == 405 and not response.content and _reads_pages(request):
            # Signing in again leads back to where one was sent from, which may be the address of a form.
            response.content = render_to_string("405.html").encode()
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, (OperationalError, InterfaceError)):
            return None
        logger.error("the database does not answer", exc_info=exception, extra={"request": request})
        page = render_to_string("503.html")
        return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})


def _reads_pages(request: HttpRequest) -> bool:
    return "text/html" in request.headers.get("Accept", "")
