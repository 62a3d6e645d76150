"""An organiser scores a task in the browser and reads the metrics beside the votes."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from evaluation.models import Annotator, Ranking, Task, User
from tests.browser import sign_in
from tests.database.test_jobs import work

pytestmark = pytest.mark.journey


def test_metrics_are_chosen_scored_and_compared(
    page: Page, task: Task, organiser: User, tmp_path: Path
) -> None:
    bob = Annotator.objects.get(user__username="bob")
    Ranking.objects.bulk_create(
        Ranking(uuid=uuid4(), annotator=bob, pair=pair, version=1, choice="A>B") for pair in task.pairs.all()
    )
    sign_in(page, "alice")
    page.goto(f"/tasks/{task.slug}/metrics")
    page.get_by_role("link", name="Choose metrics").click()
    for name in ("bleu", "meteor", "per", "ter"):
        page.locator(f'input[value="{name}"]').uncheck()
    page.get_by_role("button", name="Compute scores").click()
    expect(page.get_by_text("Score Houses: chrf, wer").first).to_be_visible()
    page.goto("about:blank")  # the page asks after its job, on the connection that the job would use here
    work()
    page.goto(f"/tasks/{task.slug}/metrics")
    expect(page.get_by_role("heading", name="Best predictor")).to_be_visible()
    expect(page.locator("svg.plot")).to_have_count(2)

    page.get_by_label("Show").select_option("disagree")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#pairs .no").first).to_be_visible()
    with page.expect_download() as download:
        page.locator("#pairs").get_by_role("link", name="CSV").click()
    assert "crimson" in Path(download.value.path()).read_text("utf-8")

    scores = tmp_path / "comet.tsv"
    lines = [f"{system}\ts{n}\t0.{n}" for n in range(1, 5) for system in ("alpha", "beta", "gamma")]
    scores.write_text("\n".join(["system\titem\tscore", *lines]), "utf-8")
    page.get_by_role("link", name="Choose metrics").click()
    page.get_by_label("Name of the metric").fill("COMET")
    page.get_by_label("File").set_input_files(scores)
    page.get_by_role("button", name="Import scores").click()
    expect(page.locator(".message-success")).to_contain_text("COMET")


@pytest.mark.any_database
def test_the_page_fits_a_phone(page: Page, task: Task, organiser: User) -> None:
    from metrics.scoring.services.metric_lookup import find_metrics
    from metrics.scoring.services.runs import score_task

    score_task(task, find_metrics(["chrf", "wer", "ter"]))
    page.set_viewport_size({"width": 375, "height": 800})
    sign_in(page, "alice")
    for address in (f"/tasks/{task.slug}/metrics", f"/tasks/{task.slug}/metrics/choose"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") == 375


@pytest.mark.any_database
def test_on_paper_a_report_is_light_and_whole_and_has_nothing_to_press(
    page: Page, task: Task, organiser: User
) -> None:
    from metrics.scoring.services.metric_lookup import find_metrics
    from metrics.scoring.services.runs import score_task

    score_task(task, find_metrics(["chrf", "wer", "ter"]))
    sign_in(page, "alice")
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 with its margins
    page.goto(f"/tasks/{task.slug}/metrics")
    assert page.locator("body").evaluate("body => getComputedStyle(body).color") == "rgb(30, 29, 26)"
    assert page.locator(".btn:visible, .files:visible, details:not([open]):visible").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 718


@pytest.mark.any_database
def test_rings_of_focus_are_not_cut_by_what_scrolls(page: Page, task: Task, organiser: User) -> None:
    sign_in(page, "alice")
    page.get_by_role("heading", name="Your tasks").wait_for()
    page.keyboard.press("Tab")
    for link in (page.locator(".nav a").first, page.locator(".scroll-x a").first):
        link.focus()
        assert link.evaluate(ROOM_FOR_ITS_RING)


# On every side the ring ends within the nearest box that cuts off what stands out.
ROOM_FOR_ITS_RING = """link => {
  const { outlineOffset, outlineWidth } = getComputedStyle(link);
  const out = parseFloat(outlineOffset) + parseFloat(outlineWidth);
  const ring = link.getBoundingClientRect(), box = link.closest(".nav, .scroll-x").getBoundingClientRect();
  return ring.left - out >= box.left && ring.top - out >= box.top && ring.bottom + out <= box.bottom;
}"""
