"""Do metrics prefer the phrases that people prefer? Votes beside votes, with intervals and tests.

The majority of people on a pair is its most frequent side, six choices read as three (first, tie, second);
N/A is no side, and where two sides are equally frequent there is no majority. A metric is on the same side
if its vote equals the majority; a tie is a vote like the others. Pairs of one sentence are not independent,
so sentences are resampled and exchanged as units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from appraise.lib.resampling import Floats, Interval, Ints, holm, p_value, percentile_interval
from evaluation.results.systems import sign_test
from evaluation.schemes import FOUR_WAY, SIX_WAY, Scheme
from evaluation.study.systems import NO_VOTE, SIGNS
from metrics.metaeval.correlation import pearson
from metrics.metaeval.kendall import bootstrap_share, bootstrap_sums

Bools = npt.NDArray[np.bool_]

RESAMPLES, SEED = 1000, 1


@dataclass(frozen=True, slots=True, eq=False)
class HumanVotes:
    """The majority on each pair, by how many votes it leads, and the mean vote (NaN without votes).

    ``answers`` are its votes by side: first, tie, second, N/A.
    """

    answers: Ints
    majority: Ints
    margin: Ints
    mean: Floats


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of ``n``; None if ``n`` is 0."""

    value: float | None
    interval: Interval | None
    n: int


@dataclass(frozen=True, slots=True)
class VoteLine:
    """A metric beside people: all pairs with a majority, those without ties, and the size of Δ."""

    same: Rate
    decided: Rate
    pearson: float | None
    pearson_interval: Interval | None
    measured: int  # pairs with a Δ and a mean vote
    kappa: float | None
    kappa_interval: Interval | None
    answers: int  # of people, on pairs on which the metric voted
    voted: int


@dataclass(frozen=True, slots=True)
class MetricPairTest:
    """Two metrics on the pairs on which both voted and people have a majority."""

    a: int
    b: int
    pairs: int
    only_a: int
    only_b: int
    mcnemar: float | None
    p: float | None
    p_holm: float | None


def count_human_votes(counts: Ints, scheme: Scheme) -> HumanVotes:
    """Summarize votes by six-way label, one row per pair.

    >>> counts = np.array([[1, 1, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 0, 0, 0, 0, 2]])
    >>> votes = count_human_votes(counts, SIX_WAY)
    >>> votes.majority.tolist(), votes.margin.tolist(), votes.mean.tolist()
    ([1, 9, 9], [1, 0, 0], [0.5, 0.0, nan])
    """
    threes = np.stack([counts[:, side == SIGNS].sum(axis=1) for side in (1, 0, -1)], axis=1)
    ordered = np.sort(threes, axis=1)
    margin = ordered[:, 2] - ordered[:, 1]
    majority = np.where(margin > 0, 1 - np.argmax(threes, axis=1), NO_VOTE)
    votes = threes.sum(axis=1)
    mean = np.full(len(counts), np.nan)
    np.divide(counts @ _weights(scheme), votes, out=mean, where=votes > 0)
    answers = np.column_stack([threes, counts.sum(axis=1) - votes])
    return HumanVotes(answers, majority, margin, mean)


def vote_line(votes: Ints, deltas: Floats, people: HumanVotes, sentences: Ints) -> VoteLine:
    """Compare one metric with people: ``votes`` and ``deltas`` (NaN without a vote) of every pair."""
    counted = (votes != NO_VOTE) & (people.majority != NO_VOTE)
    right = votes == people.majority
    decided = counted & (people.majority != 0)
    both = np.isfinite(deltas) & np.isfinite(people.mean)
    return VoteLine(
        _rate(right, counted, sentences),
        _rate(right, decided, sentences),
        pearson(deltas[both], people.mean[both]),
        _pearson_interval(deltas[both], people.mean[both], sentences[both]),
        int(both.sum()),
        *_kappa(votes, people, sentences),
        int((votes != NO_VOTE).sum()),
    )


def kappa_prime(agreed: Floats, total: Floats) -> Floats:
    """Return κ over four choices with fixed chance, as between two annotators (paper 003, section 5.1).

    >>> kappa_prime(np.array([7.0]), np.array([10.0])).round(4).tolist()
    [0.6]
    """
    return (agreed / total - FOUR_WAY.chance) / (1 - FOUR_WAY.chance)


def compare_metric_pairs(votes: Sequence[Ints], people: HumanVotes, sentences: Ints) -> list[MetricPairTest]:
    """Test every two metrics: McNemar's exact test, and a Holm-corrected permutation test over sentences."""
    tests = [
        _test_pair(a, b, votes[a], votes[b], people, sentences) for a, b in combinations(range(len(votes)), 2)
    ]
    p_values = [test.p for test in tests if test.p is not None]
    corrected = iter(holm(np.array(p_values, dtype=np.float64)).tolist())
    return [test if test.p is None else replace(test, p_holm=next(corrected)) for test in tests]


def _test_pair(
    a: int, b: int, first: Ints, second: Ints, people: HumanVotes, sentences: Ints
) -> MetricPairTest:
    common = (first != NO_VOTE) & (second != NO_VOTE) & (people.majority != NO_VOTE)
    right_a, right_b = first[common] == people.majority[common], second[common] == people.majority[common]
    only_a, only_b = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    gaps = _by_sentence(right_a.astype(np.float64) - right_b, sentences[common])
    return MetricPairTest(
        a, b, int(common.sum()), only_a, only_b,
        sign_test(only_a, only_b) if only_a + only_b else None,
        permutation_p(gaps), None,
    )  # fmt: skip


def permutation_p(gaps: Floats, *, resamples: int = RESAMPLES) -> float | None:
    """Return the two-sided p of a sum of differences under random signs; None without differences.

    >>> permutation_p(np.zeros(5)) is None, permutation_p(np.ones(30)) < 0.01
    (True, True)
    """
    gaps = gaps[gaps != 0]
    if not len(gaps):
        return None
    signs = np.random.default_rng(SEED).choice([-1.0, 1.0], size=(resamples, len(gaps)))
    return p_value(np.abs(signs @ gaps), abs(gaps.sum()) - 1e-9)


def _kappa(votes: Ints, people: HumanVotes, sentences: Ints) -> tuple[float | None, Interval | None, int]:
    """Return κ′ of the metric as one more annotator: its vote beside every answer on the same pair."""
    total = people.answers.sum(axis=1)
    counted = (votes != NO_VOTE) & (total > 0)
    if not counted.any():
        return None, None, 0
    places = np.flatnonzero(counted)
    agreed = people.answers[places, 1 - votes[places]].astype(np.float64)
    of = sentences[counted]
    rows = np.column_stack([_by_sentence(agreed, of), _by_sentence(total[counted] * 1.0, of)])
    sums = rows.sum(axis=0)
    value = float(kappa_prime(sums[:1], sums[1:])[0])
    samples = bootstrap_sums(rows, lambda sums: kappa_prime(sums[:, 0], sums[:, 1]), RESAMPLES, SEED)
    return value, percentile_interval(samples), int(total[counted].sum())


def _pearson_interval(deltas: Floats, means: Floats, sentences: Ints) -> Interval | None:
    """Resample sentences, because Fisher's z′ would treat pairs of one sentence as independent."""
    if not len(deltas):
        return None
    x, y = ((values - values.mean()) / (np.ptp(values) or 1.0) for values in (deltas, means))
    rows = np.column_stack([_by_sentence(v, sentences) for v in (np.ones(len(x)), x, y, x * x, y * y, x * y)])

    def correlations(sums: Floats) -> Floats:
        n, a, b, aa, bb, ab = sums.T
        spread = (n * aa - a * a) * (n * bb - b * b)
        known = spread > 1e-12 * n**4  # else one side is the same everywhere
        return np.where(known, (n * ab - a * b) / np.sqrt(np.where(known, spread, 1.0)), np.nan)

    return percentile_interval(bootstrap_sums(rows, correlations, RESAMPLES, SEED))


def _rate(right: Bools, counted: Bools, sentences: Ints) -> Rate:
    n = int(counted.sum())
    if not n:
        return Rate(None, None, 0)
    values = right[counted].astype(np.float64)
    return Rate(float(values.mean()), bootstrap_share(values, sentences[counted], RESAMPLES, SEED), n)


def _by_sentence(values: Floats, sentences: Ints) -> Floats:
    """Return the sum of the values of each sentence that has some."""
    _, codes = np.unique(sentences, return_inverse=True)
    return np.bincount(codes.reshape(-1), values).astype(np.float64)


def _weights(scheme: Scheme) -> Floats:
    """Return the weight of each label in the mean vote: 1 for the strongest preference of the scheme.

    >>> _weights(SIX_WAY).tolist()
    [1.0, 0.5, 0.0, -0.5, -1.0, 0.0]
    """
    much = any(choice.collapsed is not choice for choice in scheme.choices)
    return np.array(
        [
            0.0 if c.sign is None else c.sign * (0.5 if much and c.collapsed is c else 1.0)
            for c in SIX_WAY.choices
        ]
    )
