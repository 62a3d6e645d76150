"""``make bench``: every race, the cost of a page and the load of 64 people, printed and kept as a page.

``python -m benchmarks.page docs/benchmarks.md``. The page holds what was printed, word for word, with date,
commit and machine, and the table of the README is filled from it: no figure is copied by hand. Fails where a
demand is missed, after everything has run.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PARTS = {
    "benchmarks": (
        "Ours and others",
        "CPU time, ours and the peer interleaved in one process, equal values asserted first; a short job is "
        "repeated until a round has taken 0.05 s on each side. *min* is the smallest ratio of the rounds, "
        "which is held against what is wanted; where the peer is a limit, the ratio says how far we are "
        "below it.",
    ),
    "benchmarks.annotation": (
        "The annotation page",
        "CPU of a page and of a saved answer, as multiples of an empty Django view through the same stack.",
    ),
    "benchmarks.load": (
        "Sixty-four annotators at once",
        "*Paced*: a pause of a second on average before each request; *saturated*: none. *Minimal* is a "
        "Django page with one query on the same server; pages and answers may take twice as long at the 99th "
        "percentile. *Next* stores that a comparison is done and finds another: told, not bounded. An answer "
        "is acknowledged after a flush to the disk, and a shared disk now and then stands still for longer "
        "than an answer takes. In the paced run a second process flushes a file of its own beside the load; "
        "requests of any kind that were under way while one of its flushes took over 4 ms are left out, "
        "counted, and told with their percentile.",
    ),
}


class Part(NamedTuple):
    title: str
    about: str
    printed: str


def page(parts: Sequence[Part], measured: str) -> str:
    """
    >>> print(page([Part("Load", "Many people.", "0 errors")], "Today, on two cores."))
    # Benchmarks
    <BLANKLINE>
    What `make bench` measured; the page is written by the run itself. Today, on two cores.
    <BLANKLINE>
    ## Load
    <BLANKLINE>
    Many people.
    <BLANKLINE>
        0 errors
    <BLANKLINE>
    """
    lines = [
        "# Benchmarks",
        "",
        f"What `make bench` measured; the page is written by the run itself. {measured}",
    ]
    for part in parts:
        lines += ["", f"## {part.title}", "", part.about, ""]
        lines += [f"    {line}".rstrip() for line in part.printed.strip().splitlines()]
    return "\n".join([*lines, ""])


def with_ratios(readme: str, written: str) -> str:
    """The README with the smallest ratios of the page in its table.

    >>> page = "    chrF, 12 systems   sacrebleu   5.1   306.1 µs/segment   57.8×   59.7×   25.0×"
    >>> with_ratios("| chrF | sacrebleu | 1.0× | – |", page)
    '| chrF | sacrebleu | 57.8× | – |'
    """
    rows = re.findall(r"^    (\S.*?)  .*?([\d.]+)×", written, re.MULTILINE)
    smallest = {
        job: f"{float(ratio):.1f}×" if float(ratio) < 100 else f"{float(ratio):.0f}×" for job, ratio in rows
    }

    def measured(row: re.Match[str]) -> str:
        job, peer = row[1], row[2]
        many = next(
            found
            for what in ("", ", 12 systems", ", the same segments")
            if (found := smallest.get(job + what))
        )
        return f"| {job} | {peer} | {many} | {smallest.get(f'{job}, 1 system', '–')} |"

    return re.sub(
        r"^\| ([^|\n]+) \| ([^|\n]+) \| [\d.]+× \| (?:[\d.]+×|–) \|$", measured, readme, flags=re.MULTILINE
    )


def output_of(module: str) -> tuple[str, int]:
    """Run a benchmark, echoing its output line by line; returns the output and the exit status."""
    os.sync()  # so that pending disk writes of the one before do not slow this one down
    command = [sys.executable, "-m", module]
    lines = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # it is a pipe
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return "".join(lines), process.returncode


def main(path: Path) -> int:
    begun, parts, failed = time.monotonic(), [], 0
    for module, (title, about) in PARTS.items():
        printed, code = output_of(module)
        parts.append(Part(title, about, printed))
        failed += code != 0
    git = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    minutes = (time.monotonic() - begun) / 60
    measured = (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit `{commit}`, {os.cpu_count()} cores, "
        f"{platform.system()}, Python {platform.python_version()}, {minutes:.0f} minutes."
    )
    written = page(parts, measured)
    path.write_text(written, encoding="utf-8")
    readme = ROOT / "README.md"
    readme.write_text(with_ratios(readme.read_text("utf-8"), written), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
