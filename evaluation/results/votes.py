"""Votes between systems, from rankings of phrase pairs.

A ranking of two phrases is a vote for every system whose output has the better phrase against every system
whose output has the other one: systems with identical output are all credited. *N/A* is no vote.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.agreement.judgements import CodeAssigner, Floats, Ints


class PhraseRanking(NamedTuple):
    """One annotator's ranking of a phrase pair; ``sign`` is 1 for A, −1 for B, 0 for a tie, None for N/A."""

    systems_a: Sequence[str]
    systems_b: Sequence[str]
    sign: int | None
    sentence: Hashable
    annotator: Hashable


@dataclass(frozen=True, eq=False)
class Votes:
    """Coded votes; row i is the result of ``first[i]`` against ``second[i]`` (``signs``: 1, 0, −1)."""

    first: Ints
    second: Ints
    signs: Ints
    sentences: Ints
    annotators: Ints
    system_names: tuple[str, ...]
    annotator_names: tuple[str, ...]

    @classmethod
    def from_rankings(cls, rankings: Iterable[PhraseRanking], systems: Sequence[str] = ()) -> Votes:
        """Code rankings; ``systems`` lists systems that must appear even without a vote.

        >>> votes = Votes.from_rankings([PhraseRanking(["x", "y"], ["z"], 1, "s1", "ann")])
        >>> votes.wins.tolist()
        [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
        """
        system, sentence, annotator = CodeAssigner(), CodeAssigner(), CodeAssigner()
        for name in systems:
            system.setdefault(name, len(system))
        rows = []
        for ranking in rankings:
            if ranking.sign is None:
                continue
            side_a, side_b = ([system[name] for name in side] for side in ranking[:2])
            vote = ranking.sign, sentence[ranking.sentence], annotator[ranking.annotator]
            rows += [(a, b, *vote) for a in side_a for b in side_b if a != b]
        first, second, signs, sentences, annotators = np.array(rows, dtype=np.int64).reshape(-1, 5).T
        names = tuple(map(str, system)), tuple(map(str, annotator))
        return cls(first, second, signs, sentences, annotators, *names)

    def __len__(self) -> int:
        return len(self.signs)

    @property
    def wins(self) -> Ints:
        """Systems × systems: how often the row beat the column."""
        return self._count(np.zeros(len(self), dtype=np.int64), 1)[0, :, :, 0]

    @property
    def ties(self) -> Ints:
        """Systems × systems, symmetric."""
        return self._count(np.zeros(len(self), dtype=np.int64), 1)[1, :, :, 0]

    @property
    def columns(self) -> Floats:
        """(wins …, ties …) × sentences, for resampling sentences."""
        sentences, codes = np.unique(self.sentences, return_inverse=True)
        counts = self._count(codes.reshape(-1), len(sentences))
        return counts.reshape(2 * len(self.system_names) ** 2, -1).astype(np.float64)

    def _count(self, groups: Ints, number: int) -> Ints:
        """(wins, ties) × systems × systems × groups."""
        size = len(self.system_names)
        winners = np.where(self.signs >= 0, self.first, self.second)
        losers = np.where(self.signs >= 0, self.second, self.first)
        shape = (2, size, size, number)
        cells = np.ravel_multi_index(((self.signs == 0).astype(np.int64), winners, losers, groups), shape)
        counts = np.bincount(cells, minlength=2 * size * size * number).reshape(shape)
        counts[1] += counts[1].transpose(1, 0, 2)
        return counts
