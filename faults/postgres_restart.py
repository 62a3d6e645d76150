"""F5: PostgreSQL restarts under the site, gracefully or killed; the site recovers by itself."""

from __future__ import annotations

import threading

from faults import invariants
from faults.base import POSTGRESQL, Fault, Ground, Outcome
from faults.journal import Journal
from faults.people import crowd, go_home, wait_for
from faults.prepare import LONG
from faults.site import StagedSite

MODES = ("immediate", "fast")


def run(ground: Ground) -> Outcome:
    outcome, journal, over = Outcome(), Journal(ground.folder / "acknowledged"), threading.Event()
    restarts = ground.size(10, 40, 4)
    with StagedSite(ground) as site:
        site.start()
        people = crowd(site.port, site.sessions[:16], journal, over, task=LONG, corrections=3)
        for number in range(restarts):
            before = journal.count
            at_work = wait_for(lambda: journal.count >= before + 60, 40)  # noqa: B023 — used at once
            outcome.expect(at_work, f"after {number} restarts the site did not recover within 40 s")
            assert site.cluster is not None
            site.cluster.restart(MODES[number % 2])
        before = journal.count
        recovered = wait_for(lambda: journal.count >= before + 60, 40)
        outcome.expect(recovered, "after the last restart the site did not recover within 40 s")
        statuses = go_home(people, over)
        site.kill()
        invariants.check(site.store, journal, outcome)
    outcome.counts |= {
        "restarts": restarts,
        "answers_503": statuses[503],
        "server_errors": statuses[500],
    }
    outcome.expect(statuses[500] == 0, f"{statuses[500]} answers were errors (500) instead of 503")
    return outcome


FAULT = Fault(
    "F5",
    "PostgreSQL restarts",
    "While 16 clients answer, PostgreSQL is restarted ten times, alternately by an immediate and"
    " a fast shutdown.",
    run,
    {POSTGRESQL: "relaxed_sync"},
    databases=(POSTGRESQL,),
)
