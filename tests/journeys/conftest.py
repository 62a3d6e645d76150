"""A real Chromium on a real server."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from django.test.testcases import LiveServerThread
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from evaluation.models import Task, User
from tests.browser import FLAGS, chromium_path
from tests.database.conftest import annotator, make_task
from tests.live import OrderlyServer

# Playwright's synchronous interface runs an event loop, which Django would take for asynchronous code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

expect.set_options(timeout=20_000)
LiveServerThread.server_class = OrderlyServer


def _find_chromium(*, windows: bool = False) -> str:
    try:
        return chromium_path(windows=windows)
    except FileNotFoundError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=_find_chromium(), args=FLAGS)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def browser_with_windows(playwright: Playwright) -> Iterator[Browser]:
    """As on a desk; shown nowhere."""
    browser = playwright.chromium.launch(executable_path=_find_chromium(windows=True), args=FLAGS)
    yield browser
    browser.close()


@pytest.fixture(autouse=True)
def nothing_left(browser: Browser, request: pytest.FixtureRequest) -> Iterator[None]:
    """No window of a failed journey, and no request that is still on its way when the tables are emptied."""
    server = None
    if "live_server" in request.fixturenames:
        request.getfixturevalue("transactional_db")  # before us, and so emptied after us
        server = request.getfixturevalue("live_server").thread.httpd
    yield
    for context in browser.contexts:
        context.close()
    if server is not None:
        server.settle()


@pytest.fixture
def context(browser: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(20_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose console must stay silent: an error there fails the journey."""
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    page.close()
    # A refused Next answers 409, and going offline is part of some journeys; neither is a fault.
    expected = (
        "404",
        "409",
        "ERR_INTERNET_DISCONNECTED",
        "ERR_EMPTY_RESPONSE",
        "ERR_CONNECTION",
        "401",
        "ERR_FAILED",
        "503",
    )
    assert [error for error in errors if not any(word in error for word in expected)] == []


@pytest.fixture
def task(transactional_db: None) -> Task:
    task = make_task()
    bob = annotator("bob", task).user
    assert bob is not None
    bob.set_password("secret")
    bob.save()
    return task


@pytest.fixture
def organiser(task: Task) -> User:
    user = User.objects.create_superuser("alice", password="secret")
    return user
