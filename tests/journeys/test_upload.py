"""A manager with files of their own: drop, mend, look, create; and someone who is invited to the result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.management import call_command
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from evaluation.models import Assignment, Task, Upload, User
from tests.browser import sign_in

pytestmark = pytest.mark.journey

GOOD = "id\tsource\tone\ttwo\n" + "".join(
    f"{n}\tGuten Tag {n}\tGood day number {n}\tHello number {n}\n" for n in range(1, 6)
)


@pytest.fixture
def manager(transactional_db: None) -> User:
    user = User.objects.create_user("mona", password="secret", may_create=True)
    return user


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page on which a refused file is answered with 422, which the console reports, and nothing else."""
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    page.close()
    assert [error for error in errors if "422" not in error] == []


def accessible(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def drop(page: Page, path: Path) -> None:
    page.get_by_label("Choose files").set_input_files(path)


def test_a_new_user_mends_a_faulty_file_and_creates_a_task(page: Page, manager: User, tmp_path: Path) -> None:
    bad = tmp_path / "greetings.tsv"
    bad.write_text(GOOD.replace("\tHello number 3", ""), "utf-8")
    sign_in(page, "mona")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="New task").click()
    accessible(page)
    drop(page, bad)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("1 problem")
    expect(alert).to_contain_text("greetings.tsv:4")
    accessible(page)
    bad.write_text(GOOD, "utf-8")
    page.get_by_label("Name of the task").fill("Greetings")
    page.locator("#files").set_input_files(bad)
    expect(page.get_by_text("TSV with a header · 5 sentences")).to_be_visible()
    expect(page.get_by_label("Name of the task")).to_have_value("Greetings")
    expect(page.locator(".mini .ph").first).to_be_visible()
    accessible(page)
    page.get_by_label("Target language").fill("en")
    page.get_by_label("Target language").press("Enter")  # must not press “Remove”
    expect(page.get_by_label("Target language")).to_have_value("en")
    assert Upload.objects.get().files.count() == 1
    page.get_by_role("button", name="Create task").click()
    expect(page.get_by_role("heading", name="Import Greetings")).to_be_visible()
    call_command("worker", batch=True, interval=0, startup_delay=False, reload=False, verbosity=0)
    expect(page.get_by_role("heading", name="Greetings")).to_be_visible()
    assert Task.objects.get().items.count() == 5


def test_an_invited_person_is_at_the_first_sentence_in_two_clicks(
    page: Page, task: Task, organiser: User, browser: Browser, live_server: LiveServer
) -> None:
    sign_in(page, "alice")
    page.goto(f"/tasks/{task.slug}/members")
    page.get_by_role("button", name="Create link").click()
    link = page.get_by_label("Invitation link", exact=True).input_value()
    page.reload()  # without the message
    accessible(page)
    guests = browser.new_context(base_url=live_server.url)
    guest = guests.new_page()
    guest.goto(link)
    guest.get_by_role("button", name="Start").click()
    expect(guest.get_by_role("heading", name="Which phrase is the better translation?")).to_be_visible()
    guests.close()
    assert Assignment.objects.count() == 1
