"""Pages for what goes wrong: they look like ours, say what to do next, and need no database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import DataError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client
from django.urls import path, reverse
from django.utils import translation

from appraise.urls import handler404, handler500, urlpatterns as ours  # noqa: F401 — Django looks for them here

ERRORS: list[Exception] = []


def breaks(request: HttpRequest) -> HttpResponse:
    raise ERRORS.pop()


urlpatterns = [path("breaks", breaks), path("api/breaks", breaks), *ours]
HTML = {"Accept": "text/html", "Accept-Language": "de"}


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """A request leaves its language behind in this thread; the next test expects English."""
    with translation.override("en"):
        yield


@pytest.mark.urls(__name__)
@pytest.mark.parametrize(
    ("error", "status", "heading"),
    [
        (SuspiciousOperation(), 400, "Diese Anfrage konnten wir nicht verstehen"),
        (DataError("a NUL"), 400, "Diese Anfrage konnten wir nicht verstehen"),
        (PermissionDenied(), 403, "Sie haben keinen Zugriff auf diese Seite"),
        (Http404(), 404, "Seite nicht gefunden"),
        (RuntimeError("boom"), 500, "Bei uns ist etwas schiefgegangen"),
        (OperationalError("no database"), 503, "Die Website ist zurzeit nicht erreichbar"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_an_error_is_a_page_of_ours_that_asks_nothing_of_the_database(
    error: Exception, status: int, heading: str
) -> None:
    """No database is allowed in this test: touching it would fail."""
    ERRORS.append(error)
    response = Client(raise_request_exception=False).get("/breaks", headers=HTML)
    page = response.content.decode()
    assert response.status_code == status
    assert f"<h1>{heading}</h1>" in page
    assert 'lang="de"' in page
    assert f'<a class="btn btn-main" href="{reverse("home")}">Ihre Aufgaben</a>' in page
    assert ("Retry-After" in response.headers) == (status == 503)
    assert "boom" not in page


@pytest.mark.urls(__name__)
@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (DataError("a NUL"), 400, "the database cannot store this text"),
        (Http404(), 404, "Not Found"),
        (RuntimeError("boom"), 500, "Internal Server Error"),
        (OperationalError("no database"), 503, "the database does not answer"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_a_program_is_told_in_json(error: Exception, status: int, detail: str) -> None:
    ERRORS.append(error)
    response = Client(raise_request_exception=False).get("/api/breaks")
    assert (response.status_code, response.json()) == (status, {"detail": detail})
    assert ("Retry-After" in response.headers) == (status == 503)


def test_a_form_without_its_token_is_told_to_reload() -> None:
    response = Client(enforce_csrf_checks=True).post(reverse("set-language"), headers=HTML)
    assert response.status_code == 403
    assert "<h1>Dieses Formular ist abgelaufen</h1>" in response.content.decode()


def test_the_address_of_a_form_opened_as_a_page_leads_back() -> None:
    response = Client().get(reverse("sign-out"), headers=HTML)
    assert response.status_code == 405
    assert "<h1>Diese Adresse ist keine Seite</h1>" in response.content.decode()
    assert int(response.headers["Content-Length"]) == len(response.content)
    assert Client().get(reverse("sign-out"), headers={"Accept": "application/json"}).content == b""
