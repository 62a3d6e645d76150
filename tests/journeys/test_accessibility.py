"""axe-core finds nothing on any page, in light and dark, wide and narrow."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from evaluation.models import Task, User
from evaluation.services import judging
from tests.database.conftest import SENTENCES, annotator, make_task
from tests.journeys.conftest import sign_in

pytestmark = pytest.mark.journey

# WCAG 2.2 AA and below, as axe names the rules.
OPTIONS = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(page: Page) -> list[str]:
    found = Axe().run(page, options=OPTIONS).response["violations"]
    return [f"{v['id']}: {node['target']} {node['failureSummary']}" for v in found for node in v["nodes"]]


def check(page: Page, *paths: str) -> None:
    for path in paths:
        page.goto(path)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            for width in (1280, 375):
                page.set_viewport_size({"width": width, "height": 900})
                assert violations(page) == [], f"{path}, {scheme}, {width} px"


def test_pages_before_the_log_in(page: Page, task: Task) -> None:
    check(page, "/sign-in", "/nowhere")


def test_pages_of_an_annotator(page: Page, task: Task) -> None:
    bob = User.objects.get(username="bob")
    assignment = judging.next_assignment(task, bob.annotator)
    assert assignment is not None
    sign_in(page, "bob")
    check(page, "/", assignment.get_absolute_url(), f"/tasks/{task.slug}/finished")


def test_a_page_with_every_question(page: Page, task: Task) -> None:
    whole = make_task("Whole", SENTENCES[:1], ask_sentence=True, ask_rating=True, overlap=1)
    carol = annotator("carol", whole)
    assert carol.user is not None
    carol.user.set_password("secret")
    carol.user.save()
    assignment = judging.next_assignment(whole, carol)
    assert assignment is not None
    sign_in(page, "carol")
    check(page, assignment.get_absolute_url())


def test_pages_of_an_organiser(page: Page, task: Task, organiser: User) -> None:
    sign_in(page, "alice")
    check(page, "/", f"/tasks/{task.slug}/", "/jobs/")
