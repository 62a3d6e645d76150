"""F10: the database of an earlier release is brought up to date, although the upgrade is killed half-way."""

from __future__ import annotations

import hashlib
import threading

from faults import invariants
from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.databases import Store
from faults.journal import Journal
from faults.kill_worker import Foreman, chosen
from faults.people import crowd, go_home, wait_for
from faults.prepare import LONG
from faults.site import StagedSite

RELEASED = ("0001",)  # the first migration of each released schema
ANSWERS = (
    "SELECT annotator_id, pair_id, presentation, version, choice, swapped, active_ms, CAST(uuid AS text)"
    " FROM evaluation_ranking ORDER BY annotator_id, pair_id, presentation, version"
)
COUNTED = ("campaign", "task", "item", "candidate", "comparison", "phrasepair", "occurrence", "slot", "user")


def run(ground: Ground) -> Outcome:
    outcome, journal, over = Outcome(), Journal(ground.folder / "acknowledged"), threading.Event()
    with StagedSite(ground) as site:
        site.start()
        people = crowd(site.port, site.sessions[:8], journal, over, task=LONG, corrections=1)
        wait_for(lambda: journal.count >= 100, 60)
        go_home(people, over)
        site.kill()
        foreman = Foreman(site)
        try:
            for release in RELEASED:
                upgrade(foreman, site.store, release, ground, outcome)
        finally:
            foreman.close()
        invariants.check(site.store, journal, outcome)
    return outcome


def upgrade(foreman: Foreman, store: Store, release: str, ground: Ground, outcome: Outcome) -> None:
    foreman("migrate", target=release)
    old = fingerprint(store)
    writes = foreman("migrate")["said"]
    outcome.expect(fingerprint(store) == old, f"the upgrade from {release} changed the answers")
    points = chosen(writes, ground.size(8, writes, 4)) if writes else []
    for point in points:
        foreman("migrate", target=release)
        died = foreman("migrate", die_at=point)["killed"]
        outcome.expect(died, f"the upgrade did not die at write {point}")
        try:
            foreman("migrate")
        except RuntimeError as error:
            outcome.violations.append(
                f"killed before write {point} of {writes}, the upgrade cannot go on: {error}"
            )
            break
        same = fingerprint(store) == old
        outcome.expect(same, f"killed before write {point} of {writes}, the upgrade changed the answers")
    outcome.counts |= {"released_schemas": len(RELEASED), "writes": writes, "kills": len(points)}


def fingerprint(store: Store) -> str:
    """Every answer of every annotator, and how many rows the other tables have."""
    counts = [store.number(f"SELECT count(*) FROM evaluation_{table}") for table in COUNTED]
    answers = [
        tuple(str(int(v)) if isinstance(v, bool) else str(v) for v in row) for row in store.rows(ANSWERS)
    ]
    return hashlib.sha256(repr((counts, answers)).encode()).hexdigest()


FAULT = Fault(
    "F10",
    "Old database",
    "A database with the schema of each release and many answers is migrated; the migration is"
    " killed before single writes and restarted. Answers and row counts stay the same.",
    run,
    {SQLITE: "migration_in_pieces", POSTGRESQL: "migration_in_pieces"},
)
