"""A workshop's test set becomes a task: 3,003 sentences, twelve systems, eleven comparisons each.

There is no peer that does this job, so the demands are absolute: at most 90 s of CPU and 300 MB above the
idle process. Both are measured in a process of their own, with a database of its own, by
``python -m benchmarks.importing``; ``--sentences`` makes it smaller. ``python -m benchmarks.importing
--meanwhile 16`` also lets sixteen people annotate against a running site while the import goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.base import Result

ROOT = Path(__file__).resolve().parent.parent
MOST_SECONDS, MOST_MEGABYTES = 90.0, 300.0
SENTENCES, SYSTEMS = 3003, 12


def run() -> list[Result]:
    """One round: absolute demands need no peer; ``ratio`` is what is demanded over what was measured."""
    seen = apart(SENTENCES)
    return [
        demand("import 3,003 × 12 against a baseline", "s of CPU", seen["cpu_seconds"], MOST_SECONDS),
        demand("memory of that import above idle", "MB", seen["megabytes"], MOST_MEGABYTES),
    ]


def demand(job: str, unit: str, measured: float, most: float) -> Result:
    return Result(job, "what is demanded", unit, measured, most, most / measured, most / measured, 1.0)


def apart(sentences: int, dedup: str = "item") -> dict[str, float]:
    """Measure in a fresh process, with an empty database in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="appraise-bench-") as home:
        environment = {
            **os.environ, "APPRAISE_HOME": home, "DATABASE_URL": "", "OMP_NUM_THREADS": "1",
            "DJANGO_SETTINGS_MODULE": "appraise.settings",
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.importing", "--here", str(sentences), "--dedup", dedup],
            cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE,
        )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout)
    return found


def here(sentences: int, dedup: str) -> dict[str, float]:
    """Import in this process; the corpus is written by another one, so that its memory does not count."""
    import django

    folder = Path(os.environ["APPRAISE_HOME"])
    subprocess.run(
        [sys.executable, "-m", "benchmarks.importing", "--write", str(folder), "--sentences", str(sentences)],
        cwd=ROOT, check=True,
    )  # fmt: skip
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from evaluation.importers import COMMAND_LINE, SourceFile, read
    from evaluation.models import Campaign
    from evaluation.services.importing import TaskSettings, import_set

    idle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started, wall = time.process_time(), time.perf_counter()
    imported = read([SourceFile.from_path(folder / "set.tsv")], limits=COMMAND_LINE)
    settings = TaskSettings(
        name="bench", scheme="six-way", target_language="en", comparisons="baseline:sys00", dedup=dedup
    )
    made = import_set(imported, settings, campaign=Campaign.objects.create(slug="bench", name="Bench"))
    return {
        "cpu_seconds": round(time.process_time() - started, 1),
        "wall_seconds": round(time.perf_counter() - wall, 1),
        "megabytes": round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - idle) / 1024, 1),
        "comparisons": made.comparisons,
        "phrase_pairs": made.phrase_pairs,
        "slots": made.slots,
    }


def write(folder: Path, sentences: int) -> Path:
    """The made-up test set as one table, a column per system."""
    from benchmarks.corpus import corpus

    made = corpus(sentences, SYSTEMS)
    names = [f"sys{n:02d}" for n in range(SYSTEMS)]
    path = folder / "set.tsv"
    with path.open("w", encoding="utf-8") as file:
        file.write("\t".join(["id", "reference", *names]) + "\n")
        for number, row in enumerate(zip(made.references[0], *made.systems, strict=True), 1):
            file.write("\t".join([str(number), *row]) + "\n")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    parser.add_argument("--dedup", default="item")
    parser.add_argument("--here", type=int)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    if given.write:
        write(given.write, given.sentences)
    elif given.here:
        print(json.dumps(here(given.here, given.dedup)))
    else:
        print(json.dumps(apart(given.sentences, given.dedup)))


if __name__ == "__main__":
    main()
