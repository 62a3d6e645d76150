"""F14: SIGTERM under load, as a service manager sends it: requests in flight are answered."""

from __future__ import annotations

import threading
import time

from faults import invariants
from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.journal import Journal
from faults.people import crowd, go_home, wait_for
from faults.prepare import LONG
from faults.site import StagedSite


def run(ground: Ground) -> Outcome:
    outcome, journal, over = Outcome(), Journal(ground.folder / "acknowledged"), threading.Event()
    stops, slowest = ground.size(8, 30, 3), 0.0
    with StagedSite(ground) as site:
        site.start_warm()
        people = crowd(site.port, site.sessions[:16], journal, over, task=LONG, corrections=3)
        for number in range(1, stops + 1):
            wait_for(lambda: journal.count >= 60 * number, 30)  # noqa: B023 — used at once
            started = time.monotonic()
            outcome.expect(site.stop(5 if ground.bug else 30), "the server did not stop in time")
            slowest = max(slowest, time.monotonic() - started)
            site.kill()  # kill what is left: the next site needs the port
            lost, _ = invariants.compare(journal.entries(), site.store.rows(invariants.STORED))
            outcome.expect(not lost, f"stop {number}: {len(lost)} acknowledged answers are not stored")
            site.start_warm()
        statuses = go_home(people, over)
        site.kill()
        invariants.check(site.store, journal, outcome)
    outcome.counts |= {
        "stops": stops,
        "slowest_stop_seconds": round(slowest, 1),
        "server_errors": sum(n for status, n in statuses.items() if status >= 500),
    }
    outcome.expect(outcome.counts["server_errors"] == 0, f"stopping made errors: {dict(statuses)}")
    return outcome


FAULT = Fault(
    "F14",
    "Graceful stop under load",
    "While 16 clients answer, the server gets SIGTERM, time to shut down, and is restarted.",
    run,
    {SQLITE: "acknowledge_before_commit", POSTGRESQL: "acknowledge_before_commit"},
)
