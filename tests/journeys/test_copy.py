"""A link or a key is copied by its button, or by hand where the browser forbids that."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from evaluation.models import User
from tests.browser import sign_in

pytestmark = [pytest.mark.journey, pytest.mark.any_database]

FORBIDDEN = "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); }"
COPIED = "() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }"


@pytest.fixture
def key(page: Page, organiser: User) -> Page:
    """The page that shows a new API key for the only time."""
    sign_in(page, "alice")
    page.goto("/me/tokens")
    page.get_by_label("Purpose").fill("notebook")
    page.get_by_role("button", name="Create token").click()
    return page


def test_a_click_copies_the_key(key: Page) -> None:
    key.evaluate(COPIED)
    key.get_by_role("button", name="Copy").click()
    expect(key.get_by_role("button", name="Copied")).to_be_visible()
    assert key.evaluate("window.copied") == key.get_by_label("The new token").input_value()


def test_where_copying_is_forbidden_the_key_is_selected_instead(key: Page) -> None:
    key.evaluate(FORBIDDEN)
    key.get_by_role("button", name="Copy").click()
    expect(key.get_by_label("The new token")).to_be_focused()
    expect(key.get_by_role("button", name="Copy")).to_be_visible()
    selected = "[document.activeElement.selectionStart, document.activeElement.selectionEnd]"
    assert key.evaluate(selected) == [0, len(key.get_by_label("The new token").input_value())]
