"""F7: 64 annotators claim the slots of one task at once; then leases expire while they answer."""

from __future__ import annotations

import threading
import time

from faults import invariants
from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.journal import Journal
from faults.people import crowd, go_home
from faults.prepare import CROWDED, CROWDED_ITEMS, LONG, OVERLAP, PEOPLE
from faults.site import StagedSite

EXPIRE = "UPDATE evaluation_slot SET lease_until = '2001-01-01 00:00:00' WHERE state = 'taken'"
# Skip rows that are being answered, because a deadlock with this statement would not be the site's error.
UNLOCKED = " AND id IN (SELECT id FROM evaluation_slot WHERE state = 'taken' FOR UPDATE SKIP LOCKED)"
SEATS_OF = "FROM evaluation_slot s JOIN evaluation_task t ON t.id = s.task_id WHERE t.slug = '{slug}'"


def run(ground: Ground) -> Outcome:
    outcome = Outcome()
    with StagedSite(ground) as site:
        site.start()
        everybody_at_once(site, ground, outcome)
        if not ground.bug:
            leases_run_out(site, ground, outcome)
        site.kill()
    return outcome


def everybody_at_once(site: StagedSite, ground: Ground, outcome: Outcome) -> None:
    journal, over = Journal(ground.folder / "acknowledged"), threading.Event()
    people = crowd(site.port, site.sessions[:PEOPLE], journal, over, task=CROWDED)
    for person in people:
        person.join(180)
    statuses = go_home(people, over)
    invariants.check(site.store, journal, outcome)
    done = site.store.number(f"SELECT count(*) {SEATS_OF.format(slug=CROWDED)} AND s.state = 'done'")
    errors = sum(n for status, n in statuses.items() if status >= 400)
    outcome.counts |= {"people": PEOPLE, "slots_filled": done, "server_errors": errors}
    outcome.expect(errors == 0, f"{errors} requests failed: {dict(statuses)}")
    wanted = CROWDED_ITEMS * OVERLAP
    outcome.expect(done == wanted, f"{done} of {wanted} slots are filled")
    outcome.expect(journal.count == wanted, f"{journal.count} answers for {wanted} slots")


def leases_run_out(site: StagedSite, ground: Ground, outcome: Outcome) -> None:
    """Expire every lease repeatedly: late answers must be stored all the same."""
    journal, over = Journal(ground.folder / "acknowledged late"), threading.Event()
    people = crowd(site.port, site.sessions[:16], journal, over, task=LONG, corrections=1)
    until = time.monotonic() + 6
    while time.monotonic() < until:
        time.sleep(0.2)
        site.store.change(EXPIRE + (UNLOCKED if ground.kind == POSTGRESQL else ""))
    statuses = go_home(people, over)
    lost, changed = invariants.compare(journal.entries(), site.store.rows(invariants.STORED))
    late = site.store.number("SELECT count(*) FROM evaluation_ranking WHERE slot_id IS NULL")
    held_twice = site.store.number(
        "SELECT count(*) FROM (SELECT 1 AS one FROM evaluation_slot WHERE annotator_id IS NOT NULL"
        " GROUP BY comparison_id, presentation, annotator_id HAVING count(*) > 1) AS twice"
    )
    errors = sum(n for status, n in statuses.items() if status >= 500)
    outcome.counts |= {"acknowledged_under_expiry": journal.count, "of_them_surplus": late}
    invariants.expect_accepted(journal, outcome)
    outcome.expect(not lost, f"{len(lost)} late answers are not stored")
    outcome.expect(not changed, f"{len(changed)} late answers are stored with another value")
    outcome.expect(held_twice == 0, f"{held_twice} people hold two slots of one comparison")
    outcome.expect(errors == 0, f"{errors} requests failed while leases ran out")


FAULT = Fault(
    "F7",
    "Sixty-four annotators",
    "64 clients claim the 300 slots of one task at once over HTTP; then all leases expire five"
    " times a second while 16 clients answer.",
    run,
    {SQLITE: "count_then_insert", POSTGRESQL: "count_then_insert"},
)
