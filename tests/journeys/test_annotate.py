"""An annotator at work: sign in, rank, see it stored."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from evaluation.blinding import canonical
from evaluation.models import AlignmentReport, Assignment, Occurrence, Ranking, Task
from evaluation.schemes import Choice
from tests.browser import say_who, sign_in

pytestmark = pytest.mark.journey


@pytest.fixture
def browser(browser_with_windows: Browser) -> Browser:
    """The first journey is made with all that a browser has; the others with its engine."""
    return browser_with_windows


def begin(page: Page) -> None:
    sign_in(page, "bob")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Which phrase is the better translation?")).to_be_visible()
    ready(page)


def ready(page: Page) -> None:
    """The script has taken over: a pair is active."""
    expect(page.locator(".card.is-on")).to_be_visible()


def saved(page: Page) -> None:
    expect(page.locator(".save")).to_have_text("Saved")


def test_sign_in_rank_and_see_it_stored(page: Page, task: Task) -> None:
    begin(page)
    page.locator("#pair-1 .opt").first.click()
    saved(page)
    ranking = Ranking.objects.get()
    assignment = Assignment.objects.get()
    occurrence = Occurrence.objects.asked_by(assignment).get(pair=ranking.pair)
    assert ranking.choice is not None
    shown = canonical(Choice(ranking.choice), swapped=assignment.swapped, flipped=occurrence.flipped)
    assert shown == "A>>B"
    assert ranking.active_ms is not None
    page.reload()
    expect(page.locator("#pair-1 input:checked")).to_have_value("A>>B")


def test_a_report_without_a_reason_is_kept_and_enter_sends_the_one_that_is_open(
    page: Page, task: Task
) -> None:
    begin(page)
    here = page.url
    last = page.locator(".card[data-card]").last
    last.get_by_role("button", name="Report boxes").click()
    box = page.locator("#report-box")
    expect(box.locator("select")).to_have_value(last.get_attribute("data-phrase") or "")
    note = box.get_by_placeholder("Note (optional)")
    note.fill("cut too early")
    box.get_by_role("button", name="Send report").click()
    expect(note).to_have_value("cut too early")
    box.locator("input[type=radio]").nth(1).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.locator(".message-success")).to_be_visible()
    expect(page).to_have_url(here)
    report = AlignmentReport.objects.get()
    assert (report.reason, report.note) == ("cut", "cut too early")
    expect(page.locator(".card[data-card]").last).to_contain_text("reported")
    expect(page.locator("#pair-1")).not_to_contain_text("reported")


def test_a_whole_task_by_keyboard_alone(page: Page, task: Task) -> None:
    begin(page)
    while page.locator(".cards").count():
        ready(page)
        cards = page.locator(".card[data-card]").count()
        for _ in range(cards):
            page.keyboard.press("3")
        saved(page)
        expect(page.locator(".need")).to_have_text("All pairs answered.")
        before = page.url
        page.keyboard.press("Enter")
        expect(page).not_to_have_url(before)
        page.wait_for_load_state("domcontentloaded")  # before that a page of questions may have none yet
    page.get_by_role("link", name="Finish", exact=True).click()
    expect(page.get_by_role("heading", name="That was the last sentence")).to_be_visible()
    assert Assignment.objects.filter(finished_at__isnull=False).count() == task.size
    assert Ranking.objects.count() == task.pairs.count()
    assert set(Ranking.objects.values_list("choice", flat=True)) == {"A=B"}


@pytest.mark.any_database
def test_next_says_what_is_missing_and_goes_there(page: Page, task: Task) -> None:
    begin(page)
    page.keyboard.press("Enter")
    expect(page.locator(".need")).to_contain_text("no answer yet")
    expect(page.locator("#pair-1")).to_contain_class("is-missing is-on")
    assert Assignment.objects.get().finished_at is None


def test_undo_takes_an_answer_back_and_changes_nothing_else(page: Page, task: Task) -> None:
    begin(page)
    page.keyboard.press("1")
    saved(page)
    page.keyboard.press("u")
    expect(page.locator("#pair-1 input:checked")).to_have_count(0)
    saved(page)
    assert list(Ranking.objects.order_by("version").values_list("choice", flat=True))[-1] is None


@pytest.mark.any_database
def test_a_key_that_is_held_down_answers_one_pair(page: Page, task: Task) -> None:
    begin(page)
    for _ in range(5):  # without a release between them: the keyboard repeats the key
        page.keyboard.down("3")
    page.keyboard.up("3")
    saved(page)
    expect(page.locator(".card input:checked")).to_have_count(1)
    assert Ranking.objects.count() == 1


@pytest.mark.any_database
def test_digits_go_on_to_the_pairs_that_were_left_open(page: Page, task: Task) -> None:
    begin(page)
    cards = page.locator(".card[data-card]").count()
    page.locator(f"#pair-{cards} [type=radio]").first.focus()
    for _ in range(cards):
        page.keyboard.press("3")
    expect(page.locator(".need")).to_have_text("All pairs answered.")
    saved(page)
    assert Ranking.objects.count() == cards


@pytest.mark.any_database
def test_without_a_script_the_guidelines_are_there_and_no_button_is_dead(
    browser: Browser, live_server: LiveServer, task: Task
) -> None:
    plain = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = plain.new_page()
    sign_in(page, "bob")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Guidelines")).to_be_visible()
    for button in page.get_by_role("button").all():
        submits_or_opens = button.get_attribute("form") or button.get_attribute("popovertarget")
        assert submits_or_opens, button.inner_text()
    for card in page.locator(".card[data-card]").all():
        card.locator(".opt").nth(2).click()
    first = page.url
    page.get_by_role("button", name="Next sentence").click()
    expect(page).not_to_have_url(first)
    plain.close()
    assert set(Ranking.objects.values_list("choice", flat=True)) == {"A=B"}


@pytest.mark.any_database
def test_without_a_script_the_page_says_what_an_ended_session_costs(
    browser: Browser, live_server: LiveServer, task: Task
) -> None:
    plain = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = plain.new_page()
    sign_in(page, "bob")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("noscript [data-no-script]")).to_be_visible()
    here = page.url
    for card in page.locator(".card[data-card]").all():
        card.locator(".opt").nth(2).click()
    plain.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Next sentence").click()
    say_who(page, "bob")
    expect(page).to_have_url(here)
    assert not Ranking.objects.exists()
    plain.close()


def test_a_double_click_is_one_answer(page: Page, task: Task) -> None:
    begin(page)
    page.locator("#pair-1 .opt").nth(2).dblclick()
    saved(page)
    assert Ranking.objects.count() == 1
