"""Do metrics prefer the phrases that people prefer? Votes beside votes, with intervals and tests.

What people say about a pair is its most frequent verdict, six choices read as three (first, tie, second);
N/A is no verdict, and where two verdicts are equally frequent there is no majority. A metric is on the same
side where its vote is the majority's; a tie is a vote like the others. Pairs of one sentence are not
independent, so whole sentences are resampled and exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from evaluation.agreement.bootstrap import percentile_interval
from evaluation.results.signtest import sign_test
from evaluation.schemes import FOUR_WAY, SIX_WAY, Scheme
from metrics.metaeval.correlation import holm, pearson
from metrics.metaeval.resampling import resampled

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Interval = tuple[float, float]

NONE = 9
"""No vote, or no majority; the votes are +1 (the pair's first text), 0 (tie) and −1."""

_SIDE_OF_LABEL = np.array([NONE if c.sign is None else c.sign for c in SIX_WAY.choices])


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """For each pair the majority, by how many votes it leads, and the mean vote (NaN without votes).

    ``answers`` are its votes by side: first, tie, second, N/A.
    """

    answers: Ints
    majority: Ints
    margin: Ints
    mean: Floats


@dataclass(frozen=True, slots=True)
class Rate:
    """How often of ``n``; None without any."""

    value: float | None
    interval: Interval | None
    n: int


@dataclass(frozen=True, slots=True)
class VoteLine:
    """A metric beside people: all pairs with a majority, those of them that are no tie, the size of Δ."""

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
class Contest:
    """Two metrics on the pairs on which both voted and people have a majority."""

    a: int
    b: int
    pairs: int
    only_a: int
    only_b: int
    mcnemar: float | None
    p: float | None
    p_holm: float | None


def people(counts: Ints, scheme: Scheme) -> People:
    """From votes by six-way label, one row per pair.

    >>> found = people(np.array([[1, 1, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 0, 0, 0, 0, 2]]), SIX_WAY)
    >>> found.majority.tolist(), found.margin.tolist(), found.mean.tolist()
    ([1, 9, 9], [1, 0, 0], [0.5, 0.0, nan])
    """
    threes = np.stack([counts[:, side == _SIDE_OF_LABEL].sum(axis=1) for side in (1, 0, -1)], axis=1)
    ordered = np.sort(threes, axis=1)
    margin = ordered[:, 2] - ordered[:, 1]
    majority = np.where(margin > 0, 1 - np.argmax(threes, axis=1), NONE)
    votes = threes.sum(axis=1)
    mean = np.full(len(counts), np.nan)
    np.divide(counts @ _weights(scheme), votes, out=mean, where=votes > 0)
    answers = np.column_stack([threes, counts.sum(axis=1) - votes])
    return People(answers, majority, margin, mean)


def vote_line(
    votes: Ints, deltas: Floats, said: People, sentences: Ints, *, resamples: int = 1000, seed: int = 1
) -> VoteLine:
    """One metric: ``votes`` and ``deltas`` (NaN where it has no vote) of every pair."""
    counted = (votes != NONE) & (said.majority != NONE)
    right = votes == said.majority
    decided = counted & (said.majority != 0)
    both = np.isfinite(deltas) & np.isfinite(said.mean)
    return VoteLine(
        _rate(right, counted, sentences, resamples, seed),
        _rate(right, decided, sentences, resamples, seed),
        pearson(deltas[both], said.mean[both]),
        _pearson_interval(deltas[both], said.mean[both], sentences[both], resamples, seed),
        int(both.sum()),
        *_kappa(votes, said, sentences, resamples, seed),
        int((votes != NONE).sum()),
    )


def kappa_prime(agreed: Floats, total: Floats) -> Floats:
    """κ over four choices with fixed chance, as between two annotators (paper 003, section 5.1).

    >>> kappa_prime(np.array([7.0]), np.array([10.0])).round(4).tolist()
    [0.6]
    """
    return (agreed / total - FOUR_WAY.chance) / (1 - FOUR_WAY.chance)


def contests(
    votes: Sequence[Ints], said: People, sentences: Ints, *, resamples: int = 1000, seed: int = 1
) -> list[Contest]:
    """Every two metrics: McNemar's exact test, and a permutation test over sentences corrected by Holm."""
    found = [
        _contest(a, b, votes[a], votes[b], said, sentences, resamples, seed)
        for a, b in combinations(range(len(votes)), 2)
    ]
    tested = [one.p for one in found if one.p is not None]
    corrected = iter(holm(tested))
    return [
        Contest(
            one.a, one.b, one.pairs, one.only_a, one.only_b, one.mcnemar, one.p,
            None if one.p is None else next(corrected),
        )
        for one in found
    ]  # fmt: skip


def _contest(
    a: int, b: int, first: Ints, second: Ints, said: People, sentences: Ints, resamples: int, seed: int
) -> Contest:
    common = (first != NONE) & (second != NONE) & (said.majority != NONE)
    right_a, right_b = first[common] == said.majority[common], second[common] == said.majority[common]
    only_a, only_b = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    gaps = _by_sentence(right_a.astype(np.float64) - right_b, sentences[common])
    return Contest(
        a, b, int(common.sum()), only_a, only_b,
        sign_test(only_a, only_b) if only_a + only_b else None,
        permutation_p(gaps, resamples=resamples, seed=seed), None,
    )  # fmt: skip


def permutation_p(gaps: Floats, *, resamples: int = 1000, seed: int = 1) -> float | None:
    """Two-sided p of a sum of differences whose signs are drawn at random; None without differences.

    >>> permutation_p(np.zeros(5)) is None, permutation_p(np.ones(30)) < 0.01
    (True, True)
    """
    gaps = gaps[gaps != 0]
    if not len(gaps):
        return None
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(resamples, len(gaps)))
    extreme = np.count_nonzero(np.abs(signs @ gaps) >= abs(gaps.sum()) - 1e-9)
    return float((1 + extreme) / (1 + resamples))


def _kappa(
    votes: Ints, said: People, sentences: Ints, resamples: int, seed: int
) -> tuple[float | None, Interval | None, int]:
    """The metric as one more annotator: every answer of a person beside its vote on the same pair."""
    total = said.answers.sum(axis=1)
    counted = (votes != NONE) & (total > 0)
    if not counted.any():
        return None, None, 0
    places = np.flatnonzero(counted)
    agreed = said.answers[places, 1 - votes[places]].astype(np.float64)
    of = sentences[counted]
    rows = np.column_stack([_by_sentence(agreed, of), _by_sentence(total[counted] * 1.0, of)])
    sums = rows.sum(axis=0)
    value = float(kappa_prime(sums[:1], sums[1:])[0])
    drawn = resampled(rows, lambda drawn: kappa_prime(drawn[:, 0], drawn[:, 1]), resamples, seed)
    return value, percentile_interval(drawn), int(total[counted].sum())


def _pearson_interval(
    deltas: Floats, means: Floats, sentences: Ints, resamples: int, seed: int
) -> Interval | None:
    """Of r over resampled sentences; Fisher's z′ would take pairs of one sentence as independent."""
    if not len(deltas):
        return None
    x, y = ((values - values.mean()) / (np.ptp(values) or 1.0) for values in (deltas, means))
    rows = np.column_stack([_by_sentence(v, sentences) for v in (np.ones(len(x)), x, y, x * x, y * y, x * y)])

    def correlations(sums: Floats) -> Floats:
        n, a, b, aa, bb, ab = sums.T
        spread = (n * aa - a * a) * (n * bb - b * b)
        known = spread > 1e-12 * n**4  # else one side is the same everywhere
        return np.where(known, (n * ab - a * b) / np.sqrt(np.where(known, spread, 1.0)), np.nan)

    return percentile_interval(resampled(rows, correlations, resamples, seed))


def _rate(
    right: npt.NDArray[np.bool_],
    counted: npt.NDArray[np.bool_],
    sentences: Ints,
    resamples: int,
    seed: int,
) -> Rate:
    n = int(counted.sum())
    if not n:
        return Rate(None, None, 0)
    of = sentences[counted]
    rows = np.column_stack(
        [_by_sentence(right[counted].astype(np.float64), of), _by_sentence(np.ones(n), of)]
    )
    drawn = resampled(rows, lambda sums: sums[:, 0] / sums[:, 1], resamples, seed)
    return Rate(float(right[counted].mean()), percentile_interval(drawn), n)


def _by_sentence(values: Floats, sentences: Ints) -> Floats:
    """Sums of the values of each sentence that has some."""
    _, codes = np.unique(sentences, return_inverse=True)
    return np.bincount(codes.reshape(-1), values).astype(np.float64)


def _weights(scheme: Scheme) -> Floats:
    """What a label weighs in the mean vote: 1 for the strongest preference that the scheme offers.

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
