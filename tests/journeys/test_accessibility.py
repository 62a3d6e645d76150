"""axe-core finds nothing on any page: light and dark, wide and narrow, English and German."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import LazySettings
from playwright.sync_api import BrowserContext, Page
from pytest_django.live_server_helper import LiveServer

from evaluation.annotate.services import assignments
from tests.database.conftest import SENTENCES, annotator, make_task
from tests.journeys.every_page import pages, seen_by
from tests.security.stage import Stage, set_stage

pytestmark = [pytest.mark.journey, pytest.mark.any_database]

# WCAG 2.2 AA and below, as axe names the rules.
EVERYTHING = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
# What else can go wrong in other colours, and in another width.
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
NARROW = {
    "runOnly": {"type": "rule", "values": ["color-contrast", "target-size", "scrollable-region-focusable"]}
}


def test_every_page_of_the_site(context: BrowserContext, live_server: LiveServer, stage: Stage) -> None:
    found: list[str] = []
    for role, paths in pages(stage):
        page = seen_by(stage.people[role], context, live_server.url)
        for path in paths:
            found += [f"{path} as {role}: {fault}" for fault in faults(page, path)]
        page.close()
    page = seen_by(stage.people["manager"], context, live_server.url)
    page.goto("/")
    page.get_by_role("button", name="Deutsch").click()
    for path in ("/", f"/tasks/{stage.task.slug}/", f"/tasks/{stage.task.slug}/agreement"):
        found += [f"{path} in German: {fault}" for fault in faults(page, path)]
        assert page.locator("html").get_attribute("lang") == "de"
    assert found == []


def faults(page: Page, path: str = "") -> list[str]:
    """Of this page, or of the one that is open."""
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.set_viewport_size({"width": 1280, "height": 900})
    if path:
        page.goto(path)
    page.evaluate(AXE)
    found = violations(page, EVERYTHING)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    found += [f"dark: {one}" for one in violations(page, COLOURS)]
    page.set_viewport_size({"width": 375, "height": 900})
    found += [f"375 px: {one}" for one in violations(page, NARROW)]
    for width in (375, 320):  # the second is a window of 1280 px, enlarged four times
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate(UNFOLDED_WIDTH)
        found += [f"{width} px: the page is {wide} px wide"] if wide > width else []
    return found


AXE = Axe().axe_script
# What is folded must fit, too.
UNFOLDED_WIDTH = """() => {
  document.querySelectorAll("details").forEach(one => { one.open = true })
  return document.scrollingElement.scrollWidth
}"""


# Only the faults come back: everything that axe has to say of a page is megabytes.
RUN = """options => axe.run(options).then(found => found.violations.flatMap(rule => rule.nodes.map(
  node => `${rule.id}: ${node.target} ${node.failureSummary}`)))"""


def violations(page: Page, options: Mapping[str, object]) -> list[str]:
    found: list[str] = page.evaluate(RUN, {**options, "resultTypes": ["violations"]})
    return found


def test_a_page_with_every_question(
    context: BrowserContext, live_server: LiveServer, transactional_db: None
) -> None:
    whole = make_task("Whole", SENTENCES[:1], ask_sentence=True, ask_rating=True, overlap=1)
    carol = annotator("carol", whole)
    assignment = assignments.next_assignment(whole, carol)
    assert assignment is not None
    page = seen_by(carol.user, context, live_server.url)
    assert faults(page, assignment.get_absolute_url()) == []


def test_forced_colours_show_the_answer_and_how_far_one_is(
    context: BrowserContext, live_server: LiveServer, transactional_db: None
) -> None:
    plain = make_task("Plain", SENTENCES[:2], overlap=1)
    carol = annotator("carol", plain)
    assignment = assignments.next_assignment(plain, carol)
    assert assignment is not None
    page = seen_by(carol.user, context, live_server.url)
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    page.goto(assignment.get_absolute_url())
    page.locator(".opt").nth(1).click()
    for shown in (".opt input:checked + span", ".foot .btn-main"):
        assert style(page, shown, "backgroundColor") != style(page, "html", "backgroundColor"), shown
    for framed in (".card.is-on", ".ph.is-on", ".work progress"):
        assert style(page, framed, "outlineStyle") == "solid", framed


def style(page: Page, selector: str, name: str) -> str:
    return str(page.locator(selector).first.evaluate(f"one => getComputedStyle(one).{name}"))


@pytest.fixture
def stage(transactional_db: None, settings: LazySettings, tmp_path: Path) -> Stage:
    settings.HOME = settings.MEDIA_ROOT = tmp_path
    return set_stage()
