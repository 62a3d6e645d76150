"""F4: the disk is full, then it is not. Answers are refused, not lost; pages are shown; nobody restarts."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from faults import invariants
from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.journal import Journal
from faults.people import Person, crowd, go_home, wait_for
from faults.prepare import LONG
from faults.site import StagedSite

ROOM = {SQLITE: 32 << 20, POSTGRESQL: 256 << 20}  # PostgreSQL's own log takes some 100 MB


def run(ground: Ground) -> Outcome:
    outcome, journal, over = Outcome(), Journal(ground.folder / "acknowledged"), threading.Event()
    with (
        small_disk(ground.folder / "disk", ROOM[ground.kind]) as disk,
        StagedSite(ground, files=disk) as site,
    ):
        site.start()
        people = crowd(site.port, site.sessions[:8], journal, over, task=LONG, corrections=1)
        wait_for(lambda: journal.count >= 50)
        ballast = fill(disk)
        wait_for(lambda: sum(map(refusals, people)) >= 20, 3 if ground.bug else 30)
        refused = sum(map(refusals, people))
        page = Person(site.port, site.sessions[9], 9, journal, threading.Event(), task=LONG)
        readable = page.insist("GET", "/")[0]
        page.close()
        full = journal.count
        ballast.unlink()
        wait_for(lambda: journal.count >= full + 50)
        statuses = go_home(people, over)
        site.kill()
        invariants.check(site.store, journal, outcome)
    outcome.counts |= {
        "refused": refused,
        "server_errors": statuses[500],
        "acknowledged_after": journal.count - full,
    }
    outcome.expect(refused > 0, "no answer was refused: the disk was not full")
    outcome.expect(readable == 200, f"a page answered {readable} while the disk was full")
    outcome.expect(statuses[500] == 0, f"{statuses[500]} answers were errors (500) instead of 503")
    outcome.expect(journal.count >= full + 50, "answers were not taken again when there was room")
    return outcome


@contextmanager
def small_disk(folder: Path, room: int) -> Iterator[Path]:
    """A file system of a few megabytes, in memory; needs the right to mount."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room},mode=755", "tmpfs", str(folder)], check=True)
    ballast_of(folder).touch()  # now: a full disk has no room for another name
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def ballast_of(disk: Path) -> Path:
    return disk / "ballast"


def fill(disk: Path) -> Path:
    """Ballast up to the last page."""
    ballast = ballast_of(disk)
    with ballast.open("r+b") as file:
        room = shutil.disk_usage(disk).free
        while room > 0:
            try:
                file.write(b"x" * min(room, 1 << 16))
                file.flush()
            except OSError:
                break
            room = shutil.disk_usage(disk).free
    return ballast


def refusals(person: Person) -> int:
    return person.statuses[503] + person.statuses[500]


FAULT = Fault(
    "F4",
    "Disk full",
    "The site's files and its database are on a disk of 32 MB (PostgreSQL: 256 MB), which is"
    " filled and freed while 8 clients answer.",
    run,
    {SQLITE: "swallow_database_errors", POSTGRESQL: "swallow_database_errors"},
)
