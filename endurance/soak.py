"""The soak: an hour of annotators at human pace, while managers do everything else at random (seeded).

The invariants are checked every minute; memory of web server and worker, open files of the web server and
connections of the database must stay flat: a line is fitted through what was measured after a warm-up.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from endurance.host_faults import multipart
from endurance.soak_actions import TASK, read_result
from faults import invariants
from faults.base import POSTGRESQL, Fault, Ground, Outcome
from faults.connections import PacedPerson
from faults.databases import Store
from faults.journal import Journal
from faults.kill_worker import Foreman, start_worker
from faults.people import CSRF, Person, go_home
from faults.runs import main
from faults.site import StagedSite

PEOPLE = 100
MINUTES = 60.0
SEED = 33
ACTIONS = ("import", "score", "realign", "export", "backup", "invite", "erase")
PAUSE = (5.0, 15.0)  # seconds between two actions
SENTENCES_PER_MINUTE = 50  # more than the annotators finish
WARM_UP = 0.25  # of the time, at most five minutes
SAMPLE_EVERY = 5.0  # seconds
LARGEST_RISE = 0.15  # of the mean, over the measured time: the line may rise so much
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"


class SoakForeman(Foreman):
    """Speaks to ``endurance.soak_actions``."""

    module = "endurance.soak_actions"


@dataclass
class Samples:
    """Seconds since the start, and what was measured then."""

    at: list[float] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, at: float, **values: float) -> None:
        self.at.append(at)
        for name, value in values.items():
            self.values.setdefault(name, []).append(value)

    def rise(self, name: str, since: float) -> tuple[float, float]:
        """The rise of a fitted line over the time since then, as a share of the mean; and the mean.

        >>> samples = Samples()
        >>> for second in range(5):
        ...     samples.add(second, memory=100 + second)
        >>> [round(value, 3) for value in samples.rise("memory", 0)]
        [0.039, 102.0]
        """
        points = [(at, y) for at, y in zip(self.at, self.values[name], strict=True) if at >= since]
        mean_at, mean = (sum(values) / len(points) for values in zip(*points, strict=True))
        spread = sum((at - mean_at) ** 2 for at, _ in points) or 1.0
        slope = sum((at - mean_at) * (y - mean) for at, y in points) / spread
        return slope * (points[-1][0] - points[0][0]) / mean, mean


class Soak:
    def __init__(self, site: StagedSite, ground: Ground, outcome: Outcome) -> None:
        self.site, self.ground, self.outcome = site, ground, outcome
        self.journal, self.over = Journal(ground.folder / "acknowledged"), threading.Event()
        self.rng = random.Random(SEED)
        self.actions: Counter[str] = Counter()
        self.guests: list[tuple[PacedPerson, threading.Event, str]] = []
        self.erased: list[PacedPerson] = []
        self.samples = Samples()
        self.checks = 0

    def run(self, minutes: float) -> None:
        self.foreman = SoakForeman(self.site)
        worker = start_worker(self.site)
        try:
            self.act_for("prepare", sentences=200 + round(SENTENCES_PER_MINUTE * minutes))
            self.token = str(self.act_for("token"))
            people: list[Person] = [
                PacedPerson(self.site.port, session, number, self.journal, self.over, task=TASK)
                for number, session in enumerate(self.site.sessions[:PEOPLE])
            ]
            for person in people:
                person.start()
            self.go_on(60 * minutes, worker)
            for guest, leaving, _ in self.guests:
                leaving.set()
                people.append(guest)
            people += self.erased
            self.report(minutes, people, go_home(people, self.over))
        finally:
            worker.kill()
            worker.wait()
            self.foreman.close()

    def go_on(self, seconds: float, worker: subprocess.Popen[bytes]) -> None:
        started = time.monotonic()
        next_action, next_sample, next_check = self.rng.uniform(*PAUSE), 0.0, 60.0
        while (now := time.monotonic() - started) < seconds:
            if now >= next_sample:
                self.sample(now, worker)
                next_sample += SAMPLE_EVERY
            elif now >= next_check:
                self.check()
                next_check += 60
            elif now >= next_action:
                self.act()
                next_action = time.monotonic() - started + self.rng.uniform(*PAUSE)
            else:
                time.sleep(0.1)
        self.check()

    # --- what managers do

    def act_for(self, do: str, **given: object) -> object:
        return read_result(self.foreman(do, **given))

    def act(self) -> None:
        name = self.rng.choice(ACTIONS)
        if name == "import":
            self.upload()
        elif name == "score":
            self.ask_api(
                f"/api/tasks/{TASK}/scores", json.dumps({"metrics": ["wer"]}).encode(), "application/json"
            )
        elif name == "realign":
            self.act_for("realign", seed=self.rng.randrange(10**6))
        elif name == "export":
            self.act_for("export", folder=str(self.ground.folder))
        elif name == "backup":
            folder = self.ground.folder / "backups"
            self.site.manage("backup", str(folder), "--keep", "1")
            shutil.rmtree(folder)
        elif name == "invite":
            self.invite()
        elif self.guests:
            self.erase()
        else:
            return
        self.actions[name] += 1

    def upload(self) -> None:
        number = self.actions["import"]
        lines = "\n".join(
            json.dumps(
                {"id": f"{n}", "source": f"{n}", "candidates": {"x": f"red {number} {n}", "y": f"blue {n}"}}
            )
            for n in range(100)
        )
        fields = {"name": f"Import {number}", "campaign": "Soak imports", "aligner": "exact"}
        self.ask_api("/api/uploads", *multipart(fields, "items.jsonl", lines))

    def ask_api(self, path: str, body: bytes, kind: str) -> None:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        status, text = self.ask("POST", path, body, headers)[:2]
        self.outcome.expect(status == 202, f"{path} answered {status}: {text[:200]}")

    def invite(self) -> None:
        """A guest follows a link and begins to work."""
        link = f"/j/{self.act_for('invite')}"
        headers = {"Cookie": f"csrftoken={CSRF}", "X-CSRFToken": CSRF}
        status, text, cookies = self.ask("POST", link, b"", headers)
        session = re.search(r"sessionid=(\w+)", cookies)
        self.outcome.expect(session is not None, f"an invitation answered {status}: {text[:200]}")
        if session is not None:
            leaving = threading.Event()
            number = PEOPLE + self.actions["invite"]
            guest = PacedPerson(self.site.port, session[1], number, self.journal, leaving, task=TASK)
            guest.start()
            self.guests.append((guest, leaving, session[1]))

    def erase(self) -> None:
        """A guest leaves; the answers stay."""
        guest, leaving, session = self.guests.pop(0)
        leaving.set()
        guest.join(90)
        self.erased.append(guest)
        self.outcome.expect(
            self.act_for("erase", session=session) is True, "an erased account is still there"
        )

    def ask(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, str, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=60)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            cookies = "; ".join(response.headers.get_all("Set-Cookie") or [])
            return response.status, response.read().decode(), cookies
        finally:
            connection.close()

    # --- what is measured

    def sample(self, now: float, worker: subprocess.Popen[bytes]) -> None:
        assert self.site.group is not None
        web = processes_of(self.site.group)
        self.samples.add(
            now,
            web_megabytes=sum(map(resident_megabytes, web)),
            worker_megabytes=resident_megabytes(worker.pid),
            web_files=sum(map(count_files, web)),
            database_connections=self.site.store.number(CONNECTIONS),
        )

    def check(self) -> None:
        """The invariants; the journal is read first, so that what comes meanwhile cannot be missed."""
        own = Outcome()
        invariants.check(self.site.store, self.journal, own)
        self.outcome.violations += own.violations
        self.outcome.counts |= own.counts
        self.checks += 1

    def report(self, minutes: float, people: list[Person], statuses: Counter[int]) -> None:
        errors = sum(n for status, n in statuses.items() if status >= 400)
        unanswered = sum(person.unanswered for person in people)
        failed = count_failed_jobs(self.site.store)
        self.outcome.counts |= {
            "minutes": round(minutes, 1), "people": PEOPLE, "requests": sum(statuses.values()),
            "errors": errors + unanswered, "checks": self.checks, "failed_jobs": failed,
            "slowest_seconds": round(max(person.slowest for person in people), 1),
            **{f"{name}s": self.actions[name] for name in ACTIONS},
        }  # fmt: skip
        self.outcome.expect(
            errors + unanswered == 0, f"requests failed: {dict(statuses)}, {unanswered} unanswered"
        )
        self.outcome.expect(failed == 0, f"{failed} jobs failed")
        since = min(300.0, WARM_UP * 60 * minutes)
        for name in self.samples.values:
            rise, mean = self.samples.rise(name, since)
            self.outcome.counts |= {
                f"mean_{name}": round(mean, 1),
                f"rise_{name}_percent": round(100 * rise, 1),
            }
            limit = max(LARGEST_RISE, 3 / mean)  # three connections more or fewer mean nothing
            self.outcome.expect(rise <= limit, f"{name} rose by {rise:.0%} of {mean:.0f}")


def count_failed_jobs(store: Store) -> int:
    return store.number("SELECT count(*) FROM evaluation_job WHERE state = 'failed'")


def processes_of(group: int) -> list[int]:
    """The living processes of a process group."""
    members = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if os.getpgid(int(entry.name)) == group:
                    members.append(int(entry.name))
            except ProcessLookupError:
                continue
    return members


def resident_megabytes(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def count_files(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def run(ground: Ground) -> Outcome:
    outcome = Outcome()
    minutes = float(os.environ.get("SOAK_MINUTES", MINUTES))
    with StagedSite(ground) as site:
        site.start()
        Soak(site, ground, outcome).run(min(minutes, 4.0) if ground.bug else minutes)
    return outcome


SOAK = {
    "S1": Fault(
        "S1",
        "Soak",
        f"{PEOPLE} annotators with a request every 8 s, while managers import, score, correct alignments,"
        f" export, back up, invite guests and erase them: one of these at random every {PAUSE[0]:.0f} to"
        f" {PAUSE[1]:.0f} s (seed {SEED}). Every minute all invariants are checked. A line through memory,"
        f" open files and database connections after the warm-up may rise by {LARGEST_RISE:.0%} of the mean.",
        run,
        {POSTGRESQL: "hoarding"},
        databases=(POSTGRESQL,),
        seconds=3 * 3600.0,
    )
}

if __name__ == "__main__":
    main(SOAK, *sys.argv[1:])
