"""Read a bundle back into a study, and verify it: check its digests and recompute every table."""

from __future__ import annotations

import csv
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from math import isclose
from pathlib import Path
from typing import IO, Any

import numpy as np

from appraise.lib.digests import pieces_digest
from appraise.lib.problems import InputError, Problem
from appraise.lib.streams import convert_read_errors
from appraise.lib.tables import Table, to_csv
from evaluation.exporters.bundle import FORMAT, VERSION, sign_manifest
from evaluation.study import Study, StudyTask, SystemPairs
from evaluation.study.systems import pair_systems
from evaluation.study.tables import build_study_tables
from evaluation.study.values import CODE_OF, NO_CHECK, NO_TIME, find_latest

# Exceptions of ``zipfile`` for a member with damaged bytes.
DAMAGED = (OSError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error)
MAX_BYTES = 8 * 1024**3  # of one member, uncompressed
REQUIRED = ("signature", "summary", "tasks", "annotators", "files")
WITHDRAWN = -1
REMEDY = "name a file that `export --format bundle` made"
RELATIVE, ABSOLUTE = 1e-9, 1e-12  # another processor may add in another order, so the last digits may differ

Row = dict[str, Any]  # Any: JSON
PairCodes = dict[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class BundleCheck:
    """The result of a verification, with every difference as a message."""

    signature: str
    files: int
    tables: int
    rankings: int
    differences: tuple[str, ...]

    @property
    def is_valid(self) -> bool:
        return not self.differences


@dataclass(slots=True)
class Bundle:
    """An open bundle; every defect of its form raises ``InputError``."""

    archive: zipfile.ZipFile
    manifest: Row
    name: str

    @classmethod
    def open(cls, path: Path) -> Bundle:
        try:
            with convert_read_errors(path):
                archive = zipfile.ZipFile(path)
            manifest = json.loads(archive.read("manifest.json"))
        except (*DAMAGED, KeyError, ValueError) as error:
            message = f"cannot be read: {error}"
            raise InputError.of("not_a_bundle", message, REMEDY, str(path)) from error
        problem = _check_manifest(manifest)
        if problem is not None:
            raise InputError.of(*problem, str(path))
        return cls(archive, manifest, str(path))

    def find_damaged(self) -> list[str]:
        """Members whose digest differs from the manifest, or that are missing from either."""
        listed: dict[str, Row] = self.manifest["files"]
        present = set(self.archive.namelist()) - {"manifest.json"}
        return sorted(set(listed) ^ present) + [
            name for name in sorted(set(listed) & present) if self._digest(name) != listed[name]["sha256"]
        ]

    def read_text(self, name: str) -> str:
        with self._open(name) as member:
            return member.read().decode()

    def read_rows(self, name: str) -> Iterator[Row]:
        with self._open(f"data/{name}.jsonl") as member:
            for number, line in enumerate(member, 1):
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise InputError.of("not_json", str(error), file=name, line=number) from error
                if not isinstance(row, dict):
                    raise InputError.of("not_json", "expected an object", file=name, line=number)
                yield row

    def _digest(self, name: str) -> str:
        with self._open(name) as member:
            return pieces_digest(iter(lambda: member.read(1 << 20), b""))

    @contextmanager
    def _open(self, name: str) -> Iterator[IO[bytes]]:
        try:
            info = self.archive.getinfo(name)
        except KeyError as error:
            message = f"{name} is not in the bundle"
            raise InputError.of("missing_member", message, file=self.name) from error
        if info.file_size > MAX_BYTES:
            raise InputError.of("too_large", f"{name} has {info.file_size:,} bytes", file=self.name)
        try:
            with self.archive.open(info) as member:
                yield member
        except DAMAGED as error:
            message = f"{name} cannot be unpacked ({error})"
            raise InputError.of("damaged_member", message, "fetch the bundle again", self.name) from error


def _check_manifest(manifest: Any) -> tuple[str, str, str] | None:  # Any: JSON
    """Return code, message and remedy of the first problem."""
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        return "not_a_bundle", "the manifest is not that of an Appraise bundle", REMEDY
    version = manifest.get("version")
    if version == 1:
        message = "version 1 was written by an earlier development version of Appraise"
        return "bundle_version", message, "only that earlier development version can verify it"
    if version != VERSION:
        return "bundle_version", f"version {version!r} is unknown", "verify it with the Appraise that made it"
    if missing := [name for name in REQUIRED if name not in manifest]:
        return "not_a_bundle", f"the manifest lacks {', '.join(missing)}", REMEDY
    return None


def verify_bundle(path: Path) -> BundleCheck:
    """Check digests, signature and tables; raises ``InputError`` if the file is no bundle."""
    bundle = Bundle.open(path)
    with bundle.archive:
        differences = [f"{name}: its content is not what the manifest says" for name in bundle.find_damaged()]
        if bundle.manifest["signature"] != sign_manifest(bundle.manifest):
            differences.append("signature: does not belong to these files")
        try:
            study, system_pairs = read_study(bundle)
        except InputError as error:  # damaged files are the cause, so they are reported first
            damaged = [Problem("damaged", difference, file=bundle.name) for difference in differences]
            raise InputError([*damaged, *error.problems]) from error
        tables = build_study_tables(study, system_pairs)
        differences += _compare_tables(bundle, tables)
    manifest = bundle.manifest
    return BundleCheck(
        str(manifest["signature"]), len(manifest["files"]), len(tables), len(study), tuple(differences)
    )


def _compare_tables(bundle: Bundle, tables: Mapping[str, Table]) -> list[str]:
    computed = {f"tables/{name}.csv": table for name, table in tables.items()}
    files = bundle.manifest["files"]
    stored = {name for name in files if name.startswith("tables/") and name.endswith(".csv")}
    differences = [f"{name}: only in the bundle" for name in sorted(stored - set(computed))]
    differences += [f"{name}: missing" for name in sorted(set(computed) - stored)]
    for name in sorted(stored & set(computed)):
        cells = find_cell_differences(bundle.read_text(name), to_csv(computed[name]))
        differences += [f"{name}: {difference}" for difference in cells]
    return differences


def find_cell_differences(stored: str, computed: str) -> list[str]:
    """Compare two tables by line and column; numbers may differ in their last digits only.

    >>> find_cell_differences("a,b\\n1,0.5\\n", "a,b\\n1,0.50000000000001\\n")
    []
    >>> find_cell_differences("a\\n1\\n", "a\\n2\\n")
    ['line 2, column 1: 1 stored, 2 computed']
    """
    old, new = (list(csv.reader(StringIO(text))) for text in (stored, computed))
    if [len(row) for row in old] != [len(row) for row in new]:
        return [f"{len(old)} rows stored, {len(new)} computed, or of other lengths"]
    return [
        f"line {line}, column {column}: {old_cell or 'nothing'} stored, {new_cell or 'nothing'} computed"
        for line, (old_row, new_row) in enumerate(zip(old, new, strict=True), 1)
        for column, (old_cell, new_cell) in enumerate(zip(old_row, new_row, strict=True), 1)
        if not _are_equal(old_cell, new_cell)
    ]


def _are_equal(stored: str, computed: str) -> bool:
    if stored == computed:
        return True
    try:
        return isclose(float(stored), float(computed), rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except ValueError:
        return False


def read_study(bundle: Bundle) -> tuple[Study, SystemPairs]:
    """Read the study of a bundle in the order in which it was written, so that resamples are the same.

    Inconsistent data raise ``InputError``.
    """
    try:
        return _read_study(bundle)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        reason = f"{error.args[0]!r} is not defined" if isinstance(error, KeyError) else str(error)
        message = f"the data are inconsistent: {reason}"
        raise InputError.of("bad_bundle", message, REMEDY, bundle.name) from error


def _read_study(bundle: Bundle) -> tuple[Study, SystemPairs]:
    tasks = tuple(StudyTask(t["slug"], t["name"], t["scheme"]) for t in bundle.manifest["tasks"])
    task_codes = {task.slug: code for code, task in enumerate(tasks)}
    pairs = list(bundle.read_rows("pairs"))
    pair_codes = {(pair["task"], pair["pair"]): code for code, pair in enumerate(pairs)}
    item_codes, system_pairs = _read_system_pairs(bundle, pair_codes)
    sentences = np.array([item_codes[pair["task"], pair["item"]] for pair in pairs], dtype=np.int64)
    annotators = sorted(bundle.manifest["annotators"])
    annotator_codes = {name: code for code, name in enumerate(annotators)}
    rankings = sorted(bundle.read_rows("rankings"), key=lambda row: int(row["order"]))
    rows = [_code_ranking(row, pair_codes, annotator_codes) for row in rankings]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 7).T
    latest = find_latest([columns[0], columns[1], columns[2]])
    current = latest[(columns[3, latest] != WITHDRAWN) & (columns[0, latest] >= 0)]
    annotator, pair, presentation, label, swapped, surplus, active_ms = columns[:, current]
    study = Study(
        tasks=tasks,
        annotator_names=tuple(annotators),
        annotators=annotator,
        pairs=pair,
        presentations=presentation,
        labels=label.astype(np.int8),
        swapped=swapped.astype(bool),
        surplus=surplus.astype(bool),
        active_ms=active_ms,
        pair_keys=tuple(row["pair"] for row in pairs),
        pair_tasks=np.array([task_codes[row["task"]] for row in pairs], dtype=np.int64),
        pair_sentences=np.unique(sentences, return_inverse=True)[1].reshape(-1),
        expected=np.array(
            [NO_CHECK if row["expected"] is None else CODE_OF[row["expected"]] for row in pairs],
            dtype=np.int8,
        ),
    )
    return study, system_pairs


def _code_ranking(row: Row, pair_codes: PairCodes, annotator_codes: dict[str, int]) -> tuple[int, ...]:
    """(annotator, pair, presentation, label, swapped, surplus, active time); a voter is annotator −1."""
    return (
        annotator_codes.get(row["annotator"], -1),
        pair_codes[row["task"], row["pair"]],
        row["presentation"],
        WITHDRAWN if row["label"] is None else CODE_OF[row["label"]],
        row["left"] == "second",
        row["surplus"],
        NO_TIME if row["active_ms"] is None else row["active_ms"],
    )


def _read_system_pairs(bundle: Bundle, pair_codes: PairCodes) -> tuple[PairCodes, SystemPairs]:
    """Return the codes of items by (task, item), and the systems of every occurrence.

    Occurrences are those of the latest alignment of each comparison that is no attention check.
    """
    names = tuple(sorted({name for task in bundle.manifest["tasks"] for name in task["systems"]}))
    system_codes = {name: code for code, name in enumerate(names)}
    item_codes: PairCodes = {}
    candidate_codes: dict[tuple[str, str, str], int] = {}
    outputs: list[tuple[int, int]] = []
    for row in bundle.read_rows("items"):
        item_codes[row["task"], row["item"]] = len(item_codes)
        for candidate in row["candidates"]:
            key = row["task"], row["item"], candidate["text"]
            code = candidate_codes.setdefault(key, len(candidate_codes))
            outputs += [(code, system_codes[system]) for system in candidate["systems"]]
    rows = []
    for row in bundle.read_rows("comparisons"):
        task, item = row["task"], row["item"]
        if row["check"] or not row["alignments"]:
            continue
        sides = [candidate_codes[task, item, row[side]] for side in ("first", "second")]
        for _, pair, is_flipped in row["alignments"][-1]["occurrences"]:
            first, second = reversed(sides) if is_flipped else sides
            rows.append((pair_codes[task, pair], item_codes[task, item], first, second))
    pairs, items, firsts, seconds = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    sentences = np.unique(items, return_inverse=True)[1].reshape(-1)
    table = np.array(outputs, dtype=np.int64).reshape(-1, 2).T
    return item_codes, pair_systems(pairs, sentences, firsts, seconds, table, names)
