"""The sentence stays in sight: whatever is asked, both of its phrases are seen, and nothing looks chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from evaluation.models import Assignment, Ranking, Task
from tests.database.conftest import SENTENCES, annotator, make_task
from tests.journeys.every_page import seen_by
from tests.journeys.test_accessibility import faults
from tests.journeys.test_annotate import ready, saved

pytestmark = [pytest.mark.journey, pytest.mark.any_database]

Open = Callable[..., Page]
DESK, PHONE = (1280, 800), (375, 667)


def sentence(*pairs: tuple[str, str]) -> list[dict[str, Any]]:
    """A sentence whose candidates differ in these pairs, each after a shared word."""
    first, second = (
        " ".join(f"shared{n} {pair[side]}" for n, pair in enumerate(pairs)) + " end." for side in (0, 1)
    )
    return [
        {
            "id": "s1",
            "source": "Ein erfundener Satz, der nicht in eine Zeile eines Telefons passt. " * 3,
            "references": [first],
            "candidates": {"alpha": first, "beta": second},
        }
    ]


THIRTY = sentence(*((f"left{n}", f"right{n}") for n in range(30)))


@pytest.fixture
def open_page(browser: Browser, live_server: LiveServer, transactional_db: None) -> Open:
    """The first sentence of a new task, in a window of some size that does not animate."""

    def open_page(size: tuple[int, int] = DESK, sentences: Any = None, **settings: Any) -> Page:
        task = make_task("In sight", SENTENCES[:2] if sentences is None else sentences, overlap=1, **settings)
        carol = annotator("carol", task)
        context = browser.new_context(
            base_url=live_server.url,
            viewport={"width": size[0], "height": size[1]},
            has_touch=size == PHONE,
            reduced_motion="reduce",
        )
        context.set_default_timeout(20_000)
        page = seen_by(carol.user, context, live_server.url)
        page.goto("/")
        page.get_by_role("button", name="Start").click()
        ready(page)
        return page

    return open_page


# Of each sentence: whether a phrase of the active card is inside its row, and nothing lies above it.
IN_SIGHT = """() => [...document.querySelectorAll(".stave-c .stave-t")].map((row) => {
  const frame = row.getBoundingClientRect(), phrase = row.querySelector(".ph.is-on");
  const [box] = phrase.getClientRects(), slack = 1;
  const isInside = box.top >= frame.top - slack && box.bottom <= frame.bottom + slack
    && box.left >= 0 && box.right <= innerWidth && box.top >= 0;
  const on_top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return isInside && phrase.contains(on_top);
})"""


def in_sight(page: Page) -> bool:
    return page.evaluate(IN_SIGHT) == [True, True]  # type: ignore[no-any-return]


def tap_phrase(page: Page, pair: int) -> None:
    """Tap the words of a pair in B where a finger would: in the middle of their first line."""
    middle = """phrase => {
      phrase.scrollIntoView({ block: "center" });
      const box = phrase.getClientRects()[0];
      return [box.left + box.width / 2, box.top + box.height / 2];
    }"""
    x, y = page.locator(f".stave-c .ph[data-pair='{pair}']").nth(1).evaluate(middle)
    page.touchscreen.tap(x, y)


def active(page: Page) -> str | None:
    return page.locator(".card.is-on").get_attribute("data-card")


def test_with_thirty_differences_the_active_pair_is_seen_in_both_sentences(open_page: Open) -> None:
    page = open_page(DESK, THIRTY)
    for number in range(1, 31):
        assert active(page) == str(number)
        assert in_sight(page), number
        card = page.locator(".card.is-on").bounding_box()
        assert card is not None
        assert 0 < card["y"] < 800 - card["height"], number
        page.keyboard.press("3")
    for _ in range(3):
        page.keyboard.press("ArrowUp")
        assert in_sight(page)


def test_on_a_phone_the_active_pair_is_seen_after_every_tap(open_page: Open) -> None:
    page = open_page(PHONE, THIRTY)
    for number in range(1, 13):
        assert active(page) == str(number)
        assert in_sight(page), number
        page.locator(".card.is-on .opt").nth(number % 6).tap()
    page.get_by_role("button", name="Source").tap()
    assert in_sight(page)
    expect(page.locator(".card.is-on .opt").last).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Whole sentence").tap()
    tap_phrase(page, 7)
    assert active(page) == "7"
    assert in_sight(page)


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_source_stays_shown_or_hidden_on_the_next_page(open_page: Open, size: tuple[int, int]) -> None:
    page, is_hidden = open_page(size), size == PHONE
    source = page.locator(".stave-r")
    for _ in range(2):
        assert ("is-open" in str(source.get_attribute("class"))) != is_hidden
        page.keyboard.press("s")
        is_hidden = not is_hidden
        page.reload()
        ready(page)
        assert in_sight(page)


@pytest.mark.parametrize("size", [(640, 400), (320, 568)], ids=["enlarged", "narrow"])
def test_in_a_small_window_the_two_lines_stay(open_page: Open, size: tuple[int, int]) -> None:
    page = open_page(size, THIRTY)
    for _ in range(8):
        page.keyboard.press("3")
        assert in_sight(page)
    assert page.evaluate("document.scrollingElement.scrollWidth") == size[0]
    assert faults(page, page.url) == []


def test_a_card_shows_its_pair_in_context(open_page: Open) -> None:
    page = open_page(DESK, THIRTY)
    lines = page.locator("#pair-12 .kw").all_inner_texts()
    assert [" ".join(line.split()) for line in lines] in (
        ["A … left10 shared11 left11 shared12 left12 shared13 …", "B … right10 shared11 right11 shared12 …"],
        ["A … right10 shared11 right11 shared12 …", "B … left10 shared11 left11 shared12 left12 shared13 …"],
    ) or all("shared11" in line and "shared12" in line and "…" in line for line in lines)


def test_focus_goes_to_the_next_card_and_arrows_choose_nothing(open_page: Open) -> None:
    page = open_page(DESK, THIRTY)
    page.keyboard.press("1")
    expect(page.locator("#pair-2")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#pair-2 input[type=radio]").nth(1)).to_be_focused()
    expect(page.locator("#pair-2 input:checked")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator("#pair-2 input[type=radio]").nth(1)).to_be_checked()
    expect(page.locator("#pair-3")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.locator("#pair-4")).to_be_focused()
    page.locator("#pair-4 .opt").nth(4).click()
    expect(page.locator("#pair-5")).to_be_focused()
    saved(page)
    assert Ranking.objects.count() == 4


def test_a_rescued_answer_is_not_overwritten_by_the_next_key(open_page: Open) -> None:
    page = open_page()
    page.route("**/answer", lambda route: route.abort())
    page.keyboard.press("1")
    expect(page.locator(".save")).to_contain_text("Offline")
    page.unroute("**/answer")
    page.reload()
    ready(page)
    expect(page.locator("#pair-2")).to_contain_class("is-on")
    page.keyboard.press("3")
    saved(page)
    expect(page.locator("#pair-1 input:checked")).to_have_value("A>>B")
    expect(page.locator("#pair-2 input:checked")).to_have_value("A=B")
    page.reload()
    ready(page)
    assert Ranking.objects.count() == 2
    page.keyboard.press("u")
    expect(page.locator(".need")).to_contain_text("Nothing to undo")


def test_one_question_at_a_time_on_a_phone(open_page: Open) -> None:
    page = open_page(PHONE, THIRTY)
    expect(page.locator(".card:visible")).to_have_count(1)
    before = page.locator(".card.is-on .scale").bounding_box()
    page.locator(".card.is-on .opt").first.tap()
    expect(page.locator("#pair-2")).to_be_visible()
    assert page.locator(".card.is-on .scale").bounding_box() == before, "nothing moves under the thumb"
    swipe(page, 100)
    expect(page.locator("#pair-1")).to_be_visible()
    swipe(page, -100)
    swipe(page, -100)
    expect(page.locator("#pair-3")).to_be_visible()
    page.get_by_role("button", name="Back").tap()
    expect(page.locator("#pair-2")).to_be_visible()
    page.get_by_role("button", name="More").tap()
    page.get_by_label("One question at a time").uncheck()
    page.keyboard.press("Escape")
    expect(page.locator(".card:visible")).to_have_count(30)
    page.reload()
    ready(page)
    expect(page.locator(".card:visible")).to_have_count(30)


def swipe(page: Page, by: int) -> None:
    touch = """([by]) => {
      const card = document.querySelector(".card.is-on");
      const at = (x) => [new Touch({ identifier: 1, target: card, clientX: x, clientY: 400 })];
      card.dispatchEvent(new TouchEvent("touchstart", { bubbles: true, touches: at(180) }));
      card.dispatchEvent(new TouchEvent("touchend", { bubbles: true, changedTouches: at(180 + by) }));
    }"""
    page.evaluate(touch, [by])


def test_one_question_at_a_time_can_be_switched_on_at_a_desk(open_page: Open) -> None:
    page = open_page()
    page.get_by_role("button", name="More").click()
    page.get_by_label("One question at a time").check()
    page.keyboard.press("Escape")
    expect(page.locator(".card:visible")).to_have_count(1)
    cards = page.locator(".card[data-card]").count()
    expect(page.locator("[data-next]")).to_be_hidden()
    for _ in range(cards):
        page.keyboard.press("3")
    first = page.url
    page.locator("[data-next]").click()
    expect(page).not_to_have_url(first)


def test_a_click_goes_on_unless_that_is_switched_off(open_page: Open) -> None:
    page = open_page(DESK, THIRTY)
    page.locator("#pair-1 .opt").first.click()
    expect(page.locator("#pair-2")).to_contain_class("is-on")
    page.get_by_role("button", name="More").click()
    page.get_by_label("A click on an answer").uncheck()
    page.keyboard.press("Escape")
    page.locator("#pair-5 .opt").first.click()
    expect(page.locator("#pair-5")).to_be_focused()
    expect(page.locator("#pair-5")).to_contain_class("is-on")


def test_a_card_under_the_pointer_lights_its_phrases(open_page: Open) -> None:
    page = open_page()
    page.locator("#pair-2").hover()
    expect(page.locator(".ph.is-lit")).to_have_count(2)
    assert page.locator(".ph.is-lit").evaluate_all("all => all.map((one) => one.dataset.pair)") == ["2", "2"]
    assert active(page) == "1"


def test_a_reason_follows_a_choice_and_is_stored_with_it(open_page: Open) -> None:
    page = open_page(ask_reasons=True)
    page.keyboard.press("1")
    expect(page.locator("#pair-1")).to_be_focused()
    page.keyboard.press("w")
    expect(page.locator("#pair-2")).to_be_focused()
    page.keyboard.press("2")
    saved(page)
    assert sorted(Ranking.objects.values_list("version", "reason")) == [(1, ""), (1, ""), (2, "grammar")]
    page.reload()
    ready(page)
    expect(page.get_by_label("Grammar").first).to_be_checked()
    assert faults(page, page.url) == []


def test_tapping_the_better_phrase_answers_and_again_for_much(open_page: Open) -> None:
    page = open_page(PHONE, tap_answers=True)
    tap_phrase(page, 2)
    expect(page.locator("#pair-2 input:checked")).to_have_value("A<B")
    tap_phrase(page, 2)
    expect(page.locator("#pair-2 input:checked")).to_have_value("A<<B")
    saved(page)
    assert list(Ranking.objects.values_list("version", flat=True)) == [1, 2]


def test_what_is_not_marked_is_said(open_page: Open) -> None:
    page = open_page(DESK, sentence(("The", "the"), ("left", "right")))
    said = " ".join(page.locator(".ask").inner_text().split())
    assert "Not marked: “The” / “the”" in said or "Not marked: “the” / “The”" in said


def test_a_dotted_mark_says_where_it_is_asked(open_page: Open) -> None:
    one, other = (
        {
            "id": f"s{n}",
            "source": "Ein Satz.",
            "references": ["a red house"],
            "candidates": {"alpha": f"a red house {n}", "beta": f"a crimson house {n * 7}"},
        }
        for n in (1, 2)
    )
    page = open_page(DESK, [one, other], dedup="task")
    while not page.locator(".ph-quiet").count():
        first = page.url
        for _ in range(page.locator(".card[data-card]").count()):
            page.keyboard.press("3")
        page.keyboard.press("Enter")
        expect(page).not_to_have_url(first)
        ready(page)
    was_seen = Assignment.objects.count() == 2
    where = "Ranked in comparison 1" if was_seen else "Ranked in another comparison"
    expect(page.locator(".ph-quiet").first).to_have_attribute("title", where)
    page.locator(".ph-quiet").first.click()
    expect(page.locator(".need")).to_have_text(where)
    page.reload()
    ready(page)
    quiet = page.locator(".ph-quiet").first
    expect(quiet).to_have_accessible_description(where)
    expect(quiet.locator(".vh")).to_have_text(f" ({where})")
    quiet.focus()  # a stop of the Tab key, and said by a screen reader
    assert quiet.evaluate("one => one.tabIndex") == 0
    expect(page.locator(".need")).to_have_text(where)


def test_a_very_long_word_stays_on_the_phone(open_page: Open) -> None:
    page = open_page(PHONE, sentence(("Donaudampfschiff" * 9, "short"), ("left", "right")))
    assert in_sight(page) or page.locator(".ph.is-on").count() == 2
    assert page.evaluate("document.scrollingElement.scrollWidth") == PHONE[0]
    for part in (".main", ".card.is-on", ".band"):
        width = page.locator(part).evaluate("one => one.scrollWidth - one.clientWidth")
        assert width <= 0, part


def test_skip_opens_in_sight_and_unsure_is_kept(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("x")
    expect(page.get_by_role("button", name="Skip sentence")).to_be_in_viewport()
    page.keyboard.press("Escape")
    with page.expect_response("**/unsure"):
        page.keyboard.press("f")
    expect(page.locator(".acts [data-unsure]")).to_have_attribute("aria-pressed", "true")
    assert Assignment.objects.get().is_unsure
    page.route("**/unsure", lambda route: route.abort())
    page.keyboard.press("f")
    expect(page.locator(".need")).to_contain_text("not saved")
    expect(page.locator(".acts [data-unsure]")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("way", ["Tasks", "Previous"])
def test_a_page_that_is_left_by_a_link_sends_its_time(open_page: Open, way: str) -> None:
    page = open_page()
    if way == "Previous":
        for _ in range(page.locator(".card[data-card]").count()):
            page.keyboard.press("3")
        saved(page)
        page.keyboard.press("Enter")
        expect(page.locator("[data-previous]")).to_be_visible()
        ready(page)
    here = Assignment.objects.filter(number=Assignment.objects.count())
    page.wait_for_timeout(1000)
    left = page.url
    page.get_by_role("link", name=way, exact=True).click()
    expect(page).not_to_have_url(left)
    for _ in range(400):  # the browser sends it when the page has gone
        if here.get().page_ms:
            break
        page.wait_for_timeout(50)
    assert 1000 <= here.get().page_ms < 60_000


def test_the_strip_leads_back_to_earlier_sentences(open_page: Open) -> None:
    page = open_page()
    first = page.url
    page.keyboard.press("f")
    for _ in range(page.locator(".card[data-card]").count()):
        page.keyboard.press("3")
    saved(page)
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(first)
    ready(page)
    expect(page.get_by_role("navigation", name="Your sentences").get_by_role("link")).to_have_count(3)
    page.get_by_role("link", name="1, done, unsure").click()
    expect(page).to_have_url(first)
    ready(page)
    page.locator("#pair-1 .opt").first.click()
    saved(page)
    assert Ranking.objects.latest("pk").version == 2


def test_on_a_phone_the_review_shows_every_sentence_with_its_state(open_page: Open) -> None:
    page = open_page(PHONE)
    expect(page.get_by_role("link", name="Tasks", exact=True)).to_be_in_viewport()
    page.goto(f"/tasks/{Task.objects.get().slug}/review")
    row = page.locator("tbody tr").first
    expect(row.locator("th small")).to_have_text(Assignment.objects.get().compared.item.source)
    expect(row.locator(".state")).to_be_in_viewport(ratio=1)
    assert page.locator(".scroll-x").evaluate("one => one.scrollWidth - one.clientWidth") <= 0
    assert faults(page, page.url) == []


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_is_wrong_with_what_opens(open_page: Open, size: tuple[int, int]) -> None:
    page = open_page(size)
    for button in ("#more", "#skip-box", "#comment-box", "#report-box"):
        page.locator(button).evaluate("one => one.showPopover()")
        page.evaluate("document.fonts.ready")
        assert faults(page) == [], button
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.locator(button).evaluate("one => one.hidePopover()")
