"""Readers for judged translation sets: texts, outputs and human judgements.

One set is a handful of UTF-8 files, plain or gzipped, with tab-separated columns named in a header line:

| file | columns |
|---|---|
| segments | ``seg``, ``source``, one or more ``ref…``, optional ``document`` |
| outputs | ``system``, ``seg``, ``translation`` |
| rankings (JSON lines) | ``{"seg": 7, "items": [[["sys1", "sys2"], 1], [["sys3"], null]]}``, rank 1 is best |
| pairs | ``seg``, ``better``, ``worse`` |
| scores | ``system``, ``seg``, a score column, optional ``translation`` |
| judged | ``source``, ``ref…``, ``translation`` and a score in one row, optional ``system``, ``seg`` |

A *cell* is one system's translation of one segment. Everything downstream is an array over cells, so every
judgement is read into cell numbers here, once. A file that cannot be understood is refused whole, with the
places of its first faults; nothing is skipped silently.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.problems import InputError, Problem
from metrics.tables import Faults, Table, lines

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


class Cell(NamedTuple):
    """One system's translation of one segment."""

    system: str
    segment: str
    translation: str


@dataclass(frozen=True, slots=True)
class Text:
    """Source and references of a segment; an absent reference is left out."""

    source: str
    references: tuple[str, ...]
    document: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Texts in file order, and the cells that translate them."""

    texts: dict[str, Text]
    cells: tuple[Cell, ...]
    reference_names: tuple[str, ...] = ()

    def numbers(self) -> dict[tuple[str, str], int]:
        """Cell numbers by (system, segment)."""
        return {(cell.system, cell.segment): number for number, cell in enumerate(self.cells)}

    def segment_codes(self) -> IntArray:
        """For every cell the position of its segment in the file of texts."""
        position = {segment: code for code, segment in enumerate(self.texts)}
        return np.array([position[cell.segment] for cell in self.cells], dtype=np.int64)

    def systems(self) -> dict[str, IntArray]:
        """The cells of each system, systems in order of appearance."""
        found: dict[str, list[int]] = {}
        for number, cell in enumerate(self.cells):
            found.setdefault(cell.system, []).append(number)
        return {system: np.array(numbers, dtype=np.int64) for system, numbers in found.items()}


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Pairwise verdicts as cell numbers: ``better[i]`` won against ``worse[i]``; ``tied`` has two columns."""

    better: IntArray
    worse: IntArray
    tied: IntArray


@dataclass(frozen=True, slots=True)
class Ratings:
    """Absolute judgements, higher is better: ``values[i]`` belongs to cell ``cells[i]``."""

    cells: IntArray
    values: FloatArray


@dataclass(frozen=True, slots=True)
class Judged:
    """A file that carries text and score in one row; ``groups`` names each cell's group."""

    dataset: Dataset
    ratings: Ratings
    groups: tuple[str, ...]

    def group(self, name: str) -> tuple[Dataset, Ratings]:
        """The part of one group."""
        mine = [number for number, group in enumerate(self.groups) if group == name]
        place = {number: position for position, number in enumerate(mine)}
        cells = tuple(self.dataset.cells[number] for number in mine)
        used = {cell.segment for cell in cells}
        texts = {segment: text for segment, text in self.dataset.texts.items() if segment in used}
        rated = [
            (place[cell], value)
            for cell, value in zip(self.ratings.cells.tolist(), self.ratings.values.tolist(), strict=True)
            if cell in place
        ]
        return Dataset(texts, cells, self.dataset.reference_names), _ratings(rated)


@dataclass(frozen=True, slots=True)
class SetFiles:
    """The files of one set that lie beside each other as ``PREFIX.segments.tsv.gz`` and so on."""

    segments: Path
    outputs: Path
    rankings: Path | None
    pairs: Path | None

    def all(self) -> tuple[Path, ...]:
        return tuple(path for path in (self.segments, self.outputs, self.rankings, self.pairs) if path)


def find_set(prefix: str | Path) -> SetFiles:
    """The files of ``DIR/PREFIX``; segments and outputs must exist, rankings win over pairs."""
    segments, outputs = _beside(prefix, "segments.tsv"), _beside(prefix, "outputs.tsv")
    problems = [
        Problem(
            "missing_file", f"there is no {name}, plain or gzipped", "name DIR/PREFIX", f"{prefix}.{name}"
        )
        for name, path in (("segments.tsv", segments), ("outputs.tsv", outputs))
        if path is None
    ]
    if segments is None or outputs is None:
        raise InputError(problems)
    rankings = _beside(prefix, "rankings.jsonl")
    return SetFiles(segments, outputs, rankings, None if rankings else _beside(prefix, "pairs.tsv"))


def files_of(name: str) -> tuple[Path, ...]:
    """What belongs to a set: the files of ``DIR/PREFIX``, or the one file with everything inside."""
    return (Path(name),) if Path(name).is_file() else find_set(name).all()


def read_dataset(segments: str | Path, outputs: str | Path) -> Dataset:
    """Texts and outputs; every output must translate a known segment, once per system."""
    texts, names = read_texts(segments)
    return Dataset(texts, _read_cells(Path(outputs), texts), names)


def read_texts(path: str | Path) -> tuple[dict[str, Text], tuple[str, ...]]:
    """The segments file: texts by segment id, and the names of the reference columns."""
    texts: dict[str, Text] = {}
    faults = Faults(path)
    table = Table(path, ("seg", "source"))
    names = tuple(name for name in table.header if name.startswith("ref"))
    for line, row in table:
        if row["seg"] in texts:
            faults.add(
                "duplicate_id", f"segment {row['seg']!r} stands here twice", "give each its own id", line
            )
        references = tuple(row[name] for name in names if row[name].strip())
        texts[row["seg"]] = Text(row["source"], references, row.get("document", ""))
    faults.raise_if_any()
    return texts, names


def read_rankings(path: str | Path, dataset: Dataset) -> Comparisons:
    """Expand rankings into all their pairs: five systems give ten.

    Systems that share one item were shown as one text and are never compared with each other; an item
    whose rank is null was left blank and gives no pair.
    """
    numbers, faults = dataset.numbers(), Faults(path)
    better: list[int] = []
    worse: list[int] = []
    tied: list[tuple[int, int]] = []
    for line, text in lines(path):
        for left, right, order in _ranked_pairs(text, line, numbers, faults):
            if order < 0:
                better.append(left)
                worse.append(right)
            elif order > 0:
                better.append(right)
                worse.append(left)
            else:
                tied.append((left, right))
    faults.raise_if_any()
    return _comparisons(better, worse, tied)


def read_pairs(path: str | Path, dataset: Dataset) -> Comparisons:
    """Decisive pairs, one a line."""
    numbers, faults = dataset.numbers(), Faults(path)
    better: list[int] = []
    worse: list[int] = []
    for line, row in Table(path, ("seg", "better", "worse")):
        sides = [_number_of(row[side], row["seg"], numbers, line, faults) for side in ("better", "worse")]
        if row["better"] == row["worse"]:
            faults.add("self_pair", f"{row['better']!r} is compared with itself", "remove the line", line)
        if sides[0] is not None and sides[1] is not None:
            better.append(sides[0])
            worse.append(sides[1])
    faults.raise_if_any()
    return _comparisons(better, worse, [])


def read_human(files: SetFiles, dataset: Dataset) -> Comparisons:
    """The human judgements of a set; refused where there are none."""
    if files.rankings:
        return read_rankings(files.rankings, dataset)
    if files.pairs:
        return read_pairs(files.pairs, dataset)
    message = "there are no rankings and no pairs beside it"
    raise InputError(Problem("no_judgements", message, "give either", files.outputs.name))


def read_scores(
    path: str | Path, segments: str | Path, outputs: str | Path | None = None, *, column: str | None = None
) -> tuple[Dataset, Ratings]:
    """Scores by system and segment; the translations come from ``outputs`` or from the scores file itself.

    ``column`` may be left out where only one column can be meant. A row whose score is empty is a cell
    without a judgement.
    """
    column = column or only_score_column(path, ("system", "seg", "translation"))
    texts, names = read_texts(segments)
    faults, values = Faults(path), []
    table = Table(path, ("system", "seg", column) if outputs else ("system", "seg", column, "translation"))
    cells = _read_cells(Path(outputs or path), texts)
    dataset = Dataset(texts, cells, names)
    numbers = dataset.numbers()
    for line, row in table:
        number = _number_of(row["system"], row["seg"], numbers, line, faults)
        value = _score(row[column], column, line, faults)
        if number is not None and value is not None:
            values.append((number, value))
    faults.raise_if_any()
    return dataset, _ratings(values)


def read_judged(path: str | Path, *, column: str, by: str | None = None) -> Judged:
    """A file whose rows carry everything; rows with the same source, references and group are one segment."""
    wanted = ("source", "translation", column, *((by,) if by else ()))
    table, faults = Table(path, wanted), Faults(path)
    names = tuple(name for name in table.header if name.startswith("ref"))
    texts: dict[str, Text] = {}
    ids: dict[tuple[str, ...], str] = {}
    cells: list[Cell] = []
    groups: list[str] = []
    values: list[tuple[int, float]] = []
    for line, row in table:
        group = row[by] if by else ""
        references = tuple(row[name] for name in names if row[name].strip())
        segment = ids.setdefault((group, row["source"], *references), str(len(ids) + 1))
        texts.setdefault(segment, Text(row["source"], references, row.get("document", "")))
        value = _score(row[column], column, line, faults)
        if value is not None:
            values.append((len(cells), value))
        system = row.get("system", "")
        cells.append(Cell(f"{group}/{system}" if by else system, segment, row["translation"]))
        groups.append(group)
    faults.raise_if_any()
    return Judged(Dataset(texts, tuple(cells), names), _ratings(values), tuple(groups))


def only_score_column(path: str | Path, known: Sequence[str]) -> str:
    """The one column that is not ``known``; refused when there are several, or none."""
    others = [name for name in Table(path, ()).header if name not in known]
    if len(others) == 1:
        return others[0]
    choice = f"choose one of: {', '.join(others)}" if others else "add a column with the score"
    raise InputError(Problem("bad_header", "which column holds the score?", choice, Path(path).name, 1))


def digest(paths: Sequence[str | Path]) -> str:
    """SHA-256 over the named files' unpacked content, so that packing a file does not change it."""
    total = hashlib.sha256()
    for path in paths:
        for _, line in lines(path):
            total.update(line.encode() + b"\n")
    return total.hexdigest()


# --- the steps --------------------------------------------------------------------------------------------


def _read_cells(path: Path, texts: dict[str, Text]) -> tuple[Cell, ...]:
    cells: dict[tuple[str, str], Cell] = {}
    faults = Faults(path)
    for line, row in Table(path, ("system", "seg", "translation")):
        key = row["system"], row["seg"]
        if row["seg"] not in texts:
            faults.add(
                "unknown_segment", f"segment {row['seg']!r} is not in the segments file", "add it", line
            )
        if key in cells:
            faults.add(
                "duplicate_system", f"{key[0]!r} translates segment {key[1]!r} twice", "keep one", line
            )
        cells[key] = Cell(*key, row["translation"])
    if not cells:
        faults.add("no_items", "there is no translation in it", "give at least one row")
    faults.raise_if_any()
    return tuple(cells.values())


def _ranked_pairs(
    text: str, line: int, numbers: dict[tuple[str, str], int], faults: Faults
) -> Iterator[tuple[int, int, int]]:
    """Pairs (left, right, order) of one ranking; order is negative where left is better."""
    try:
        ranking = json.loads(text)
        segment = str(ranking["seg"])
        items = [(_names(systems), rank) for systems, rank in ranking["items"] if rank is not None]
    except (ValueError, TypeError, KeyError, RecursionError):
        faults.add(
            "json_syntax", "not a ranking", 'write {"seg": …, "items": [[[system, …], rank], …]}', line
        )
        return
    if any(isinstance(rank, bool) or not isinstance(rank, int) for _, rank in items):
        faults.add("bad_number", "a rank is not a whole number", "write 1, 2, … or null", line)
        return
    named = [system for systems, _ in items for system in systems]
    if twice := next((system for system in named if named.count(system) > 1), None):
        faults.add("self_pair", f"{twice!r} is ranked twice", "name each system once in a ranking", line)
        return
    placed = [
        [(_number_of(system, segment, numbers, line, faults), rank) for system in systems]
        for systems, rank in items
    ]
    for one, other in itertools.combinations(placed, 2):
        for (left, left_rank), (right, right_rank) in itertools.product(one, other):
            if left is not None and right is not None:
                yield left, right, left_rank - right_rank


def _names(systems: object) -> list[str]:
    """A bare name would be read as its letters."""
    if not isinstance(systems, list):
        raise TypeError(f"a list of systems expected, found {systems!r}")
    return [str(system) for system in systems]


def _number_of(
    system: str, segment: str, numbers: dict[tuple[str, str], int], line: int, faults: Faults
) -> int | None:
    number = numbers.get((system, segment))
    if number is None:
        message = f"{system!r} has no translation of segment {segment!r}"
        faults.add("missing_output", message, "add it to the outputs file", line)
    return number


def _score(text: str, column: str, line: int, faults: Faults) -> float | None:
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        faults.add(
            "bad_number", f"{column} is {text!r}", "write a finite number or leave the cell empty", line
        )
        return None
    return value


def _comparisons(better: list[int], worse: list[int], tied: list[tuple[int, int]]) -> Comparisons:
    return Comparisons(
        np.array(better, dtype=np.int64),
        np.array(worse, dtype=np.int64),
        np.array(tied, dtype=np.int64).reshape(-1, 2),
    )


def _ratings(values: list[tuple[int, float]]) -> Ratings:
    return Ratings(
        np.array([cell for cell, _ in values], dtype=np.int64),
        np.array([value for _, value in values], dtype=np.float64),
    )


def _beside(prefix: str | Path, name: str) -> Path | None:
    candidates = (Path(f"{prefix}.{name}{packed}") for packed in ("", ".gz"))
    return next((path for path in candidates if path.is_file()), None)
