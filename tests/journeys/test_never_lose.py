"""Whatever happens between the browser and the server, no answer is lost, doubled or overwritten."""

from __future__ import annotations

import json

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import BrowserContext, Dialog, Page, Route, expect

from evaluation.models import Assignment, Ranking, Task
from tests.browser import sign_in
from tests.journeys.test_annotate import begin, ready, saved

pytestmark = pytest.mark.journey


def state(page: Page, text: str) -> None:
    expect(page.locator(".save")).to_contain_text(text)


def arrived(page: Page, answers: int) -> None:
    """Waits until so many are stored: a page that was just opened still says what is true of older ones."""
    for _ in range(200):
        if Ranking.objects.count() == answers:
            break
        page.wait_for_timeout(50)
    assert Ranking.objects.count() == answers


def choose(page: Page, pair: int, key: int) -> None:
    page.locator(f"#pair-{pair} .opt").nth(key - 1).click()


@pytest.mark.any_database
def test_offline_answers_wait_in_the_browser_and_arrive_later(
    page: Page, context: BrowserContext, task: Task
) -> None:
    begin(page)
    context.set_offline(True)
    choose(page, 1, 1)
    state(page, "Offline — kept in this browser (1)")
    choose(page, 2, 3)
    state(page, "(2)")
    assert Ranking.objects.count() == 0
    context.set_offline(False)
    saved(page)
    assert Ranking.objects.count() == 2


@pytest.mark.any_database
def test_offline_answers_survive_a_reload(page: Page, context: BrowserContext, task: Task) -> None:
    begin(page)
    answers = page.locator("form#answers").get_attribute("data-answer-url")
    page.route(f"**{answers}", lambda route: route.abort())
    choose(page, 1, 1)
    state(page, "Offline")
    page.reload()
    state(page, "Offline")
    expect(page.locator("#pair-1 input:checked")).to_have_value("A>>B")  # shown before it is stored
    page.unroute(f"**{answers}")
    saved(page)
    assert Ranking.objects.count() == 1
    page.reload()
    expect(page.locator("#pair-1 input:checked")).to_have_value("A>>B")


@pytest.mark.any_database
def test_a_click_before_the_script_is_there_is_newer_than_an_answer_that_waits(
    page: Page, task: Task
) -> None:
    begin(page)
    page.route("**/answer", lambda route: route.abort())
    choose(page, 1, 1)
    state(page, "Offline")
    scripts: list[Route] = []
    page.route("**/outbox.js", lambda route: scripts.append(route))
    with page.expect_request("**/outbox.js"):
        page.reload(wait_until="commit")
    choose(page, 1, 5)
    page.unroute("**/answer")
    scripts[0].continue_()
    arrived(page, 2)
    saved(page)
    expect(page.locator("#pair-1 input:checked")).to_have_value("A<<B")


def test_a_correction_survives_a_reload_between_it_and_its_answer(page: Page, task: Task) -> None:
    begin(page)
    page.route("**/answer", lambda route: route.abort())
    choose(page, 1, 1)
    choose(page, 1, 5)
    state(page, "(2)")
    sent: list[str] = []

    def let_one_through(route: Route) -> None:
        sent.append(route.request.url)
        route.continue_() if len(sent) == 1 else route.abort()

    page.route("**/answer", let_one_through)  # in place of the other from now on: no moment without either
    state(page, "Offline — kept in this browser (1)")
    assert Ranking.objects.count() == 1
    page.reload()
    page.unroute("**/answer")
    arrived(page, 2)
    saved(page)
    expect(page.locator(".need")).not_to_contain_text("another window")
    expect(page.locator("#pair-1 input:checked")).to_have_value("A<<B")


NO_STORAGE = (
    "indexedDB.open = () => new EventTarget()",
    "Object.defineProperty(window, 'indexedDB', { value: undefined })",
    "indexedDB.open = () => { throw new DOMException('not here', 'SecurityError'); }",
    "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }",
)


@pytest.mark.parametrize("refusal", NO_STORAGE, ids=["silent", "absent", "refused", "full"])
@pytest.mark.any_database
def test_without_storage_answers_wait_in_the_tab_and_it_is_not_closed_unasked(
    page: Page, context: BrowserContext, task: Task, refusal: str
) -> None:
    page.add_init_script(refusal)
    begin(page)
    context.set_offline(True)
    choose(page, 1, 1)
    state(page, "Offline — kept in this browser (1)")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    with page.expect_event("dialog"):
        page.close(run_before_unload=True)
    context.set_offline(False)
    saved(page)
    assert Ranking.objects.count() == 1
    with page.expect_event("close"):
        page.close(run_before_unload=True)
    assert asked == ["beforeunload"]  # once it is stored, nothing is asked


def test_a_response_that_is_lost_after_the_commit_is_one_answer(page: Page, task: Task) -> None:
    begin(page)
    lost: list[int] = []

    def drop_the_first(route: Route) -> None:
        if not lost:
            lost.append(route.fetch().status)  # the server has committed; the browser never hears of it
            route.abort()
        else:
            route.continue_()

    page.route("**/answer", drop_the_first)
    choose(page, 1, 2)
    saved(page)
    assert lost == [200]
    assert Ranking.objects.count() == 1


def test_an_expired_log_in_keeps_the_answer_until_the_next(page: Page, task: Task) -> None:
    begin(page)
    Session.objects.all().delete()
    choose(page, 1, 1)
    state(page, "Signed out — kept in this browser (1)")
    expect(page.locator(".need")).to_contain_text("Reload this page and sign in again")
    assert Ranking.objects.count() == 0
    sign_in(page, "bob")
    page.get_by_role("button", name="Continue").click()
    saved(page)
    assert Ranking.objects.count() == 1


def test_a_page_from_before_the_last_log_in_says_so_and_keeps_the_answer(
    unwatched: Page, context: BrowserContext, task: Task
) -> None:
    page = unwatched
    begin(page)
    Session.objects.all().delete()
    other = context.new_page()
    sign_in(other, "bob")  # gives this browser another token for its forms
    other.wait_for_url("**/")
    choose(page, 1, 1)
    state(page, "Signed out — kept in this browser (1)")
    page.reload()
    arrived(page, 1)
    saved(page)
    other.close()


def test_an_answer_to_a_task_that_was_put_away_is_not_called_saved(page: Page, task: Task) -> None:
    begin(page)
    Task.objects.update(state=Task.State.ARCHIVED)
    choose(page, 1, 1)
    state(page, f"{NOT_SAVED} (1)")
    Task.objects.update(state=Task.State.OPEN)
    page.reload()
    arrived(page, 1)
    saved(page)


@pytest.mark.any_database
def test_answers_that_wait_are_sent_when_their_owner_is_back_and_has_nothing_open(
    page: Page, context: BrowserContext, task: Task
) -> None:
    begin(page)
    page.route("**/answer", lambda route: route.abort())
    choose(page, 1, 1)
    state(page, "Offline — kept in this browser (1)")
    Task.objects.update(state=Task.State.CLOSED)
    page.unroute("**/answer")
    page.goto("/")
    arrived(page, 1)


@pytest.mark.any_database
def test_an_answer_that_a_closed_window_left_is_shown_by_the_one_that_sends_it(
    page: Page, context: BrowserContext, task: Task
) -> None:
    begin(page)
    other = context.new_page()
    other.goto(page.url)
    ready(other)
    context.set_offline(True)
    choose(page, 1, 1)
    state(page, "(1)")
    choose(other, 1, 5)
    state(other, "(2)")
    other.close()
    context.set_offline(False)
    saved(page)
    arrived(page, 2)
    expect(page.locator("#pair-1 input:checked")).to_have_value("A<<B")
    expect(page.locator(".need")).to_contain_text("was answered in another window")


def test_two_tabs_show_a_conflict_and_overwrite_nothing(
    page: Page, context: BrowserContext, task: Task
) -> None:
    begin(page)
    other = context.new_page()
    other.goto(page.url)
    ready(other)
    choose(page, 1, 1)
    saved(page)
    choose(other, 1, 5)
    expect(other.locator(".need")).to_contain_text("was answered in another window")
    expect(other.locator("#pair-1 input:checked")).to_have_value("A>>B")
    assert Ranking.objects.count() == 1
    choose(other, 1, 5)
    saved(other)
    assert Ranking.objects.count() == 2


def test_the_back_button_shows_what_was_answered_and_takes_a_correction(page: Page, task: Task) -> None:
    begin(page)
    first = page.url
    cards = page.locator(".card[data-card]").count()
    for _ in range(cards):
        page.keyboard.press("3")
    saved(page)
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(first)
    ready(page)
    page.go_back()
    expect(page).to_have_url(first)
    expect(page.locator(".card input:checked")).to_have_count(cards)
    ready(page)  # until then the page says “Saved” of the answers that it came with
    choose(page, 1, 1)
    saved(page)
    assert Ranking.objects.count() == cards + 1
    assert Assignment.objects.get(number=1).finished_at is not None


def test_a_double_click_on_next_moves_one_sentence(page: Page, task: Task) -> None:
    begin(page)
    for _ in range(page.locator(".card[data-card]").count()):
        page.keyboard.press("3")
    saved(page)
    before = page.url
    page.locator("[data-next]").dblclick()
    expect(page).not_to_have_url(before)
    ready(page)
    assert Assignment.objects.count() == 2


@pytest.mark.any_database
def test_whoever_stops_the_browser_on_its_way_can_go_on_later(page: Page, task: Task) -> None:
    page.clock.install()
    begin(page)
    for _ in range(page.locator(".card[data-card]").count()):
        page.keyboard.press("3")
    saved(page)
    here = page.url
    page.route(here, lambda route: route.abort("aborted"))
    with page.expect_event("requestfailed"):
        page.keyboard.press("Enter")
    page.unroute(here)
    page.clock.run_for(11_000)
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(here)
    assert Assignment.objects.count() == 2


def failing(page: Page, pair: int, tried: list[str], *, hangs: bool = False) -> None:
    """The server fails on every answer to this pair, and on no other."""
    url = page.locator("form#answers").get_attribute("data-answer-url")
    phrase = int(page.locator(f"#pair-{pair}").get_attribute("data-phrase") or "")

    def fail(route: Route) -> None:
        said = json.loads(route.request.post_data or "")
        if (said["url"], said["phrase"]) != (url, phrase):
            route.continue_()
            return
        tried.append(said["choice"])
        if not hangs:
            route.fulfill(status=500, body="<h1>Error</h1>", content_type="text/html")

    page.route("**/answer", fail)


@pytest.fixture
def unwatched(context: BrowserContext) -> Page:
    """A page whose console may speak of a server that fails."""
    return context.new_page()


NOT_SAVED = "Not saved yet — kept in this browser"


@pytest.mark.any_database
def test_an_answer_that_the_server_cannot_store_holds_up_no_other(unwatched: Page, task: Task) -> None:
    page, tried = unwatched, list[str]()
    begin(page)
    first, cards = page.url, page.locator(".card[data-card]").count()
    failing(page, 1, tried)
    for _ in range(cards):
        page.keyboard.press("1")
    arrived(page, cards - 1)
    state(page, f"{NOT_SAVED} (1)")
    choose(page, 1, 5)
    state(page, f"{NOT_SAVED} (2)")
    assert set(tried) == {"A>>B"}  # a correction never overtakes what it corrects
    page.keyboard.press("Enter")
    expect(page.locator(".need")).to_be_visible()
    expect(page).to_have_url(first)
    page.unroute("**/answer")
    expect(page).not_to_have_url(first)  # tried again by itself, and on as was asked for
    assert Ranking.objects.count() == cards + 1


@pytest.mark.any_database
def test_an_answer_without_any_response_holds_up_no_other(page: Page, task: Task) -> None:
    begin(page)
    tried: list[str] = []
    failing(page, 1, tried, hangs=True)
    choose(page, 1, 1)
    choose(page, 2, 1)
    arrived(page, 1)
    choose(page, 2, 5)
    arrived(page, 2)
    assert set(tried) == {"A>>B"}


@pytest.mark.any_database
def test_an_answer_that_keeps_failing_is_tried_less_and_less_often(unwatched: Page, task: Task) -> None:
    page, tried = unwatched, list[str]()
    page.clock.install()
    begin(page)
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)  # from here on time passes as told
    failing(page, 1, tried)
    choose(page, 1, 1)
    state(page, f"{NOT_SAVED} (1)")
    for number, seconds in enumerate((4, 8, 16), 1):
        page.clock.run_for((seconds - 1) * 1000)
        choose(page, 2, number)
        arrived(page, number)
        state(page, f"{NOT_SAVED} (1)")
        assert len(tried) == number  # another answer is no reason to try it before its time
        with page.expect_response(lambda response: response.status == 500):
            page.clock.run_for(1000)
        state(page, f"{NOT_SAVED} (1)")
        assert len(tried) == number + 1


@pytest.mark.any_database
def test_an_answer_left_on_another_page_does_not_hold_up_this_one(unwatched: Page, task: Task) -> None:
    page, tried = unwatched, list[str]()
    begin(page)
    failing(page, 1, tried)
    choose(page, 1, 1)
    state(page, f"{NOT_SAVED} (1)")
    Assignment.objects.update(finished_at=timezone.now())  # as if the organiser had closed it meanwhile
    page.goto("/")
    page.get_by_role("button", name="Continue").click()
    ready(page)
    second = page.url
    for _ in range(page.locator(".card[data-card]").count()):
        page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(second)
    ready(page)
    state(page, f"{NOT_SAVED} (1)")
