"""``python -m faults``: runs every fault on both databases, then with seeded bugs; writes a report."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from faults.base import BOTH
from faults.catalogue import FAULTS
from faults.report import About, as_data, as_page, from_data, good
from faults.runs import FUZZ_SECONDS, LANES, Fuzzed, Result, Run, fuzz_all, plan, run_all, runs_alone
from faults.site import prepare_stage
from tests.site import ROOT


def main() -> int:
    options = arguments()
    started = time.monotonic()
    earlier, previous, previously_fuzzed = read_passed(options.json) if options.again else ("", {}, {})
    fuzzed: dict[str, Fuzzed] = dict(previously_fuzzed)
    fuzzing = threading.Thread(target=fuzz_remaining, args=(fuzzed,), daemon=True)
    runs = plan([FAULTS[key] for key in options.only or FAULTS], seeded=not options.no_bugs)
    results = previous | run_faults([run for run in runs if run not in previous], options, fuzzing)
    if fuzzing.is_alive():
        fuzzing.join()
    date, took = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", round(time.monotonic() - started)
    about = About(date, commit(), machine(), took, options.full, earlier)
    return conclude(about, [results[run] for run in runs], list(fuzzed.values()), options)


def read_passed(path: Path) -> tuple[str, dict[Run, Result], dict[str, Fuzzed]]:
    """The passed runs of an earlier report, and a description of it."""
    about, results, fuzzed = from_data(json.loads(path.read_text("utf-8")))
    of_earlier = f"; {about.earlier}" if about.earlier else ""
    return (
        f"{about.date}, commit `{about.commit}`, {about.seconds / 60:.0f} minutes{of_earlier}",
        {result.run: result for result in results if result.good},
        {one.form: one for one in fuzzed if one.good},
    )


def fuzz_remaining(fuzzed: dict[str, Fuzzed]) -> None:
    for one in fuzz_all(FUZZ_SECONDS, tell_fuzzed, done=set(fuzzed)):
        fuzzed[one.form] = one


def run_faults(runs: list[Run], options: argparse.Namespace, fuzzing: threading.Thread) -> dict[Run, Result]:
    """Run what has to run alone, then the rest beside the fuzzing."""
    alone, others = ([run for run in runs if runs_alone(run) is is_alone] for is_alone in (True, False))
    with tempfile.TemporaryDirectory(prefix="appraise-faults-", ignore_cleanup_errors=True) as folder:
        stage = Path(folder)
        stage.chmod(0o755)  # the user of PostgreSQL needs access
        for kind in BOTH:
            prepare_stage(stage, kind)
        results = run_all(alone, stage, full=options.full, lanes=1, tell=tell)
        if not options.only and not options.no_fuzz:
            fuzzing.start()
        results += run_all(others, stage, full=options.full, lanes=options.lanes, tell=tell)
    return {result.run: result for result in results}


def conclude(about: About, results: list[Result], fuzzed: list[Fuzzed], options: argparse.Namespace) -> int:
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(as_data(about, results, fuzzed), indent=1) + "\n", "utf-8")
    if options.page:
        options.page.write_text(as_page(about, results, fuzzed), "utf-8")
    passed = good(results, fuzzed)
    print(f"{'all passed' if passed else 'SOME FAILED'}; {about.seconds / 60:.1f} minutes; {options.json}")
    return 0 if passed else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=list(FAULTS), metavar="F", help="these faults, e.g. F1 F7"
    )
    parser.add_argument("--full", action="store_true", help="five times as much of everything")
    parser.add_argument("--lanes", type=int, default=LANES, help="runs at the same time")
    parser.add_argument("--again", action="store_true", help="only what was not good in the last report")
    parser.add_argument("--no-bugs", action="store_true", help="leave the seeded bugs out")
    parser.add_argument("--no-fuzz", action="store_true", help="leave the fuzzing out")
    parser.add_argument("--json", type=Path, default=ROOT / "var" / "faults.json")
    parser.add_argument("--page", type=Path, help="also write the page, e.g. docs/faults.md")
    return parser.parse_args()


def tell(result: Result) -> None:
    run = result.run
    what = f"{run.fault:4} {run.kind:11} {run.bug or '-':26}"
    state = "ok" if result.good else "NOT OK"
    reason = result.error or "; ".join(result.violations[:2]) if not result.good else ""
    print(f"{what} {state:7} {result.seconds:6.1f} s  {json.dumps(result.counts)} {reason}", flush=True)


def tell_fuzzed(one: Fuzzed) -> None:
    print(
        f"fuzz {one.form:38} {'ok' if one.good else 'NOT OK':7} {one.seconds:6.1f} s  {one.runs} {one.error}",
        flush=True,
    )


def commit() -> str:
    process = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return process.stdout.strip() or "unknown"


def machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


if __name__ == "__main__":
    sys.exit(main())
