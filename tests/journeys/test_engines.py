"""The core of an annotator's work in each engine: Chromium, Firefox and WebKit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from appraise import middleware
from evaluation.models import Assignment, Ranking, Task
from tests.engines import ENGINES, Engine, MissingEngineError
from tests.live import OrderlyServer

pytestmark = [pytest.mark.journey, pytest.mark.slow, pytest.mark.any_database]

CARDS = "fieldset[data-card]"
SAVED = """return [...document.querySelectorAll('[role=status]')]
    .some((each) => each.textContent.trim() === 'Saved')"""
KEPT = "return document.body.innerText.includes('kept in this browser (1)')"
FOREIGN = """return performance.getEntriesByType('resource').map((each) => each.name)
    .filter((name) => !name.startsWith(location.origin + '/'))"""


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    try:
        with ENGINES[request.param](tmp_path) as call:
            yield Engine(call)
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
    engine.open(f"{url}/sign-in")
    engine.click("input[autocomplete=username]")
    engine.press(*"bob", "Tab", *"secret", "Enter")
    engine.click("button", "Start")
    ready(engine)


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
