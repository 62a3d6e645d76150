"""A replication as a value: tables whose cells hold the paper's number and ours, and what was not run.

The paper's column never depends on the data: a cell without a printed number has ``paper`` None, a cell that
could not be computed here has ``ours`` None and a line in ``missing`` that says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evaluation import release
from evaluation.problems import InputError, Problem
from metrics.datasets import digest, files_of
from metrics.replicate.printed import PAPERS

Note = Callable[[str], None]
SOFTWARE = ("appraise", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True, slots=True)
class Cell:
    """A printed number, ours, and the ends of the 95 % interval of ours where there is one."""

    paper: float | None = None
    ours: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """``digits`` after the point are shown; files keep all of ours."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    digits: int = 3
    corner: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(f"{len(self.columns)} cells expected in {row.label!r}: {len(row.cells)}")


@dataclass(frozen=True, slots=True)
class Missing:
    """A part of the paper that was not run, because …"""

    part: str
    because: str


@dataclass(frozen=True, slots=True)
class Data:
    """What was read: a name without its folder, and the SHA-256 of its content, unpacked."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Report:
    """One replication, complete enough to be checked elsewhere."""

    recipe: str
    title: str
    citation: str
    tables: tuple[Table, ...]
    missing: tuple[Missing, ...] = ()
    data: tuple[Data, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)  # Any: JSON
    signatures: dict[str, str] = field(default_factory=dict)
    software: dict[str, str | None] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:  # Any: JSON
        return asdict(self)


def from_dict(values: dict[str, Any]) -> Report:  # Any: JSON
    """A report that ``as_dict`` wrote, read again.

    >>> report = Report("r", "t", "c", (Table("x", ("a",), (Row("b", (Cell(1.0),)),)),))
    >>> from_dict(report.as_dict()) == report
    True
    """
    tables = tuple(
        Table(
            table["title"],
            tuple(table["columns"]),
            tuple(Row(row["label"], tuple(Cell(**cell) for cell in row["cells"])) for row in table["rows"]),
            tuple(table["notes"]),
            table["digits"],
            table["corner"],
        )
        for table in values["tables"]
    )
    return Report(
        **{
            **values,
            "tables": tables,
            "missing": tuple(Missing(**one) for one in values["missing"]),
            "data": tuple(Data(**one) for one in values["data"]),
        }
    )


def replication(
    recipe: str,
    tables: Iterable[Table],
    *,
    missing: Iterable[Missing] = (),
    data: Iterable[Data] = (),
    settings: Mapping[str, Any],  # Any: JSON
    signatures: Mapping[str, str] | None = None,
) -> Report:
    """The report of a recipe under the title of its paper, with the versions that made it."""
    paper = PAPERS[recipe]
    return Report(
        recipe, paper.title, paper.citation, tuple(tables), tuple(missing), tuple(data), dict(settings),
        dict(signatures or {}), software(),
    )  # fmt: skip


def data_of(name: str, files: Sequence[Path]) -> Data:
    """Name and digest of some files that belong together."""
    return Data(name, digest(files))


def data_of_sets(names: Iterable[str]) -> list[Data]:
    """The same for whole sets."""
    return [data_of(label_of(name), files_of(name)) for name in names]


def label_of(path: str | Path) -> str:
    """The last two parts of a path: which set of which collection, without saying where it lies.

    >>> label_of("/data/rr_wmt12/cs-en")
    'rr_wmt12/cs-en'
    """
    return "/".join(part for part in Path(path).parts[-2:] if part not in ("/", ".", ".."))


def software() -> dict[str, str | None]:
    """The versions that a number may depend on.

    >>> software()["appraise"] == release.version()
    True
    """
    found: dict[str, str | None] = {}
    for package in SOFTWARE:
        try:  # a checkout is not installed, and still has a version
            found[package] = release.version() if package == "appraise" else version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def needs_sets(recipe: str, sets: Sequence[str]) -> None:
    """Refuse a recipe that was given nothing to read."""
    if not sets:
        raise InputError(Problem("no_data", f"{recipe} was given no data", "name it: --set DIR/PREFIX"))
