"""A slow line: answers given faster than it carries them arrive all, in order, and the page goes on."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from evaluation.models import Assignment, Ranking, SentenceAnswer, Task
from tests.journeys.test_annotate import begin, ready, saved

pytestmark = [pytest.mark.journey, pytest.mark.any_database]

# Milliseconds to and fro, bytes per second: a telephone in the country, and a line by satellite on a bad day.
LINES = [(400, 50_000), (2000, 50_000)]

# What the page has said of saving, from now on.
REMEMBER = """() => {
  window.__said = [];
  const save = document.querySelector(".save");
  new MutationObserver(() => window.__said.push(save.textContent)).observe(save, { childList: true });
}"""


def slow(page: Page, context: BrowserContext, latency: int, throughput: int) -> None:
    line = context.new_cdp_session(page)
    line.send("Network.enable")
    line.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": latency,
            "downloadThroughput": throughput,
            "uploadThroughput": throughput,
        },
    )


@pytest.mark.parametrize(("latency", "throughput"), LINES)
def test_fast_hands_on_a_slow_line_lose_nothing(
    page: Page, context: BrowserContext, task: Task, latency: int, throughput: int
) -> None:
    begin(page)
    slow(page, context, latency, throughput)
    page.evaluate(REMEMBER)
    first, cards = page.url, page.locator(".card[data-card]").count()
    for key in ("1", "2", "3", "4"):  # changes of mind on the first pair: all of them are kept, in this order
        page.keyboard.press(key)
        page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    for _ in range(cards - 1):
        page.keyboard.press("5")
    expect(page.locator(".need")).to_have_text("All pairs answered.")
    # Not what it says now: under load the keys may be slower than the line.
    assert page.evaluate("window.__said")[0] == "Saving…"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # an impatient one
    expect(page).not_to_have_url(first, timeout=60_000)
    given = Ranking.objects.order_by("pk")
    changed = [ranking.version for ranking in given if given.filter(pair=ranking.pair).count() > 1]
    assert changed == [1, 2, 3, 4]
    assert given.count() == cards + 3
    assert Assignment.objects.filter(finished_at__isnull=False).count() == 1
    assert Assignment.objects.count() == 2
    ready(page)
    page.keyboard.press("1")
    saved(page)


def test_what_is_said_of_the_whole_sentence_is_saved_by_itself(
    page: Page, context: BrowserContext, task: Task
) -> None:
    Task.objects.update(ask_sentence=True, ask_rating=True)
    begin(page)
    for _ in range(page.locator(".card[data-card]").count()):
        page.keyboard.press("3")
    for key in "254":  # on from the last pair: the verdict, a rating of A, a rating of B
        page.keyboard.press(key)
    saved(page)
    page.keyboard.press("c")
    context.set_offline(True)
    page.locator("#comment").fill("Both are odd.")
    expect(page.locator(".save")).to_have_text("Comment not saved yet")
    page.keyboard.press("Escape")
    expect(page.locator(".save")).to_contain_text("Offline — kept in this browser")
    context.set_offline(False)
    saved(page)
    assignment = Assignment.objects.get()
    sides = ("rating_second", "rating_first") if assignment.swapped else ("rating_first", "rating_second")
    said = dict(SentenceAnswer.objects.values_list("question", "value"))
    verdict = "A<B" if assignment.swapped else "A>B"
    assert said == {"verdict": verdict, sides[0]: "5", sides[1]: "4", "comment": "Both are odd."}

    page.get_by_role("button", name="Comment").click()
    page.locator("#comment").fill("Both are odd, and")
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")  # another window is in front
    saved(page)
    assert SentenceAnswer.objects.filter(question="comment").latest("version").value == "Both are odd, and"

    page.keyboard.press("Escape")

    other = context.new_page()
    other.goto(page.url)
    ready(other)
    expect(other.locator("[name=verdict]:checked")).to_have_value("A>B")
    other.locator("[name=rating_a][value='1']").check(force=True)
    saved(other)
    # Not check(), which looks whether it is checked: the conflict may have put it back by then.
    page.locator("[name=rating_a][value='2']").click(force=True)
    expect(page.locator(".need")).to_contain_text("changed in another window")
    expect(page.locator("[name=rating_a]:checked")).to_have_value("1")
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(other.url)
    assert SentenceAnswer.objects.filter(question=sides[0]).count() == 2
    other.close()


def test_somebody_elses_answers_in_this_browser_hold_nobody_up(
    page: Page, context: BrowserContext, task: Task
) -> None:
    begin(page)
    page.evaluate(
        """() => new Promise((resolve) => {
          indexedDB.open("appraise-outbox", 1).onsuccess = ({ target }) => {
            const kept = target.result.transaction("answers", "readwrite");
            kept.objectStore("answers").put({
              uuid: crypto.randomUUID(), url: "/a/somebody-else/answer", phrase: 0, choice: "A=B",
              base: 0, time: 1 });
            kept.oncomplete = resolve;
          };
        })"""
    )
    first = page.url
    for _ in range(page.locator(".card[data-card]").count()):
        page.keyboard.press("3")
    saved(page)
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(first)
