"""An Arabic task in a real browser: words run from right to left, chips stand before their words."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from tests.database.test_scripts_of_the_world import make_pages
from tests.journeys.every_page import seen_by
from tests.journeys.test_accessibility import faults

pytestmark = [pytest.mark.journey, pytest.mark.any_database]


def test_an_arabic_page_is_laid_out_from_right_to_left(
    context: BrowserContext, live_server: LiveServer, transactional_db: None
) -> None:
    _, bob, assignment = make_pages("ar")
    page = seen_by(bob.user, context, live_server.url)
    page.goto(assignment.get_absolute_url())
    expect(page.locator(".card.is-on")).to_be_visible()
    for stave in page.locator(".stave-c p").all():
        marks = stave.locator(".ph").all()
        boxes = [mark.bounding_box() for mark in marks]
        places = [box["x"] for box in boxes if box]
        assert places == sorted(places, reverse=True), "the first difference stands furthest right"
        whole = stave.bounding_box()
        assert whole is not None
        assert boxes[0] is not None
        assert boxes[0]["x"] + boxes[0]["width"] > whole["x"] + whole["width"] * 0.8, "the line begins right"
        for mark in marks:
            chip, box = mark.locator(".chip").bounding_box(), mark.bounding_box()
            assert chip is not None
            assert box is not None
            assert chip["x"] > box["x"] + box["width"] / 2, "a chip stands at the beginning of its phrase"
    isolated = "all => all.every(one => getComputedStyle(one).unicodeBidi == 'isolate')"
    assert page.locator(".ph, .chip, .kw mark").evaluate_all(isolated), "numbers stay at their phrase"
    assert faults(page, assignment.get_absolute_url()) == []
