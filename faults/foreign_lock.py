"""F6: another program holds the write lock: for two seconds people wait, for longer they get a 503."""

from __future__ import annotations

import threading
import time

from faults import invariants
from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.journal import Journal
from faults.people import crowd, go_home, wait_for
from faults.prepare import LONG
from faults.site import StagedSite

SHORT, LONG_HOLD = 2.0, 24.0  # the product waits twenty seconds
WRITE = "UPDATE evaluation_task SET name = name"


def run(ground: Ground) -> Outcome:
    outcome, journal, over = Outcome(), Journal(ground.folder / "acknowledged"), threading.Event()
    with StagedSite(ground) as site:
        site.start()
        people = crowd(site.port, site.sessions[:8], journal, over, task=LONG, corrections=1)
        wait_for(lambda: journal.count >= 40)
        for _ in range(3):
            hold(site, SHORT)
            time.sleep(0.3)
        errors = sum(n for person in people for status, n in person.statuses.items() if status >= 500)
        outcome.expect(errors == 0, f"{errors} answers failed while the lock was held for {SHORT} s")
        if ground.kind == SQLITE and not ground.bug:
            hold(site, LONG_HOLD)
        before = journal.count
        outcome.expect(wait_for(lambda: journal.count >= before + 40), "no answers after the lock was freed")
        statuses = go_home(people, over)
        site.kill()
        invariants.check(site.store, journal, outcome)
        if ground.kind == SQLITE and not ground.bug:
            outcome.expect(statuses[503] > 0, f"nobody was told to come later in {LONG_HOLD} s")
    outcome.counts |= {
        "locks": 4 if ground.kind == SQLITE else 3,
        "answers_503": statuses[503],
        "server_errors": statuses[500],
        "slowest_seconds": round(max(person.slowest for person in people), 1),
    }
    outcome.expect(statuses[500] == 0, f"{statuses[500]} answers were errors (500) instead of 503")
    return outcome


def hold(site: StagedSite, seconds: float) -> None:
    """Take the write lock, write something, keep the lock, commit."""
    with site.store.connect() as connection:
        connection.execute("BEGIN IMMEDIATE" if site.store.kind == SQLITE else "BEGIN")
        if site.store.kind == POSTGRESQL:
            connection.execute("LOCK TABLE evaluation_ranking IN EXCLUSIVE MODE")
        connection.execute(WRITE)
        time.sleep(seconds)
        connection.execute("COMMIT")


FAULT = Fault(
    "F6",
    "Lock by another program",
    "While 8 clients answer, another program holds the write lock for 2 s three times (everything"
    " is stored), and on SQLite once for 24 s (503, nothing is lost).",
    run,
    {SQLITE: "deferred_transactions", POSTGRESQL: "deferred_transactions"},
)
