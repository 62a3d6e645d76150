"""Annotators without pauses: they claim, answer, correct and finish, and trust nothing but a 200."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable

from faults.journal import Acknowledged, Journal

CSRF = "t" * 32
CHOICES = ("A>B", "A=B", "A<B", "A>>B", "N/A", "A<<B")
TROUBLE = (OSError, http.client.HTTPException)


class Person(threading.Thread):
    """One annotator. A request without an answer is sent again with the same id, as the browser does.

    ``corrections`` further answers follow each first one, so that a sentence gives many acknowledgements.
    """

    host = "127.0.0.1"

    def __init__(
        self, port: int, session: str, number: int, journal: Journal, over: threading.Event,
        *, task: str, corrections: int = 0, most: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(daemon=True)
        self.port, self.number, self.journal, self.over = port, number, journal, over
        self.task, self.corrections, self.most = task, corrections, most
        self.headers = {"Cookie": f"sessionid={session}; csrftoken={CSRF}", "X-CSRFToken": CSRF}
        self.connection: http.client.HTTPConnection | None = None
        self.statuses: Counter[int] = Counter()
        self.unanswered = 0
        self.slowest = 0.0
        self.finished = 0
        self.crashed = ""

    def run(self) -> None:
        try:
            self.work()
        except Stopped:
            pass
        except Exception as error:  # a thread's exception would go unnoticed
            self.crashed = repr(error)
        finally:
            self.close()

    def work(self) -> None:
        place = self.insist("POST", f"/tasks/{self.task}/work")[1]
        while "/a/" in place:
            page = self.insist("GET", place)[2]
            for phrase, base in questions(page):
                for step in range(1 + self.corrections):
                    self.answer(place, phrase, base + step)
            place = self.insist("POST", place, "", "application/x-www-form-urlencoded")[1]
            self.finished += 1

    def answer(self, place: str, phrase: int, base: int) -> None:
        """One answer, sent until the server has given a final response."""
        given = str(uuid.uuid4())
        choice = CHOICES[(base + self.number) % len(CHOICES)]
        body = json.dumps({"uuid": given, "phrase": phrase, "choice": choice, "base": base, "active_ms": 5})
        status, _, text = self.insist("POST", f"{place}answer", body, "application/json")
        if status != 200:
            self.journal.refuse(status)
            return
        self.journal.write(Acknowledged(given, self.number, choice, json.loads(text)["version"]))
        if self.most is not None and self.journal.count >= self.most:
            self.over.set()

    def insist(self, method: str, url: str, body: str = "", kind: str = "") -> tuple[int, str, str]:
        """Repeat a request until the response is not a server error."""
        while not self.over.is_set():
            try:
                found = self.request(method, url, body, kind)
            except TROUBLE:
                self.unanswered += 1
                self.close()
                self.over.wait(0.1)
                continue
            if found[0] < 500:
                return found
            self.over.wait(0.05)
        raise Stopped

    def request(self, method: str, url: str, body: str = "", kind: str = "") -> tuple[int, str, str]:
        """Status, where to go next, text."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        started = time.monotonic()
        headers = {**self.headers, **({"Content-Type": kind} if kind else {})}
        self.connection.request(method, url, body.encode(), headers)
        response = self.connection.getresponse()
        text = response.read().decode()
        self.slowest = max(self.slowest, time.monotonic() - started)
        self.statuses[response.status] += 1
        return response.status, response.headers.get("Location", ""), text

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Stopped(Exception):
    """The run is over."""


def questions(page: str) -> list[tuple[int, int]]:
    """(phrase, version so far) of every question on an annotation page.

    >>> questions('<input type="hidden" name="base-4" value="2">')
    [(4, 2)]
    """
    return [(int(n), int(version)) for n, version in re.findall(r'name="base-(\d+)" value="(\d+)"', page)]


def crowd(
    port: int, sessions: Iterable[str], journal: Journal, over: threading.Event, *, task: str,
    corrections: int = 0,
) -> list[Person]:  # fmt: skip
    """Started people."""
    made = [
        Person(port, session, number, journal, over, task=task, corrections=corrections)
        for number, session in enumerate(sessions)
    ]
    for person in made:
        person.start()
    return made


def go_home(people: list[Person], over: threading.Event) -> Counter[int]:
    """Stop everybody; returns how often each status was seen."""
    over.set()
    for person in people:
        person.join(90)
    crashed = [person.crashed for person in people if person.crashed]
    if crashed:
        raise RuntimeError(f"{len(crashed)} clients broke: {crashed[0]}")
    return sum((person.statuses for person in people), Counter())


def wait_for(holds: Callable[[], bool], seconds: float = 30) -> bool:
    """Wait until a condition holds or the time is over; returns whether it held."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.02)
    return False
