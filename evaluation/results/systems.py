"""Which system is better, by how much, and how sure are we.

Wins, losses and ties; expected wins (Bojar et al. 2011: the mean over opponents of the share of decided
votes that were won); strengths with ties (Davidson 1970). Sentences are resampled whole, with all votes
of all annotators on them, for rank ranges and clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csgraph

from evaluation.agreement.bootstrap import resampled_totals
from evaluation.agreement.coefficients import defined, ratio
from evaluation.agreement.judgements import Floats, Ints
from evaluation.results import davidson
from evaluation.results.ranks import Range, clusters, rank_ranges, ranks
from evaluation.results.signtest import Comparison, compare_systems
from evaluation.results.triads import Triads, system_triads
from evaluation.results.votes import Votes


@dataclass(frozen=True, slots=True)
class SystemLine:
    """One system; what cannot be known from the votes is None."""

    system: str
    wins: int
    losses: int
    ties: int
    expected_wins: float | None
    ability: float | None
    rank: int | None
    rank_range: Range | None
    cluster: int | None


@dataclass(frozen=True, slots=True)
class SystemResults:
    """Systems, best first; ``connected`` is False where votes do not link all systems that have some."""

    systems: tuple[SystemLine, ...]
    comparisons: tuple[Comparison, ...]
    triads: Triads
    tie_parameter: float | None
    connected: bool
    votes: int
    sentences: int
    annotators: int


def system_results(votes: Votes, *, resamples: int = 1000, seed: int = 1) -> SystemResults:
    """Everything about the systems; strengths and ranks only where votes connect the systems."""
    wins, ties = votes.wins, votes.ties
    ranked = comparable(wins, ties)
    lines, tie_parameter = _lines(votes, wins, ties, ranked, resamples, seed)
    order = sorted(lines, key=lambda line: (line.rank is None, line.rank or 0, -(line.expected_wins or 0)))
    return SystemResults(
        tuple(order),
        compare_systems(votes),
        system_triads(votes),
        tie_parameter,
        len(ranked) > 0,
        len(votes),
        len(np.unique(votes.sentences)),
        len(np.unique(votes.annotators)),
    )


def comparable(wins: Floats | Ints, ties: Floats | Ints) -> Ints:
    """The systems that have votes, if those link all of them; else none: what no vote links has no order.

    >>> comparable(np.array([[0, 3, 0], [1, 0, 0], [0, 0, 0]]), np.zeros((3, 3))).tolist()
    [0, 1]
    """
    met = wins + wins.T + ties > 0
    voted = np.flatnonzero(met.any(axis=1))
    parts = csgraph.connected_components(met[np.ix_(voted, voted)])[0] if len(voted) else 0
    return voted if parts == 1 else np.zeros(0, dtype=np.int64)


def expected_wins(wins: Floats) -> Floats:
    """Mean over opponents of wins / (wins + losses), from tables (… × systems × systems); nan without any.

    >>> expected_wins(np.array([[0, 3, 1], [1, 0, 0], [1, 0, 0]])).tolist()
    [0.625, 0.25, 0.5]
    """
    shares = ratio(wins * 1.0, wins + wins.swapaxes(-1, -2) * 1.0)
    known = ~np.isnan(shares)
    return ratio(np.where(known, shares, 0).sum(axis=-1), known.sum(axis=-1) * 1.0)


def _lines(
    votes: Votes, wins: Ints, ties: Ints, ranked: Ints, resamples: int, seed: int
) -> tuple[list[SystemLine], float | None]:
    size = len(votes.system_names)
    shares = expected_wins(wins.astype(np.float64))
    ability: dict[int, float] = {}
    place: dict[int, tuple[int, Range | None, int | None]] = {}
    tie_parameter = None
    if len(ranked) > 1:
        fitted = davidson.fit(*(table[np.ix_(ranked, ranked)].astype(np.float64) for table in (wins, ties)))
        ability = dict(zip(ranked.tolist(), fitted.abilities.tolist(), strict=True))
        place = dict(zip(ranked.tolist(), _places(votes, fitted, ranked, resamples, seed), strict=True))
        tie_parameter = float(np.exp(fitted.log_tie))
    lines = [
        SystemLine(
            votes.system_names[i],
            int(wins[i].sum()),
            int(wins[:, i].sum()),
            int(ties[i].sum()),
            defined(shares[i]),
            ability.get(i),
            *place.get(i, (None, None, None)),
        )
        for i in range(size)
    ]
    return lines, tie_parameter


def _places(
    votes: Votes, fitted: davidson.Davidson, ranked: Ints, resamples: int, seed: int
) -> list[tuple[int, Range | None, int | None]]:
    """Rank, rank range and cluster of each ranked system."""
    best = ranks(fitted.abilities)[0].astype(int).tolist()
    drawn = resampled_totals(votes.columns, resamples, seed)
    if drawn is None:
        return [(rank, None, None) for rank in best]
    size = len(votes.system_names)
    tables = np.maximum(drawn.T.reshape(-1, 2, size, size)[:, :, ranked][:, :, :, ranked], 0)
    ranges = rank_ranges(davidson.fit(tables[:, 0], tables[:, 1]).abilities)
    return list(zip(best, ranges, clusters(ranges), strict=True))
