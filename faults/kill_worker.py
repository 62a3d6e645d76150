"""F3: background workers are killed before any of their writes; the next one ends with the same result.

Then workers share one queue that delivers every job twice, and one of them is killed: no job is done twice.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import Any

from faults import invariants
from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.people import wait_for
from faults.site import StagedSite
from tests.site import ROOT

Said = dict[str, Any]  # JSON
JOBS = 6
LONG_AGO = (  # as if the lease had run out
    "UPDATE evaluation_job SET lease_until = '2001-01-01 00:00:00' WHERE state = 'running'",
    "UPDATE evaluation_job SET created_at = '2001-01-01 00:00:00' WHERE state = 'waiting'",
)


class Foreman:
    """Speaks to ``faults.workers``."""

    module = "faults.workers"

    def __init__(self, site: StagedSite) -> None:
        self.site = site
        self.process = subprocess.Popen(
            [sys.executable, "-m", self.module], cwd=ROOT, env=site.environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=site.log(),
        )  # fmt: skip
        self._line()

    def __call__(self, do: str, **given: object) -> Said:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **given}) + "\n")
        self.process.stdin.flush()
        said: Said = json.loads(self._line())
        if said["said"] is None and not said["killed"] and said["status"]:
            raise RuntimeError(f"{do} failed: {self.site.read_log()[-2000:]}")
        return said

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the foreman died: {self.site.read_log()[-2000:]}")
        return line

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


def run(ground: Ground) -> Outcome:
    outcome = Outcome()
    with StagedSite(ground) as site:
        foreman = Foreman(site)
        try:
            if ground.bug != "no_lease":
                kill_at_every_write(foreman, ground, outcome)
            if ground.bug != "forget_progress":
                share_a_queue(foreman, site, outcome)
        finally:
            foreman.close()
        outcome.violations += invariants.broken(site.store)
    return outcome


def kill_at_every_write(foreman: Foreman, ground: Ground, outcome: Outcome) -> None:
    job = foreman("make", name="clean")["said"]
    writes = foreman("work")["said"]
    clean = foreman("fingerprint", job=job, campaign="clean")["said"]
    outcome.expect(clean["state"] == "done", f"the undisturbed job is {clean['state']}: {clean['error']}")
    points = chosen(writes, ground.size(24, writes, 6))
    unequal = kills = 0
    for point in points:
        name = f"killed at {point}"
        job = foreman("make", name=name)["said"]
        kills += foreman("work", die_at=point)["killed"]
        foreman("work", takes_over=True)
        found = foreman("fingerprint", job=job, campaign=name)["said"]
        if found != clean:
            unequal += 1
            outcome.violations.append(f"killed before write {point} of {writes}: {found}, not {clean}")
    # Progress is written by the clock, so that a run may have a few writes fewer than the first.
    outcome.expect(kills >= 0.8 * len(points), f"only {kills} of {len(points)} workers died")
    outcome.counts |= {"writes": writes, "kills": kills, "unequal_results": unequal}


def chosen(writes: int, most: int) -> list[int]:
    """The first and the last writes, and others evenly between.

    >>> chosen(100, 6)
    [1, 2, 34, 67, 99, 100]
    """
    if most >= writes:
        return list(range(1, writes + 1))
    inner = [2 + round(step * (writes - 3) / (most - 3)) for step in range(most - 2)]
    return sorted({1, *inner, writes})


def share_a_queue(foreman: Foreman, site: StagedSite, outcome: Outcome) -> None:
    """Two worker processes, as on two machines; one is killed and a third comes."""
    begun_before = site.store.number("SELECT coalesce(sum(attempts), 0) FROM evaluation_job")
    made = {f"shared {n}": foreman("make", name=f"shared {n}")["said"] for n in range(JOBS)}
    for job in made.values():
        foreman("deliver_again", job=job)
    workers = [start_worker(site) for _ in range(2)]
    done = "SELECT count(*) FROM evaluation_job WHERE state = 'done' AND kind = 'import'"
    before = site.store.number(done)
    wait_for(lambda: site.store.number(done) > before, 60)
    workers[0].send_signal(signal.SIGKILL)
    workers[0].wait()
    time.sleep(0.1)
    site.store.change(*LONG_AGO)
    workers.append(start_worker(site))
    wait_for(lambda: site.store.number(done) >= before + JOBS, 90)
    for worker in workers[1:]:
        worker.terminate()
        worker.wait(20)
    results = [foreman("fingerprint", job=job, campaign=name)["said"] for name, job in made.items()]
    good = sum(result["state"] == "done" for result in results)
    doubled = sum(result["tasks"] != 2 or result["audit"] != 2 for result in results)
    # A second message must not begin a job again; only the killed worker's job may be begun once more.
    begun = site.store.number("SELECT sum(attempts) FROM evaluation_job") - begun_before
    outcome.expect(begun <= JOBS + 1, f"{JOBS} jobs were begun {begun} times")
    outcome.counts |= {
        "jobs_begun": begun,
        "jobs_delivered_twice": JOBS,
        "jobs_done": good,
        "jobs_doubled": doubled,
        "workers": 3,
    }
    outcome.expect(good == JOBS, f"{good} of {JOBS} jobs are done: {results}")
    outcome.expect(doubled == 0, f"{doubled} jobs were done twice or by halves: {results}")
    outcome.expect(len({result["digest"] for result in results}) == 1, "equal jobs have unequal results")


def start_worker(site: StagedSite) -> subprocess.Popen[bytes]:
    command = [sys.executable, "manage.py", "worker", "--no-startup-delay", "--interval", "0.1", "-v", "0"]
    return subprocess.Popen(
        command, cwd=ROOT, env=site.environment, stdout=subprocess.DEVNULL, stderr=site.log(),
        start_new_session=True,
    )  # fmt: skip


FAULT = Fault(
    "F3",
    "kill -9 of background workers",
    "A background import is killed before single writes, from the first to the last, and resumed;"
    " the result must be identical. Then two workers share a queue that delivers each of 6 jobs"
    " twice; one is killed and a third starts.",
    run,
    {SQLITE: "forget_progress", POSTGRESQL: "no_lease"},
    seconds=1200,
)
