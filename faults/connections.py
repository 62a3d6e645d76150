"""F15: three hundred annotators at human pace, beside a thousand silent and a hundred slow connections."""

from __future__ import annotations

import random
import selectors
import socket
import threading
import time
from contextlib import suppress

from appraise.operations import server
from faults import invariants
from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.journal import Journal
from faults.people import Person, Stopped, go_home, wait_for
from faults.prepare import CROWD, LONG
from faults.site import StagedSite

IDLE, SLOW = 1000, 100
PAUSE = 8.0  # seconds between two requests of a person
SECONDS = 48.0
LONGEST_WAIT = 5.0
FEW = 128  # connections, of the seeded bug
SILENCE = b""
HEADERS = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\n"
FORM = (
    HEADERS
    + b"Content-Type: application/x-www-form-urlencoded\r\nCookie: csrftoken="
    + b"t" * 32
    + b"\r\nContent-Length: 5000\r\n\r\n"
)


class PacedPerson(Person):
    """A person who reads: one request every ``PAUSE`` seconds, the first at a random moment."""

    def request(self, method: str, url: str, body: str = "", kind: str = "") -> tuple[int, str, str]:
        pause = PAUSE if self.statuses else random.Random(self.number).uniform(0, PAUSE)
        if self.over.wait(pause):  # at the end of a run nobody hurries to send one more request
            raise Stopped
        return super().request(method, url, body, kind)


class Bystanders(threading.Thread):
    """Silent connections, and slow ones that send a byte a second; whom the server disconnects comes back.

    One thread for all of them: the clients share the machine with the server that is measured.
    """

    def __init__(self, port: int, over: threading.Event) -> None:
        super().__init__(daemon=True)
        self.port, self.over = port, over
        self.selector = selectors.DefaultSelector()
        self.crashed = ""
        self.returned = 0

    @property
    def present(self) -> int:
        return len(self.selector.get_map() or ())

    def run(self) -> None:
        try:
            self.stay()
        except Exception as error:  # a thread's exception would go unnoticed
            self.crashed = repr(error)
        finally:
            for key in list(self.selector.get_map().values()):
                self.leave(key)

    def stay(self) -> None:
        # Half of the slow clients never finish their headers, half never their body.
        for opening in [SILENCE] * IDLE + [HEADERS, FORM] * (SLOW // 2):
            self.come(opening)
        tick = time.monotonic()
        while not self.over.is_set():
            for key, _ in self.selector.select(max(0.0, tick - time.monotonic())):
                self.leave(key)  # the server has lost its patience, with 408 or without a word
                self.come(key.data)
                self.returned += 1
            if time.monotonic() >= tick:
                tick += 1.0
                for key in list(self.selector.get_map().values()):
                    if key.data:
                        with suppress(OSError):  # closed just now: the next select tells
                            assert isinstance(key.fileobj, socket.socket)
                            key.fileobj.send(b"x")

    def come(self, opening: bytes) -> None:
        client = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        client.sendall(opening)
        client.setblocking(False)
        self.selector.register(client, selectors.EVENT_READ, opening)

    def leave(self, key: selectors.SelectorKey) -> None:
        self.selector.unregister(key.fileobj)
        assert isinstance(key.fileobj, socket.socket)
        key.fileobj.close()


def run(ground: Ground) -> Outcome:
    outcome, journal, over = Outcome(), Journal(ground.folder / "acknowledged"), threading.Event()
    if ground.bug == "few_connections":
        server.CONNECTIONS = FEW
    with StagedSite(ground) as site:
        site.start()
        bystanders = Bystanders(site.port, over)
        bystanders.start()
        outcome.expect(wait_for(lambda: bystanders.present == IDLE + SLOW), "not everybody could connect")
        people: list[Person] = [
            PacedPerson(site.port, session, number, journal, over, task=LONG)
            for number, session in enumerate(site.sessions[:CROWD])
        ]
        for person in people:
            person.start()
        over.wait(ground.size(int(SECONDS), 600, 24))
        present = bystanders.present
        statuses = go_home(people, over)
        bystanders.join(30)
        site.kill()
        invariants.check(site.store, journal, outcome)
    slowest = max(person.slowest for person in people)
    failed = sum(n for status, n in statuses.items() if status >= 400)
    unanswered = sum(person.unanswered for person in people)
    outcome.counts |= {
        "people": len(people),
        "idle_connections": IDLE,
        "slow_clients": SLOW,
        "reconnected": bystanders.returned,
        "requests": sum(statuses.values()),
        "errors": failed + unanswered,
        "slowest_seconds": round(slowest, 2),
    }
    outcome.expect(present >= IDLE and not bystanders.crashed, f"{present} stayed: {bystanders.crashed}")
    outcome.expect(slowest <= LONGEST_WAIT, f"somebody waited {slowest:.1f} s")
    outcome.expect(failed + unanswered == 0, f"{failed} requests failed, {unanswered} were not answered")
    return outcome


FAULT = Fault(
    "F15",
    "A crowd of connections",
    "300 people with one request every 8 s, beside 1,000 idle connections and 100 clients that send their"
    " headers or bodies one byte a second; whom the server disconnects comes back. Nobody waits over 5 s.",
    run,
    {SQLITE: "read_bodies_in_threads", POSTGRESQL: "few_connections"},
    alone=True,
)
