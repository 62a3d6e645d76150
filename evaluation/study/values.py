"""The current answers of one or more tasks as columns, one row for each answer.

Labels are codes of the six-way scheme, whatever the task offered: it contains the four-way labels, so tasks
with different schemes fit into one table and are pooled over the four-way labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
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
ANSWER_COLUMNS = ("annotators", "pairs", "presentations", "labels", "swapped", "surplus", "active_ms")

VoterChoices = Mapping[str, Mapping[int, Choice]]
"""Voter → key of the pair in the study → choice."""


class AnswerKind(StrEnum):
    """What the answers of a study are about."""

    PHRASES = "phrases"
    SENTENCES = "sentences"


class StudyTask(NamedTuple):
    slug: str
    name: str
    scheme: str


@dataclass(frozen=True, eq=False)
class Study:
    """Current answers (rows in the order in which they were given) and the pairs that they are about.

    ``swapped``: the second text of the pair was shown on the left. ``surplus``: the answer came after the
    slot had been reassigned or the task closed. ``expected``: for each pair of an attention check the
    expected answer, ``NO_CHECK`` for ordinary pairs. ``comparisons``: the comparison that asks each pair;
    the pairs of one are one attention check (None: each pair is asked by its own).
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
    comparisons: Codes | None = None

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.answer_columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"expected columns of one length, found lengths {sorted(lengths)}")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def answer_columns(self) -> dict[str, Any]:  # Any: arrays of codes and masks
        return {name: getattr(self, name) for name in ANSWER_COLUMNS}

    @property
    def scheme(self) -> Scheme:
        """The scheme over which all tasks can be read together."""
        names = {task.scheme for task in self.tasks}
        return SCHEMES[names.pop()] if len(names) == 1 else FOUR_WAY

    @property
    def is_mixed(self) -> bool:
        """Whether the tasks have different schemes."""
        return len({task.scheme for task in self.tasks}) > 1

    @cached_property
    def is_check(self) -> NDArray[np.bool_]:
        """Which answers are about attention checks."""
        return np.asarray(self.expected[self.pairs] != NO_CHECK)

    @cached_property
    def is_counted(self) -> NDArray[np.bool_]:
        """Which answers count for agreement: first presentations of ordinary pairs."""
        return np.asarray((self.presentations == 0) & ~self.is_check)

    @cached_property
    def is_repeated(self) -> NDArray[np.bool_]:
        """Which answers are about ordinary pairs that the annotator saw more than once."""
        is_repeat = (self.presentations > 0) & ~self.is_check
        if not is_repeat.any():
            return np.zeros(len(self), dtype=bool)
        cells = self.pairs.astype(np.int64) * len(self.annotator_names) + self.annotators
        return np.asarray(np.isin(cells, cells[is_repeat]) & ~self.is_check)

    def filter_rows(self, mask: NDArray[np.bool_]) -> Study:
        """Return the study with the masked answers; pairs and annotators keep their codes."""
        return replace(self, **{name: column[mask] for name, column in self.answer_columns.items()})

    def select_task(self, number: int) -> Study:
        mask = self.pair_tasks[self.pairs] == number
        study = self.filter_rows(np.asarray(mask))
        return replace(study, tasks=(self.tasks[number],), pair_tasks=self.pair_tasks * 0)

    def judgements(self, scheme: Scheme | None = None) -> Judgements:
        """Judgements for agreement, in the labels of ``scheme`` (default: the study's own)."""
        return self._to_judgements(self.is_counted, scheme or self.scheme)

    def repeats(self) -> Judgements:
        """Judgements for intra-annotator agreement."""
        return self._to_judgements(self.is_repeated, self.scheme)

    def _to_judgements(self, mask: NDArray[np.bool_], scheme: Scheme) -> Judgements:
        pairs = self.pairs[mask]
        return Judgements(
            annotators=self.annotators[mask],
            items=_code_densely(pairs, len(self.pair_sentences)),
            labels=label_codes(scheme)[self.labels[mask]],
            sentences=self.pair_sentences[pairs],
            label_names=scheme.labels,
            annotator_names=self.annotator_names,
        )


def add_voters(study: Study, votes: VoterChoices) -> Study:
    """Add voters as annotators after all people, with their votes as answers.

    A voter votes once on a pair, is never timed, and sees no sides and no attention checks. Only pairs that
    people judged count, because there is nobody to agree with on the others.
    """
    keys = np.asarray(study.pair_keys)
    is_judged = np.zeros(len(keys), dtype=bool)
    is_judged[study.pairs[study.is_counted]] = True
    code_of = {key: code for code, key in enumerate(keys.tolist()) if is_judged[code]}
    rows = [
        (len(study.annotator_names) + number, code_of[pair], CODE_OF[choice.value])
        for number, choices in enumerate(votes.values())
        for pair, choice in choices.items()
        if pair in code_of
    ]
    annotators, pairs, labels = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    zeros = np.zeros(len(rows))
    added = (annotators, pairs, zeros, labels, zeros, zeros, np.full(len(rows), NO_TIME))
    columns: dict[str, Any] = {
        name: np.concatenate([column, values.astype(column.dtype)])
        for (name, column), values in zip(study.answer_columns.items(), added, strict=True)
    }
    return replace(study, annotator_names=(*study.annotator_names, *votes), **columns)


def name_voter(voter: str) -> str:
    """Return the annotator name of a voter, which no person can have.

    >>> name_voter("chrf")
    'voter:chrf'
    """
    return f"voter:{voter}"


def label_codes(scheme: Scheme) -> NDArray[np.int8]:
    """Return the code of each six-way label in ``scheme``, collapsed where the scheme does not offer it.

    −1 marks labels that cannot occur in the scheme.

    >>> label_codes(FOUR_WAY).tolist()
    [0, 0, 1, 2, 2, 3]
    >>> label_codes(Scheme("three-way", "3 choices", FOUR_WAY.options[:3])).tolist()
    [0, 0, 1, 2, 2, -1]
    """
    choices = [c if c in scheme.choices else c.collapsed for c in SIX_WAY.choices]
    return np.array([scheme.choices.index(c) if c in scheme.choices else -1 for c in choices], dtype=np.int8)


def find_latest(cells: Sequence[Codes]) -> Ints:
    """Return the rows that are the last of their cell, in their order.

    >>> find_latest([np.array([7, 8, 7]), np.array([0, 0, 0])]).tolist()
    [1, 2]
    """
    order = np.lexsort([np.arange(len(cells[0])), *cells])  # stable: the last of a cell is its newest row
    if not len(order):
        return order
    is_last = np.ones(len(order), dtype=bool)
    is_last[:-1] = np.logical_or.reduce([np.diff(cell[order]) != 0 for cell in cells])
    return np.sort(order[is_last])


def find_current(
    cells: Sequence[Codes], is_surplus: NDArray[np.bool_], is_withdrawn: NDArray[np.bool_]
) -> Ints:
    """Return the row of each cell that counts, in their order; it may be a withdrawal.

    That is the newest version; but where an answer stood when the slot was reassigned or the task closed, the
    version of that moment, whatever was changed afterwards.

    >>> cells, surplus = [np.array([7, 8, 7, 8])], np.array([False, True, True, True])
    >>> find_current(cells, surplus, np.zeros(4, dtype=bool)).tolist()
    [0, 3]
    """
    rows = find_latest(cells)
    in_time = np.flatnonzero(~is_surplus)
    if len(in_time) < len(is_surplus):
        stood = in_time[find_latest([cell[in_time] for cell in cells])]
        rows = np.concatenate([rows, stood[~is_withdrawn[stood]]])
        rows = np.sort(rows[find_latest([cell[rows] for cell in cells])])
    return rows


def _code_densely(codes: Codes, size: int) -> Ints:
    """Replace codes by 0…n−1 without gaps, in the same order, by counting instead of sorting."""
    occurs = np.zeros(size, dtype=bool)
    occurs[codes] = True
    return (np.cumsum(occurs) - 1)[codes]
