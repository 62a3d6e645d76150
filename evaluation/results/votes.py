"""Votes between systems, from verdicts on phrases.

A verdict on two phrases is a vote for every system whose output holds the better phrase against every
system whose output holds the other one: identical outputs are all credited. *N/A* is no vote.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.agreement.judgements import Coder, Floats, Ints


class Verdict(NamedTuple):
    """One annotator on one phrase pair; ``sign`` is +1 for A, −1 for B, 0 for a tie, None for N/A."""

    systems_a: Sequence[str]
    systems_b: Sequence[str]
    sign: int | None
    sentence: Hashable
    annotator: Hashable


@dataclass(frozen=True, eq=False)
class Votes:
    """Coded votes; row i says how ``first[i]`` fared against ``second[i]`` (``signs``: +1, 0, −1)."""

    first: Ints
    second: Ints
    signs: Ints
    sentences: Ints
    annotators: Ints
    system_names: tuple[str, ...]
    annotator_names: tuple[str, ...]

    @classmethod
    def from_verdicts(cls, verdicts: Iterable[Verdict], systems: Sequence[str] = ()) -> Votes:
        """Code verdicts; ``systems`` names those that must appear even without a vote.

        >>> votes = Votes.from_verdicts([Verdict(["x", "y"], ["z"], 1, "s1", "ann")])
        >>> votes.wins.tolist()
        [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
        """
        system, sentence, annotator = Coder(), Coder(), Coder()
        for name in systems:
            system.setdefault(name, len(system))
        rows = []
        for verdict in verdicts:
            if verdict.sign is None:
                continue
            winners, losers = ([system[name] for name in side] for side in verdict[:2])
            rest = verdict.sign, sentence[verdict.sentence], annotator[verdict.annotator]
            rows += [(a, b, *rest) for a in winners for b in losers if a != b]
        first, second, signs, sentences, annotators = np.array(rows, dtype=np.int64).reshape(-1, 5).T
        names = tuple(map(str, system)), tuple(map(str, annotator))
        return cls(first, second, signs, sentences, annotators, *names)

    def __len__(self) -> int:
        return len(self.signs)

    @property
    def wins(self) -> Ints:
        """Systems × systems: how often the row beat the column."""
        return self._counted(np.zeros(len(self), dtype=np.int64), 1)[0, :, :, 0]

    @property
    def ties(self) -> Ints:
        """Systems × systems, symmetric."""
        return self._counted(np.zeros(len(self), dtype=np.int64), 1)[1, :, :, 0]

    @property
    def columns(self) -> Floats:
        """(wins …, ties …) × sentences: what a resample adds up."""
        found, codes = np.unique(self.sentences, return_inverse=True)
        counted = self._counted(codes.reshape(-1), len(found))
        return counted.reshape(2 * len(self.system_names) ** 2, -1).astype(np.float64)

    def _counted(self, groups: Ints, number: int) -> Ints:
        """(wins, ties) × systems × systems × groups."""
        size = len(self.system_names)
        won = np.where(self.signs >= 0, self.first, self.second)
        lost = np.where(self.signs >= 0, self.second, self.first)
        shape = (2, size, size, number)
        cells = np.ravel_multi_index(((self.signs == 0).astype(np.int64), won, lost, groups), shape)
        counted = np.bincount(cells, minlength=2 * size * size * number).reshape(shape)
        counted[1] += counted[1].transpose(1, 0, 2)
        return counted
