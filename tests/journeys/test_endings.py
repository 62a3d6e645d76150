"""What a journey leaves behind when it ends: nothing, and nothing that is still on its way."""

from __future__ import annotations

from threading import Event, Timer

import pytest
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from evaluation.models import Task, User
from evaluation.tasks.queries.progress import HomePage, build_home_page
from evaluation.tasks.views import overview
from tests.browser import sign_in
from tests.live import OrderlyServer


def test_a_request_that_outlives_its_window_ends_before_the_tables_are_emptied(
    browser: Browser, live_server: LiveServer, task: Task, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end, ended = Event(), Event(), Event()

    def slow(*args: object) -> HomePage:
        begun.set()
        may_end.wait(20)
        found = build_home_page(organiser)
        ended.set()
        return found

    context = browser.new_context(base_url=live_server.url)
    page = context.new_page()
    sign_in(page, "alice")
    page.wait_for_url("**/")
    monkeypatch.setattr(overview, "build_home_page", slow)
    page.evaluate("void fetch('/')")
    assert begun.wait(20)
    context.close()
    assert not ended.is_set()
    Timer(0.3, may_end.set).start()
    server = live_server.thread.httpd
    assert isinstance(server, OrderlyServer)
    server.settle()
    assert ended.is_set()
