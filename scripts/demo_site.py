"""A running site in a home of its own, and a Chromium to look at it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from django.conf import settings
from playwright.sync_api import Browser, sync_playwright

from tests.browser import FLAGS, chromium_path
from tests.site import Site


@contextmanager
def open_site(home: Path) -> Iterator[Site]:
    """Start an empty site; this process may use its models and services."""
    # SIGTERM ends here too: the server is stopped and its home deleted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    site = Site(home)
    # Playwright's synchronous interface runs an event loop, which Django would take for asynchronous code.
    os.environ.update(
        site.environment, DJANGO_SETTINGS_MODULE="appraise.settings", DJANGO_ALLOW_ASYNC_UNSAFE="true"
    )
    django.setup()
    settings.ALLOWED_HOSTS.append("testserver")  # the name by which Django's own client calls
    site.start()
    try:
        yield site
    finally:
        site.kill()


@contextmanager
def open_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield chromium
        chromium.close()


def load_demo(site: Site) -> None:
    site.manage("demo")
    site.manage("worker", "--batch", "--no-startup-delay", "-v", "0")
