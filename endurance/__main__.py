"""``python -m endurance hosts|explorer|soak|growth``: runs parts, and writes figures and page."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from endurance import network
from endurance.growth import MEASURED, free_space, measure_growth
from endurance.host_faults import HOST_FAULTS
from endurance.report import PARTS, Occasion, as_page, is_good, load_figures, store_part
from endurance.soak import SOAK
from faults.__main__ import commit, machine, tell
from faults.base import BOTH, POSTGRESQL, SQLITE, Fault
from faults.report import NAMES
from faults.runs import plan, run_in_process
from faults.site import environment, prepare_stage
from tests.postgres import in_a_hurry, running_postgres
from tests.site import ROOT

Rows = list[dict[str, Any]]
Keep = Callable[[Rows], None]  # stores all rows of a part; called whenever there is one more
PROGRAM_SIZES = ("short", "medium", "full")
EXPLORER_BUG = "trust_old_pages"
GIGABYTES_PER_MILLION = 4.0  # of rankings: tables, indexes, log, export and backup


def main() -> int:
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that everything is removed
    parts: dict[str, Callable[[argparse.Namespace, Keep], bool]] = {
        "hosts": run_hosts, "explorer": run_explorer, "soak": run_soak, "growth": run_growth,
    }  # fmt: skip
    passed = True
    for name in options.parts:
        started, load = time.monotonic(), os.getloadavg()[0]

        def keep(rows: Rows, name: str = name, started: float = started, load: float = load) -> None:
            date, took = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", (time.monotonic() - started) / 60
            highest = max(load, *os.getloadavg())
            is_partial = bool(
                options.only if name == "hosts" else options.measure if name == "growth" else None
            )
            occasion = Occasion(date, commit(), machine(), round(took, 1), round(highest, 1), is_partial)
            store_part(name, occasion, rows)

        if parts[name](options, keep):
            passed &= is_good(name, load_figures()[name])
    if options.page:
        options.page.write_text(as_page(load_figures()), "utf-8")
    print("all passed" if passed else "SOME FAILED")
    return 0 if passed else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m endurance", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="what to run; nothing: only the page")
    parser.add_argument(
        "--only", nargs="+", choices=list(HOST_FAULTS), metavar="H", help="these faults of hosts"
    )
    parser.add_argument("--no-bugs", action="store_true", help="leave the deliberate bugs out")
    parser.add_argument("--most", type=float, default=1e7, help="rankings of the largest campaign")
    parser.add_argument("--size", choices=PROGRAM_SIZES, default="full", help="programs of the explorer")
    parser.add_argument("--measure", nargs="+", choices=MEASURED, help="only these costs; others are kept")
    parser.add_argument("--page", type=Path, help="also write the page, e.g. docs/endurance.md")
    return parser.parse_args()


def run_hosts(options: argparse.Namespace, keep: Keep) -> bool:
    """Whether hosts can be made here."""
    if obstacle := network.find_obstacle():
        print(f"SKIPPED: several hosts: {obstacle}", file=sys.stderr)
        return False
    chosen = [HOST_FAULTS[key] for key in options.only or HOST_FAULTS]
    earlier = load_figures().get("hosts", {"rows": []})["rows"] if options.only else []
    kept = [row for row in earlier if row["run"]["fault"] not in options.only]

    def keep_all(rows: Rows) -> None:
        keep(sorted([*kept, *rows], key=lambda row: str(row["run"]["fault"])))

    run_faults(chosen, HOST_FAULTS, "endurance.host_faults", keep_all, seeded=not options.no_bugs)
    return True


def run_soak(options: argparse.Namespace, keep: Keep) -> bool:
    run_faults(SOAK.values(), SOAK, "endurance.soak", keep, seeded=not options.no_bugs)
    return True


def run_faults(
    chosen: Iterable[Fault], faults: Mapping[str, Fault], module: str, keep: Keep, *, seeded: bool
) -> None:
    """One after another: each needs the whole machine."""
    rows: Rows = []
    with tempfile.TemporaryDirectory(prefix="appraise-endurance-", ignore_cleanup_errors=True) as folder:
        stage = Path(folder)
        stage.chmod(0o755)  # the user of PostgreSQL needs access
        prepare_stage(stage, POSTGRESQL)
        order = {fault: number for number, fault in enumerate(faults)}
        for run in sorted(plan(chosen, seeded=seeded), key=lambda run: order[run.fault]):
            result = run_in_process(run, stage, full=False, faults=faults, module=module)
            network.remove_leftovers()
            tell(result)
            rows.append(asdict(result))
            keep(rows)


def run_explorer(options: argparse.Namespace, keep: Keep) -> bool:
    rows: Rows = []
    for kind in BOTH:
        if kind == SQLITE:
            rows += explore(kind, "", options)
        else:
            with running_postgres() as url:
                in_a_hurry(url)
                rows += explore(kind, url, options)
        keep(rows)
    return True


def explore(kind: str, url: str, options: argparse.Namespace) -> Rows:
    rows: Rows = []
    for size, bug in ((options.size, ""), ("short", EXPLORER_BUG)):
        if bug and options.no_bugs:
            continue
        with tempfile.TemporaryDirectory(prefix="appraise-explorer-") as folder:
            run = subprocess.run(
                [sys.executable, "-W", "ignore", "-m", "endurance.exploration", size, bug],
                cwd=ROOT, env=environment(Path(folder), url), capture_output=True, text=True, check=False,
            )  # fmt: skip
        if run.returncode:
            raise RuntimeError(run.stderr[-4000:])
        for overlap, explored in enumerate(json.loads(run.stdout.splitlines()[-1]), 1):
            rows.append({"database": NAMES[kind], "size": size, "overlap": overlap, "bug": bug, **explored})
            print(json.dumps(rows[-1]), flush=True)
    return rows


def run_growth(options: argparse.Namespace, keep: Keep) -> bool:
    needed = 2 + options.most / 1e6 * GIGABYTES_PER_MILLION
    if free_space() < needed:
        sys.exit(f"growth to {options.most:,.0f} rankings needs {needed:.0f} GB in the temporary folder")
    measured = options.measure or MEASURED
    points = measure_growth(int(options.most), measured, lambda point: print(point, flush=True))
    earlier = load_figures().get("growth", {"rows": []})["rows"] if options.measure else []
    keep([*(row for row in earlier if row["what"] not in measured), *map(asdict, points)])
    return True


if __name__ == "__main__":
    sys.exit(main())
