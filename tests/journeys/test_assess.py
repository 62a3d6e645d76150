"""Marking errors and rating: by mouse, keys and touch, in any script, and nothing is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Browser, Locator, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from evaluation.models import Annotator, Assessment, Assignment, ErrorSpan, Output, Task
from tests.database.conftest import annotator, make_task
from tests.journeys.every_page import seen_by
from tests.journeys.test_accessibility import faults
from tests.journeys.test_annotate import saved

pytestmark = pytest.mark.journey

Open = Callable[..., Page]
DESK, PHONE = (1280, 800), (375, 667)
COUNCIL = [
    {
        "id": "1",
        "document": "d",
        "source": "Grund sind Risse im großen Becken, die nach dem Frost entdeckt wurden.",
        "candidates": {
            "alpha": "The reason is cracks in the big pool that were discovered after the frost.",
            "beta": "Reason are cracks in the big pelvis, which were discovered after the frost.",
        },
    },
    {
        "id": "2",
        "document": "d",
        "source": "Wer schon eine Karte gekauft hat, bekommt ein Viertel zurück.",
        "candidates": {
            "alpha": "Anyone who has bought a ticket will get a quarter back.",
            "beta": "Who has bought a card gets back a quarter.",
        },
    },
]


def one(text: str, source: str = "Ein Satz.") -> list[dict[str, Any]]:
    """A sentence whose two systems say the same: one translation is shown."""
    return [{"id": "1", "source": source, "candidates": {"alpha": text, "beta": text}}]


@pytest.fixture
def open_page(browser: Browser, live_server: LiveServer, transactional_db: None) -> Iterator[Open]:
    """The first page of a new task, in a window of some size that does not animate."""
    errors: list[str] = []

    def open_page(
        sentences: Any = None, size: tuple[int, int] = DESK, change: Any = None, **settings: Any
    ) -> Page:
        options = {
            "comparisons": "none", "assess": "esa", "assess_systems": 2, "overlap": 1, **settings,
        }  # fmt: skip
        task = make_task("Errors", COUNCIL[:1] if sentences is None else sentences, **options)
        if change:
            change(task)
        context = browser.new_context(
            base_url=live_server.url,
            viewport={"width": size[0], "height": size[1]},
            has_touch=size == PHONE,
            reduced_motion="reduce",
        )
        context.set_default_timeout(20_000)
        page = seen_by(annotator("carol", task).user, context, live_server.url)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto("/")
        page.get_by_role("button", name="Start").click()
        ready(page)
        return page

    yield open_page
    assert errors == []


def ready(page: Page) -> None:
    """The script has taken over: a translation is active."""
    expect(page.locator(".seg.is-on")).to_be_visible()


def text_of(page: Page, candidate: int = 0) -> Locator:
    return page.locator(".cand .text").nth(candidate)


# Where a word of a text is on the screen.
BOX = """(text, word) => {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.parentElement.closest(".vh, button") ? -1 : node.data.indexOf(word);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + word.length);
    const box = range.getClientRects()[0];
    return [box.left, box.top, box.width, box.height];
  }
}"""


def box(text: Locator, word: str) -> tuple[float, float, float, float]:
    left, top, width, height = text.evaluate(BOX, word)
    return left, top, width, height


def middle(text: Locator, word: str) -> tuple[float, float]:
    left, top, width, height = box(text, word)
    return left + width / 2, top + height / 2


def click(page: Page, text: Locator, word: str) -> None:
    page.mouse.click(*middle(text, word))


def drag(page: Page, text: Locator, first: str, last: str) -> None:
    page.mouse.move(*middle(text, first))
    page.mouse.down()
    page.mouse.move(*middle(text, last), steps=3)
    page.mouse.up()


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def list_newest() -> list[Assessment]:
    rows = Assessment.objects.exclude(annotator__key="metric").order_by("version", "pk")
    return list({row.output.candidate_id: row for row in rows.select_related("output")}.values())


def list_marked() -> list[tuple[str, str]]:
    """What is marked in the newest answers, with its severity."""
    marked = []
    for row in list_newest():
        item = row.output.item
        for span in row.spans.order_by("number"):
            text = row.output.candidate.text if span.side == "target" else item.source
            marked.append((span.severity, "" if span.start is None else text[span.start : span.end]))
    return marked


def test_errors_are_marked_with_a_mouse(open_page: Open) -> None:
    page = open_page(one("The big pelvis, which were discovered."))
    text = text_of(page)
    drag(page, text, "big", "pelvis")
    expect(page.locator(".dock-w")).to_have_text("“big pelvis”")
    page.evaluate(
        "document.addEventListener('copy', (event) => { copied = event.clipboardData.getData('text') })"
    )
    press(page, "Control+c")
    assert page.evaluate("copied") == "big pelvis"
    click(page, text, "which")
    expect(page.locator(".dock-k")).to_contain_text("last word")
    click(page, text, "were")
    click(page, text, "which")
    expect(page.get_by_role("button", name="Major")).to_have_attribute("aria-pressed", "true")
    saved(page)
    assert list_marked() == [("minor", "big pelvis"), ("major", "which were")]
    page.keyboard.down("Alt")
    drag(page, text, "scov", "ered")
    page.keyboard.up("Alt")
    page.get_by_role("button", name="missing").click()
    page.get_by_role("button", name="Major").click()
    saved(page)
    assert ("major", "") in list_marked()
    (exact,) = [words for _, words in list_marked() if words and words in "discovered"]
    assert exact != "discovered"
    drag(page, text, "pelvis", "which")
    expect(page.locator(".err .err")).to_have_text(["Error, minor: pelvis", "Error, major: which"])
    saved(page)
    assert ("minor", "pelvis, which") in list_marked()


def test_a_wrong_mark_is_removed_and_undone(open_page: Open) -> None:
    page = open_page(one("The big pelvis."))
    drag(page, text_of(page), "big", "pelvis")
    page.get_by_role("button", name="Remove").click()
    expect(page.locator(".err")).to_have_count(0)
    press(page, "u")
    expect(page.locator(".err")).to_have_text("Error, minor: big pelvis", ignore_case=True)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".err")).to_have_count(0)
    press(page, "u")
    expect(page.locator(".need")).to_contain_text("Nothing to undo")
    saved(page)
    assert list_marked() == []
    assert [row.version for row in list_newest()] == [4]


def test_everything_is_done_with_keys(open_page: Open) -> None:
    page = open_page(COUNCIL)
    here = page.url
    page.get_by_role("link", name="Skip to the translations").focus()
    text_of(page).focus()
    press(page, "ArrowRight ArrowRight Shift+ArrowRight m")  # the second and the third word
    press(page, "End n o M Enter 7")
    press(page, "Enter ArrowRight Space Space Shift+ArrowRight Enter 0 ArrowRight")
    saved(page)
    first, second = (row.output.candidate.text for row in list_newest())
    words = first.split()
    assert list_marked() == [
        ("major", " ".join(words[1:3])), ("minor", "."), ("major", ""),
        ("major", " ".join(second.split()[:2])),
    ]  # fmt: skip
    assert [row.score for row in list_newest()] == [70, 1]
    press(page, "Enter")
    expect(page).not_to_have_url(here)
    ready(page)
    assert Assignment.objects.filter(finished_at__isnull=False).count() == 1
    press(page, "p")
    expect(page).to_have_url(here)
    expect(page.locator("output").first).to_have_text("70")


def test_without_single_keys_space_and_buttons_do_all(open_page: Open) -> None:
    page = open_page(one("The big pelvis."))
    page.get_by_role("button", name="More").click()
    page.get_by_label("Use single-key").uncheck()
    page.keyboard.press("Escape")
    text_of(page).focus()
    press(page, "ArrowRight m n o Space Shift+ArrowRight")
    saved(page)
    assert list_marked() == [("minor", "The big")]


def test_a_score_is_unset_until_it_is_touched_and_nought_is_a_score(open_page: Open) -> None:
    page = open_page(one("The big pelvis."), assess="da")
    here, slider = page.url, page.get_by_role("slider")
    expect(slider).to_be_focused()
    expect(slider).to_have_attribute("aria-valuetext", "not rated")
    page.locator("[data-next]").click()
    expect(page.locator(".need")).to_contain_text("not rated yet")
    assert not Assessment.objects.exists()
    frame = slider.bounding_box()
    assert frame is not None
    page.mouse.click(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    expect(page.locator("output")).to_have_text("50")
    press(page, "0")
    expect(slider).to_have_attribute("aria-valuetext", "0 of 100")
    saved(page)
    press(page, "u")
    saved(page)
    press(page, "Home")
    saved(page)
    stored = Assessment.objects.filter(output__system__name="alpha").order_by("version")
    assert [row.score for row in stored] == [50, 0, 50, 0]
    press(page, "Enter")
    expect(page).not_to_have_url(here)


def test_marking_with_a_finger(open_page: Open) -> None:
    page = open_page(COUNCIL[1:], PHONE)
    expect(page.locator(".cand:visible")).to_have_count(1)
    text = page.locator(".cand.is-on .text")
    page.touchscreen.tap(*middle(text, "bought"))
    expect(page.locator(".dock-w")).to_have_text("“bought”")
    for handle in page.locator(".hnd").all():
        frame = handle.bounding_box()
        assert frame is not None
        assert (frame["width"], frame["height"]) == (44, 44)
    end = page.locator(".hnd[data-end=end]")
    drag_with_finger(page, end, 60)
    saved(page)
    assert list_marked() == [("minor", "bought a ticket")] or list_marked() == [("minor", "bought a card")]
    page.locator(".hnd[data-end=start]").tap()
    expect(page.locator(".dock-w")).to_contain_text("“has bought a")
    page.get_by_role("button", name="Major").tap()
    page.get_by_role("slider").tap()
    page.get_by_role("button", name="Next", exact=False).first.tap()
    expect(page.locator(".tabs [aria-pressed=true]")).to_contain_text("B")
    page.get_by_role("button", name="A 50").tap()
    expect(page.locator(".cand.is-on .err")).to_contain_text("has bought a")
    saved(page)
    assert [(row.score, row.spans.count()) for row in list_newest()] == [(50, 1)]


def drag_with_finger(page: Page, handle: Locator, by: int) -> None:
    frame = handle.bounding_box()
    assert frame is not None
    x, y = frame["x"] + 22, frame["y"] + 22
    session = page.context.new_cdp_session(page)
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x + by / 2, "y": y}]),
        ("touchMove", [{"x": x + by, "y": y}]),
        ("touchEnd", []),
    ):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def test_right_to_left(open_page: Open) -> None:
    arabic = "قرر المجلس المحلي فتح المسبح في يونيو."
    page = open_page(one(arabic, "The council opens the pool."), source_language="en", target_language="ar")
    text = text_of(page)
    drag(page, text, "المسبح", "فتح")
    text.focus()
    press(page, "Home ArrowLeft ArrowLeft m Shift+ArrowRight")  # to the right is back
    saved(page)
    assert list_marked() == [("minor", "فتح المسبح"), ("major", "المجلس المحلي")]


def test_chinese_words_and_letters_of_two_units(open_page: Open) -> None:
    page = open_page(one("😀𠮷他昨天去了北京。"), source_language="de", target_language="zh")
    text = text_of(page)
    click(page, text, "昨天")
    click(page, text, "北京")
    text.focus()
    press(page, "Home m")
    saved(page)
    assert list_marked() == [("minor", "昨天去了北京"), ("major", "😀")]


def test_a_text_of_four_hundred_words(open_page: Open) -> None:
    words = " ".join(f"word{n}" for n in range(400))
    page = open_page(one(words, words))
    began = time.monotonic()
    text_of(page).focus()
    press(page, "End n Shift+ArrowLeft")
    assert time.monotonic() - began < 5
    expect(page.locator(".err.is-on")).to_be_in_viewport()
    expect(page.get_by_role("slider")).to_be_in_viewport()
    saved(page)
    assert list_marked() == [("minor", "word398 word399")]


def test_offline_in_the_middle_of_a_drag(open_page: Open) -> None:
    page = open_page(one("The big pelvis."))
    text = text_of(page)
    page.mouse.move(*middle(text, "big"))
    page.mouse.down()
    page.context.set_offline(True)
    page.mouse.move(*middle(text, "pelvis"), steps=3)
    page.mouse.up()
    page.get_by_role("slider").focus()
    press(page, "3")
    expect(page.locator(".save")).to_contain_text("Offline — kept in this browser (2)")
    assert not Assessment.objects.exists()
    page.context.set_offline(False)
    saved(page)
    assert list_marked() == [("minor", "big pelvis")]
    assert [row.score for row in list_newest()] == [30]


def test_a_reload_brings_back_what_was_not_stored(open_page: Open) -> None:
    page = open_page(one("The big pelvis."))
    page.route("**/answer", lambda route: route.abort())
    drag(page, text_of(page), "big", "pelvis")
    expect(page.locator(".save")).to_contain_text("Offline")
    page.reload()
    ready(page)
    expect(page.locator(".err")).to_contain_text("big pelvis")
    assert not Assessment.objects.exists()
    page.unroute("**/answer")
    saved(page)
    assert list_marked() == [("minor", "big pelvis")]
    page.reload()
    expect(page.locator(".err")).to_contain_text("big pelvis")


def test_a_score_that_is_typed_before_the_script_is_there(open_page: Open) -> None:
    page = open_page(one("The big pelvis."))
    scripts: list[Route] = []
    page.route("**/assess-page.js", lambda route: scripts.append(route))
    with page.expect_request("**/assess-page.js"):
        page.reload(wait_until="commit")
    page.get_by_role("spinbutton").fill("40")
    scripts[0].continue_()
    ready(page)
    saved(page)
    assert [row.score for row in list_newest()] == [40]


def test_two_tabs_show_a_conflict_and_overwrite_nothing(open_page: Open) -> None:
    page = open_page(one("The big pelvis."))
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    drag(page, text_of(page), "big", "pelvis")
    saved(page)
    drag(other, text_of(other), "The", "big")
    expect(other.locator(".need")).to_contain_text("A was changed in another window")
    expect(other.locator(".err")).to_contain_text("big pelvis")
    expect(other.locator(".err")).to_have_count(1)
    assert list_marked() == [("minor", "big pelvis")]
    drag(other, text_of(other), "The", "big")
    saved(other)
    assert list_marked() == [("minor", "big pelvis"), ("minor", "The big")]


def test_the_end_of_a_session_loses_nothing(open_page: Open, live_server: LiveServer) -> None:
    page = open_page(one("The big pelvis."))
    here = page.url
    Session.objects.all().delete()
    drag(page, text_of(page), "big", "pelvis")
    expect(page.locator(".save")).to_contain_text("Signed out — kept in this browser (1)")
    expect(page.locator(".need")).to_contain_text("sign in again")
    again = seen_by(Annotator.objects.get().user, page.context, live_server.url)
    again.goto(here)
    expect(again.locator(".err")).to_contain_text("big pelvis")
    saved(again)
    assert list_marked() == [("minor", "big pelvis")]


def suggest(*places: tuple[int, int]) -> Callable[[Task], None]:
    """Error spans of a metric at these places."""

    def store(task: Task) -> None:
        metric = Annotator.objects.create(key="metric")
        Task.objects.filter(pk=task.pk).update(suggestions="metric")
        for output in Output.objects.filter(item__task=task):
            row = Assessment.objects.create(
                uuid=uuid4(),
                annotator=metric,
                output=output,
                protocol="metric",
                version=1,
            )
            ErrorSpan.objects.bulk_create(
                ErrorSpan(assessment=row, number=n, side="target", start=start, end=end, severity="minor")
                for n, (start, end) in enumerate(places)
            )

    return store


def test_suggestions_are_accepted_adjusted_and_rejected(open_page: Open) -> None:
    places = suggest((0, 3), (4, 7), (16, 21), (27, 30))
    page = open_page(one("The big pelvis, which were red."), change=places)
    here, suggested = page.url, page.locator(".err.sug")
    expect(suggested).to_have_count(4)
    text_of(page).focus()
    press(page, "e y e")
    expect(page.locator(".dock-k")).to_contain_text("not yet yours")
    page.get_by_role("button", name="Reject").click()
    press(page, "e")
    page.get_by_role("button", name="Adjust").click()
    press(page, "Shift+ArrowRight")
    expect(suggested).to_have_count(1)
    page.get_by_role("slider").focus()
    press(page, "5 Enter")
    expect(page.locator(".need")).to_contain_text("accept, adjust or reject each suggestion")
    assert faults(page) == []
    page.reload()
    ready(page)
    expect(suggested).to_have_text("Suggested, minor: red")  # what was rejected does not come back
    text_of(page).focus()
    press(page, "End ArrowLeft Delete")
    expect(suggested).to_have_count(0)
    saved(page)
    assert list_marked() == [("minor", "The"), ("minor", "which were")]
    kept = ErrorSpan.objects.filter(assessment=list_newest()[0]).order_by("number")
    assert list(kept.values_list("suggestion__start", flat=True)) == [0, 16]
    press(page, "Enter")
    expect(page).not_to_have_url(here)


def test_one_key_marks_the_differing_phrase(open_page: Open) -> None:
    page = open_page(mark_differences=True)
    text = page.locator(".cand", has_text="pelvis").locator(".text")
    expect(text.locator(".df").first).to_be_visible()
    text.focus()
    press(page, "Home d ArrowRight")
    click(page, text, "cracks")
    press(page, "Escape")
    saved(page)
    assert list_marked() == [("minor", "Reason are")]
    text.focus()
    press(page, "End d")
    expect(page.locator(".need")).to_contain_text("No differing phrase")


def test_a_low_score_may_ask_for_an_error(open_page: Open) -> None:
    def require(task: Task) -> None:
        task.protocols["esa"]["span_required_below"] = 85
        task.save()

    page = open_page(one("The big pelvis."), change=require)
    here = page.url
    page.get_by_role("slider").focus()
    press(page, "5 Enter")
    expect(page.locator(".need")).to_have_text("A: a rating below 85 needs at least one marked error.")
    expect(page).to_have_url(here)
    text_of(page).focus()
    press(page, "End n Enter")
    expect(page).not_to_have_url(here)


def test_kinds_of_errors_and_errors_of_the_source(open_page: Open) -> None:
    page = open_page(one("The big pelvis.", "Das große Becken."), assess="mqm")
    here = page.url
    drag(page, text_of(page), "big", "pelvis")
    page.get_by_label("Kind of error").select_option("accuracy/mistranslation")
    source = page.locator(".s-src")
    drag(page, source, "große", "Becken")
    expect(source.locator(".err")).to_contain_text("große Becken")
    saved(page)
    (row,) = list_newest()
    assert list(row.spans.order_by("number").values_list("side", "category")) == [
        ("target", "accuracy/mistranslation"),
        ("source", ""),
    ]
    assert faults(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("[data-next]").click()
    expect(page).not_to_have_url(here)


def test_keys_choose_the_kind_of_error_and_enter_leaves_no_translation_out(open_page: Open) -> None:
    page = open_page(COUNCIL, assess="mqm", assess_documents=True)
    here = page.url
    press(page, "ArrowRight m t")
    expect(page.get_by_label("Kind of error")).to_be_focused()
    page.get_by_label("Kind of error").select_option("fluency/grammar")
    press(page, "Enter")
    expect(text_of(page)).to_be_focused()
    for letter in ("B", "A", "B"):
        press(page, "Enter")
        expect(page.locator(".cand.is-on")).to_have_attribute("data-letter", letter)
    press(page, "t n")  # no mark is chosen, and so no kind
    saved(page)
    assert page.url == here
    press(page, "Enter")
    expect(page).not_to_have_url(here)
    (span,) = ErrorSpan.objects.filter(assessment__in=Assessment.objects.current())
    assert (span.severity, span.category) == ("major", "fluency/grammar")


def test_a_phone_begins_each_translation_at_its_top_with_the_score_in_sight(open_page: Open) -> None:
    long = "Was die Stadt im Juni beschlossen hat, steht im Protokoll. " * 8
    texts = {"alpha": f"{long} Eins.", "beta": f"{long} Zwei."}
    page = open_page([{"id": "1", "source": long, "candidates": texts}], PHONE)
    expect(page.locator(".dock-k")).to_contain_text("Tap a wrong word")
    expect(page.locator(".cand.is-on input[type=range]")).to_be_in_viewport(ratio=1)
    expect(page.locator(".anch:visible")).to_be_in_viewport(ratio=1)
    page.locator(".cand.is-on .om-new").tap()
    assert page.evaluate("document.querySelector('.main').scrollTop") > 100
    page.get_by_role("button", name="Next", exact=False).first.tap()
    expect(page.locator(".tabs [aria-pressed=true]")).to_contain_text("B")
    assert page.evaluate("document.querySelector('.main').scrollTop") == 0


def test_a_finger_on_the_score_does_not_move_a_handle_above_it(open_page: Open) -> None:
    page = open_page(one("Very well."), PHONE)
    page.touchscreen.tap(*middle(text_of(page), "Very"))
    handle, slider = (
        page.locator(".hnd[data-end=end]").bounding_box(),
        page.get_by_role("slider").bounding_box(),
    )
    assert handle is not None
    assert slider is not None
    assert handle["y"] + 44 <= slider["y"]
    page.touchscreen.tap(handle["x"] + 22, slider["y"] + 2)
    expect(page.locator("output")).not_to_have_text("not rated")
    saved(page)
    assert list_marked() == [("minor", "Very")]


def test_a_sentence_has_the_number_of_its_page(open_page: Open) -> None:
    page = open_page(COUNCIL)
    expect(page.locator(".seg h2")).to_have_text("Sentence 1")
    for slider in page.get_by_role("slider").all():
        slider.focus()
        press(page, "8")
    press(page, "Enter")
    expect(page.locator(".seg h2")).to_have_text("Sentence 2")
    ready(page)
    text_of(page).focus()
    press(page, "ArrowRight n")
    saved(page)
    assert page.get_by_role("slider", name="Rating of sentence 2, A").count() == 1


def test_a_whole_document(open_page: Open) -> None:
    def ask_document(task: Task) -> None:
        task.protocols["esa"]["has_document_score"] = True
        task.protocols["esa-document"] = task.protocols["esa"]
        task.save()

    page = open_page(COUNCIL, assess_documents=True, change=ask_document)
    expect(page.locator(".seg")).to_have_count(3)
    expect(page.locator(".cols-k")).to_contain_text("Source")
    for slider in page.get_by_role("slider").all():
        slider.focus()
        press(page, "8")
    expect(page.locator(".need")).to_have_text("All rated.")
    here = page.url
    press(page, "Enter")
    expect(page).not_to_have_url(here)
    assert [row.score for row in list_newest()] == [80] * 4
    assert Assessment.objects.filter(protocol="esa-document", score=80).count() == 2


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing(open_page: Open, size: tuple[int, int]) -> None:
    page = open_page(COUNCIL, size, assess_documents=True, mark_differences=True)
    found = faults(page)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    text = page.locator(".cand.is-on .text")
    text.focus()
    press(page, "ArrowRight n ArrowRight ArrowRight Shift+ArrowRight m o")
    saved(page)
    found += faults(page)
    press(page, "g")
    found += faults(page)
    press(page, "g ?")
    found += faults(page)
    assert found == []


def test_without_scripts_scores_are_fields(
    browser: Browser, live_server: LiveServer, transactional_db: None
) -> None:
    task = make_task("Plain", COUNCIL, comparisons="none", assess="esa", overlap=1)
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = seen_by(annotator("carol", task).user, context, live_server.url)
    page.goto("/")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("[data-no-script]")).to_contain_text("Marking errors needs JavaScript")
    here = page.url
    page.get_by_role("spinbutton").fill("40")
    page.get_by_role("button", name="Next").click()
    assert page.url != here
    assert [row.score for row in list_newest()] == [40]


def test_without_scores_a_phone_shows_every_translation_before_the_next_page(open_page: Open) -> None:
    page = open_page(size=PHONE, assess="mqm")
    here = page.url
    expect(page.locator("[data-next]")).to_be_hidden()
    page.get_by_role("button", name="Next", exact=False).first.tap()
    expect(page.locator(".tabs [aria-pressed=true]")).to_contain_text("B 0")
    page.locator("[data-next]").tap()
    expect(page).not_to_have_url(here)
    assert [row.spans.count() for row in list_newest()] == [0, 0]
