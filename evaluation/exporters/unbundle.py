"""A bundle read back: the study as columns, so that the same functions compute the same tables."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from evaluation.exporters.bundle import FORMAT, VERSION, signature
from evaluation.problems import InputError, Problem
from evaluation.streams import readable
from evaluation.study import Meetings, Study, StudyTask
from evaluation.study.systems import meet
from evaluation.study.values import CODE_OF, NO_CHECK, NO_TIME, latest

# What the archive raises over a member whose bytes were changed.
DAMAGED = (OSError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error)
LARGEST = 8 * 1024**3  # bytes of one member, unpacked
WITHDRAWN = -1
REMEDY = "name a file that `export --format bundle` made"
Row = dict[str, Any]  # Any: JSON


@dataclass(slots=True)
class Bundle:
    """An open bundle; every fault of form is an ``InputError``."""

    archive: zipfile.ZipFile
    manifest: Row
    name: str

    @classmethod
    def open(cls, path: Path) -> Bundle:
        try:
            with readable(path):
                archive = zipfile.ZipFile(path)
            manifest = json.loads(archive.read("manifest.json"))
        except (*DAMAGED, KeyError, ValueError) as error:
            raise InputError(
                Problem("not_a_bundle", f"cannot be read: {error}", REMEDY, str(path))
            ) from error
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise InputError(Problem("not_a_bundle", "the manifest is none of ours", REMEDY, str(path)))
        if manifest.get("version") != VERSION:
            raise InputError(
                Problem(
                    "bundle_version",
                    f"version {manifest.get('version')!r} is unknown",
                    "verify it with the Appraise that made it",
                    str(path),
                )
            )
        missing = [
            name for name in ("signature", "summary", "tasks", "annotators", "files") if name not in manifest
        ]
        if missing:
            raise InputError(
                Problem("not_a_bundle", f"the manifest lacks {', '.join(missing)}", REMEDY, str(path))
            )
        return cls(archive, manifest, str(path))

    def damaged(self) -> list[str]:
        """Members whose content is not what the manifest says, or that are missing or not named there."""
        listed: dict[str, Row] = self.manifest["files"]
        present = set(self.archive.namelist()) - {"manifest.json"}
        wrong = sorted(set(listed) ^ present)
        wrong += [name for name in sorted(set(listed) & present) if self._sum(name) != listed[name]["sha256"]]
        return wrong

    def signature_holds(self) -> bool:
        """Whether the signature fits the rest of the manifest."""
        return bool(self.manifest["signature"] == signature(self.manifest))

    def text(self, name: str) -> str:
        with self._opened(name) as member:
            return member.read().decode()

    def rows(self, name: str) -> Iterator[Row]:
        with self._opened(f"data/{name}.jsonl") as member:
            for number, line in enumerate(member, 1):
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise InputError(Problem("not_json", str(error), file=name, line=number)) from error
                if not isinstance(row, dict):
                    raise InputError(Problem("not_json", "an object is expected", file=name, line=number))
                yield row

    def _sum(self, name: str) -> str:
        total = hashlib.sha256()
        with self._opened(name) as member:
            while block := member.read(1 << 20):
                total.update(block)
        return total.hexdigest()

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with self.archive.open(self._checked(name)) as member:
                yield member
        except DAMAGED as error:
            told = f"{name} cannot be unpacked ({error})"
            raise InputError(Problem("damaged_member", told, "fetch the bundle again", self.name)) from error

    def _checked(self, name: str) -> zipfile.ZipInfo:
        try:
            info = self.archive.getinfo(name)
        except KeyError as error:
            raise InputError(
                Problem("missing_member", f"{name} is not in the bundle", file=self.name)
            ) from error
        if info.file_size > LARGEST:
            raise InputError(Problem("too_large", f"{name} has {info.file_size:,} bytes", file=self.name))
        return info


def read_study(bundle: Bundle) -> tuple[Study, Meetings]:
    """The study of a bundle, in the order in which it was written: resampling then draws the same."""
    with bad_bundle(bundle):
        return _read(bundle)


@contextmanager
def bad_bundle(bundle: Bundle) -> Iterator[None]:
    """Turns any error over inconsistent data into an ``InputError``."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError) as error:
        told = f"{error.args[0]!r} is named and not there" if isinstance(error, KeyError) else str(error)
        raise InputError(
            Problem("bad_bundle", f"the data does not fit together: {told}", REMEDY, bundle.name)
        ) from error


def _read(bundle: Bundle) -> tuple[Study, Meetings]:
    tasks = tuple(StudyTask(t["slug"], t["name"], t["scheme"]) for t in bundle.manifest["tasks"])
    task_of = {task.slug: code for code, task in enumerate(tasks)}
    item_of: dict[tuple[str, str], int] = {}
    writers, systems = _writers(bundle, item_of)
    pairs = list(bundle.rows("pairs"))
    pair_of = {(pair["task"], pair["pair"]): code for code, pair in enumerate(pairs)}
    meetings = _meetings(bundle, item_of, pair_of, writers, systems)
    sentences = np.array([item_of[pair["task"], pair["item"]] for pair in pairs], dtype=np.int64)
    people = sorted(bundle.manifest["annotators"])
    code_of = {name: code for code, name in enumerate(people)}
    rows = sorted(bundle.rows("rankings"), key=lambda row: int(row["order"]))
    columns = np.array([_ranking(row, pair_of, code_of) for row in rows], dtype=np.int64).reshape(-1, 7).T
    newest = latest([columns[0], columns[1], columns[2]])
    kept = newest[(columns[3, newest] != WITHDRAWN) & (columns[0, newest] >= 0)]
    annotators, asked, presentations, labels, swapped, surplus, active = columns[:, kept]
    study = Study(
        tasks=tasks,
        annotator_names=tuple(people),
        annotators=annotators,
        pairs=asked,
        presentations=presentations,
        labels=labels.astype(np.int8),
        swapped=swapped.astype(bool),
        surplus=surplus.astype(bool),
        active_ms=active,
        pair_keys=tuple(pair["pair"] for pair in pairs),
        pair_tasks=np.array([task_of[pair["task"]] for pair in pairs], dtype=np.int64),
        pair_sentences=np.unique(sentences, return_inverse=True)[1].reshape(-1),
        expected=np.array([_expected(pair) for pair in pairs], dtype=np.int8),
    )
    return study, meetings


def _expected(pair: Row) -> int:
    return NO_CHECK if pair["expected"] is None else CODE_OF[pair["expected"]]


def _ranking(row: Row, pair_of: dict[tuple[str, str], int], code_of: dict[str, int]) -> tuple[int, ...]:
    """(annotator, pair, presentation, label, swapped, surplus, active); a machine has the annotator −1."""
    return (
        code_of.get(row["annotator"], -1),
        pair_of[row["task"], row["pair"]],
        row["presentation"],
        WITHDRAWN if row["label"] is None else CODE_OF[row["label"]],
        row["left"] == "second",
        row["surplus"],
        NO_TIME if row["active_ms"] is None else row["active_ms"],
    )


Candidates = dict[tuple[str, str, str], int]


def _writers(
    bundle: Bundle, item_of: dict[tuple[str, str], int]
) -> tuple[tuple[Candidates, list[tuple[int, str]]], tuple[str, ...]]:
    """Candidates by (task, item, text), who wrote them, and the names of all systems; numbers the items."""
    candidates: Candidates = {}
    written: list[tuple[int, str]] = []
    for row in bundle.rows("items"):
        item_of[row["task"], row["item"]] = len(item_of)
        for candidate in row["candidates"]:
            code = candidates.setdefault((row["task"], row["item"], candidate["text"]), len(candidates))
            written += [(code, system) for system in candidate["systems"]]
    named = {name for task in bundle.manifest["tasks"] for name in task["systems"]}
    return (candidates, written), tuple(sorted(named))


def _meetings(
    bundle: Bundle,
    item_of: dict[tuple[str, str], int],
    pair_of: dict[tuple[str, str], int],
    writers: tuple[Candidates, list[tuple[int, str]]],
    systems: tuple[str, ...],
) -> Meetings:
    """Occurrences in the newest alignment of each comparison that is no check."""
    candidates, written = writers
    rows = []
    for row in bundle.rows("comparisons"):
        task, item = row["task"], row["item"]
        if row["check"] or not row["alignments"]:
            continue
        sides = [candidates[task, item, row[side]] for side in ("first", "second")]
        for _, pair, flipped in row["alignments"][-1]["occurrences"]:
            first, second = reversed(sides) if flipped else sides
            rows.append((pair_of[task, pair], item_of[task, item], first, second))
    pairs, items, first_ones, second_ones = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    code_of = {name: code for code, name in enumerate(systems)}
    table = (
        np.array([(candidate, code_of[name]) for candidate, name in written], dtype=np.int64).reshape(-1, 2).T
    )
    return meet(
        pairs, np.unique(items, return_inverse=True)[1].reshape(-1), first_ones, second_ones, table, systems
    )
