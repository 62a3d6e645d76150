"""The Chromium of this machine, and how a person signs in with it."""

from __future__ import annotations

import shutil

from playwright.sync_api import Page

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    # Nobody watches: what draws for a screen shares a process, and what guesses for a user rests.
    "--in-process-gpu", "--disable-software-rasterizer", "--disable-extensions", "--disable-hang-monitor",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider",
]  # fmt: skip


WITH_WINDOWS = ("chromium", "chromium-browser", "google-chrome")


def chromium_path(*, windows: bool = False) -> str:
    """Chromium without windows, where there is one: the same engine for half of the processor's time."""
    for name in WITH_WINDOWS if windows else ("chromium-headless-shell", *WITH_WINDOWS):
        if path := shutil.which(name):
            return path
    raise FileNotFoundError("there is no Chromium on the path; `make system-packages` says how to get it")


def sign_in(page: Page, name: str, password: str = "secret") -> None:
    page.goto("/sign-in")
    say_who(page, name, password)


def say_who(page: Page, name: str, password: str = "secret") -> None:
    """On a sign-in page that is open already."""
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
