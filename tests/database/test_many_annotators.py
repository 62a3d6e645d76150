"""Sixty-four people at one task, through HTTP: every seat is filled once, none twice, nothing is lost."""

from __future__ import annotations

import http.client
import json
import re
import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.site import Site

pytestmark = pytest.mark.slow

PEOPLE, ITEMS, OVERLAP = 64, 100, 3
CSRF = "t" * 32

PREPARE = f"""
from django.contrib.auth import SESSION_KEY, BACKEND_SESSION_KEY, HASH_SESSION_KEY
from importlib import import_module
from django.conf import settings
from evaluation.models import Membership, Task, User, Role
task = Task.objects.get()
store = import_module(settings.SESSION_ENGINE).SessionStore
for n in range({PEOPLE}):
    user = User.objects.create(username=f"person-{{n}}", password="!")
    Membership.objects.create(user=user, campaign=task.campaign, role=Role.ANNOTATOR)
    session = store()
    session[SESSION_KEY], session[BACKEND_SESSION_KEY] = str(user.pk), settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    print("session", session.session_key)
"""
VERIFY = """
import json
from django.db.models import Count
from evaluation.models import Assignment, Ranking, Slot
finished = Assignment.objects.filter(skip_reason="").values_list("comparison").annotate(n=Count("pk"))
print("found", json.dumps({
    "done": Slot.objects.filter(state="done").count(),
    "slots": Slot.objects.count(),
    "most": max(n for _, n in finished),
    "stored": [str(u) for u in Ranking.objects.values_list("uuid", flat=True)],
    "surplus": Ranking.objects.filter(slot=None).count(),
}))
"""


@pytest.fixture
def site(tmp_path: Path, site_database: str) -> Iterator[Site]:
    site = Site(tmp_path / "home", site_database)
    lines = [
        json.dumps(
            {
                "id": str(n),
                "source": f"Satz {n}",
                "candidates": {"x": f"red house {n}", "y": f"blue house {n}"},
            }
        )
        for n in range(ITEMS)
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    site.manage("import_task", str(path), "--name", "Many", "--scheme", "four-way", "--overlap", str(OVERLAP))
    site.start()
    yield site
    site.kill()


class Person(threading.Thread):
    """One annotator without think time, with a journal of what the server acknowledged."""

    def __init__(self, site: Site, session: str) -> None:
        super().__init__()
        self.connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
        self.headers = {"Cookie": f"sessionid={session}; csrftoken={CSRF}", "X-CSRFToken": CSRF}
        self.acknowledged: list[str] = []
        self.statuses: Counter[int] = Counter()

    def request(self, method: str, url: str, body: str = "", kind: str = "") -> http.client.HTTPResponse:
        headers = {**self.headers, **({"Content-Type": kind} if kind else {})}
        self.connection.request(method, url, body.encode(), headers)
        response = self.connection.getresponse()
        self.statuses[response.status] += 1
        return response

    def run(self) -> None:
        try:
            self.work()
        finally:
            self.connection.close()

    def work(self) -> None:
        response = self.request("POST", "/tasks/many/work")
        response.read()
        while "/a/" in (url := response.headers.get("Location", "")):
            page = self.request("GET", url).read().decode()
            for phrase in re.findall(r'data-phrase="(\d+)"', page):
                answer = {"uuid": str(uuid.uuid4()), "phrase": int(phrase), "choice": "A=B", "base": 0}
                reply = self.request("POST", f"{url}answer", json.dumps(answer), "application/json")
                reply.read()
                if reply.status == 200:
                    self.acknowledged.append(answer["uuid"])  # type: ignore[arg-type]  # a str by construction
            response = self.request("POST", url, "", "application/x-www-form-urlencoded")
            response.read()


def test_every_seat_is_filled_exactly_once(site: Site) -> None:
    printed = site.manage("shell", "-v", "0", "-c", PREPARE)
    sessions = re.findall(r"^session (\S+)$", printed, re.MULTILINE)
    people = [Person(site, session) for session in sessions]
    for person in people:
        person.start()
    for person in people:
        person.join()
    statuses = sum((person.statuses for person in people), Counter())
    assert set(statuses) <= {200, 302}, statuses
    found = json.loads(site.manage("shell", "-v", "0", "-c", VERIFY).split("found ", 1)[1])
    acknowledged = [answer for person in people for answer in person.acknowledged]
    assert (found["done"], found["slots"], found["most"]) == (ITEMS * OVERLAP, ITEMS * OVERLAP, OVERLAP)
    assert sorted(found["stored"]) == sorted(acknowledged)
    assert found["surplus"] == 0
