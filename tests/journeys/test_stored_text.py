"""Text that would like to be code, in every text field of the site, on every page, in a real browser."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db.models import CharField, Field, JSONField, Model, TextField, URLField
from playwright.sync_api import Browser, Dialog, Page
from pytest_django.live_server_helper import LiveServer

from evaluation.models import Candidate, Item, Occurrence, PhrasePair, System, Task, User
from tests.security.payloads import PAYLOADS
from tests.security.stage import Stage, set_stage

ROUTES = Path(__file__).resolve().parents[1] / "security" / "routes.csv"
# Imported with hostile text instead: their tables point into the text, letter by letter.
IMPORTED = {Item, Candidate, PhrasePair, Occurrence, System}
# What our own code writes and reads back; nobody can type it.
TECHNICAL = {
    "slug", "key", "token", "digest", "path", "password", "machine", "mark", "lease_holder", "links",
    "aligner", "task_path", "backend_name", "kind", "action", "target", "phrases", "provenance", "evaluation",
    "corpus",
    "settings", "source_language", "target_language", "metric", "signature", "content", "arguments",
    "codename", "systems", "result", "choice", "completion_url", "assessed_as", "suggestions", "protocol",
}  # fmt: skip
FILES = (".svg", ".csv", ".json", "/export/csv", "samples/", "healthz", "api/", "sign-out", "language")
ADMIN = ["admin/evaluation/auditentry/", "admin/evaluation/user/"]

# Collected in the page: what the policy refused, and whether anything of a payload came to life.
WATCH = """
window.__refused = [];
document.addEventListener("securitypolicyviolation",
  e => window.__refused.push(e.violatedDirective + " " + e.blockedURI));
"""
ALIVE = """() => {
  const odd = [];
  const foreign = ["iframe", "object", "embed", "base", "marquee", "style", "img", "video", "audio", "math"];
  for (const one of document.querySelectorAll("*")) {
    const name = one.localName;
    const source = one.getAttribute("src") || "";
    const words = one.type === "application/json";
    const ours = words || source.startsWith("/static/") || source === "/admin/jsi18n/";
    if (foreign.includes(name) && !ours || name === "meta" && one.hasAttribute("http-equiv")) odd.push(name);
    if (name === "script" && !ours) odd.push("script");
    for (const a of one.attributes) {
      const link = /^(href|src|action|formaction|xlink:href)$/i.test(a.name);
      if (/^on/i.test(a.name) || link && /^ *(javascript|data|vbscript):/i.test(a.value)) {
        odd.push(name + " " + a.name + " " + a.value);
      }
    }
  }
  return odd.concat(window.__refused || []);
}"""


def hostile_sentences() -> list[dict[str, Any]]:
    """Every payload in a source, a reference and a candidate; ids, documents and systems are hostile too."""
    size, found = 16, []
    lines = [" ".join(payload.split()) for payload in PAYLOADS]  # importers refuse line breaks
    for start in range(0, len(lines), size):
        text = " ".join(lines[start : start + size])
        texts = (f"the {text} house", f"a {text} tiny home", f"the large {text}")
        names = (" ".join(lines[n * 5 : n * 5 + 5])[:190] for n in range(3))
        found.append(
            {
                "id": f"{lines[start]} {start}",
                "document": lines[start],
                "source": text,
                "references": [f"the {text} house"],
                "candidates": dict(zip(names, texts, strict=True)),
            }
        )
    return found


def poison() -> int:
    """Write payloads into every other text field of every table; how many fields there were."""
    rows_of_payloads, fields = cycle(PAYLOADS), 0
    for model in apps.get_models():
        if model._meta.app_label not in {"evaluation", "metrics", "auth"} or model in IMPORTED:
            continue
        for field in _texts(model):
            fields += 1
            for pk in list(model._default_manager.values_list("pk", flat=True)[:40]):
                model._default_manager.filter(pk=pk).update(
                    **{field.name: _fitting(field, pk, rows_of_payloads)}
                )
    return fields


def _texts(model: type[Model]) -> Iterator[Field[Any, Any]]:
    for field in model._meta.concrete_fields:
        is_text = isinstance(field, CharField | TextField | JSONField) and not isinstance(field, URLField)
        has_room = field.max_length is None or field.max_length >= 60  # shorter ones hold labels of ours
        if (
            is_text
            and has_room
            and not field.choices
            and not field.primary_key
            and field.name not in TECHNICAL
        ):
            yield field


def _fitting(field: Field[Any, Any], pk: object, payloads: Iterator[str]) -> object:
    if field.name == "protocols":  # its keys are those by which a task names what it collects
        texts = {"name": next(payloads), "title": next(payloads), "severities": [next(payloads)]}
        return dict.fromkeys(Task.objects.get(pk=str(pk)).protocols, texts)
    if isinstance(field, JSONField):
        return {next(payloads): next(payloads), "people": [next(payloads)]}
    room = (field.max_length or 5000) - len(str(pk)) - 1
    text = next(payload for payload in payloads if len(payload) <= room)
    while field.max_length is None and len(text) < 400:
        text += " " + next(payloads)
    return f"{text} {pk}" if field.unique or room > 200 else text


def pages(role: str) -> list[str]:
    with ROUTES.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["method"] == "GET" and row[role] == "200"]
    # A return link carries the name that its guest was given; here that name was overwritten.
    return [row["example"] for row in rows if not any(word in row["example"] for word in (*FILES, "{guest}"))]


def sign_in_at(browser: Browser, live_server: LiveServer, user: User) -> Page:
    """A session without a password; names are hostile here and nobody types them."""
    session = SessionStore()
    session[SESSION_KEY], session[BACKEND_SESSION_KEY] = str(user.pk), settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    context = browser.new_context(base_url=live_server.url)
    context.add_init_script(WATCH)
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session.session_key or "", "url": live_server.url}]
    )
    return context.new_page()


@pytest.fixture
def stage(transactional_db: None, settings: Any, tmp_path: Path) -> Stage:  # Any: takes any setting
    settings.HOME = settings.MEDIA_ROOT = tmp_path
    stage = set_stage(hostile_sentences())
    assert poison() > 25
    return stage


@pytest.mark.journey
@pytest.mark.any_database
def test_nothing_that_is_stored_ever_runs(stage: Stage, browser: Browser, live_server: LiveServer) -> None:
    assert len(PAYLOADS) >= 60
    alive: list[str] = []
    done: set[str] = set()

    def heard(dialog: Dialog) -> None:
        alive.append(f"dialog {dialog.message}")
        dialog.dismiss()

    for role in ("manager", "annotator", "administrator"):
        user = stage.people[role]
        assert user is not None
        page = sign_in_at(browser, live_server, User.objects.get(pk=user.pk))
        page.on("dialog", heard)
        for example in ADMIN if role == "administrator" else sorted(set(pages(role)) - done):
            response = page.goto(stage.path(example), wait_until="load")
            assert response is not None
            assert response.status == 200, example
            alive += [f"{example}: {odd}" for odd in page.evaluate(ALIVE)]
            done.add(example)
        page.context.close()
    assert alive == []
    assert len(done) >= 25
