"""Ranking all variants of a place, and practising before a task, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from evaluation.annotate.services import places
from evaluation.models import Assignment, PracticeRound, Ranking, Task
from tests.browser import sign_in
from tests.database.conftest import SENTENCES, annotator, make_task
from tests.journeys.test_annotate import saved

pytestmark = pytest.mark.journey


@pytest.fixture
def task(transactional_db: None) -> Task:
    task = make_task(sentences=SENTENCES[:1], judging="places", practice=True, scheme="four-way")
    bob = annotator("bob", task).user
    assert bob is not None
    bob.set_password("secret")
    bob.save()
    return task


@pytest.mark.any_database
def test_on_a_phone_no_variant_moves_when_its_turn_comes(page: Page, transactional_db: None) -> None:
    by_place = make_task(sentences=SENTENCES[:1], judging="places")
    carol = annotator("carol", by_place)
    assert carol.user is not None
    carol.user.set_password("secret")
    carol.user.save()
    page.set_viewport_size({"width": 360, "height": 800})
    sign_in(page, "carol")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".variant.is-on")).to_be_visible()
    edges = "all => all.map(one => one.getBoundingClientRect().left)"
    parts = page.locator("#pair-1 .variant :is(.side, .step)")
    before = parts.evaluate_all(edges)
    page.keyboard.press("1")
    expect(page.locator("#pair-1 .variant").nth(1)).to_have_class("variant is-on")
    assert parts.evaluate_all(edges) == before
    sizes = page.locator(".step:visible").evaluate_all(
        "all => all.map(one => Math.min(one.offsetWidth, one.offsetHeight))"
    )
    assert min(sizes) >= 44


def test_practice_and_a_sentence_place_by_place_by_keyboard_alone(page: Page, task: Task) -> None:
    sign_in(page, "bob")
    page.get_by_role("button", name="Start").press("Enter")
    for number in range(1, 6):
        expect(page.get_by_text(f"Question {number} of 5")).to_be_visible()
        expect(page.locator(".card.is-on")).to_be_visible()
        page.keyboard.press("1")  # the first variant on step 1, the second on step 2: “A is better”
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        expect(page.locator(".feedback")).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Go to the first sentence")).to_be_focused()
    assert PracticeRound.objects.count() == 1
    assert not Ranking.objects.exists()
    page.keyboard.press("Enter")

    expect(page.locator(".variant.is-on")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".need")).to_contain_text("places 1, 2 and 3")
    for key in "12312130":
        page.keyboard.press(key)
    expect(page.locator(".need")).to_have_text("All places answered.")
    saved(page)
    page.keyboard.press("u")  # the N/A of the last variant: its place is no longer ranked
    saved(page)
    assert Ranking.objects.filter(choice=None).count() == 3
    page.keyboard.press("2")
    saved(page)
    page.reload()
    # The steps come back in their shortest form: 1, 3, 2.
    checked = page.locator("#pair-3 input:checked")
    assert [checked.nth(n).get_attribute("value") for n in range(3)] == ["1", "3", "2"]
    expect(page.locator(".variant.is-on")).to_be_visible()
    page.locator("#pair-1 .step").nth(1).click()  # by mouse: the first variant on step 2
    saved(page)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Finish", exact=True).click()
    expect(page.get_by_role("heading", name="That was the last sentence")).to_be_visible()
    assignment = Assignment.objects.get()
    assert assignment.finished_at is not None
    known = places.load_rankings(assignment)
    ranked = [place.receipt(assignment, known).value for place in places.load_places(assignment).places]
    assert ranked == [(1, 1, 2), (1, 2), (1, 3, 2)]


@pytest.mark.any_database
def test_enter_that_is_held_down_does_not_turn_over_what_practice_says(page: Page, task: Task) -> None:
    sign_in(page, "bob")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".card.is-on")).to_be_visible()
    for key in "12":
        page.keyboard.press(key)
    page.keyboard.down("Enter")
    expect(page.locator(".feedback")).to_be_focused()
    with page.expect_event("console"):  # told after the repeated key was heard, by whoever listens last
        page.evaluate("() => addEventListener('keydown', (event) => console.log(event.repeat))")
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    expect(page.get_by_text("Question 1 of 5")).to_be_visible()
    expect(page.locator(".feedback")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Question 2 of 5")).to_be_visible()


def test_an_answer_from_another_window_is_shown_not_overwritten(page: Page, task: Task) -> None:
    PracticeRound.objects.create(task=task, annotator=task.memberships.get().user.annotator)
    sign_in(page, "bob")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".variant.is-on")).to_be_visible()
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".variant.is-on")).to_be_visible()
    for window, keys in ((page, "112"), (other, "321")):
        for key in keys:
            window.keyboard.press(key)
        saved(window)
    expect(other.locator(".need")).to_contain_text("was answered in another window")
    checked = other.locator("#pair-1 input:checked")
    assert [checked.nth(n).get_attribute("value") for n in range(3)] == ["1", "1", "2"]
    assert set(Ranking.objects.values_list("version", flat=True)) == {1}
    other.close()
