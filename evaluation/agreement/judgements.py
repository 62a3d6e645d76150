"""Who gave which label to which item: the table that every agreement statistic reads.

A judgement is a triple (annotator, item, label), with the sentence that the item belongs to, because phrases
of one sentence are not independent. Nobody has to judge everything: a missing judgement has no row. A skipped
item is no judgement, and *N/A* is a label like any other.

Everything is coded as small integers once, so that the statistics are sums over arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]
Codes = NDArray[np.integer]  # any width: narrow codes are faster
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judgements:
    """Coded judgements; row i says that ``annotators[i]`` gave ``labels[i]`` to ``items[i]``.

    ``sentences`` is the sentence of each row (its item, where nothing better is known), ``times`` the
    moment of each judgement in any unit (the order of rows, where it is ``None``).
    """

    annotators: Codes
    items: Codes
    labels: Codes
    sentences: Codes
    label_names: tuple[str, ...]
    annotator_names: tuple[str, ...]
    times: Floats | None = None

    def __post_init__(self) -> None:
        lengths = {len(self.annotators), len(self.items), len(self.labels), len(self.sentences)}
        if len(lengths) > 1:
            raise ValueError(f"columns of one length expected, found lengths {sorted(lengths)}")
        if len(self.label_names) < 2:
            raise ValueError(f"at least two labels needed to disagree, found {self.label_names}")
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
        annotators, items, sentences = Coder(), Coder(), Coder()
        coded: list[tuple[int, int, int, int]] = []
        for annotator, item, label, *sentence in rows:
            if label not in code_of:
                raise ValueError(f"label {label!r} is none of {tuple(label_names)}")
            unit = ("s", sentence[0]) if sentence else ("i", item)
            codes = (annotators[annotator], items[item], code_of[label], sentences[unit])
            coded.append(codes)
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
    def from_columns(
        cls,
        annotators: ArrayLike,
        items: ArrayLike,
        labels: ArrayLike,
        label_names: Sequence[str],
        *,
        sentences: ArrayLike | None = None,
        times: ArrayLike | None = None,
        annotator_names: Sequence[str] | None = None,
    ) -> Judgements:
        """Code whole columns, for instance of database keys; ``labels`` are codes already.

        ``annotators`` become 0…n−1 in sorted order of their keys, unless ``annotator_names`` says that
        they are such codes already.

        >>> Judgements.from_columns([7, 9], [100, 100], [0, 1], ("yes", "no")).annotator_names
        ('7', '9')
        """
        keys, who = np.unique(np.asarray(annotators), return_inverse=True)
        if annotator_names is not None:
            who, names = np.asarray(annotators, dtype=np.int64), tuple(annotator_names)
        else:
            names = tuple(str(key) for key in keys.tolist())
        units = np.asarray(items)
        return cls(
            who.astype(np.int64),
            _coded(units),
            np.asarray(labels, dtype=np.int16),
            _coded(units if sentences is None else np.asarray(sentences)),
            tuple(label_names),
            names,
            None if times is None else np.asarray(times, dtype=np.float64),
        )

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, label_names: Sequence[str]) -> Judgements:
        """Read a table annotators × items of label codes, −1 where nobody judged.

        >>> len(Judgements.from_matrix([[0, 1], [0, -1]], ("yes", "no")))
        3
        """
        table = np.asarray(matrix)
        who, item = np.nonzero(table >= 0)
        names = tuple(str(row + 1) for row in range(len(table)))
        codes = table[who, item].astype(np.int16)
        return cls(who, item, codes, item, tuple(label_names), names)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def size(self) -> int:
        """The number of labels that could be given, seen or not."""
        return len(self.label_names)

    @cached_property
    def counts(self) -> Ints:
        """Labels × items: how often each label was given to each item.

        One long row for each label, because sums over long rows are what NumPy is fast at.
        """
        length = int(self.items.max()) + 1 if len(self) else 0
        width = np.int32 if self.size * length < 2**31 else np.int64
        cells = np.multiply(self.labels, length, dtype=width)
        cells += self.items.astype(width, copy=False)
        return np.bincount(cells, minlength=self.size * length).reshape(self.size, length)

    @cached_property
    def seen_items(self) -> tuple[Ints, Ints]:
        """The items that somebody judged, and the sentence of each, coded 0…n−1 without gaps."""
        sentences = np.full(self.counts.shape[1], -1, dtype=np.int64)
        sentences[self.items] = self.sentences
        seen = np.flatnonzero(sentences >= 0)
        return seen, _coded(sentences[seen])

    @cached_property
    def where_repeated(self) -> NDArray[np.bool_]:
        """Which rows belong to an item that this annotator judged more than once."""
        people = len(self.annotator_names)
        cells = self.items.astype(np.int64) * people + self.annotators
        if self.counts.shape[1] * people > 8 * len(self) + 1000:  # a sparse table: sort instead of counting
            cells = _coded(cells)
        often = np.bincount(cells, minlength=1) > 1
        return often[cells] if often.any() else np.zeros(len(self), dtype=bool)

    @property
    def first_only(self) -> Judgements:
        """Each annotator's first judgement of each item; items and sentences keep their codes."""
        if not self.where_repeated.any():
            return self
        cells = self.items.astype(np.int64) * len(self.annotator_names) + self.annotators
        order = np.argsort(self.positions)
        rows = np.sort(order[np.unique(cells[order], return_index=True)[1]])
        return replace(
            self,
            annotators=self.annotators[rows],
            items=self.items[rows],
            labels=self.labels[rows],
            sentences=self.sentences[rows],
            times=None if self.times is None else self.times[rows],
        )

    @cached_property
    def positions(self) -> Ints:
        """Rank of each judgement in time, 0 first; ties keep the order of rows."""
        order = np.arange(len(self)) if self.times is None else np.argsort(self.times, kind="stable")
        ranks = np.empty(len(self), dtype=np.int64)
        ranks[order] = np.arange(len(self))
        return ranks

    def where(self, mask: NDArray[np.bool_]) -> Judgements:
        """The same study with some rows left out; annotators keep their codes, items get new codes."""
        return Judgements(
            self.annotators[mask],
            _coded(self.items[mask]),
            self.labels[mask],
            _coded(self.sentences[mask]),
            self.label_names,
            self.annotator_names,
            None if self.times is None else self.times[mask],
        )

    def relabelled(self, label_names: Sequence[str], code_of: Sequence[int]) -> Judgements:
        """Read label ``i`` as label ``code_of[i]`` of another set; nothing else changes.

        >>> j = Judgements.from_matrix([[0, 1, 2]], ("much", "little", "none"))
        >>> j.relabelled(("some", "none"), (0, 0, 1)).labels.tolist()
        [0, 0, 1]
        """
        codes = np.asarray(code_of, dtype=np.int16)
        found = replace(self, labels=codes[self.labels], label_names=tuple(label_names))
        for name in ("seen_items", "where_repeated", "positions"):  # what is known of items stays true
            if name in self.__dict__:
                found.__dict__[name] = self.__dict__[name]
        return found


class Coder(dict[Hashable, int]):
    """Gives 0, 1, 2 … to keys in the order in which they are first asked for."""

    def __missing__(self, key: Hashable) -> int:
        self[key] = code = len(self)
        return code


def _coded(keys: Codes) -> Ints:
    return np.unique(keys, return_inverse=True)[1].astype(np.int64).reshape(-1)
