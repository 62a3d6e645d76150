"""An organiser mends an alignment that an annotator has reported: by mouse, by keyboard, without a script."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from evaluation.annotate.services import assignments
from evaluation.annotate.services.assignments import REASONS
from evaluation.models import (
    Alignment,
    AlignmentReport,
    Annotator,
    Assignment,
    Comparison,
    Occurrence,
    Ranking,
    Task,
    User,
)
from evaluation.tasks.edited_links import Realignment
from evaluation.tasks.services import realignments
from tests.browser import sign_in
from tests.database.conftest import annotator, make_task

pytestmark = pytest.mark.journey

SENTENCES = [
    {
        "id": "s1",
        "source": "Wir trafen ihn am Montag.",
        "references": [],
        "candidates": {"alpha": "we met him on Monday", "beta": "we saw him last Monday night"},
    }
]
STORED = "0-0 2-2 4-4"


@pytest.fixture
def task(transactional_db: None) -> Task:
    task = make_task("Meeting", SENTENCES)
    bob = annotator("bob", task).user
    assert bob is not None
    bob.set_password("secret")
    bob.save()
    return task


@pytest.fixture
def comparison(task: Task) -> Comparison:
    return Comparison.objects.select_related("item__task", "first", "second").get()


@pytest.fixture
def editor(page: Page, task: Task, comparison: Comparison, organiser: User) -> Page:
    sign_in(page, "alice")
    page.goto(f"/tasks/{task.slug}/alignments/{comparison.pk}/")
    expect(word(page, "A", "met")).to_be_visible()
    expect(page.get_by_label("Links")).to_have_value(STORED)
    return page


def word(page: Page, side: str, text: str) -> Locator:
    """The button of a word; its name goes on with what it is linked to."""
    row = page.get_by_role("group", name=f"Words of {side}")
    return row.get_by_role("button", name=re.compile(rf"^{re.escape(text)} \("))


def click(page: Page, side: str, text: str) -> None:
    word(page, side, text).click()


def lines(page: Page) -> set[str]:
    found = page.locator(".align-lines path").evaluate_all("paths => paths.map(p => p.dataset.link)")
    return set(found)


def pairs(page: Page) -> list[str]:
    return page.locator(".align-pairs li").all_inner_texts()


def settled(page: Page) -> None:
    """The preview shows what the links say now."""
    expect(page.locator("[data-preview][aria-busy]")).to_have_count(0)


def accessible(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_report_becomes_a_new_version_by_mouse(
    page: Page, task: Task, comparison: Comparison, organiser: User
) -> None:
    bob = Annotator.objects.get()
    work = assignments.next_assignment(task, bob)
    assert work is not None
    occurrence = Occurrence.objects.asked_by(work).order_by("index")[0]
    AlignmentReport.objects.create(
        annotator=bob,
        pair_id=occurrence.pair_id,
        alignment_id=work.alignment_id or 0,
        reason="cut",
        note="night",
    )
    sign_in(page, "alice")
    page.goto(task.get_absolute_url())
    expect(page.get_by_role("heading", name="Reported alignments")).to_be_visible()
    page.get_by_role("link", name="Correct any sentence").click()
    accessible(page)
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("link", name="Correct ").click()
    expect(page.get_by_text(str(REASONS[AlignmentReport.Reason.CUT]))).to_be_visible()
    expect(page.locator(".align-lines path")).to_have_count(3)
    accessible(page)

    click(page, "A", "on")
    expect(word(page, "A", "on")).to_have_attribute("aria-pressed", "true")
    click(page, "B", "night")
    expect(page.get_by_label("Links")).to_have_value("0-0 2-2 3-5 4-4")
    assert lines(page) == {"0-0", "2-2", "3-5", "4-4"}
    expect(page.get_by_role("status").filter(has_text="on and night are linked.")).to_have_count(1)
    click(page, "B", "night")  # from the other side, and away again
    click(page, "A", "on")
    expect(page.get_by_label("Links")).to_have_value(STORED)

    click(page, "A", "met")
    click(page, "B", "saw")
    expect(page.locator(".align-lines path")).to_have_count(4)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Links")).to_have_value(STORED)
    click(page, "A", "Monday")
    click(page, "B", "Monday")
    click(page, "A", "Monday")
    click(page, "B", "night")
    expect(page.get_by_label("Links")).to_have_value("0-0 2-2 4-5")
    settled(page)
    shown = pairs(page)
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.locator(".message-success")).to_contain_text("2")
    expect(page.locator(".report-table")).to_have_count(0)

    made = Alignment.objects.latest()
    assert (made.version, made.links, made.made_by) == (2, "0-0 2-2 4-5", organiser)
    assert AlignmentReport.objects.get().resolved_by == organiser
    assert Assignment.objects.get().alignment == made
    assert len(shown) == made.occurrences.count()


@pytest.mark.any_database
def test_words_are_linked_and_unlinked_by_keyboard_alone(editor: Page, comparison: Comparison) -> None:
    a = editor.get_by_role("group", name="Words of A")
    a.get_by_role("button").first.focus()
    keys = editor.keyboard
    keys.press("ArrowRight")
    expect(word(editor, "A", "met")).to_be_focused()
    keys.press("Enter")
    expect(word(editor, "A", "met")).to_have_attribute("aria-pressed", "true")
    keys.press("ArrowDown")
    expect(word(editor, "B", "saw")).to_be_focused()
    outline = editor.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    keys.press("Space")
    expect(editor.get_by_label("Links")).to_have_value("0-0 1-1 2-2 4-4")
    expect(a.get_by_role("button", name="met (linked to saw)")).to_have_count(1)
    keys.press("u")
    expect(editor.get_by_label("Links")).to_have_value(STORED)
    keys.press("End")
    keys.press("Enter")
    keys.press("Escape")
    expect(editor.locator(".word[aria-pressed=true]")).to_have_count(0)
    keys.press("Enter")  # night
    keys.press("ArrowUp")
    expect(word(editor, "A", "Monday")).to_be_focused()
    keys.press("ArrowLeft")
    keys.press("Enter")
    expect(editor.get_by_label("Links")).to_have_value("0-0 2-2 3-5 4-4")
    editor.get_by_role("button", name="Reset").press("Enter")
    expect(editor.get_by_label("Links")).to_have_value(STORED)
    keys.press("Shift+Tab")
    expect(editor.get_by_role("button", name="Undo")).to_be_focused()
    keys.press("Enter")
    expect(editor.get_by_label("Links")).to_have_value("0-0 2-2 3-5 4-4")
    settled(editor)
    # The two have changed places: one question about their order.
    expect(editor.locator(".align-pairs li", has_text="last Monday night")).to_have_count(1)
    editor.get_by_role("button", name="Save as version 2").press("Enter")
    expect(editor.locator(".message-success")).to_contain_text("2")
    assert Alignment.objects.latest().links == "0-0 2-2 3-5 4-4"


@pytest.mark.any_database
def test_typed_links_draw_lines_and_bad_ones_are_explained(editor: Page) -> None:
    field = editor.get_by_label("Links")
    field.fill("0-0 9-9")
    expect(editor.get_by_role("alert")).to_contain_text("alignment_range")
    field.fill("0-0")
    expect(editor.locator(".align-lines path")).to_have_count(1)
    expect(editor.get_by_role("alert")).to_have_count(0)
    expect(editor.locator(".align-pairs li").first).to_be_visible()
    field.fill("0-0 4-4 4-5")  # Monday stands in both sentences: the second link cannot be kept
    expect(editor.locator(".align-dropped")).to_contain_text("4-5")
    expect(editor.locator(".align-lines path[data-kind=dropped]")).to_have_count(1)
    field.press("Enter")  # must not save by accident
    expect(editor.get_by_role("heading", name="Correct the alignment")).to_be_visible()
    editor.get_by_label("Ask about neighbouring differences together").uncheck()
    settled(editor)
    assert Alignment.objects.count() == 1
    accessible(editor)


@pytest.mark.any_database
def test_on_a_phone_the_words_stand_in_two_columns(editor: Page) -> None:
    editor.set_viewport_size({"width": 375, "height": 800})
    a = editor.get_by_role("group", name="Words of A").get_by_role("button")
    boxes = [box for n in range(2) if (box := a.nth(n).bounding_box())]
    assert boxes[0]["x"] == boxes[1]["x"]
    assert boxes[0]["height"] >= 44
    assert editor.evaluate("document.documentElement.scrollWidth") == 375
    a.first.focus()
    editor.keyboard.press("ArrowDown")
    expect(a.nth(1)).to_be_focused()
    editor.keyboard.press("Enter")
    editor.keyboard.press("ArrowRight")
    editor.keyboard.press("Enter")
    expect(editor.get_by_label("Links")).to_have_value("0-0 1-1 2-2 4-4")
    settled(editor)


def test_the_second_of_two_managers_is_told_and_loses_nothing(
    editor: Page, comparison: Comparison, organiser: User
) -> None:
    realignments.realign_comparison(comparison, Realignment(((0, 0),), join=True), base=1, by=organiser)
    click(editor, "A", "met")
    click(editor, "B", "saw")
    settled(editor)
    editor.get_by_role("button", name="Save as version 2").click()
    expect(editor.get_by_role("alert")).to_contain_text("version 2")
    expect(editor.get_by_label("Links")).to_have_value("0-0 1-1 2-2 4-4")
    editor.get_by_role("button", name="Save as version 3").click()
    expect(editor.locator(".message-success")).to_contain_text("3")


def test_an_annotator_at_work_on_the_old_version_answers_the_new_one(
    page: Page, task: Task, comparison: Comparison, organiser: User
) -> None:
    sign_in(page, "bob")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".card.is-on")).to_be_visible()
    realignments.realign_comparison(
        comparison, Realignment(((0, 0), (4, 5)), join=True), base=1, by=organiser
    )
    page.reload()
    expect(page.locator(".message")).to_be_visible()
    expect(page.locator(".card.is-on")).to_be_visible()
    page.locator("#pair-1 .opt").first.click()
    expect(page.locator(".save")).to_have_text("Saved")
    assert Ranking.objects.get().alignment == Alignment.objects.latest()


def test_without_a_script_the_page_is_a_plain_form(
    browser: Browser, live_server: LiveServer, task: Task, comparison: Comparison, organiser: User
) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, "alice")
    page.goto(f"/tasks/{task.slug}/alignments/{comparison.pk}/")
    expect(page.get_by_role("group", name="Words of A").get_by_role("button")).to_have_count(0)
    page.get_by_label("Links").fill("0-0 4-5")
    page.get_by_label("Links").press("Enter")  # the preview, not the save
    expect(page.locator(".align-pairs li").first).to_be_visible()
    assert Alignment.objects.count() == 1
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.locator(".message-success")).to_contain_text("2")
    context.close()


@pytest.mark.any_database
def test_a_word_is_said_as_it_is(page: Page, organiser: User) -> None:
    """“$$” means something to a script that replaces text."""
    outputs = {"alpha": "it costs $$ now", "beta": "it costs money now"}
    task = make_task("Prices", [{**SENTENCES[0], "candidates": outputs}])
    sign_in(page, "alice")
    page.goto(f"/tasks/{task.slug}/alignments/{Comparison.objects.get(item__task=task).pk}/")
    page.get_by_label("Links").fill("0-0 1-1 3-3")
    click(page, "A", "$$")
    click(page, "B", "money")
    expect(page.get_by_role("status").filter(has_text="$$ and money are linked.")).to_have_count(1)
    expect(page.get_by_role("button", name="money (linked to $$)")).to_have_count(1)
