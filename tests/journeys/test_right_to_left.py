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


@pytest.mark.parametrize("code", ["ar", "cs", "fr", "ja"])
def test_the_pages_of_an_annotator_fit_in_other_languages(
    code: str, context: BrowserContext, live_server: LiveServer, transactional_db: None
) -> None:
    _, bob, assignment = make_pages("zh")  # words from left to right
    context.set_extra_http_headers({"Accept-Language": code})
    page = seen_by(bob.user, context, live_server.url)
    found = [fault for path in ("/", assignment.get_absolute_url()) for fault in faults(page, path)]
    assert found == []
    page.set_viewport_size({"width": 1280, "height": 900})
    assert page.locator("html").get_attribute("lang") == code
    answers = [box["x"] for opt in page.locator(".card.is-on .opt").all() if (box := opt.bounding_box())]
    assert answers == sorted(answers), "the scale runs from A to B in every language"
    chip, card = (
        page.locator(".card.is-on .card-h .chip").bounding_box(),
        page.locator(".card.is-on").bounding_box(),
    )
    assert chip is not None
    assert card is not None
    assert (chip["x"] > card["x"] + card["width"] / 2) == (code == "ar"), (
        "a card begins on the side of its language"
    )
