"""The core of an annotator's work in each engine: Chromium, Firefox and WebKit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from pytest_django.live_server_helper import LiveServer

from appraise import middleware
from evaluation.models import Assessment, Assignment, Ranking, Task
from tests.database.conftest import annotator, make_task
from tests.engines import ENGINES, WITH_TOUCH, Engine, MissingEngineError
from tests.live import OrderlyServer

pytestmark = [pytest.mark.journey, pytest.mark.slow, pytest.mark.any_database]

CARDS = "fieldset[data-card]"
SAVED = """return [...document.querySelectorAll('[role=status]')]
    .some((each) => each.textContent.trim() === 'Saved')"""
KEPT = "return document.body.innerText.includes('kept in this browser (1)')"
ACTIVE = "return document.querySelector('.cand.is-on')"
# Where a word of the translation is in the window.
MIDDLE = """
    const walker = document.createTreeWalker(document.querySelector(".cand .text"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.data.indexOf(arguments[0]), range = document.createRange();
      if (at < 0) continue;
      range.setStart(node, at);
      range.setEnd(node, at + arguments[0].length);
      const box = range.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    }
"""
FOREIGN = """return performance.getEntriesByType('resource').map((each) => each.name)
    .filter((name) => !name.startsWith(location.origin + '/'))"""


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    try:
        with ENGINES[request.param](tmp_path) as call:
            yield Engine(call, has_touch=request.param in WITH_TOUCH)
    except MissingEngineError as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def nothing_left(live_server: LiveServer, transactional_db: None, engine: Engine) -> Iterator[None]:
    """In place of the one that closes Chromium's windows."""
    yield
    engine.open("about:blank")
    server = live_server.thread.httpd
    assert isinstance(server, OrderlyServer)
    server.settle()


def begin(engine: Engine, url: str) -> None:
    sign_in(engine, url)
    ready(engine)


def sign_in(engine: Engine, url: str, button: str = "Start") -> None:
    engine.open(f"{url}/sign-in")
    engine.click("input[autocomplete=username]")
    engine.press(*"bob", "Tab", *"secret", "Enter")
    engine.click("button", button)


def ready(engine: Engine) -> None:
    """The script has taken over: a pair is active."""
    engine.wait_for(f"return document.querySelector('{CARDS}.is-on')")


def test_an_annotator_works_in_every_engine(
    engine: Engine, live_server: LiveServer, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(engine, live_server.url)
    here = engine.run("return location.href")
    cards = engine.run(f"return document.querySelectorAll('{CARDS}').length")
    engine.press("3")
    arrived(engine, 1)

    refuse_answers(live_server, monkeypatch)
    engine.press("3")
    engine.wait_for(KEPT)
    engine.open(here)
    engine.wait_for(KEPT)
    engine.wait_for(f"return document.querySelectorAll('{CARDS} input:checked').length === 2")
    assert Ranking.objects.count() == 1
    monkeypatch.undo()
    arrived(engine, 2)

    ready(engine)
    engine.press(*"3" * (cards - 2))
    arrived(engine, cards)
    engine.press("Enter")
    engine.wait_for("return location.href !== arguments[0]", here)
    ready(engine)
    assert Assignment.objects.filter(finished_at__isnull=False).count() == 1
    assert engine.run(FOREIGN) == []

    show_on_a_phone(engine, monkeypatch)
    ready(engine)
    assert engine.run("return innerWidth") == 375
    assert engine.run("return document.documentElement.scrollWidth <= 375")
    engine.click(f"{CARDS}.is-on label:has(input[type=radio])")
    arrived(engine, cards + 1)


def test_errors_are_marked_in_every_engine(
    engine: Engine, live_server: LiveServer, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_errors(engine, live_server, "他昨天 went to the big pelvis, which were.", "en")
    here = engine.run("return location.href")

    engine.drag(engine.run(MIDDLE, "big"), engine.run(MIDDLE, "pelvis"))
    marked(engine, ["big pelvis"])
    engine.drag(engine.run(MIDDLE, "昨天"), engine.run(MIDDLE, "went"))
    marked(engine, ["big pelvis", "昨天 went"])
    refuse_answers(live_server, monkeypatch)
    engine.press("End", "ArrowLeft", "m", "Shift+ArrowLeft")  # the last word is before the full stop
    engine.wait_for("return document.body.innerText.includes('kept in this browser (2)')")
    engine.open(here)
    engine.wait_for("return document.querySelectorAll('mark.err').length === 3")
    monkeypatch.undo()
    marked(engine, ["big pelvis", "昨天 went", "which were"])

    engine.wait_for(ACTIVE)
    engine.run("document.querySelector('input[type=range]').focus()")
    engine.press("7", "ArrowRight")
    engine.wait_for("return document.querySelector('output').textContent === '71'")
    engine.wait_for(SAVED)
    engine.press("Enter")
    engine.wait_for("return location.href !== arguments[0]", here)
    assert Assessment.objects.latest("pk").score == 71
    assert engine.run(FOREIGN) == []

    engine.open(here)
    show_on_a_phone(engine, monkeypatch)
    engine.wait_for(ACTIVE)
    assert engine.run("return document.documentElement.scrollWidth <= 375")


def test_arabic_two_tabs_touch_and_the_end_of_a_session_in_every_engine(
    engine: Engine, live_server: LiveServer, transactional_db: None
) -> None:
    open_errors(engine, live_server, "قرر المجلس المحلي فتح المسبح في يونيو.", "ar")
    here = engine.run("return location.href")
    engine.drag(engine.run(MIDDLE, "المسبح"), engine.run(MIDDLE, "فتح"))
    marked(engine, ["فتح المسبح"])

    first, second = engine.open_tab(here)
    engine.wait_for(ACTIVE)
    engine.show_tab(first)
    engine.press("Home", "ArrowLeft", "m")  # to the left is on
    marked(engine, ["فتح المسبح", "المجلس"])
    engine.show_tab(second)
    engine.press("End", "m")
    engine.wait_for("return document.body.innerText.includes('was changed in another window')")
    engine.wait_for("return document.querySelectorAll('mark.err').length === 2")
    assert newest_marks() == ["فتح المسبح", "المجلس"]

    Session.objects.all().delete()
    if engine.has_touch:
        engine.tap(engine.run(MIDDLE, "يونيو"))
    else:
        engine.press("End", "ArrowRight", "n")
    engine.wait_for(KEPT)
    assert newest_marks() == ["فتح المسبح", "المجلس"]
    sign_in(engine, live_server.url, "Continue")
    engine.wait_for(ACTIVE)
    stored(["فتح المسبح", "المجلس", "يونيو"])  # the list of tasks has sent it
    assert engine.run("return document.querySelectorAll('mark.err').length") == 3


def open_errors(engine: Engine, live_server: LiveServer, text: str, language: str) -> None:
    """Sign in where errors of a single text are marked."""
    sentence = {"id": "1", "source": "Ein Satz.", "candidates": {"alpha": text, "beta": text}}
    task = make_task(
        "Errors", [sentence], comparisons="none", assess="esa", assess_systems=2, overlap=1,
        target_language=language,
    )  # fmt: skip
    bob = annotator("bob", task).user
    assert bob is not None
    bob.set_password("secret")
    bob.save()
    sign_in(engine, live_server.url)
    engine.wait_for(ACTIVE)


def newest_marks() -> list[str]:
    """What the newest answer marks, in the order in which it was marked."""
    newest = Assessment.objects.order_by("version", "pk").last()
    text = newest.output.candidate.text if newest else ""
    spans = newest.spans.order_by("number") if newest else ()
    return [text[span.start : span.end] for span in spans]


def marked(engine: Engine, expected: list[str]) -> None:
    """Stored, which the page then says, too."""
    stored(expected)
    engine.wait_for(SAVED)


def stored(expected: list[str]) -> None:
    for _ in range(300):
        if newest_marks() == expected:
            break
        time.sleep(0.05)
    assert newest_marks() == expected


def arrived(engine: Engine, answers: int) -> None:
    """Stored, which the page then says, too."""
    for _ in range(300):
        if Ranking.objects.count() == answers:
            break
        time.sleep(0.05)
    assert Ranking.objects.count() == answers
    engine.wait_for(SAVED)


def refuse_answers(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a server does that cannot write."""
    server = live_server.thread.httpd
    application: Any = server.get_app()  # Any: as in WSGI

    def answer(environment: dict[str, Any], start: Callable[..., Any]) -> Any:  # Any: as above
        if not environment["PATH_INFO"].endswith("/answer"):
            return application(environment, start)
        start("503 Service Unavailable", [("Content-Length", "0")])
        return []

    monkeypatch.setattr(server, "application", answer)


def show_on_a_phone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a frame, because no window of a desktop is as narrow; our policy allows no frames anywhere else."""
    monkeypatch.setattr(middleware, "CONTENT_SECURITY_POLICY", "default-src 'self'")
    monkeypatch.setattr("django.conf.settings.X_FRAME_OPTIONS", "SAMEORIGIN")
    engine.open(engine.run("return location.href"))
    frame = engine.run("""
        const frame = document.createElement("iframe");
        Object.assign(frame.style, { width: "375px", height: "667px", border: 0 });
        frame.src = location.href;
        document.body.replaceChildren(frame);
        return frame;
    """)
    engine.enter_frame(frame)
