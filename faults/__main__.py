"""``python -m faults``: every fault on both databases, then with seeded bugs; a report and a page."""

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
from faults.report import About, as_data, as_page, good
from faults.runs import FUZZ_SECONDS, LANES, Fuzzed, Result, fuzz_all, plan, run_all
from faults.site import prepare_stage
from tests.site import ROOT


def main() -> int:
    options = arguments()
    started = time.monotonic()
    fuzzed: list[Fuzzed] = []
    fuzzing = threading.Thread(target=lambda: fuzzed.extend(fuzz_all(FUZZ_SECONDS, tell_fuzzed)), daemon=True)
    if not options.only and not options.no_fuzz:
        fuzzing.start()
    chosen = [FAULTS[key] for key in options.only or FAULTS]
    with tempfile.TemporaryDirectory(prefix="appraise-faults-", ignore_cleanup_errors=True) as folder:
        stage = Path(folder)
        stage.chmod(0o755)  # PostgreSQL's user must be able to look inside
        for kind in BOTH:
            prepare_stage(stage, kind)
        results = run_all(
            plan(chosen, seeded=not options.no_bugs), stage, full=options.full, lanes=options.lanes, tell=tell
        )
    if fuzzing.is_alive():
        fuzzing.join()
    about = About(
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        commit(),
        machine(),
        round(time.monotonic() - started),
        options.full,
    )
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(as_data(about, results, fuzzed), indent=1) + "\n", "utf-8")
    if options.page:
        options.page.write_text(as_page(about, results, fuzzed), "utf-8")
    held = good(results, fuzzed)
    print(f"{'all held' if held else 'SOMETHING BROKE'}; {about.seconds / 60:.1f} minutes; {options.json}")
    return 0 if held else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=list(FAULTS), metavar="F", help="these faults, e.g. F1 F7"
    )
    parser.add_argument("--full", action="store_true", help="five times as much of everything")
    parser.add_argument("--lanes", type=int, default=LANES, help="runs at the same time")
    parser.add_argument("--no-bugs", action="store_true", help="leave the seeded bugs out")
    parser.add_argument("--no-fuzz", action="store_true", help="leave the fuzzing out")
    parser.add_argument("--json", type=Path, default=ROOT / "var" / "faults.json")
    parser.add_argument("--page", type=Path, help="also write the page, e.g. docs/faults.md")
    return parser.parse_args()


def tell(result: Result) -> None:
    run = result.run
    what = f"{run.fault:4} {run.kind:11} {run.bug or '-':26}"
    state = "ok" if result.good else "NOT OK"
    said = result.error or "; ".join(result.violations[:2]) if not result.good else ""
    print(f"{what} {state:7} {result.seconds:6.1f} s  {json.dumps(result.counts)} {said}", flush=True)


def tell_fuzzed(one: Fuzzed) -> None:
    print(
        f"fuzz {one.form:38} {'ok' if one.good else 'NOT OK':7} {one.seconds:6.1f} s  {one.runs} {one.error}",
        flush=True,
    )


def commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"


def machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


if __name__ == "__main__":
    sys.exit(main())
