"""The answers of one or more tasks, one row for each answer that counts now.

Labels are codes of the six-way scheme, whatever the task offered: the four-way labels are among them, so
tasks with different schemes fit into one table and are pooled over the four-way collapse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement import Judgements
from evaluation.agreement.judgements import Codes, Ints
from evaluation.schemes import FOUR_WAY, SCHEMES, SIX_WAY, Choice, Scheme

CODE_OF = {choice.value: code for code, choice in enumerate(SIX_WAY.choices)}
NO_CHECK = -1
NO_TIME = -1


class StudyTask(NamedTuple):
    slug: str
    name: str
    scheme: str


@dataclass(frozen=True, eq=False)
class Study:
    """Current answers (rows in the order in which they were given) and the pairs that they are about.

    ``swapped``: the pair's second text stood on the left. ``surplus``: given after the seat was somebody
    else's. ``expected``: for each pair, what an attentive person answers, ``NO_CHECK`` for ordinary pairs.
    """

    tasks: tuple[StudyTask, ...]
    annotator_names: tuple[str, ...]
    # one value for each answer
    annotators: Codes
    pairs: Codes
    presentations: Codes
    labels: Codes
    swapped: NDArray[np.bool_]
    surplus: NDArray[np.bool_]
    active_ms: Codes
    # one value for each pair
    pair_keys: tuple[str, ...] | Ints
    pair_tasks: Codes
    pair_sentences: Codes
    expected: Codes

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.rows}
        if len(lengths) > 1:
            raise ValueError(f"columns of one length expected, found lengths {sorted(lengths)}")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def rows(self) -> tuple[NDArray[Any], ...]:
        return (
            self.annotators,
            self.pairs,
            self.presentations,
            self.labels,
            self.swapped,
            self.surplus,
            self.active_ms,
        )

    @property
    def scheme(self) -> Scheme:
        """The scheme over which all tasks can be read together."""
        names = {task.scheme for task in self.tasks}
        return SCHEMES[names.pop()] if len(names) == 1 else FOUR_WAY

    @property
    def mixed(self) -> bool:
        return len({task.scheme for task in self.tasks}) > 1

    @cached_property
    def is_check(self) -> NDArray[np.bool_]:
        """Which answers are about attention checks."""
        return np.asarray(self.expected[self.pairs] != NO_CHECK)

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        """Which answers agreement reads: first presentations of ordinary pairs."""
        return np.asarray((self.presentations == 0) & ~self.is_check)

    @cached_property
    def repeated(self) -> NDArray[np.bool_]:
        """Every answer of those who saw an ordinary pair more than once."""
        again = (self.presentations > 0) & ~self.is_check
        if not again.any():
            return np.zeros(len(self), dtype=bool)
        people = len(self.annotator_names)
        cells = self.pairs.astype(np.int64) * people + self.annotators
        return np.asarray(np.isin(cells, cells[again]) & ~self.is_check)

    def where(self, mask: NDArray[np.bool_]) -> Study:
        """The same study with some answers left out; pairs and annotators keep their codes."""
        columns = dict(zip(_ROWS, (column[mask] for column in self.rows), strict=True))
        return replace(self, **columns)  # type: ignore[arg-type]  # names and columns of the same fields

    def of_task(self, number: int) -> Study:
        mask = self.pair_tasks[self.pairs] == number
        return replace(
            self.where(np.asarray(mask)), tasks=(self.tasks[number],), pair_tasks=self.pair_tasks * 0
        )

    def judgements(self, scheme: Scheme | None = None) -> Judgements:
        """What agreement reads, in the labels of ``scheme`` (default: the study's own)."""
        return self._coded(self.counted, scheme or self.scheme)

    def repeats(self, scheme: Scheme | None = None) -> Judgements:
        """What intra-annotator agreement reads."""
        return self._coded(self.repeated, scheme or self.scheme)

    def _coded(self, mask: NDArray[np.bool_], scheme: Scheme) -> Judgements:
        pairs = self.pairs[mask]
        return Judgements(
            annotators=self.annotators[mask],
            items=_dense(pairs, len(self.pair_sentences)),
            labels=label_codes(scheme)[self.labels[mask]],
            sentences=self.pair_sentences[pairs],
            label_names=scheme.labels,
            annotator_names=self.annotator_names,
        )


_ROWS = ("annotators", "pairs", "presentations", "labels", "swapped", "surplus", "active_ms")


def label_codes(scheme: Scheme) -> NDArray[np.int8]:
    """The code of each six-way label in ``scheme``; what it does not offer is read collapsed.

    −1 stands for what nobody can have answered there.

    >>> label_codes(FOUR_WAY).tolist()
    [0, 0, 1, 2, 2, 3]
    >>> label_codes(Scheme("three-way", "3 choices", FOUR_WAY.ordered)).tolist()
    [0, 0, 1, 2, 2, -1]
    """
    return np.array([_code(choice, scheme) for choice in SIX_WAY.choices], dtype=np.int8)


def latest(cells: Sequence[Codes]) -> Ints:
    """The rows that are the last of their cell, in their order.

    >>> latest([np.array([7, 8, 7]), np.array([0, 0, 0])]).tolist()
    [1, 2]
    """
    order = np.lexsort([np.arange(len(cells[0])), *cells])  # stable: the last of a cell is its newest row
    if not len(order):
        return order
    ends = np.ones(len(order), dtype=bool)
    ends[:-1] = np.logical_or.reduce([np.diff(cell[order]) != 0 for cell in cells])
    return np.sort(order[ends])


def _code(choice: Choice, scheme: Scheme) -> int:
    read = choice if choice in scheme.choices else choice.collapsed
    return scheme.choices.index(read) if read in scheme.choices else -1


def _dense(codes: Codes, size: int) -> Ints:
    """Codes 0…n−1 without gaps, in the same order, by counting instead of sorting."""
    seen = np.zeros(size, dtype=bool)
    seen[codes] = True
    return (np.cumsum(seen) - 1)[codes]
