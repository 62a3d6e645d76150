"""F2: what a power failure would take. A killed process loses nothing that it has written, a machine does.

So the calls that force data to the disk are counted with strace: every acknowledged answer needs one of its
own. On SQLite the web server makes them, on PostgreSQL the database's processes.
"""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path

from faults import invariants
from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.journal import Journal
from faults.people import Person, go_home
from faults.prepare import LONG
from faults.site import StagedSite

# Detached (-D), so that what is traced stays our child; only the calls that matter stop it (--seccomp-bpf).
TRACER = ("strace", "-D", "-f", "-qq", "--seccomp-bpf", "-e", "trace=fsync,fdatasync,sync_file_range,msync")


def run(ground: Ground) -> Outcome:
    if shutil.which("strace") is None:
        raise RuntimeError("strace is not installed; without it nobody can say what reaches the disk")
    outcome, journal = Outcome(), Journal(ground.folder / "acknowledged")
    traces = ground.folder / "traces"
    traces.mkdir()
    traces.chmod(0o777)  # PostgreSQL's user writes here
    tracer = (*TRACER, "-o", str(traces / "syncs"))
    with StagedSite(ground, cluster_prefix=tracer) as site:
        site.start(*(tracer if ground.kind == SQLITE else ()))
        with site.store.connect() as neighbour:
            # Somebody else has the database open, as ever on a working site: otherwise SQLite would empty and
            # sync its log at the end of each request, which hides what a commit alone does.
            neighbour.execute("SELECT count(*) FROM evaluation_task").fetchall()
            neighbour.rollback()
            made = answer(site, journal, traces / "syncs", ground.size(100, 1000, 60))
        site.kill()
        invariants.check(site.store, journal, outcome)
    outcome.counts["syncs"] = made
    outcome.expect(made >= journal.count, f"{journal.count} acknowledgements, but {made} syncs to the disk")
    return outcome


def answer(site: StagedSite, journal: Journal, trace: Path, wanted: int) -> int:
    """One person gives this many answers, one after another; returns how many syncs that took."""
    over = threading.Event()
    person = Person(site.port, site.sessions[0], 0, journal, over, task=LONG, corrections=1, most=wanted)
    person.insist("GET", "/")
    before = syncs(trace)
    person.start()
    over.wait(120)
    go_home([person], over)
    time.sleep(0.3)
    return syncs(trace) - before


def syncs(trace: Path) -> int:
    """Calls in the trace; one that was interrupted by another thread's line is counted once."""
    return sum("resumed>" not in line and "sync" in line for line in trace.read_text().splitlines())


FAULT = Fault(
    "F2",
    "Power failure (by counting syncs)",
    "One client answers; strace counts the calls that flush data to disk: at least one per acknowledgement.",
    run,
    {SQLITE: "relaxed_sync", POSTGRESQL: "relaxed_sync"},
)
