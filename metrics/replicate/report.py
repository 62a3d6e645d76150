"""A replication: tables whose cells hold the printed number and ours, and the parts that were not run.

The printed numbers are facts of the papers (``printed.toml``; those of paper 001 are in
``metrics.ranking.features``) and do not depend on the data. A cell without a printed number has ``paper``
None; a cell that could not be computed has ``ours`` None, and ``missing`` gives the reason.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from appraise.lib.problems import InputError
from metrics.base import find_versions
from metrics.metaeval.datasets import Comparisons, Dataset, digest, files_of

Note = Callable[[str], None]
Printed = Mapping[str, Sequence[float]]
SOFTWARE = ("appraise", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True, slots=True)
class Paper:
    title: str
    citation: str


_PRINTED: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("printed.toml").read_text("utf-8")
)  # Any: TOML
PAPERS: Mapping[str, Paper] = {name: Paper(**about) for name, about in _PRINTED["papers"].items()}

KAPPA: tuple[tuple[float, float], ...] = tuple((kappa, prime) for kappa, prime in _PRINTED["kappa"]["tasks"])
KAPPA_AVERAGE: tuple[float, float] = (_PRINTED["kappa"]["average"][0], _PRINTED["kappa"]["average"][1])
KAPPA_SIZES: tuple[float | None, ...] = (  # tasks, sentences a task, annotators, phrase pairs, judgements
    *(_PRINTED["kappa"][name] for name in ("tasks_count", "sentences", "annotators")),
    None,
    _PRINTED["kappa"]["judgements"],
)
CORRELATIONS: Printed = _PRINTED["thesis"]["correlations"]
GRID: Mapping[str, Sequence[Sequence[float]]] = {
    name: _PRINTED["thesis"]["grid"][name] for name in ("accuracy", "pearson", "spearman")
}
META_CORRELATION: float = _PRINTED["thesis"]["grid"]["meta"]
BY_MEASURE: Mapping[str, Mapping[str, Any]] = _PRINTED["collocation"]["by_measure"]  # Any: a name and numbers
BY_METHOD: Mapping[str, Mapping[str, Any]] = _PRINTED["collocation"]["by_method"]  # Any: the same
ACCURACY: Mapping[str, Printed] = _PRINTED["collocation"]["accuracy"]
PEERS: Mapping[str, Mapping[str, float]] = _PRINTED["collocation"]["peers"]
DISCOURSE: Mapping[str, Printed] = _PRINTED["discourse"]


@dataclass(frozen=True, slots=True)
class ReplicationOptions:
    """The options of all recipes; each recipe reads its own."""

    sets: tuple[str, ...] = ()
    train: tuple[str, ...] = ()  # other sets to train on (paper-000)
    test: tuple[str, ...] = ()  # a second collection (paper-001, one set; paper-004)
    scheme: str = ""
    table: str = ""  # file of a background table (train collocations); empty: without collocations
    lm: str = ""
    lexicon: str = ""
    parser: str = "none"
    source_language: str = ""
    discourse_parser: str = "heuristic"
    syntax: bool = False  # also run the metrics that parse every judged sentence
    whole: bool = False  # score all outputs for the system level, as the paper does
    examples: int = 2000
    tested: int = 184  # sources, as in paper 001
    resamples: int = 1000
    seed: int = 1

    def __post_init__(self) -> None:
        message = ""
        if self.resamples < 0 or self.seed < 0:
            message = f"resamples and seed count from 0: {self.resamples}, {self.seed}"
        if self.examples < 4 or self.tested < 1:
            message = f"at least 4 examples and 1 tested source are needed: {self.examples}, {self.tested}"
        if message:
            raise InputError.of("bad_value", message)


@dataclass(frozen=True, slots=True)
class PaperCell:
    """A printed number, ours, and the ends of the 95 % interval of ours, if there is one."""

    paper: float | None = None
    ours: float | None = None
    low: float | None = None
    high: float | None = None


def pair_cells(printed: Sequence[float], ours: Sequence[float | None]) -> tuple[PaperCell, ...]:
    return tuple(PaperCell(paper, value) for paper, value in zip(printed, ours, strict=True))


@dataclass(frozen=True, slots=True)
class PaperRow:
    label: str
    cells: tuple[PaperCell, ...]


@dataclass(frozen=True, slots=True)
class PaperTable:
    """``digits`` are the decimals in rendered tables; CSV and JSON keep numbers unrounded."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[PaperRow, ...]
    notes: tuple[str, ...] = ()
    digits: int = 3
    corner: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(f"{len(self.columns)} cells expected in {row.label!r}: {len(row.cells)}")


@dataclass(frozen=True, slots=True)
class MissingPart:
    """A part of the paper that was not run, and the reason."""

    part: str
    because: str


@dataclass(frozen=True, slots=True)
class DataDigest:
    """The name of a data set without its folder, and the SHA-256 of its uncompressed content."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Replication:
    """The report of a recipe, with everything that is needed to repeat it."""

    recipe: str
    title: str
    citation: str
    tables: tuple[PaperTable, ...]
    missing: tuple[MissingPart, ...] = ()
    data: tuple[DataDigest, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)  # Any: JSON
    signatures: dict[str, str] = field(default_factory=dict)
    software: dict[str, str | None] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:  # Any: JSON
        return asdict(self)


def make_replication(
    recipe: str,
    tables: Iterable[PaperTable],
    *,
    missing: Iterable[MissingPart] = (),
    data: Iterable[DataDigest] = (),
    settings: Mapping[str, Any],  # Any: JSON
    signatures: Mapping[str, str] | None = None,
) -> Replication:
    """Make the report of a recipe, with the title of its paper and the versions of the software."""
    paper = PAPERS[recipe]
    return Replication(
        recipe, paper.title, paper.citation, tuple(tables), tuple(missing), tuple(data), dict(settings),
        dict(signatures or {}), find_versions(*SOFTWARE),
    )  # fmt: skip


def digest_sets(names: Iterable[str]) -> list[DataDigest]:
    """Names and digests of sets."""
    return [DataDigest(set_label(name), digest(files_of(name))) for name in names]


def check_references(prefix: str, dataset: Dataset, why: str = "the metrics compare with references") -> None:
    """Raise ``InputError`` if a segment has no reference."""
    if any(not text.references for text in dataset.texts.values()):
        message = f"{why}, and a segment has none"
        raise InputError.of("missing_reference", message, file=set_label(prefix))


def check_judged_set(prefix: str, dataset: Dataset, human: Comparisons) -> None:
    """Raise ``InputError`` if a segment has no reference, or if no pair is decided."""
    check_references(prefix, dataset)
    if not len(human.better):
        raise InputError.of("no_judgements", "there is no decided pair of outputs", file=set_label(prefix))


def set_label(path: str | Path) -> str:
    """The last two parts of a path: collection and set, without the folder that holds them.

    >>> set_label("/data/rr_wmt12/cs-en")
    'rr_wmt12/cs-en'
    """
    return "/".join(part for part in Path(path).parts[-2:] if part not in ("/", ".", ".."))
