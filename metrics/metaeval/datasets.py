"""Reads judged translation sets: texts, outputs and human judgements.

One set is a handful of UTF-8 files, plain or gzipped, with tab-separated columns named in a header line:

| file | columns |
|---|---|
| segments | ``seg``, ``source``, one or more ``ref…``, optional ``document`` |
| outputs | ``system``, ``seg``, ``translation`` |
| rankings (JSON lines) | ``{"seg": 7, "items": [[["sys1", "sys2"], 1], [["sys3"], null]]}``, rank 1 is best |
| pairs | ``seg``, ``better``, ``worse`` |
| scores | ``system``, ``seg``, a score column, optional ``translation`` |
| judged | ``source``, ``ref…``, ``translation`` and a score in one row, optional ``system``, ``seg`` |

A *cell* is the translation of one segment by one system. Judgements are arrays of cell numbers. A file with a
problem is refused as a whole, with the positions of its problems; no row is skipped silently.
"""

from __future__ import annotations

import itertools
import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from appraise.lib.digests import pieces_digest
from appraise.lib.problems import InputError, Problem, ProblemLog
from appraise.lib.streams import read_lines
from appraise.lib.tables import TsvReader, read_score
from metrics.base import Segment

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


class DatasetCell(NamedTuple):
    """The translation of one segment by one system."""

    system: str
    segment: str
    translation: str


@dataclass(frozen=True, slots=True)
class Text:
    """Source and references of a segment; empty references are left out."""

    source: str
    references: tuple[str, ...]
    document: str = ""
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Texts in the order of the file, and the cells that translate them."""

    texts: dict[str, Text]
    cells: tuple[DatasetCell, ...]
    reference_names: tuple[str, ...] = ()

    def numbers(self) -> dict[tuple[str, str], int]:
        """Return the cell numbers by (system, segment)."""
        return {(cell.system, cell.segment): number for number, cell in enumerate(self.cells)}

    def segment_codes(self) -> IntArray:
        """Return the position of the segment of every cell in the file of texts."""
        position = {segment: code for code, segment in enumerate(self.texts)}
        return np.array([position[cell.segment] for cell in self.cells], dtype=np.int64)

    def segment(self, cell: int) -> Segment:
        """A cell as metrics score it, with the references and the source of its segment."""
        _, name, translation = self.cells[cell]
        return Segment(translation, self.texts[name].references, self.texts[name].source)

    def systems(self) -> dict[str, IntArray]:
        """Return the cells of each system, in order of appearance."""
        cells_of: dict[str, list[int]] = {}
        for number, cell in enumerate(self.cells):
            cells_of.setdefault(cell.system, []).append(number)
        return {system: np.array(numbers, dtype=np.int64) for system, numbers in cells_of.items()}


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Pairwise judgements: cell ``better[i]`` won against ``worse[i]``; ``tied`` has two columns."""

    better: IntArray
    worse: IntArray
    tied: IntArray = field(default_factory=lambda: np.empty((0, 2), np.int64))


@dataclass(frozen=True, slots=True)
class Ratings:
    """Absolute judgements, higher is better: ``values[i]`` is that of cell ``cells[i]``."""

    cells: IntArray
    values: FloatArray


def restrict_cells(
    dataset: Dataset, human: Comparisons | Ratings, kept: IntArray
) -> tuple[Dataset, Comparisons | Ratings]:
    """Return some cells, in ascending order, with the judgements that are about them alone."""
    place = np.full(len(dataset.cells), -1)
    place[kept] = np.arange(len(kept))
    cells = tuple(dataset.cells[number] for number in kept.tolist())
    texts = {cell.segment: dataset.texts[cell.segment] for cell in cells}
    part = Dataset(texts, cells, dataset.reference_names)
    if isinstance(human, Ratings):
        numbers = place[human.cells]
        return part, Ratings(numbers[numbers >= 0], human.values[numbers >= 0])
    decided = np.stack([place[human.better], place[human.worse]])
    better, worse = decided[:, (decided >= 0).all(axis=0)]
    tied = place[human.tied]
    return part, Comparisons(better, worse, tied[(tied >= 0).all(axis=1)])


@dataclass(frozen=True, slots=True)
class JudgedTexts:
    """A file with texts and score in one row; ``groups`` has the group of each cell."""

    dataset: Dataset
    ratings: Ratings
    groups: tuple[str, ...]

    def group(self, name: str) -> tuple[Dataset, Comparisons | Ratings]:
        """Return the texts and ratings of one group."""
        members = np.flatnonzero(np.array(self.groups) == name)
        return restrict_cells(self.dataset, self.ratings, members)


@dataclass(frozen=True, slots=True)
class SetFiles:
    """The files of one set: ``PREFIX.segments.tsv.gz`` and so on, in one folder."""

    segments: Path
    outputs: Path
    rankings: Path | None
    pairs: Path | None

    def all(self) -> tuple[Path, ...]:
        return tuple(path for path in (self.segments, self.outputs, self.rankings, self.pairs) if path)


def add_set_options(parser: ArgumentParser, *, help_set: str, help_references: str) -> None:
    """Add the options by which ``train`` finds judged sets: ``--set``, or the files of one set."""
    parser.add_argument("--set", action="append", default=[], metavar="DIR/PREFIX", help=help_set)
    for name in ("segments", "outputs", "rankings", "pairs"):
        parser.add_argument(f"--{name}", metavar="FILE")
    several: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}  # Any: argparse's values
    parser.add_argument("--references", **several, metavar="FILE", help=help_references)


def named_files(options: Mapping[str, Any]) -> SetFiles | None:  # Any: argparse's values
    """The files of the set that is named file by file (``add_set_options``), if there is one."""
    files = {
        name: options[name] and Path(options[name]) for name in ("segments", "outputs", "rankings", "pairs")
    }
    if not any(files.values()):
        return None
    if not (files["segments"] and files["outputs"]):
        raise InputError.of("missing_file", "--segments and --outputs belong together", "give both")
    return SetFiles(**files)


def find_set(prefix: str | Path) -> SetFiles:
    """Find the files of ``DIR/PREFIX``; segments and outputs must exist, rankings precede pairs."""
    files = {name: _find_file(prefix, name) for name in ("segments.tsv", "outputs.tsv")}
    if missing := [name for name, path in files.items() if path is None]:
        raise InputError(
            Problem(
                "missing_file", f"there is no {name}, plain or gzipped", "name DIR/PREFIX", f"{prefix}.{name}"
            )
            for name in missing
        )
    segments, outputs = filter(None, files.values())
    rankings = _find_file(prefix, "rankings.jsonl")
    return SetFiles(segments, outputs, rankings, None if rankings else _find_file(prefix, "pairs.tsv"))


def files_of(name: str) -> tuple[Path, ...]:
    """Return the files of a set: those of ``DIR/PREFIX``, or the only file."""
    return (Path(name),) if Path(name).is_file() else find_set(name).all()


def read_set(prefix: str | Path) -> tuple[Dataset, Comparisons]:
    """Read the set ``DIR/PREFIX`` with its human judgements."""
    files = find_set(prefix)
    dataset = read_dataset(files.segments, files.outputs)
    return dataset, read_human(files, dataset)


def read_dataset(segments: str | Path, outputs: str | Path) -> Dataset:
    """Read texts and outputs; every output must translate a known segment, once per system."""
    texts, names = read_texts(segments)
    return Dataset(texts, _read_cells(Path(outputs), texts), names)


def read_texts(path: str | Path) -> tuple[dict[str, Text], tuple[str, ...]]:
    """Read the segments file: texts by segment id, and the names of the reference columns."""
    texts: dict[str, Text] = {}
    table = TsvReader(path, ("seg", "source"))
    names = tuple(name for name in table.header if name.startswith("ref"))
    for line, row in table:
        if row["seg"] in texts:
            message = f"two segments have the id {row['seg']!r}"
            table.log.add("duplicate_id", message, "give each its own id", line)
        references = tuple(row[name] for name in names if row[name].strip())
        texts[row["seg"]] = Text(row["source"], references, row.get("document", ""))
    return texts, names


def read_rankings(path: str | Path, dataset: Dataset) -> Comparisons:
    """Read rankings as all their pairs: five systems give ten.

    Systems that share an item were shown as one text and are not compared with each other. An item without a
    rank (null) gives no pair.
    """
    decided: list[tuple[int, int]] = []
    tied: list[tuple[int, int]] = []
    for ranking in read_ranked_items(path, dataset):
        for (left, left_rank), (right, right_rank) in itertools.combinations(ranking.items, 2):
            for pair in itertools.product(left, right):
                if left_rank == right_rank:
                    tied.append(pair)
                else:
                    decided.append(pair if left_rank < right_rank else pair[::-1])
    return _comparisons(decided, tied)


class RankedItems(NamedTuple):
    """One judge's ranks of the texts of a segment; the cells of an item were shown as one text."""

    judge: str
    items: list[tuple[list[int], int]]


def read_ranked_items(path: str | Path, dataset: Dataset) -> list[RankedItems]:
    """Read rankings as they are, without the items that have no rank."""
    numbers, problems = dataset.numbers(), ProblemLog(path)
    rankings = [_read_ranking(text, line, numbers, problems) for line, text in read_lines(path)]
    problems.raise_if_any()
    return rankings


def read_pairs(path: str | Path, dataset: Dataset) -> Comparisons:
    """Read decisive pairs, one per line."""
    numbers, table = dataset.numbers(), TsvReader(path, ("seg", "better", "worse"))
    pairs: list[tuple[int, int]] = []
    for line, row in table:
        better, worse = (
            _find_cell(row[side], row["seg"], numbers, line, table.log) for side in ("better", "worse")
        )
        if row["better"] == row["worse"]:
            message = f"{row['better']!r} is compared with itself"
            table.log.add("self_pair", message, "remove the line", line)
        if better is not None and worse is not None:
            pairs.append((better, worse))
    return _comparisons(pairs, [])


def read_human(files: SetFiles, dataset: Dataset) -> Comparisons:
    """Read the human judgements of a set; ``InputError`` if there are none."""
    if files.rankings:
        return read_rankings(files.rankings, dataset)
    if files.pairs:
        return read_pairs(files.pairs, dataset)
    message = "the set has neither rankings nor pairs"
    raise InputError.of("no_judgements", message, "give --rankings or --pairs", files.outputs.name)


def read_scores(
    path: str | Path, segments: str | Path, outputs: str | Path | None = None, *, column: str | None = None
) -> tuple[Dataset, Ratings]:
    """Read scores by system and segment; translations come from ``outputs`` or from the scores file.

    ``column`` may be omitted if there is only one candidate. A row with an empty score is a cell without a
    judgement.
    """
    column = column or only_score_column(path, ("system", "seg", "translation"))
    texts, names = read_texts(segments)
    values = []
    table = TsvReader(path, ("system", "seg", column, *(() if outputs else ("translation",))))
    cells = _read_cells(Path(outputs or path), texts)
    dataset = Dataset(texts, cells, names)
    numbers = dataset.numbers()
    for line, row in table:
        cell = _find_cell(row["system"], row["seg"], numbers, line, table.log)
        value = read_score(row[column], column, line, table.log)
        if cell is not None and value is not None:
            values.append((cell, value))
    return dataset, _ratings(values)


def read_judged(path: str | Path, *, column: str, by: str | None = None) -> JudgedTexts:
    """Read a file whose rows have everything; equal source, references and group make one segment."""
    required = ("source", "translation", column, *((by,) if by else ()))
    table = TsvReader(path, required)
    names = tuple(name for name in table.header if name.startswith("ref"))
    texts: dict[str, Text] = {}
    ids: dict[tuple[str, ...], str] = {}
    cells: list[DatasetCell] = []
    groups: list[str] = []
    values: list[tuple[int, float]] = []
    for line, row in table:
        group = row[by] if by else ""
        references = tuple(row[name] for name in names if row[name].strip())
        segment = ids.setdefault((group, row["source"], *references), str(len(ids) + 1))
        texts.setdefault(segment, Text(row["source"], references, row.get("document", "")))
        value = read_score(row[column], column, line, table.log)
        if value is not None:
            values.append((len(cells), value))
        system = row.get("system", "")
        cells.append(DatasetCell(f"{group}/{system}" if by else system, segment, row["translation"]))
        groups.append(group)
    return JudgedTexts(Dataset(texts, tuple(cells), names), _ratings(values), tuple(groups))


def only_score_column(path: str | Path, known: Sequence[str]) -> str:
    """Return the only column that is not ``known``; ``InputError`` if there are several, or none."""
    others = [name for name in TsvReader(path, ()).header if name not in known]
    if len(others) == 1:
        return others[0]
    choice = f"choose one of: {', '.join(others)}" if others else "add a column with the score"
    raise InputError.of("bad_header", "the column of the scores is ambiguous", choice, Path(path).name, 1)


def digest(paths: Sequence[str | Path]) -> str:
    """Return the SHA-256 of the unpacked content of files, so that compression does not change it."""
    return pieces_digest(line.encode() + b"\n" for path in paths for _, line in read_lines(path))


def _read_cells(path: Path, texts: dict[str, Text]) -> tuple[DatasetCell, ...]:
    cells: dict[tuple[str, str], DatasetCell] = {}
    table = TsvReader(path, ("system", "seg", "translation"))
    for line, row in table:
        key = row["system"], row["seg"]
        if row["seg"] not in texts:
            message = f"segment {row['seg']!r} is not in the segments file"
            table.log.add("unknown_segment", message, "add it", line)
        if key in cells:
            message = f"{key[0]!r} translates segment {key[1]!r} twice"
            table.log.add("duplicate_system", message, "keep one", line)
        cells[key] = DatasetCell(*key, row["translation"])
    if not cells:
        table.log.add("no_items", "the file has no translation", "give at least one row")
        table.log.raise_if_any()
    return tuple(cells.values())


def _read_ranking(
    text: str, line: int, numbers: dict[tuple[str, str], int], problems: ProblemLog
) -> RankedItems:
    nothing = RankedItems("", [])
    try:
        ranking = json.loads(text)
        segment, judge = str(ranking["seg"]), str(ranking.get("judge") or "")
        items = [(_names(systems), rank) for systems, rank in ranking["items"] if rank is not None]
    except (ValueError, TypeError, KeyError, RecursionError):
        remedy = 'write {"seg": …, "items": [[[system, …], rank], …]}'
        problems.add("json_syntax", "the line is not a ranking", remedy, line)
        return nothing
    if any(isinstance(rank, bool) or not isinstance(rank, int) for _, rank in items):
        problems.add("bad_number", "a rank is not a whole number", "write 1, 2, … or null", line)
        return nothing
    named = [system for systems, _ in items for system in systems]
    if twice := next((system for system in named if named.count(system) > 1), None):
        problems.add("self_pair", f"{twice!r} is ranked twice", "name each system once in a ranking", line)
        return nothing
    cells = {system: _find_cell(system, segment, numbers, line, problems) for system in named}
    return RankedItems(
        judge,
        [([cell for name in names if (cell := cells[name]) is not None], rank) for names, rank in items],
    )


def _names(systems: object) -> list[str]:
    """Return the names; a plain string would be read as its letters."""
    if not isinstance(systems, list):
        raise TypeError(f"expected a list of systems, found {systems!r}")
    return [str(system) for system in systems]


def _find_cell(
    system: str, segment: str, numbers: dict[tuple[str, str], int], line: int, problems: ProblemLog
) -> int | None:
    number = numbers.get((system, segment))
    if number is None:
        message = f"{system!r} has no translation of segment {segment!r}"
        problems.add("missing_output", message, "add it to the outputs file", line)
    return number


def _comparisons(decided: list[tuple[int, int]], tied: list[tuple[int, int]]) -> Comparisons:
    better, worse = np.array(decided, dtype=np.int64).reshape(-1, 2).T
    return Comparisons(better, worse, np.array(tied, dtype=np.int64).reshape(-1, 2))


def _ratings(values: list[tuple[int, float]]) -> Ratings:
    cells, numbers = np.array(values, dtype=np.float64).reshape(-1, 2).T
    return Ratings(cells.astype(np.int64), numbers.copy())


def _find_file(prefix: str | Path, name: str) -> Path | None:
    candidates = (Path(f"{prefix}.{name}{packed}") for packed in ("", ".gz"))
    return next((path for path in candidates if path.is_file()), None)
