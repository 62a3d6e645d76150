"""F1: the web server's process group is killed again and again while people answer."""

from __future__ import annotations

import random
import threading
import time

from faults import invariants
from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.journal import Journal
from faults.people import crowd, go_home, wait_for
from faults.prepare import LONG
from faults.site import StagedSite

CLIENTS, CORRECTIONS = 32, 3
COLD_EVERY = 25


def run(ground: Ground) -> Outcome:
    outcome, journal, over = Outcome(), Journal(ground.folder / "acknowledged"), threading.Event()
    kills, wanted = ground.size(205, 1000, 6), ground.size(20_200, 80_000, 300)
    rng = random.Random(12)
    with StagedSite(ground) as site:
        site.start_warm()
        people = crowd(site.port, site.sessions[:CLIENTS], journal, over, task=LONG, corrections=CORRECTIONS)
        for kill in range(1, kills + 1):
            _let_them_work(journal, wanted * kill // kills, rng)
            site.kill()
            _check_while_dead(site, journal, outcome)
            if kill % COLD_EVERY == 0:
                site.start()
            else:
                site.start_warm()
        wait_for(lambda: journal.count >= wanted, 300)  # a slow machine falls behind
        statuses = go_home(people, over)
        site.kill()
        invariants.check(site.store, journal, outcome)
    outcome.counts |= {
        "kills": kills,
        "sentences_finished": sum(person.finished for person in people),
        "requests_without_answer": sum(person.unanswered for person in people),
        "answers_503": statuses[503],
        "server_errors": statuses[500],
    }
    outcome.expect(journal.count >= wanted, f"only {journal.count} answers were acknowledged")
    return outcome


def _let_them_work(journal: Journal, until: int, rng: random.Random) -> None:
    """Until their share of acknowledgements is there, then a random moment longer: kills hit any instant."""
    deadline = time.monotonic() + 15
    while journal.count < until and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(rng.uniform(0.0, 0.06))


def _check_while_dead(site: StagedSite, journal: Journal, outcome: Outcome) -> None:
    """No process is left that could finish anything late: what was acknowledged is stored or lost."""
    before = journal.count
    time.sleep(0.02)  # an answer that arrived just before the kill is being read
    lost, _ = invariants.compare(journal.entries(), site.store.rows(invariants.STORED))
    outcome.expect(not lost, f"after {before} acknowledgements {len(lost)} were not stored")


FAULT = Fault(
    "F1",
    "kill -9 of the web server",
    "32 clients answer without pause. The server's process group is killed at random moments; the"
    " database is read while the server is down, then the server restarts.",
    run,
    {SQLITE: "acknowledge_before_commit", POSTGRESQL: "acknowledge_before_commit"},
    seconds=2400,
)
