"""Runs each fault in its own process, two at a time, each with a time limit; and the fuzzing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evaluation.importers import FORMATS
from faults.base import Fault, Ground
from faults.catalogue import FAULTS
from tests.site import ROOT

LANES = 2
FUZZ_SECONDS = 60
FUZZ_BUG = "broken_reader"
PLANTED = """
import sys
from faults import bugs
from tests.importers import fuzz
bugs.plant(sys.argv.pop())
fuzz.main()
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One fault on one database, honest or with a seeded bug."""

    fault: str
    kind: str
    bug: str = ""


@dataclass(slots=True)
class Result:
    run: Run
    counts: dict[str, Any] = field(default_factory=dict)  # numbers, as the fault names them
    violations: list[str] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        """Without a bug nothing may be broken; with one, something must be."""
        return not self.error and bool(self.violations) == bool(self.run.bug)


@dataclass(frozen=True, slots=True)
class Fuzzed:
    form: str
    engine: str
    runs: int
    seconds: float
    good: bool
    error: str = ""


def plan(faults: Iterable[Fault], *, seeded: bool) -> list[Run]:
    """The longest faults first, so that both lanes end together; each bug after the run without one.

    >>> [run.bug for run in plan([FAULTS["F13"]], seeded=True)]
    ['', 'entities_expanded']
    """
    chosen = sorted(faults, key=lambda fault: -fault.seconds)
    honest = [Run(fault.key, kind) for fault in chosen for kind in fault.databases]
    bugs = [Run(fault.key, kind, bug) for fault in chosen for kind, bug in fault.bugs.items()]
    return honest + (bugs if seeded else [])


def runs_alone(run: Run) -> bool:
    """Whether nothing else may run at the same time; a bug is noticed whatever runs beside it."""
    return FAULTS[run.fault].alone and not run.bug


def run_all(
    runs: list[Run], stage: Path, *, full: bool, lanes: int, tell: Callable[[Result], None]
) -> list[Result]:
    def run_and_report(run: Run) -> Result:
        result = run_in_process(run, stage, full=full)
        tell(result)
        return result

    with ThreadPoolExecutor(lanes) as pool:
        return list(pool.map(run_and_report, runs))


def run_in_process(
    run: Run, stage: Path, *, full: bool, faults: Mapping[str, Fault] = FAULTS, module: str = "faults.runs"
) -> Result:
    """Run one fault of those that ``module`` runs; every process that it started is stopped afterwards."""
    started = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="appraise-fault-", ignore_cleanup_errors=True) as folder,
        tempfile.TemporaryFile("w+") as output,
        tempfile.TemporaryFile("w+") as errors,
    ):
        command = [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            module,
            str(stage),
            folder,
            json.dumps(asdict(run)),
        ]
        process = subprocess.Popen(
            [*_rights(run), *command, str(int(full))],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
        )
        limit = faults[run.fault].seconds * (5 if full else 1)
        result = Result(run)
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            result.error = f"it took more than {limit:.0f} s"
        finally:
            process.kill()
            process.wait()
            sweep(folder)
        output.seek(0)
        errors.seek(0)
        _read_result(result, process.returncode, output.read(), errors.read())
    result.seconds = round(time.monotonic() - started, 1)
    return result


def _rights(run: Run) -> tuple[str, ...]:
    """Without the right to mount a small disk, a user namespace gives it."""
    return (
        () if os.geteuid() == 0 or run.fault != "F4" else ("unshare", "--user", "--map-root-user", "--mount")
    )


def _read_result(result: Result, status: int, output: str, errors: str) -> None:
    lines = output.strip().splitlines()
    if status == 0 and lines:
        result.counts, result.violations = json.loads(lines[-1])
    elif not result.error:
        result.error = errors[-1500:] or f"exit status {status}"


def sweep(folder: str) -> None:
    """Kill every process that was started for this folder, recognised by its command or environment."""
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            known = Path(entry.path, "cmdline").read_bytes() + Path(entry.path, "environ").read_bytes()
            if folder.encode() in known:
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:  # it has ended in the meantime, or belongs to another user
            continue


def main(faults: Mapping[str, Fault], stage: str, folder: str, text: str, full: str) -> None:
    """One run, in this process."""
    given = json.loads(text)
    Path(folder).chmod(0o755)  # PostgreSQL's user must be able to look inside
    ground = Ground(Path(stage), Path(folder), given["kind"], given["bug"], full == "1")
    outcome = faults[given["fault"]].run(ground)
    print(json.dumps([outcome.counts, outcome.violations[:20]]))


# --- fuzzing ------------------------------------------------------------------------------------------


def fuzz_all(seconds: int, tell: Callable[[Fuzzed], None], done: Collection[str] = ()) -> Iterator[Fuzzed]:
    """Every format for so many seconds, one after another; last, a reader with a bug."""
    for form, most, bug in (*((form, seconds, "") for form in FORMATS), ("tsv", 30, FUZZ_BUG)):
        if name(form, bug) not in done:
            found = fuzz(form, most, bug)
            tell(found)
            yield found


def name(form: str, bug: str) -> str:
    return f"{form} with {bug}" if bug else form


def fuzz(form: str, seconds: int, bug: str = "") -> Fuzzed:
    started = time.monotonic()
    where = ["-c", PLANTED] if bug else ["-m", "tests.importers.fuzz"]
    command = [sys.executable, *where, "--seconds", str(seconds), "--format", form, *([bug] if bug else [])]
    run = subprocess.run(
        ["nice", "-n", "5", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=seconds + 120,
        check=False,
    )
    took = round(time.monotonic() - started, 1)
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith('{"format"')]
    if bug:
        caught = run.returncode != 0 and "finding in format" in run.stderr
        return Fuzzed(name(form, bug), "", 0, took, caught, "" if caught else "the bug was not found")
    if run.returncode or not lines:
        return Fuzzed(form, "", 0, took, False, run.stderr[-1500:])
    return Fuzzed(form, str(lines[-1]["engine"]), int(lines[-1]["runs"]), took, True)


if __name__ == "__main__":
    main(FAULTS, *sys.argv[1:])
