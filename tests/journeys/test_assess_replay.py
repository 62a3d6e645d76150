"""A part of a published campaign is answered again on the page, with a mouse and keys."""

from __future__ import annotations

import csv
import io
import os
from collections import defaultdict
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from evaluation.assessments import OutputRating
from evaluation.importers import SourceFile, read
from evaluation.models import Annotator, Assignment
from tests.database.test_assess_replay import expected_csv, hold_campaign, read_csv
from tests.database.test_evidence_exports import export
from tests.journeys.every_page import seen_by
from tests.journeys.test_assess import DESK, press, ready

pytestmark = [pytest.mark.journey, pytest.mark.realdata, pytest.mark.slow, pytest.mark.any_database]

CELLS = int(os.environ.get("APPRAISE_CELLS", "20"))  # 200 take two minutes
KEYS = {"minor": "n", "major": "m", "undecided": "j"}
# Where on the screen the first and the last character of a mark are, after scrolling to them.
ENDS = """(text, [start, end]) => {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT), places = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest(".vh, button")) continue;
    for (let unit = 0; unit < node.length; unit += node.data.codePointAt(unit) > 0xffff ? 2 : 1) {
      places.push([node, unit]);
    }
  }
  const boxes = () => [start, end - 1].map((point) => {
    const [node, unit] = places[point], range = document.createRange();
    range.setStart(node, unit);
    range.setEnd(node, unit + (node.data.codePointAt(unit) > 0xffff ? 2 : 1));
    return range.getClientRects()[0];
  });
  const main = document.querySelector(".main");
  main.scrollTop += boxes()[0].top - main.getBoundingClientRect().top - 40;
  return boxes().map((box) => [box.left + box.width / 2, box.top + box.height / 2]);
}"""


def test_cells_of_a_published_campaign_are_answered_again(
    browser: Browser, live_server: LiveServer, transactional_db: None, tmp_path: Path, real_data: Path
) -> None:
    folder = real_data / "esa_wmt23"
    answers, batches = folder / "ESA-1.scores.csv", folder / "batches_esa.json.gz"
    imported = read([SourceFile.from_path(answers), SourceFile.from_path(batches)])
    texts = {(name, item.id): item.text(name) for item in imported.items for name in item.systems}

    def choose(ratings: list[OutputRating]) -> list[OutputRating]:
        return [one for one in ratings if can_be_marked(one, texts[one.system, str(one.segment + 1)])][:CELLS]

    task, ratings = hold_campaign(answers, batches, choose)
    assert len(ratings) == CELLS
    assert sum(len(rating.spans) for rating in ratings) > CELLS / 3
    by_author: dict[str, dict[tuple[str, str], OutputRating]] = defaultdict(dict)
    for rating in ratings:
        by_author[rating.annotator][rating.system, str(rating.segment + 1)] = rating
    for author, own in by_author.items():
        context = browser.new_context(
            base_url=live_server.url,
            viewport={"width": DESK[0], "height": DESK[1]},
            reduced_motion="reduce",
        )
        page = seen_by(Annotator.objects.get(user__username=author).user, context, live_server.url)
        cells = {
            token: own[system, key]
            for token, system, key in Assignment.objects.filter(annotator__user__username=author)
            .order_by("number")
            .values_list(
                "token", "passage__outputs__output__system__name", "passage__outputs__output__item__key"
            )
        }
        page.goto(f"/assess/{next(iter(cells))}/")
        for _ in own:
            answer(page, cells[page.url.split("/")[-2]])
        context.close()
    (text,) = export(task, "appraise-csv", tmp_path / "out.csv").values()
    assert len(list(csv.reader(io.StringIO(text)))) == CELLS
    found, expected = set(read_csv(task, text)), expected_csv(task, ratings)
    assert (found - expected, expected - found) == (set(), set())


def can_be_marked(rating: OutputRating, text: str) -> bool:
    """Not here: marks that begin or end with a space."""
    marked = [text[span.start : span.end] for span in rating.spans if span.start is not None]
    return all(words == words.strip() for words in marked)


def answer(page: Page, rating: OutputRating) -> None:
    ready(page)
    here, text = page.url, page.locator(".cand .text")
    for span in rating.spans:
        if span.start is None:
            press(page, "o")
        else:
            (x, y), (to_x, to_y) = text.evaluate(ENDS, [span.start, span.end])
            page.mouse.move(x, y)
            page.keyboard.down("Alt")  # characters
            page.mouse.down()
            page.mouse.move(to_x, to_y + 5)  # a drag, even of one character
            page.mouse.up()
            page.keyboard.up("Alt")
        press(page, KEYS[span.severity])
    page.get_by_role("slider").fill(f"{rating.score:g}")
    expect(page.locator("output")).to_have_text(f"{rating.score:g}")
    press(page, "Enter")
    page.wait_for_url(lambda url: url != here)
