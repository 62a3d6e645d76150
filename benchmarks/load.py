"""Sixty-four annotators at once, on SQLite and on PostgreSQL, beside a minimal page on the same server.

Real processes: ``manage.py start`` as an operator starts it. Each client signs in, opens pages, saves answers
and goes on to the next comparison; after every page and every answer it also asks for ``/minimal``, a Django
page with one query. Two runs on each database:

- *paced*: a pause before each request (a second on average), so that the server is busy but not full; four
  times as long as the other, because the 99th percentile of a few hundred values is the third-largest, which
  is mostly chance;
- *saturated*: no pauses, so that requests wait in line and latency says how fair the line is.

Fails on any error, on any acknowledged answer that is not stored, and where the 99th percentile of pages or
answers is more than twice that of the minimal page. Run: ``python -m benchmarks.load [--seconds 30]``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.postgres import running_postgres
from tests.site import ROOT, free_port

CLIENTS = 64
ITEMS, OVERLAP = 1_000, 8  # seats for more comparisons than the clients can finish
WARM_UP = 3.0  # seconds in which each process compiles what it needs; not counted
PAUSE, TIMES = 1.0, 4  # seconds, on average, in the paced run, which is that many times as long
LIMIT = 2.0
BOUNDED = ("page", "save")  # going on stores that one comparison is done and finds another: it is reported
CSRF = "t" * 32

PREPARE = f"""
from django.contrib.auth.hashers import make_password
from evaluation.models import Campaign, Membership, Role, Task, User
task, password = Task.objects.get(), make_password("demo")
assert task.campaign.pk == 1
for n in range({CLIENTS}):
    user = User.objects.create(username=f"person-{{n}}", password=password)
    Membership.objects.create(user=user, campaign=task.campaign, role=Role.ANNOTATOR)
"""
# A server that has run for a while: housekeeping after the import is done, and its log goes into old files.
# A new server fills 16 MB with zeros for each new one, and the answers of that moment wait for it.
SETTLE = """
from django.db import connection
if connection.vendor == "postgresql":
    with connection.cursor() as cursor:
        cursor.execute("ALTER SYSTEM SET min_wal_size = '1GB'")
        cursor.execute("SELECT pg_reload_conf()")
        for _ in range(24):
            cursor.execute("SELECT pg_logical_emit_message(false, 'load', 'a segment has something in it')")
            cursor.execute("SELECT pg_switch_wal()")
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")
"""
STORED = """
from evaluation.models import Ranking
print("stored", *Ranking.objects.values_list("uuid", flat=True))
"""


class Full(Exception):
    """A reply that the benchmark cannot go on from."""


@dataclass
class Journal:
    """What all clients of a run saw."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)


@dataclass
class Reply:
    status: int
    location: str
    cookies: dict[str, str]
    body: bytes


@dataclass
class Client:
    """One annotator on one connection that is kept open. Parses no more of HTTP than it needs."""

    port: int
    name: str
    journal: Journal
    pause: float
    cookies: dict[str, str] = field(default_factory=lambda: {"csrftoken": CSRF})

    async def sign_in(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        form = f"username={self.name}&password=demo"
        reply = await self.ask("POST", "/sign-in", form, "application/x-www-form-urlencoded")
        if "sessionid" not in self.cookies:
            raise Full(f"{self.name} could not sign in: {reply.status}")

    async def work(self, until: float) -> None:
        try:
            await self.rest()  # or all begin in the same moment
            url = (await self.ask("POST", "/tasks/load/work")).location
            while time.monotonic() < until:
                url = await self.comparison(url, until)
        except (Full, OSError, asyncio.IncompleteReadError) as error:
            self.journal.errors.append(f"{self.name}: {error!r}")
        finally:
            self.writer.close()

    async def comparison(self, url: str, until: float) -> str:
        """Open a comparison, answer its questions, go to the next; returns its address."""
        if not url.startswith("/a/"):
            raise Full(f"no more work: {url!r}")
        page = await self.timed("page", "GET", url)
        # Without an answer yet: the last run may have stopped in the middle of this page.
        for phrase in re.findall(rb'data-phrase="(\d+)" data-base="0"', page.body):
            answer = {"uuid": str(uuid.uuid4()), "phrase": int(phrase), "choice": "A=B", "base": 0}
            await self.timed("save", "POST", f"{url}answer", json.dumps(answer), "application/json")
            self.journal.acknowledged.append(str(answer["uuid"]))
            if time.monotonic() > until:
                return url
        return (await self.timed("next", "POST", url)).location

    async def rest(self) -> None:
        if self.pause:
            await asyncio.sleep(random.expovariate(1 / self.pause))

    async def timed(self, what: str, method: str, url: str, body: str = "", kind: str = "") -> Reply:
        """The request, and the minimal page after it."""
        for label, asked in ((what, (method, url, body, kind)), ("minimal", ("GET", "/minimal", "", ""))):
            await self.rest()
            begin = time.perf_counter()
            reply = await self.ask(*asked)
            self.journal.seconds[label].append(time.perf_counter() - begin)
            if reply.status != (302 if label == "next" else 200):
                raise Full(f"{label}: {reply.status}")
            if label == what:
                wanted = reply
        return wanted

    async def ask(self, method: str, url: str, body: str = "", kind: str = "") -> Reply:
        head = {
            "Host": "127.0.0.1",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "X-CSRFToken": CSRF,
            "Content-Type": kind or "application/x-www-form-urlencoded",
            "Content-Length": str(len(body)),
        }
        lines = [f"{method} {url} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", body]
        self.writer.write("\r\n".join(lines).encode())
        reply = await _read(self.reader)
        if "sessionid" in reply.cookies:
            self.cookies["sessionid"] = reply.cookies["sessionid"]
        if reply.status >= 400:
            raise Full(f"{method} {url}: {reply.status} {reply.body[:200]!r}")
        return reply


async def _read(reader: asyncio.StreamReader) -> Reply:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    fields: dict[str, list[str]] = defaultdict(list)
    for line in head.split("\r\n")[1:]:
        name, _, value = line.partition(": ")
        fields[name.lower()].append(value.strip())
    body = await reader.readexactly(int((fields["content-length"] or ["0"])[0]))
    cookies = dict(c.split(";")[0].split("=", 1) for c in fields["set-cookie"])
    return Reply(int(head.split(" ", 2)[1]), "".join(fields["location"]), cookies, body)


async def run(port: int, *, seconds: float, pause: float) -> Journal:
    journal = Journal()
    clients = [Client(port, f"person-{n}", journal, pause) for n in range(CLIENTS)]
    for client in clients:  # one after another: signing in is not what is measured
        await client.sign_in()
    until = time.monotonic() + seconds
    await asyncio.gather(*(client.work(until) for client in clients))
    return journal


class Site:
    """``manage.py start`` with a task for everybody, on a database of its own."""

    def __init__(self, home: Path, database_url: str) -> None:
        self.port = free_port()
        self.environment = {
            **os.environ,
            "APPRAISE_HOME": str(home),
            "DATABASE_URL": database_url,
            "DJANGO_SETTINGS_MODULE": "benchmarks.load_settings",
            "SECRET_KEY": "benchmark-only-" + "x" * 40,
        }
        self.manage("migrate", "--verbosity", "0")
        path = home / "items.jsonl"
        path.write_text("\n".join(json.dumps(_item(n)) for n in range(ITEMS)), "utf-8")
        arguments = ("--name", "Load", "--scheme", "four-way", "--overlap", str(OVERLAP))
        self.manage("import_task", str(path), *arguments)
        self.manage("shell", "-v", "0", "-c", PREPARE)
        self.manage("shell", "-v", "0", "-c", SETTLE)

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    @contextmanager
    def running(self) -> Iterator[int]:
        command = [sys.executable, "manage.py", "start", "--port", str(self.port)]
        process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL)
        try:
            self._wait()
            yield self.port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)

    def _wait(self) -> None:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("the site did not answer within a minute")

    def stored(self) -> set[str]:
        return set(self.manage("shell", "-v", "0", "-c", STORED).split("stored", 1)[1].split())


def _item(n: int) -> dict[str, object]:
    """A sentence with two questions."""
    candidates = {"x": f"the red house number {n} is small", "y": f"the blue house number {n} is large"}
    return {"id": str(n), "source": f"Satz {n}", "candidates": candidates}


def percentile(values: list[float], percent: float) -> float:
    """
    >>> percentile([3.0, 1.0, 2.0], 50)
    2.0
    """
    return sorted(values)[min(len(values) - 1, int(len(values) * percent / 100))]


def report(title: str, journal: Journal, seconds: float, lost: int) -> bool:
    """Print a run; whether it met every demand."""
    requests = sum(map(len, journal.seconds.values()))
    print(f"{title}: {requests / seconds:.0f} requests a second, {len(journal.errors)} errors, {lost} lost")
    for error in journal.errors[:5]:
        print(f"  {error}")
    base = percentile(journal.seconds["minimal"], 99)
    worst = 0.0
    for what in ("minimal", "page", "save", "next"):
        values = journal.seconds[what]
        p50, p95, p99 = (1000 * percentile(values, p) for p in (50, 95, 99))
        ratio = p99 / 1000 / base
        if what in BOUNDED:
            worst = max(worst, ratio)
        print(
            f"  {what:<8} n={len(values):<6} p50 {p50:7.1f}  p95 {p95:7.1f}  p99 {p99:7.1f} ms"
            f"  p99 {ratio:.2f}× the minimal page's"
        )
    return not journal.errors and not lost and worst <= LIMIT


def measure(database: str, database_url: str, seconds: float) -> bool:
    met = True
    with tempfile.TemporaryDirectory(prefix="appraise-load-") as home:
        site = Site(Path(home), database_url)
        with site.running() as port:
            asyncio.run(run(port, seconds=WARM_UP, pause=0.0))
            for title, pause, long in (("paced", PAUSE, TIMES * seconds), ("saturated", 0.0, seconds)):
                journal = asyncio.run(run(port, seconds=long, pause=pause))
                lost = len(set(journal.acknowledged) - site.stored())
                met &= report(f"{database}, {title}, {CLIENTS} clients, {long:g} s", journal, long, lost)
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="only this one")
    options = parser.parse_args()
    met = True
    if options.database != "postgresql":
        met &= measure("SQLite", "", options.seconds)
    if options.database != "sqlite":
        with running_postgres() as url:
            met &= measure("PostgreSQL", url, options.seconds)
    print(f"every demand was met (p99 within {LIMIT}×)" if met else "a demand was MISSED")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
