"""Results in which a vote counts for more or less than one, because its question was not asked at random."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.agreement.coefficients import defined
from evaluation.agreement.judgements import Floats
from evaluation.results import davidson
from evaluation.results.systems import comparable, expected_wins
from evaluation.results.votes import Votes


class WeightedLine(NamedTuple):
    system: str
    expected_wins: float | None
    ability: float | None


def weighted_lines(votes: Votes, weights: Floats) -> dict[str, WeightedLine]:
    """Expected wins and strength of each system by name; with equal weights those of ``system_results``.

    Weights matter to shares over all comparisons, and to strengths as far as no strength explains every pair
    of systems: then it matters who met whom.
    """
    wins, ties = weighted_tables(votes, weights)
    shares, ranked = expected_wins(wins), comparable(wins, ties)
    strengths: dict[int, float] = {}
    if len(ranked) > 1:
        fitted = davidson.fit(*(table[np.ix_(ranked, ranked)] for table in (wins, ties)))
        strengths = dict(zip(ranked.tolist(), fitted.abilities.tolist(), strict=True))
    return {
        name: WeightedLine(name, defined(shares[n]), strengths.get(n))
        for n, name in enumerate(votes.system_names)
    }


def weighted_tables(votes: Votes, weights: Floats) -> tuple[Floats, Floats]:
    """Wins (row over column) and ties (symmetric), in weights.

    >>> from evaluation.results.votes import Verdict
    >>> said = [Verdict(["x"], ["y"], sign, 0, "ann") for sign in (1, 0)]
    >>> votes = Votes.from_verdicts(said)
    >>> [table.tolist() for table in weighted_tables(votes, np.array([2.0, 3.0]))]
    [[[0.0, 2.0], [0.0, 0.0]], [[0.0, 3.0], [3.0, 0.0]]]
    """
    size = len(votes.system_names)
    won = np.where(votes.signs >= 0, votes.first, votes.second)
    lost = np.where(votes.signs >= 0, votes.second, votes.first)
    cells = won * size + lost
    tied = votes.signs == 0
    wins, ties = (
        np.bincount(cells, weights * mask, minlength=size * size).reshape(size, size).astype(np.float64)
        for mask in (~tied, tied)
    )
    return wins, ties + ties.T
