"""Judgements as columns of codes, the input of every agreement statistic, and their file format.

A judgement is a triple (annotator, item, label) with the sentence of the item, because phrases of one
sentence are not independent. Annotators may judge any subset of the items: a missing judgement has no row. A
skipped item is no judgement, and *N/A* is a label like any other.

``read_judgements`` reads a tab-separated file, plain or gzipped. Its header names the columns ``annotator``,
``item`` and ``label`` in any order, and optionally ``sentence``; other columns are ignored. Repeated
judgements are kept. A row with an empty label is a skipped item.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from appraise.lib.problems import Problem, ProblemLog
from appraise.lib.tables import TableReader, read_cells

Ints = NDArray[np.int64]
Codes = NDArray[np.integer]  # any width: narrow codes are faster
Floats = NDArray[np.float64]

CODED_COLUMNS = ("annotators", "items", "labels", "sentences")  # of ``Judgements``
REQUIRED_COLUMNS = ("annotator", "item", "label")  # of a file
MAX_PROBLEMS = 100  # reported from one file


@dataclass(frozen=True, eq=False)
class Judgements:
    """Coded judgements; row i says that ``annotators[i]`` gave ``labels[i]`` to ``items[i]``.

    ``sentences`` is the sentence of each row (its item, where the sentence is unknown). Rows are in
    chronological order.
    """

    annotators: Codes
    items: Codes
    labels: Codes
    sentences: Codes
    label_names: tuple[str, ...]
    annotator_names: tuple[str, ...]

    def __post_init__(self) -> None:
        lengths = {len(getattr(self, name)) for name in CODED_COLUMNS}
        if len(lengths) > 1:
            raise ValueError(f"expected columns of one length, found lengths {sorted(lengths)}")
        if len(self.label_names) < 2:
            raise ValueError(f"expected at least two labels, found {self.label_names}")
        if len(self.labels) and not 0 <= self.labels.min() <= self.labels.max() < len(self.label_names):
            raise ValueError(
                f"label codes {self.labels.min()}…{self.labels.max()} outside 0…{len(self.label_names) - 1}"
            )

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[Hashable]], label_names: Sequence[str]) -> Judgements:
        """Code (annotator, item, label) or (annotator, item, label, sentence) rows.

        >>> j = Judgements.from_rows([("ann", 1, "yes"), ("bob", 1, "no")], ("yes", "no"))
        >>> j.annotator_names, j.labels.tolist(), len(j)
        (('ann', 'bob'), [0, 1], 2)
        """
        code_of = {name: code for code, name in enumerate(label_names)}
        annotators, items, sentences = CodeAssigner(), CodeAssigner(), CodeAssigner()
        coded: list[tuple[int, int, int, int]] = []
        for annotator, item, label, *sentence in rows:
            if label not in code_of:
                raise ValueError(f"label {label!r} is not one of {tuple(label_names)}")
            unit = ("s", sentence[0]) if sentence else ("i", item)
            coded.append((annotators[annotator], items[item], code_of[label], sentences[unit]))
        columns = np.array(coded, dtype=np.int64).reshape(-1, 4).T
        names = tuple(str(name) for name in annotators)
        order = np.argsort(np.array(names, dtype=object), kind="stable") if names else np.zeros(0, dtype=int)
        rank = np.empty(len(names), dtype=np.int64)
        rank[order] = np.arange(len(names))
        return cls(
            rank[columns[0]],
            columns[1],
            columns[2].astype(np.int16),
            columns[3],
            tuple(label_names),
            tuple(names[i] for i in order),
        )

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, label_names: Sequence[str]) -> Judgements:
        """Read a matrix annotators × items of label codes, −1 for a missing judgement.

        >>> len(Judgements.from_matrix([[0, 1], [0, -1]], ("yes", "no")))
        3
        """
        table = np.asarray(matrix)
        annotators, items = np.nonzero(table >= 0)
        names = tuple(str(row + 1) for row in range(len(table)))
        codes = table[annotators, items].astype(np.int16)
        return cls(annotators, items, codes, items, tuple(label_names), names)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def size(self) -> int:
        """The number of labels that annotators could choose, used or not."""
        return len(self.label_names)

    @cached_property
    def counts(self) -> Ints:
        """Labels × items: how often each label was given to each item.

        One long row for each label, because NumPy sums long rows fastest.
        """
        length = int(self.items.max()) + 1 if len(self) else 0
        width = np.int32 if self.size * length < 2**31 else np.int64
        cells = np.multiply(self.labels, length, dtype=width)
        cells += self.items.astype(width, copy=False)
        return np.bincount(cells, minlength=self.size * length).reshape(self.size, length)

    @cached_property
    def judged_items(self) -> tuple[Ints, Ints]:
        """The items with a judgement, and the sentence of each, coded 0…n−1 without gaps."""
        sentences = np.full(self.counts.shape[1], -1, dtype=np.int64)
        sentences[self.items] = self.sentences
        items = np.flatnonzero(sentences >= 0)
        return items, _code_densely(sentences[items])

    @property
    def sentence_count(self) -> int:
        """The number of sentences with a judgement."""
        return int(self.judged_items[1].max(initial=-1)) + 1

    @cached_property
    def is_repeated(self) -> NDArray[np.bool_]:
        """Which rows belong to an item that the annotator judged more than once."""
        cells = self._cells
        if self.counts.shape[1] * len(self.annotator_names) > 8 * len(self) + 1000:
            cells = _code_densely(cells)  # a sparse matrix: sorting is cheaper than counting empty cells
        is_multiple = np.bincount(cells, minlength=1) > 1
        return is_multiple[cells] if is_multiple.any() else np.zeros(len(self), dtype=bool)

    @property
    def first_judgements(self) -> Judgements:
        """Each annotator's first judgement of each item; items and sentences keep their codes."""
        if not self.is_repeated.any():
            return self
        rows = np.sort(np.unique(self._cells, return_index=True)[1])
        return replace(self, **{name: getattr(self, name)[rows] for name in CODED_COLUMNS})

    @property
    def _cells(self) -> Ints:
        """One code for each combination of item and annotator."""
        return self.items.astype(np.int64) * len(self.annotator_names) + self.annotators

    def filter_rows(self, mask: NDArray[np.bool_]) -> Judgements:
        """Return the masked rows; annotators keep their codes, items and sentences get new ones."""
        return Judgements(
            self.annotators[mask],
            _code_densely(self.items[mask]),
            self.labels[mask],
            _code_densely(self.sentences[mask]),
            self.label_names,
            self.annotator_names,
        )

    def relabel(self, label_names: Sequence[str], code_of: Sequence[int]) -> Judgements:
        """Replace label ``i`` by label ``code_of[i]`` of another label set.

        >>> j = Judgements.from_matrix([[0, 1, 2]], ("much", "little", "none"))
        >>> j.relabel(("some", "none"), (0, 0, 1)).labels.tolist()
        [0, 0, 1]
        """
        codes = np.asarray(code_of, dtype=np.int16)
        relabelled = replace(self, labels=codes[self.labels], label_names=tuple(label_names))
        for name in ("judged_items", "is_repeated"):  # do not depend on labels, so the cache stays valid
            if name in self.__dict__:
                relabelled.__dict__[name] = self.__dict__[name]
        return relabelled


class CodeAssigner(dict[Hashable, int]):
    """Assigns the codes 0, 1, 2 … to keys in the order of their first use."""

    def __missing__(self, key: Hashable) -> int:
        self[key] = code = len(self)
        return code


def read_judgements(path: Path, label_names: Sequence[str]) -> Judgements:
    """Read a file, or raise ``InputError`` with all of its problems (up to a hundred)."""
    log = ProblemLog(path, most=MAX_PROBLEMS)
    log.file = str(path)
    rows = list(_read_rows(path, frozenset(label_names), log))
    log.raise_if_any()
    return Judgements.from_rows(rows, label_names)


def _read_rows(path: Path, labels: frozenset[str], log: ProblemLog) -> Iterator[tuple[str, ...]]:
    """Yield (annotator, item, label[, sentence]) of each row with a label."""
    table = TableReader(read_cells(path, file=log.file), log)
    _check_columns(table.header, log)
    names = (*REQUIRED_COLUMNS, "sentence") if "sentence" in table.header else REQUIRED_COLUMNS
    columns = [table.header.index(name) + 1 for name in names]
    sentence_of: dict[str, str] = {}
    for line, cells in table:
        row = tuple(cells[name] for name in names)
        problem = _check_row(row, columns, labels, sentence_of)
        if problem is not None:
            log.add(problem.code, problem.message, problem.remedy, line, problem.column)
        elif row[2]:
            yield row


def _check_columns(header: Sequence[str], log: ProblemLog) -> None:
    if not header:
        log.add("empty_file", "the file is empty", "write a header and one row for each judgement")
    elif missing := [column for column in REQUIRED_COLUMNS if column not in header]:
        message = f"no column {', '.join(missing)} in the header {' '.join(header)!r}"
        remedy = f"name {', '.join(REQUIRED_COLUMNS)} in the first line, separated by tabs"
        log.add("missing_column", message, remedy, 1)
    log.raise_if_any()


def _check_row(
    row: tuple[str, ...], columns: list[int], labels: frozenset[str], sentence_of: dict[str, str]
) -> Problem | None:
    for position, name in enumerate((*REQUIRED_COLUMNS, "sentence")[: len(row)]):
        if not row[position] and name != "label":
            return Problem("empty_cell", f"no {name}", f"name the {name}", column=columns[position])
    if row[2] and row[2] not in labels:
        message = f"label {row[2]!r} is not in the label set"
        remedy = f"use one of {', '.join(sorted(labels))}"
        return Problem("unknown_label", message, remedy, column=columns[2])
    if len(row) > 3 and sentence_of.setdefault(row[1], row[3]) != row[3]:
        message = f"item {row[1]!r} belongs to sentence {row[3]!r} and to {sentence_of[row[1]]!r}"
        return Problem("item_in_two_sentences", message, "give each item one sentence", column=columns[3])
    return None


def _code_densely(keys: Codes) -> Ints:
    """Replace keys by codes 0…n−1 in the same order."""
    return np.unique(keys, return_inverse=True)[1].astype(np.int64).reshape(-1)
