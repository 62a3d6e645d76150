"""How cost grows with the number of rankings: a generated campaign on PostgreSQL, from 10^4 rankings on.

One sentence is imported and answered with the product's own code; its rows are then copied inside the
database, with other keys, texts and answers, as often as the size demands. Every measurement is a process of
its own, whose start does not count.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from faults.base import POSTGRESQL
from faults.databases import Cluster, Store, give_to_postgres
from faults.invariants import FOREIGN_KEYS
from faults.site import environment
from tests.site import ROOT

MEASURED = ("page", "save", "agreement", "results", "export", "backup")
PER_TASK = 1000  # sentences
PER_SENTENCE = 30  # rankings: ten questions, three annotators
ANNOTATORS = 60
BEYOND = 10**12  # an id
LIMIT = 3600.0  # seconds for one measurement
TABLES = (
    "task", "system", "item", "candidate", "output", "comparison", "alignment", "phrasepair", "occurrence",
    "slot", "assignment", "ranking",
)  # fmt: skip
ONCE_PER_TASK = {"task", "system"}
CHOICE = "(ARRAY['A>B','A>B','A>B','A=B','A<B','A>>B'])[1 + mod(abs(hashint8(t.id * 31 + i::bigint)), 6)]"
# What differs between copies, besides ids: i numbers the sentence, n the task.
CHANGED = {
    ("task", "slug"): "'growth-' || n",
    ("task", "name"): "'Growth ' || n",
    ("task", "digest"): "md5('task' || n)",
    ("item", "key"): "i::text",
    ("item", "position"): f"mod(i, {PER_TASK})",
    ("item", "source"): "t.source || ' ' || i",
    ("candidate", "digest"): "md5(t.digest || i)",
    ("phrasepair", "key"): "md5(t.key || i)",
    ("slot", "position"): f"mod(i, {PER_TASK})",
    ("assignment", "token"): "substr(md5(t.token || i), 1, 20)",
    ("assignment", "number"): "i + 1",
    ("ranking", "uuid"): "md5(t.uuid::text || i)::uuid",
    ("ranking", "choice"): CHOICE,
}


@dataclass(frozen=True, slots=True)
class Point:
    what: str
    rankings: int
    seconds: float
    megabytes: int
    note: str = ""


def measure_growth(most: int, measured: Sequence[str], tell: Callable[[Point], None]) -> list[Point]:
    """The measurements at every power of ten up to ``most``."""
    points: list[Point] = []
    with tempfile.TemporaryDirectory(prefix="appraise-growth-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        home, data = folder / "home", folder / "pgdata"
        home.mkdir(mode=0o700)
        data.mkdir(mode=0o700)
        give_to_postgres(data)
        cluster = Cluster(data)
        cluster.initialise()
        cluster.start("fsync=off", "max_wal_size=4GB", "shared_buffers=1GB", "work_mem=64MB")
        try:
            site = environment(home, cluster.url)
            run_part(site, "prepare", folder)
            store = Store(POSTGRESQL, cluster.url)
            copier = Copier(store)
            size = 10_000
            while size <= most:
                started = time.monotonic()
                copier.grow(size)
                point = Point("generate", size, round(time.monotonic() - started, 1), 0)
                tell(point)
                for what in measured:
                    point = run_part(site, what, folder, copier.rankings())
                    tell(point)
                    points.append(point)
                size *= 10
        finally:
            cluster.stop("immediate")
    return points


class Copier:
    """Copies the rows of the imported sentence, which are the only ones when this is made."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.sentences = 1
        self.strides = {name: store.number(f"SELECT max(id) FROM evaluation_{name}") for name in TABLES}
        # What the product makes from now on is beyond all copies.
        self.store.change(
            *(
                f"SELECT setval(pg_get_serial_sequence('evaluation_{name}', 'id'), {BEYOND})"
                for name in TABLES
            )
        )
        self.references = {
            (table.removeprefix("evaluation_"), column): other.removeprefix("evaluation_")
            for table, column, other, _ in store.rows(FOREIGN_KEYS)
        }

    def rankings(self) -> int:
        return self.sentences * PER_SENTENCE

    def grow(self, rankings: int) -> None:
        wanted = math.ceil(rankings / PER_SENTENCE)
        if wanted <= self.sentences:
            return
        statements = [self._copy(name, self.sentences, wanted) for name in TABLES]
        self.store.change("SET session_replication_role = replica", *statements)
        self.store.administer("VACUUM ANALYZE")
        self.sentences = wanted

    def _copy(self, name: str, first: int, last: int) -> str:
        """The statement that makes the rows of the sentences from ``first`` to before ``last``."""
        columns = [
            column
            for (column,) in self.store.rows(
                "SELECT column_name FROM information_schema.columns"
                f" WHERE table_name = 'evaluation_{name}' ORDER BY ordinal_position"
            )
        ]
        values = [self._value(name, column) for column in columns]
        numbers = f"SELECT i, i / {PER_TASK} AS n FROM generate_series({first}, {last - 1}) AS i"
        if name in ONCE_PER_TASK:
            numbers = f"SELECT n * {PER_TASK} AS i, n FROM generate_series({(first - 1) // PER_TASK + 1},"
            numbers += f" {(last - 1) // PER_TASK}) AS n"
        quoted = ", ".join(f'"{column}"' for column in columns)
        return (
            f"INSERT INTO evaluation_{name} ({quoted})"
            f" SELECT {', '.join(values)} FROM ({numbers}) AS numbers,"
            f" (SELECT * FROM evaluation_{name} WHERE id <= {self.strides[name]}) AS t"
        )

    def _value(self, name: str, column: str) -> str:
        if changed := CHANGED.get((name, column)):
            return changed
        other = name if column == "id" else self.references.get((name, column), "")
        if other == "annotator":
            return f"1 + mod(t.{column} - 1 + 3 * i, {ANNOTATORS})"
        if other in self.strides:
            return f't."{column}" + {self.strides[other]} * {"n" if other in ONCE_PER_TASK else "i"}'
        return f't."{column}"'


def run_part(site: dict[str, str], what: str, folder: Path, rankings: int = 0) -> Point:
    """One measurement in a process of its own, with its largest memory."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "endurance.growth_parts", what, str(folder)],
            cwd=ROOT, env=site, stdout=output, stderr=errors,
        )  # fmt: skip
        usage = None
        until = time.monotonic() + LIMIT
        while usage is None:
            pid, status, found = os.wait4(process.pid, os.WNOHANG)
            if pid:
                usage = found
            elif time.monotonic() > until:
                process.kill()
            else:
                time.sleep(0.05)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        lines = output.read().splitlines()
        if process.returncode or not lines:
            text = errors.read()
            last = (text.strip().splitlines() or [f"exit status {process.returncode}"])[-1]
            if what == "prepare":
                raise RuntimeError(text)
            return Point(what, rankings, float("nan"), usage.ru_maxrss // 1024, last[:200])
        return Point(what, rankings, float(json.loads(lines[-1])), usage.ru_maxrss // 1024)


def fit_exponent(points: list[tuple[float, float]]) -> float:
    """The slope of a line through the logarithms: 1 is linear growth.

    >>> round(fit_exponent([(10, 3), (100, 30), (1000, 300)]), 2)
    1.0
    """
    logs = [(math.log10(x), math.log10(y)) for x, y in points if y > 0]
    if len(logs) < 2:
        return float("nan")
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    above = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return float(above / spread)


def free_space() -> float:
    """Gigabytes for temporary files."""
    return shutil.disk_usage(tempfile.gettempdir()).free / 1e9
