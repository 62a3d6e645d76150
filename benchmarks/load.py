"""Sixty-four annotators at once, on SQLite and on PostgreSQL, beside a minimal page on the same server.

Real processes: ``manage.py start`` as an operator starts it. Each client signs in, opens pages, saves answers
and goes on to the next comparison; after every page and every answer it also asks for ``/minimal``, a Django
page with one query. Two runs on each database:

- *paced*: a pause before each request (a second on average), so that the server is busy but not full; four
  times as long as the other, because the 99th percentile of a few hundred values is the third-largest, which
  is mostly chance;
- *saturated*: no pauses, so that requests wait in line and latency says how fair the line is.

Fails on any error, on any acknowledged answer that is not stored, and where the 99th percentile of pages or
answers is more than four times that of the minimal page. In the paced run the moments in which the disk
itself stood still (``benchmarks.disk``) are left out of all percentiles and told.

With ``--assess``, two translations of each sentence get an error and then a score instead.

Run: ``python -m benchmarks.load [--seconds 30] [--database sqlite] [--assess]``.
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.disk import Span, overlaps, watch_disk
from tests.postgres import running_postgres
from tests.site import ROOT, free_port

CLIENTS = 64
ITEMS, OVERLAP = 1_000, 8  # seats for more comparisons than the clients can finish
WARM_UP = 3.0  # seconds in which each process compiles what it needs; not counted
PAUSE, TIMES = 1.0, 4  # seconds, on average, in the paced run, which is that many times as long
LIMIT = 4.0
MOST_STILL = 0.1  # of the time; a disk that stands still for longer is none to measure on
BOUNDED = ("page", "save")  # going on stores that one comparison is done and finds another: it is reported
CSRF = "t" * 32
PHRASES = ("--scheme", "four-way", "--question-size", "phrase")
ASSESSMENTS = ("--assess", "esa", "--assess-systems", "2")
SPAN = {"side": "target", "start": 4, "end": 7, "severity": "minor", "category": "", "suggestion": None}

PREPARE = f"""
from django.contrib.auth.hashers import make_password
from evaluation.models import Campaign, Membership, Role, Task, User
task, password = Task.objects.get(), make_password("demo")
assert task.campaign.pk == 1
for n in range({CLIENTS}):
    user = User.objects.create(username=f"person-{{n}}", password=password)
    Membership.objects.create(user=user, campaign=task.campaign, role=Role.ANNOTATOR)
"""
STORED = """
from evaluation.models import Assessment, Ranking
for model in (Ranking, Assessment):
    print("stored", *model.objects.values_list("uuid", flat=True))
"""


class Full(Exception):
    """A reply that the benchmark cannot go on from."""


@dataclass
class Journal:
    """What all clients of a run saw."""

    asked: dict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
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
        if not url.startswith(("/a/", "/assess/")):
            raise Full(f"no more work: {url!r}")
        page = await self.timed("page", "GET", url)
        for answer in list_answers(page.body):
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
            begin = time.monotonic()
            reply = await self.ask(*asked)
            self.journal.asked[label].append((begin, time.monotonic()))
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


def list_answers(page: bytes) -> Iterator[dict[str, object]]:
    """Yield what is sent about the questions of a page.

    The last run may have stopped in the middle of it: a phrase may have its answer, a translation its error.
    """
    for phrase in re.findall(rb'data-phrase="(\d+)" data-base="0"', page):
        yield {"uuid": str(uuid.uuid4()), "phrase": int(phrase), "choice": "A=B", "base": 0}
    if data := re.search(rb'id="assess-data" type="application/json">(.*?)</script>', page):
        for candidate in json.loads(data[1])["units"][0]["candidates"]:
            output, version = candidate["output"], candidate["version"]
            sent = {"output": output, "spans": [SPAN], "active_ms": 10, "elapsed_ms": 10}
            if version == 0:
                yield {"uuid": str(uuid.uuid4()), "base": 0, "score": None, **sent}
            if candidate["score"] is None:
                yield {"uuid": str(uuid.uuid4()), "base": version or 1, "score": 70, **sent}


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

    def __init__(self, home: Path, database_url: str, asks: Sequence[str] = PHRASES) -> None:
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
        self.manage("import_task", str(path), "--name", "Load", *asks, "--overlap", str(OVERLAP))
        self.manage("shell", "-v", "0", "-c", PREPARE)

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

    def read_stored(self) -> set[str]:
        return set(self.manage("shell", "-v", "0", "-c", STORED).split()) - {"stored"}


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


def report(title: str, journal: Journal, seconds: float, lost: int, stalls: Sequence[Span] = ()) -> bool:
    """Print a run; whether it met every demand. Requests that met a stall of the disk are told apart."""
    requests = sum(map(len, journal.asked.values()))
    print(f"{title}: {requests / seconds:.0f} requests a second, {len(journal.errors)} errors, {lost} lost")
    for error in journal.errors[:5]:
        print(f"  {error}")
    everything = {what: [end - begin for begin, end in spans] for what, spans in journal.asked.items()}
    times = {
        what: [end - begin for begin, end in spans if not overlaps((begin, end), stalls)]
        for what, spans in journal.asked.items()
    }
    base = percentile(times["minimal"], 99)
    worst = 0.0
    for what in ("minimal", "page", "save", "next"):
        p50, p95, p99 = (1000 * percentile(times[what], p) for p in (50, 95, 99))
        ratio = p99 / 1000 / base
        if what in BOUNDED:
            worst = max(worst, ratio)
        print(
            f"  {what:<8} n={len(times[what]):<6} p50 {p50:7.1f}  p95 {p95:7.1f}  p99 {p99:7.1f} ms"
            f"  p99 {ratio:.2f}× the minimal page's"
        )
    still = [end - begin for begin, end in stalls]
    if still:
        with_them = ", ".join(f"{what} {1000 * percentile(everything[what], 99):.1f}" for what in times)
        print(
            f"  the disk stalled {len(still)} times, {sum(still):.1f} s in all, at most"
            f" {1000 * max(still):.0f} ms; {requests - sum(map(len, times.values()))} affected requests"
            f" are left out above; p99 with them: {with_them} ms"
        )
    return not journal.errors and not lost and worst <= LIMIT and sum(still) <= MOST_STILL * seconds


def measure(database: str, database_url: str, seconds: float, asks: Sequence[str] = PHRASES) -> bool:
    passed = True
    with tempfile.TemporaryDirectory(prefix="appraise-load-") as home:
        site = Site(Path(home), database_url, asks)
        with site.running() as port:
            asyncio.run(run(port, seconds=WARM_UP, pause=0.0))
            with watch_disk(home) as stalls:
                journal = asyncio.run(run(port, seconds=TIMES * seconds, pause=PAUSE))
            passed &= _report_run(f"{database}, paced", journal, TIMES * seconds, site, stalls)
            journal = asyncio.run(run(port, seconds=seconds, pause=0.0))
            passed &= _report_run(f"{database}, saturated", journal, seconds, site)
    return passed


def _report_run(
    title: str, journal: Journal, seconds: float, site: Site, stalls: Sequence[Span] = ()
) -> bool:
    lost = len(set(journal.acknowledged) - site.read_stored())
    return report(f"{title}, {CLIENTS} clients, {seconds:g} s", journal, seconds, lost, stalls)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="only this one")
    parser.add_argument("--assess", action="store_true", help="collect scores and error spans")
    options = parser.parse_args()
    asks = ASSESSMENTS if options.assess else PHRASES
    passed = True
    if options.database != "postgresql":
        passed &= measure("SQLite", "", options.seconds, asks)
    if options.database != "sqlite":
        with running_postgres() as url:
            passed &= measure("PostgreSQL", url, options.seconds, asks)
    print(f"every demand was met (p99 within {LIMIT}×)" if passed else "a demand was MISSED")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
