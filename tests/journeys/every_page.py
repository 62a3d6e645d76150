"""Every page of the checked-in table of routes, and who looks at it: a new page need not be listed."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, Page

from evaluation.models import User
from tests.security.stage import Stage
from tests.security.test_routes import table

# Who looks at a page: the first of these who may.
ROLES = ("annotator", "manager", "researcher", "administrator", "anonymous")
FILES = (".csv", ".tsv", ".tex", ".json", ".svg", "/csv", "healthz", "readyz")


def pages(stage: Stage) -> Iterator[tuple[str, list[str]]]:
    """Every address that answers with a page, by who looks at it; then the pages for what goes wrong."""
    by_role: dict[str, list[str]] = {role: [] for role in ROLES}
    for role, example in examples():
        by_role[role].append(stage.path(example))
    by_role["annotator"] += ["/nowhere", "/upload/", f"/tasks/{stage.task.slug}/work"]  # 404, 403, 405
    assert sum(map(len, by_role.values())) >= 25
    yield from by_role.items()


def examples() -> Iterator[tuple[str, str]]:
    """Of every page, who looks at it and its address with gaps."""
    for row in table():
        readers = [role for role in ROLES if row[role] == "200"]
        is_file = row["example"].startswith("api/") or row["example"].partition("?")[0].endswith(FILES)
        if row["method"] == "GET" and readers and not is_file:
            yield readers[0], row["example"]


def seen_by(user: User | None, context: BrowserContext, url: str) -> Page:
    """A page of somebody who is signed in, without the detour over the form."""
    context.clear_cookies()
    if user is not None:
        client = Client()
        client.force_login(user)
        value = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": url}])
    return context.new_page()
