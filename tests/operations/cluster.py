"""``python -m tests.operations.cluster``: a real scheduler, two worker processes, equal values on both ways.

Scores, a grid and parse features are computed here and on the cluster, and must be equal to the last bit.
Prints what was compared as JSON. In a process of its own, because Dask leaves threads behind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from metrics.learned import svm
from metrics.learned.svm import Labelled
from metrics.scoring.cluster import use_cluster
from tests.site import free_port

ROOT = Path(__file__).resolve().parent.parent.parent
WORDS = ("the", "a", "red", "small", "old", "house", "cat", "dog", "saw", "ran", "under", "never", "and")
METRICS = "bleu,chrf,ter,wer,per,nist,meteor"


@contextmanager
def running_cluster(workers: int = 2) -> Iterator[str]:
    """A scheduler and its workers on this machine; yields the address."""
    address = f"tcp://127.0.0.1:{free_port()}"
    quiet = ["--no-dashboard"]
    commands = [["scheduler", "--host", "tcp://127.0.0.1", "--port", address.rpartition(":")[2], *quiet]]
    commands += [
        ["worker", address, "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1", *quiet]
    ] * workers
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory(prefix="appraise-dask-") as folder:
        processes = [
            subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_" + kind, *rest],
                cwd=folder, env=environment, stderr=subprocess.DEVNULL,
            )
            for kind, *rest in commands
        ]  # fmt: skip
        try:
            wait_for_workers(address, workers)
            yield address
        finally:
            for process in reversed(processes):
                process.kill()  # nothing to lose, and saying goodbye takes Dask half a minute
                process.wait()


def wait_for_workers(address: str, workers: int) -> None:
    from distributed import Client

    connect: Callable[..., Any] = Client  # the library leaves it untyped
    for _ in range(60):
        try:
            with connect(address, timeout=2, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=60)
                return
        except OSError:
            time.sleep(0.5)
    raise TimeoutError(f"no cluster at {address}")


def used(address: str) -> int:
    """How many workers did some of it: they have loaded what scores, which nothing else makes them do."""
    from distributed import Client

    connect: Callable[..., Any] = Client
    with connect(address, timeout=10, set_as_default=False) as client:
        return sum(client.run(lambda: "metrics.lexical.core" in sys.modules).values())


def texts(folder: Path) -> dict[str, Path]:
    chance = Random(1)
    lines = [" ".join(chance.choices(WORDS, k=chance.randint(3, 12))) for _ in range(60)]
    files = {"reference": lines}
    for name in ("north", "south", "east"):
        files[name] = [" ".join(w for w in line.split() if chance.random() > 0.2) or "the" for line in lines]
    for name, content in files.items():
        (folder / name).write_text("\n".join(content) + "\n", "utf-8")
    return {name: folder / name for name in files}


def command(home: Path, cluster: str, *arguments: str) -> str:
    environment = {**os.environ, "APPRAISE_HOME": str(home), "CLUSTER": cluster}
    run = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if run.returncode:
        sys.exit(run.stderr)
    return run.stdout


def halves() -> tuple[Labelled, Labelled]:
    """Two classes that nearly one line divides, to train on and to validate."""
    chance = np.random.default_rng(1)
    rows = chance.normal(size=(80, 4))
    classes = np.where(rows[:, 0] + 0.3 * chance.normal(size=80) > 0, 1.0, -1.0)
    return Labelled(rows[:40], classes[:40]), Labelled(rows[40:], classes[40:])


def train(cluster: str) -> svm.Grid:
    with use_cluster({"CLUSTER": cluster}):
        return svm.search(*halves(), axes=((1.0, 10.0, 50.0), (0.5, 1.0, 2.0)), scaling="standard", refine=1)


def compare(home: Path) -> dict[str, object]:
    files = texts(home)
    systems = [f"{name}={files[name]}" for name in ("north", "south", "east")]
    score = ("score", "--metrics", METRICS, "--hyp", *systems, "--ref", str(files["reference"]))
    parse = ("parse", "--discourse", "--tool", "heuristic", str(files["north"]))
    with running_cluster() as address:
        here, there = (json.loads(command(home, one, *score)) for one in ("", address))
        tagged = [command(home, one, *parse) for one in ("", address)]
        grids = [train(one) for one in ("", address)]
        busy = used(address)
    return {
        "workers used": busy,
        "metrics": len(here),
        "scores equal": here == there,
        "tags": len(tagged[0].splitlines()),
        "tags equal": tagged[0] == tagged[1],
        "points": len(grids[0].points),
        "grids equal": grids[0].points == grids[1].points
        and np.array_equal(grids[0].machine.dual, grids[1].machine.dual)
        and grids[0].machine.bias == grids[1].machine.bias,
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="appraise-cluster-") as folder:
        found = compare(Path(folder))
    print(json.dumps(found))
    sys.exit(0 if all(found.values()) and found["workers used"] == 2 else 1)
