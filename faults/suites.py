"""F9, F12 and F16 to F20: faults from the project's own tests, here on both databases and with bugs.

F9 sends the 57 bad files to every way in; F12 breaks connections, sessions and windows in a real browser; F16
sends forms at their limits and answers that race a correction; F17 opens the pages that would take long; F18
guesses passwords, removes, revokes and erases while people work; F19 reads the site's files as another user;
F20 sends bodies that are too large, and asks a site that cannot write whether it is ready.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from xml.etree import ElementTree

from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.databases import Cluster, give_to_postgres
from faults.site import BUG
from tests.site import ROOT

BAD_FILES = ("tests/importers/test_bad_inputs.py", "tests/database/test_bad_inputs.py")
BROWSER = ("tests/journeys/test_never_lose.py",)
RESTART = ("tests/journeys/test_restart.py",)
DEAD_ENDS = ("tests/database/test_form_limits.py", "tests/database/test_alignment_editor.py")
ACCESS = (
    *(
        "tests/security/test_signing_in.py",
        "tests/database/test_members.py",
        "tests/database/test_privacy.py",
    ),
)
FILES = ("tests/test_environment.py",)
LARGE = ("tests/operations/test_request_limits.py", "tests/database/test_request_limits.py")
EXPENSIVE = ("tests/database/test_upload.py::TestThePreview", "tests/database/test_report_jobs.py")
DETECTED_BY = {
    "thousand_fields": "can_be_finished",
    "final_refusals": "races",
    "names_as_typed": "spaces_around",
    "members_return": "removed_member",
    "open_home": "home",
    "unlimited_bodies": "forms_only",
    "alive_is_ready": "not_ready",
}


def bad_uploads(ground: Ground) -> Outcome:
    outcome = run_tests(ground, *BAD_FILES, *(("-k", "26 or 27") if ground.bug else ()))
    if not ground.bug:
        from tests.importers.bad_inputs import CASES

        outcome.counts["bad_inputs"] = len({case.number for case in CASES})
    return outcome


def browser(ground: Ground) -> Outcome:
    if ground.bug:
        return run_tests(ground, *BROWSER, "-k", "offline or lost")
    return run_tests(ground, *BROWSER, *(RESTART if ground.kind == SQLITE else ()))


def dead_ends(ground: Ground) -> Outcome:
    return run_tests(ground, *DEAD_ENDS, *select_detecting(ground))


def access(ground: Ground) -> Outcome:
    return run_tests(ground, *ACCESS, *select_detecting(ground))


def private_files(ground: Ground) -> Outcome:
    return run_tests(ground, *FILES, *select_detecting(ground))


def large_requests(ground: Ground) -> Outcome:
    return run_tests(ground, *LARGE, *select_detecting(ground))


def select_detecting(ground: Ground) -> tuple[str, ...]:
    return ("-k", DETECTED_BY[ground.bug]) if ground.bug else ()


def expensive_requests(ground: Ground) -> Outcome:
    return run_tests(ground, *EXPENSIVE)


def run_tests(ground: Ground, *arguments: str) -> Outcome:
    """Every failing test is a broken promise."""
    outcome, report = Outcome(), ground.folder / "tests.xml"
    environment = {**os.environ, "DATABASE_URL": "", **({BUG: ground.bug} if ground.bug else {})}
    cluster = None
    if ground.kind == POSTGRESQL:
        data = ground.folder / "pgdata"
        shutil.copytree(ground.stage / "pgdata", data)
        give_to_postgres(data)
        cluster = Cluster(data)
        cluster.start()
        environment["DATABASE_URL"] = cluster.url
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "faults.planted", "-p", "no:randomly", "--tb=line"),
        *("-p", "no:cacheprovider", f"--junitxml={report}", *arguments),
    ]
    try:
        run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    finally:
        if cluster:
            cluster.stop("immediate")
    if not report.exists():
        raise RuntimeError(run.stdout[-2000:] + run.stderr[-2000:])
    return read_report(report.read_text("utf-8"), outcome)


def read_report(text: str, outcome: Outcome) -> Outcome:
    """A skipped test has proved nothing, so it counts as a broken promise like a failed one.

    >>> text = '<s><testcase name="a"/><testcase name="b"><failure message="no"/></testcase></s>'
    >>> read_report(text, Outcome())
    Outcome(counts={'tests': 2, 'failed': 1}, violations=['b: no'])
    >>> read_report('<s><testcase name="a"><skipped message="no browser"/></testcase></s>', Outcome())
    Outcome(counts={'tests': 1, 'failed': 1}, violations=['a: no browser'])
    """
    cases = list(ElementTree.fromstring(text).iter("testcase"))
    faults = ("failure", "error", "skipped")
    failed = [(case, problem) for case in cases for fault in faults for problem in case.iter(fault)]
    outcome.counts |= {"tests": len(cases), "failed": len(failed)}
    outcome.violations += [
        f"{case.get('name')}: {(problem.get('message') or '')[:200]}" for case, problem in failed
    ]
    outcome.expect(bool(cases), "no test ran")
    return outcome


F9 = Fault(
    "F9",
    "Bad uploads",
    "57 kinds of bad or unusual files are given to reader, page and command. Each is refused as a"
    " whole with a code and a remedy, or accepted with a warning, without server errors or"
    " partial imports.",
    bad_uploads,
    {SQLITE: "lenient_json"},
    seconds=1100,
)
F12 = Fault(
    "F12",
    "Browser faults",
    "In Chromium: offline, reload while offline, a response lost after the commit, an expired"
    " session, two tabs, the back button, a double click; on SQLite also a server that is killed"
    " and restarted.",
    browser,
    {SQLITE: "forgetful_outbox"},
    seconds=1000,
)
F16 = Fault(
    "F16",
    "Dead ends",
    "Sentences at the limits of the importers are finished; an alignment is corrected under an answer.",
    dead_ends,
    {SQLITE: "thousand_fields", POSTGRESQL: "final_refusals"},
    seconds=1000,
)
F17 = Fault(
    "F17",
    "Expensive requests",
    "Uploads with long sentences and reports on many answers are opened: a job computes them, the page"
    " shows its progress, and the result equals what the page would have computed.",
    expensive_requests,
    {SQLITE: "align_in_pages", POSTGRESQL: "report_in_pages"},
    seconds=600,
)
F18 = Fault(
    "F18",
    "Access",
    "Passwords are guessed with variants of a name and in parallel; members are removed, links revoked and"
    " expired, people erased: no way in, and no way back.",
    access,
    {SQLITE: "names_as_typed", POSTGRESQL: "members_return"},
    seconds=1000,
)
F19 = Fault(
    "F19",
    "Another user of the host",
    "The data folder, its key and its database are created, restored and found open to others: their modes"
    " keep other users out, or the site does not start.",
    private_files,
    {SQLITE: "open_home"},
    databases=(SQLITE,),
    seconds=300,
)
F20 = Fault(
    "F20",
    "Large requests, no space",
    "Bodies over the limits, declared and streamed, are refused with 413 before they are stored; a site that"
    " cannot write is alive, but not ready.",
    large_requests,
    {SQLITE: "unlimited_bodies", POSTGRESQL: "alive_is_ready"},
    seconds=300,
)
