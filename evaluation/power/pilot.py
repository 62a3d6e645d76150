"""Assumptions of a plan, estimated from the votes of a pilot: the model of ``design`` solved by moments.

Votes x are 1, 0 or −1 from the perspective of the system that is taken as the better one. From P(A), the
share of pairs of votes on one phrase that agree, follow the accuracy a (``accuracy_from_agreement``) and the
sharpness h = (3a − 1) / 2. Then

    ties        τ = (share of x = 0 − (1 − a)/2) / h
    win rate    p = ½ + mean(x) / (2 (1 − τ) h)
    clustering  ρ = (E[x x′] / ((1 − τ) h)² − (2p − 1)²) / (4 p (1 − p)),

where E[x x′] is the mean product of votes on different phrases of one sentence. Each is the equation of the
model solved for the unknown and clipped to its range. A finished task can serve as the pilot of the next.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.agreement.judgements import Ints
from evaluation.power.design import accuracy_from_agreement
from evaluation.results import Votes, expected_wins
from evaluation.study.systems import SystemPairs, collect_system_votes, join_votes
from evaluation.study.values import NO_TIME, Study

MIN_SHARPNESS = 0.05  # below it people nearly guess, and the equations cannot be solved


class PilotEstimates(NamedTuple):
    """Estimates from a pilot; None where the votes do not determine one."""

    votes: int
    sentences: int
    agreement: float | None
    ties: float | None
    win_rate: float | None
    clustering: float | None
    phrases: float | None
    overlap: float | None


class StudyPilot(NamedTuple):
    """The number of systems, the mean seconds per answer, and estimates for the two closest systems."""

    systems: int
    seconds: float | None
    better: str | None
    worse: str | None
    estimates: PilotEstimates


def estimate_pilot(
    values: ArrayLike, sentences: ArrayLike, phrases: ArrayLike, agreement: float | None = None
) -> PilotEstimates:
    """Estimate from one value, one sentence code and one phrase code for each vote.

    ``agreement`` is P(A), if it is known from more votes than these.

    >>> estimate_pilot([1, 1, -1, -1, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2])[:5]
    (6, 2, 1.0, 0.0, 0.6666666666666666)
    """
    x, s, f = (np.asarray(column) for column in (values, sentences, phrases))
    if not len(x):
        return PilotEstimates(0, 0, None, None, None, None, None, None)
    units, phrase = np.unique(np.stack([s, f]), axis=1, return_inverse=True)
    phrase = phrase.reshape(-1)
    _, sentence, phrases_of = np.unique(units[0], return_inverse=True, return_counts=True)
    agreement = vote_agreement(x, phrase) if agreement is None else agreement
    counts = len(x), len(phrases_of)
    shape = float(phrases_of.mean()), len(x) / units.shape[1]
    if agreement is None:
        return PilotEstimates(*counts, None, None, None, None, *shape)
    solution = _solve(x, agreement, _mean_product(x, phrase, sentence))
    return PilotEstimates(*counts, agreement, *solution, *shape)


def vote_agreement(values: ArrayLike, phrases: ArrayLike) -> float | None:
    """The share of pairs of votes on one phrase that agree.

    >>> vote_agreement([1, 1, -1, 0, 0], [0, 0, 0, 1, 1])
    0.5
    """
    x, phrase = np.asarray(values), np.asarray(phrases)
    if not len(x):
        return None
    counts = np.stack([np.bincount(phrase, x == value) for value in (-1, 0, 1)])
    n = counts.sum(axis=0)
    pairs = float((n * (n - 1)).sum())
    return float((counts * (counts - 1)).sum()) / pairs if pairs else None


def estimate_from_study(study: Study, system_pairs: SystemPairs) -> StudyPilot:
    """Estimate for two systems that are as close as the closest neighbours of the study.

    Agreement is that over all systems. The study itself decides which system is the better one, so a small
    study overestimates the difference.
    """
    votes = collect_system_votes(study, system_pairs)
    _, rows = join_votes(study, system_pairs)
    times = study.active_ms[study.is_counted & (study.active_ms != NO_TIME)]
    seconds = float(times.mean()) / 1000 if len(times) else None
    systems = len(np.unique(np.concatenate([votes.first, votes.second])))
    neighbours = find_closest_neighbours(votes)
    if neighbours is None:
        return StudyPilot(systems, seconds, None, None, estimate_pilot([], [], []))
    better, worse = neighbours
    signs, mask = _votes_between(votes, better, worse)
    agreement = vote_agreement(votes.signs, rows)
    estimates = estimate_pilot(signs[mask], votes.sentences[mask], rows[mask], agreement)
    return StudyPilot(systems, seconds, votes.system_names[better], votes.system_names[worse], estimates)


def find_closest_neighbours(votes: Votes) -> tuple[int, int] | None:
    """Find the two compared systems that are adjacent by expected wins and differ least."""
    shares = expected_wins(votes.wins.astype(np.float64))
    ranked = sorted(np.flatnonzero(~np.isnan(shares)).tolist(), key=lambda system: -shares[system])
    leads = []
    for better, worse in pairwise(ranked):
        signs, mask = _votes_between(votes, better, worse)
        if mask.any():
            leads.append((abs(float(signs[mask].mean())), better, worse))
    return min(leads)[1:] if leads else None


def _votes_between(votes: Votes, better: int, worse: int) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the signs from the perspective of the better system, and which votes are between the two."""
    is_forward = (votes.first == better) & (votes.second == worse)
    is_backward = (votes.first == worse) & (votes.second == better)
    return np.where(is_backward, -votes.signs, votes.signs), is_forward | is_backward


def _mean_product(x: Ints, phrase: Ints, sentence: Ints) -> float | None:
    """The mean product of votes on different phrases of one sentence; ``sentence`` is that of each phrase."""
    total, number = np.bincount(phrase, x), np.bincount(phrase)
    products = np.bincount(sentence, total) ** 2 - np.bincount(sentence, total**2)
    pairs = np.bincount(sentence, number) ** 2 - np.bincount(sentence, number**2)
    return float(products.sum() / pairs.sum()) if pairs.sum() else None


def _solve(
    x: Ints, agreement: float, mean_product: float | None
) -> tuple[float | None, float | None, float | None]:
    """Solve for ties, win rate and clustering."""
    accuracy = accuracy_from_agreement(max(agreement, 1 / 3))
    sharpness = (3 * accuracy - 1) / 2
    if sharpness < MIN_SHARPNESS:
        return None, None, None
    ties = _clip((float((x == 0).mean()) - (1 - accuracy) / 2) / sharpness)
    scale = (1 - ties) * sharpness
    if scale < MIN_SHARPNESS:
        return ties, None, None
    p = _clip(0.5 + float(x.mean()) / (2 * scale))
    if mean_product is None or p in (0, 1):
        return ties, p, None
    return ties, p, _clip((mean_product / scale**2 - (2 * p - 1) ** 2) / (4 * p * (1 - p)))


def _clip(value: float) -> float:
    return min(max(value, 0.0), 1.0)
