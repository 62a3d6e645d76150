"""F11: a backup while people answer holds everything that was acknowledged before it began."""

from __future__ import annotations

import json
import shutil
import threading
from contextlib import suppress
from pathlib import Path

from faults import invariants
from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.databases import Cluster, Store, give_to_postgres
from faults.journal import Acknowledged, Journal
from faults.people import crowd, go_home, wait_for
from faults.prepare import LONG
from faults.site import StagedSite, environment


def run(ground: Ground) -> Outcome:
    outcome, journal, over = Outcome(), Journal(ground.folder / "acknowledged"), threading.Event()
    with StagedSite(ground) as site:
        site.start()
        people = crowd(site.port, site.sessions[:8], journal, over, task=LONG, corrections=2)
        wait_for(lambda: journal.count >= 150, 60)
        before = list(journal.entries())
        made = plain_copy(site) if ground.bug else site.manage("backup", str(ground.folder / "backups"))
        statuses = go_home(people, over)
        site.kill()
        invariants.check(site.store, journal, outcome)
        restored = restore_copy(ground) if ground.bug else restore(site, json.loads(made)["backup"])
    missing = read_back(before, restored, outcome)
    outcome.counts |= {
        "acknowledged_before": len(before),
        "missing_in_backup": missing,
        "server_errors": sum(n for status, n in statuses.items() if status >= 500),
    }
    outcome.expect(bool(before), "nothing was acknowledged before the backup began")
    outcome.expect(missing == 0, f"{missing} of {len(before)} answers are not in the restored backup")
    return outcome


def restore(site: StagedSite, backup: str) -> Store | Cluster:
    """Onto an empty site elsewhere, with the product's own command."""
    home, url = site.ground.folder / "restored", ""
    home.mkdir()
    found: Store | Cluster = Store(SQLITE, str(home / "appraise.sqlite3"))
    if site.ground.kind == POSTGRESQL:
        data = site.ground.folder / "restored-pgdata"
        data.mkdir(mode=0o700)
        give_to_postgres(data)
        found = Cluster(data)
        found.initialise()
        found.start()
        url = found.url
    site.environment = environment(home, url)
    try:
        site.manage("restore", backup)
    except BaseException:
        if isinstance(found, Cluster):
            found.stop("immediate")
        raise
    return found


def plain_copy(site: StagedSite) -> str:
    """The seeded bug: copying files that are being written."""
    target = site.ground.folder / "copied"
    if site.cluster is None:
        target.mkdir()
        shutil.copy(site.home / "appraise.sqlite3", target)
    else:
        shutil.copytree(site.cluster.data, target, ignore=lambda folder, names: torn(Path(folder), names))
    return ""


def torn(folder: Path, names: list[str]) -> list[str]:
    """What a copy without PostgreSQL's help misses: the log that was written meanwhile, the lock file."""
    return [name for name in names if name == "postmaster.pid" or folder.name == "pg_wal"]


def restore_copy(ground: Ground) -> Store | Cluster:
    copied = ground.folder / "copied"
    if ground.kind == SQLITE:
        return Store(SQLITE, str(copied / "appraise.sqlite3"))
    give_to_postgres(copied)
    cluster = Cluster(copied)
    with suppress(RuntimeError):  # the copy may not even start
        cluster.start()
    return cluster


def read_back(before: list[Acknowledged], restored: Store | Cluster, outcome: Outcome) -> int:
    """How many answers are not there."""
    store = restored if isinstance(restored, Store) else Store(POSTGRESQL, restored.url)
    try:
        if isinstance(restored, Cluster) and not restored.running:
            return len(before)
        lost, changed = invariants.compare(before, store.rows(invariants.STORED))
        outcome.violations += invariants.broken(store)
        outcome.expect(not changed, f"{len(changed)} answers differ in the backup")
        return len(lost)
    finally:
        if isinstance(restored, Cluster):
            restored.stop("immediate")


FAULT = Fault(
    "F11",
    "Backup under load",
    "While 8 clients answer, the site is backed up and the backup is restored to an empty site.",
    run,
    {SQLITE: "plain_copy", POSTGRESQL: "plain_copy"},
)
