"""Does the order make sense? A triad is cyclic if A beats B, B beats C and C beats A (Kendall & Babington
Smith 1940). Many cyclic triads mean that there is no order to find, or that an annotator is careless.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.agreement.judgements import Ints
from evaluation.results.votes import Votes

CHUNK = 4_000_000  # cells of preference tables held at a time


@dataclass(frozen=True, slots=True)
class Triads:
    """Cyclic triads among those in which all three comparisons were decided."""

    cyclic: int
    decided: int

    @property
    def share(self) -> float | None:
        return self.cyclic / self.decided if self.decided else None


def count_triads(preferences: Ints) -> Triads:
    """Count in tables (… × systems × systems) of signs: +1 the row is preferred, 0 undecided.

    >>> count_triads(np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]))
    Triads(cyclic=1, decided=1)
    """
    beats = (preferences > 0).astype(np.float64)
    decided = (preferences != 0).astype(np.float64)
    return Triads(_closed_walks(beats) // 3, _closed_walks(decided) // 6)


def system_triads(votes: Votes) -> Triads:
    """Triads of systems by the majority of all votes."""
    wins = votes.wins
    return count_triads(np.sign(wins - wins.T))


def annotator_triads(votes: Votes) -> dict[str, Triads]:
    """Triads of each annotator, sentence by sentence, by the majority of their own votes there."""
    return {
        name: _within_sentences(votes, np.flatnonzero(votes.annotators == code))
        for code, name in enumerate(votes.annotator_names)
    }


def _within_sentences(votes: Votes, rows: Ints) -> Triads:
    size = len(votes.system_names)
    places = np.unique(votes.sentences[rows], return_inverse=True)[1].reshape(-1)
    sentences = int(places.max(initial=-1)) + 1
    step = max(1, CHUNK // max(1, size * size))
    cyclic = decided = 0
    for start in range(0, sentences, step):
        chosen = (places >= start) & (places < start + step)
        net = np.zeros((min(step, sentences - start), size, size), dtype=np.int64)
        some = rows[chosen]
        where = places[chosen] - start
        np.add.at(net, (where, votes.first[some], votes.second[some]), votes.signs[some])
        found = count_triads(np.sign(net - net.transpose(0, 2, 1)))
        cyclic, decided = cyclic + found.cyclic, decided + found.decided
    return Triads(cyclic, decided)


def _closed_walks(adjacency: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int:
    """Closed walks of length three: the trace of the cube."""
    return round(float(np.einsum("...ij,...ji->...", adjacency @ adjacency, adjacency).sum()))
