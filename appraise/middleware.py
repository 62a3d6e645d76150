"""Middleware: security headers, renewal of sessions, error pages, and the limit of request bodies.

The templates of error pages use neither the signed-in user nor the database, so that they render without
them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY, get_user
from django.contrib.auth.signals import user_logged_in
from django.core.handlers.wsgi import WSGIRequest
from django.db import DataError, InterfaceError, OperationalError
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.utils import timezone
from django.utils.translation import activate, get_language
from django.views.defaults import page_not_found

from appraise.lib.extras import explain_missing_package
from evaluation.models import ApiToken, Role, Task

logger = logging.getLogger(__name__)
GetResponse = Callable[[HttpRequest], HttpResponse]

# No inline or evaluated scripts, nothing from other hosts: imported text cannot become code.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
)

RENEWED = "renewed"  # key in the session: the day of its last renewal
RETRY_AFTER_SECONDS = 30
UPLOAD_ROUTES = {"new-upload", "upload", "import-scores"}
ANNOTATOR_ROUTES = {
    *("annotate", "answer", "mark-unsure", "add-time", "skip", "report-alignment", "places", "rank-place"),
    *("assess", "assess_answer"),
    *("home", "work", "practice", "review", "finished", "campaign-work", "campaign-finished"),
    *("sign-in", "sign-out", "set-language", "languages", "join", "come-back", "my-data", "delete-account"),
}


def content_security_policy(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        return response

    return middleware


def renew_session(get_response: GetResponse) -> GetResponse:
    """Renew the session of a signed-in user on the first request of each day.

    ``SESSION_SAVE_EVERY_REQUEST`` would write to the database on every request.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        session = request.session
        # Only a session that the view has read, so that other pages need no query for it.
        is_read = session.accessed and response.status_code < 500
        if is_read and SESSION_KEY in session and session.get(RENEWED) != _today():
            session[RENEWED] = _today()
        return response

    return middleware


@receiver(user_logged_in)
def begin_session(request: HttpRequest, **kwargs: object) -> None:
    """Mark a new session as renewed, so that it is not written again on its first page."""
    request.session[RENEWED] = _today()


class PageLanguage:
    """Respond in English where only annotator pages are translated into the reader's language."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: object, *arguments: object) -> None:
        match = request.resolver_match
        is_for_annotators = match is not None and match.view_name in ANNOTATOR_ROUTES
        if get_language() in settings.ANNOTATOR_LANGUAGES and not is_for_annotators:
            activate(settings.LANGUAGE_CODE)


class ErrorPages:
    """503 instead of 500 while the database is down or without an extra, 400 for text that the database
    cannot store, and a page for 405.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_blank = response.status_code == 405 and not response.content
        if is_blank and "text/html" in request.headers.get("Accept", ""):
            # After a login redirect the browser may open a URL that accepts POST only.
            response.content = render_to_string("405.html").encode()
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, DataError):
            # PostgreSQL cannot store a NUL character, which our own pages never send.
            detail = "the database cannot store this text"
            logger.warning(detail, exc_info=exception, extra={"request": request})
            return _respond(request, 400, detail)
        if isinstance(exception, ImportError) and (problem := explain_missing_package(exception)):
            logger.warning(str(problem), extra={"request": request})
            if _is_api(request):
                return JsonResponse({"problems": [problem.as_dict()]}, status=503)
            page = render_to_string("missing_extra.html", {"problem": problem})
            return HttpResponse(page, status=503)
        if not isinstance(exception, (OperationalError, InterfaceError)):
            return None
        detail = "the database does not answer"
        logger.error(detail, exc_info=exception, extra={"request": request})
        return _respond(request, 503, detail, {"Retry-After": str(RETRY_AFTER_SECONDS)})


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _respond(request, 404, "Not Found") if _is_api(request) else page_not_found(request, exception)


def too_large(request: HttpRequest) -> HttpResponse:
    detail = "the request body is larger than this URL accepts"
    return _respond(request, 413, detail, {"Connection": "close"})


def server_error(request: HttpRequest) -> HttpResponse:
    return _respond(request, 500, "Internal Server Error")


def limit_body(get_response: GetResponse) -> GetResponse:
    """Respond with 413 to a body over the limit before any of it is read.

    Checking the CSRF token of a form would read and store all of it.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        small = min(settings.DATA_UPLOAD_MAX_MEMORY_SIZE, settings.APPRAISE_MAX_UPLOAD)
        is_large = length.isdecimal() and int(length) > small
        if is_large and int(length) > find_body_limit(request.META):
            return too_large(request)
        return get_response(request)

    return middleware


def find_body_limit(environ: dict[str, Any]) -> int:  # Any: a WSGI environment
    """Return how many bytes the body of a request may have: files are for managers, forms for everybody."""
    request = WSGIRequest({**environ, "wsgi.input": BytesIO(), "CONTENT_LENGTH": "0"})
    is_upload = _is_api_upload(request) or _is_managers_upload(request)
    return settings.APPRAISE_MAX_UPLOAD if is_upload else settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def _is_api_upload(request: HttpRequest) -> bool:
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if not _is_api(request) or kind.lower() != "bearer":
        return False
    tokens = ApiToken.objects.valid().filter(digest=ApiToken.digest_of(token.strip()))
    return tokens.filter(scope=ApiToken.Scope.WRITE, user__is_active=True).exists()


def _is_managers_upload(request: HttpRequest) -> bool:
    try:
        if resolve(request.path_info).url_name not in UPLOAD_ROUTES:
            return False
    except Resolver404:
        return False
    engine = import_module(settings.SESSION_ENGINE)
    request.session = engine.SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    user = get_user(request)
    return user.is_authenticated and (user.may_create or Task.objects.with_role(user, Role.MANAGER).exists())


def _respond(
    request: HttpRequest, status: int, detail: str, headers: dict[str, str] | None = None
) -> HttpResponse:
    """JSON for programs, a page for people."""
    if _is_api(request):
        return JsonResponse({"detail": detail}, status=status, headers=headers)
    return HttpResponse(render_to_string(f"{status}.html"), status=status, headers=headers)


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")


def _today() -> str:
    return timezone.now().date().isoformat()
