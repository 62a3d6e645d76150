"""The server dies in the middle of the work, and the annotator goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser, expect

from tests.browser import sign_in
from tests.site import Site

pytestmark = [pytest.mark.journey, pytest.mark.slow]


FILL = """
from tests.database.conftest import annotator, make_task
bob = annotator("bob", make_task()).user
bob.set_password("secret")
bob.save()
"""


@pytest.fixture
def site(tmp_path: Path, site_database: str) -> Iterator[Site]:
    site = Site(tmp_path, site_database)
    site.manage("shell", "-v", "0", "-c", FILL)
    site.start()
    yield site
    site.kill()


def answers(site: Site) -> int:
    """Asked of the database itself, whether the site is up or not."""
    url, home = site.environment["DATABASE_URL"], Path(site.environment["APPRAISE_HOME"])
    with psycopg.connect(url) if url else sqlite3.connect(home / "appraise.sqlite3") as database:
        row = database.execute("SELECT count(*) FROM evaluation_ranking").fetchone()
    assert row is not None
    return int(row[0])


def test_a_killed_server_costs_no_answer(browser: Browser, site: Site) -> None:
    page = browser.new_page(base_url=site.url)
    page.set_default_timeout(30_000)
    sign_in(page, "bob")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".card.is-on")).to_be_visible()
    before = answers(site)

    page.locator("#pair-1 .opt").first.click()
    expect(page.locator(".save")).to_have_text("Saved")
    assert answers(site) == before + 1

    site.kill()
    page.locator("#pair-2 .opt").nth(1).click()
    expect(page.locator(".save")).to_contain_text("Offline — kept in this browser (1)")
    assert answers(site) == before + 1

    site.start()
    expect(page.locator(".save")).to_have_text("Saved", timeout=30_000)
    assert answers(site) == before + 2
    page.reload()
    expect(page.locator("#pair-1 input:checked, #pair-2 input:checked")).to_have_count(2)
    page.close()
