"""Which system is better, by how much, and how certain is it?

Wins, losses and ties; expected wins (Bojar et al. 2011: the mean over opponents of the share of decided votes
that were won); strengths with ties (Davidson 1970). Whole sentences are resampled, with all votes on them,
for rank ranges and clusters.

Two systems are compared by a sign test over sentences, because votes on one sentence are not independent, and
two annotators who contradict each other are no evidence: each sentence has one sign, that of the sum of its
votes, and even sentences have none. A difference is significant only if it survives Holm's correction for the
number of system pairs *and* more annotators side with the better system than against it, so that one busy
annotator cannot outvote another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from appraise.lib.resampling import holm, resample_totals
from evaluation.agreement.coefficients import none_if_nan, ratio
from evaluation.agreement.judgements import Floats, Ints
from evaluation.results import strengths
from evaluation.results.consistency import Triads, count_system_triads
from evaluation.results.votes import Votes

SIGNIFICANCE_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class SystemLine:
    """One system; figures that the votes do not determine are None."""

    system: str
    wins: int
    losses: int
    ties: int
    expected_wins: float | None
    ability: float | None
    rank: int | None
    rank_range: strengths.Range | None
    cluster: int | None


@dataclass(frozen=True, slots=True)
class SystemPairTest:
    """The sign test of two systems; ``p`` is None where no sentence is decided."""

    a: str
    b: str
    wins: int
    losses: int
    ties: int
    sentences_for: int
    sentences_against: int
    sentences_even: int
    annotators_for: int
    annotators_against: int
    p: float | None
    p_holm: float | None
    significant: bool

    @property
    def n(self) -> int:
        """The number of decided sentences."""
        return self.sentences_for + self.sentences_against

    @property
    def better(self) -> str | None:
        """The better system, where the difference is significant."""
        if not self.significant:
            return None
        return self.a if self.sentences_for > self.sentences_against else self.b


@dataclass(frozen=True, slots=True)
class SystemResults:
    """Systems, best first; ``connected`` is False where votes do not connect all systems that have some."""

    systems: tuple[SystemLine, ...]
    comparisons: tuple[SystemPairTest, ...]
    triads: Triads
    tie_parameter: float | None
    connected: bool
    votes: int
    sentences: int
    annotators: int


def compute_system_results(votes: Votes, *, resamples: int = 1000, seed: int = 1) -> SystemResults:
    """Compute all results; strengths and ranks exist only where votes connect the systems."""
    wins, ties = votes.wins, votes.ties
    ranked = find_connected_systems(wins, ties)
    lines, tie_parameter = _compute_lines(votes, wins, ties, ranked, resamples, seed)
    lines.sort(key=lambda line: (line.rank is None, line.rank or 0, -(line.expected_wins or 0)))
    return SystemResults(
        tuple(lines),
        run_sign_tests(votes),
        count_system_triads(votes),
        tie_parameter,
        len(ranked) > 0,
        len(votes),
        len(np.unique(votes.sentences)),
        len(np.unique(votes.annotators)),
    )


def find_connected_systems(wins: Floats | Ints, ties: Floats | Ints) -> Ints:
    """Return the systems that have votes, or none of them if the votes leave two groups unconnected.

    >>> find_connected_systems(np.array([[0, 3, 0], [1, 0, 0], [0, 0, 0]]), np.zeros((3, 3))).tolist()
    [0, 1]
    """
    is_compared = wins + wins.T + ties > 0
    systems = np.flatnonzero(is_compared.any(axis=1))
    reached = np.isin(np.arange(len(is_compared)), systems[:1])
    for _ in systems:
        reached |= is_compared[reached].any(axis=0)
    return systems if reached[systems].all() else np.zeros(0, dtype=np.int64)


def expected_wins(wins: Floats) -> Floats:
    """Mean over opponents of wins / (wins + losses), from tables (… × systems × systems); nan without any.

    >>> expected_wins(np.array([[0, 3, 1], [1, 0, 0], [1, 0, 0]])).tolist()
    [0.625, 0.25, 0.5]
    """
    shares = ratio(wins * 1.0, wins + wins.swapaxes(-1, -2) * 1.0)
    is_defined = ~np.isnan(shares)
    return ratio(np.where(is_defined, shares, 0).sum(axis=-1), is_defined.sum(axis=-1) * 1.0)


def run_sign_tests(votes: Votes) -> tuple[SystemPairTest, ...]:
    """Test every system pair with votes, in the order of the names in ``votes``."""
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    signs = np.where(votes.first < votes.second, votes.signs, -votes.signs)
    codes = low * len(votes.system_names) + high
    pairs = [(int(code), codes == code) for code in np.unique(codes)]
    net_signs = [
        (_net_signs(signs[rows], votes.sentences[rows]), _net_signs(signs[rows], votes.annotators[rows]))
        for _, rows in pairs
    ]
    p_values = np.array(
        [sign_test(int((s > 0).sum()), int((s < 0).sum())) for s, _ in net_signs], dtype=np.float64
    )
    return tuple(
        _system_pair_test(votes, code, signs[rows], *net, p, p_holm)
        for (code, rows), net, p, p_holm in zip(pairs, net_signs, p_values, holm(p_values), strict=True)
    )


def sign_test(positive: int, negative: int) -> float:
    """Two-sided exact p of a fair coin; nan without data.

    >>> sign_test(9, 1)
    0.021484375
    """
    n = positive + negative
    if n == 0:
        return np.nan
    ways = tail = 1  # binomial coefficients, and their sum: whole numbers, so that nothing is rounded
    for k in range(min(positive, negative)):
        ways = ways * (n - k) // (k + 1)
        tail += ways
    return min(1.0, 2 * tail / (1 << n))


def _compute_lines(
    votes: Votes, wins: Ints, ties: Ints, ranked: Ints, resamples: int, seed: int
) -> tuple[list[SystemLine], float | None]:
    shares = expected_wins(wins.astype(np.float64))
    abilities: dict[int, float] = {}
    ranks: dict[int, tuple[int, strengths.Range | None, int | None]] = {}
    tie_parameter = None
    if len(ranked) > 1:
        model = strengths.fit_davidson(
            *(table[np.ix_(ranked, ranked)].astype(np.float64) for table in (wins, ties))
        )
        abilities = dict(zip(ranked.tolist(), model.abilities.tolist(), strict=True))
        ranks = dict(zip(ranked.tolist(), _compute_ranks(votes, model, ranked, resamples, seed), strict=True))
        tie_parameter = float(np.exp(model.log_tie))
    lines = [
        SystemLine(
            name,
            int(wins[i].sum()),
            int(wins[:, i].sum()),
            int(ties[i].sum()),
            none_if_nan(shares[i]),
            abilities.get(i),
            *ranks.get(i, (None, None, None)),
        )
        for i, name in enumerate(votes.system_names)
    ]
    return lines, tie_parameter


def _compute_ranks(
    votes: Votes, model: strengths.Davidson, ranked: Ints, resamples: int, seed: int
) -> list[tuple[int, strengths.Range | None, int | None]]:
    """Compute rank, rank range and cluster of each connected system."""
    best = strengths.rank_systems(model.abilities)[0].astype(int).tolist()
    resampled = resample_totals(votes.columns, resamples, seed)
    if resampled is None:
        return [(rank, None, None) for rank in best]
    size = len(votes.system_names)
    # The normal approximation of many sentences may sample small negative counts.
    tables = np.maximum(resampled.T.reshape(-1, 2, size, size)[:, :, ranked][:, :, :, ranked], 0)
    ranges = strengths.compute_rank_ranges(strengths.fit_davidson(tables[:, 0], tables[:, 1]).abilities)
    return list(zip(best, ranges, strengths.cluster_ranks(ranges), strict=True))


def _net_signs(signs: Ints, groups: Ints) -> Ints:
    """Return the sign of the sum of each group."""
    codes = np.unique(groups, return_inverse=True)[1].reshape(-1)
    return np.sign(np.bincount(codes, signs)).astype(np.int64)


def _system_pair_test(
    votes: Votes, code: int, signs: Ints, by_sentence: Ints, by_annotator: Ints, p: float, p_holm: float
) -> SystemPairTest:
    a, b = divmod(code, len(votes.system_names))
    lead = int((by_sentence > 0).sum()) - int((by_sentence < 0).sum())
    support = int(by_annotator.sum()) * int(np.sign(lead))
    return SystemPairTest(
        votes.system_names[a],
        votes.system_names[b],
        *_count_signs(signs),
        *_count_signs(by_sentence),
        *_count_signs(by_annotator)[:2],
        none_if_nan(p),
        None if np.isnan(p) else float(p_holm),
        bool(p_holm < SIGNIFICANCE_LEVEL and support > 0),
    )


def _count_signs(signs: Ints) -> tuple[int, int, int]:
    return int((signs > 0).sum()), int((signs < 0).sum()), int((signs == 0).sum())
