"""What a plan needs to know, from the votes of a pilot: the model of ``design``, solved backwards by moments.

Votes x are 1, 0 or −1 for the system that is taken as the better one. With the share of pairs of votes on one
phrase that agree, P(A), people are right with probability a (``accuracy_from_agreement``) and their sharpness
is h = (3a − 1) / 2. Then

    ties        τ = (share of x = 0 − (1 − a)/2) / h
    win rate    p = ½ + mean(x) / (2 (1 − τ) h)
    clustering  ρ = (E[x x′] / ((1 − τ) h)² − (2p − 1)²) / (4 p (1 − p)),

where E[x x′] is the mean product of votes on different phrases of one sentence. Each is the equation of the
model solved for the unknown, then kept within its range.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.power.design import accuracy_from_agreement

DULL = 0.05  # below this sharpness people are nearly guessing, and the equations cannot be solved


class Pilot(NamedTuple):
    """Estimates from a pilot; ``None`` where its votes do not determine one."""

    votes: int
    sentences: int
    agreement: float | None
    ties: float | None
    win_rate: float | None
    clustering: float | None
    phrases: float | None
    overlap: float | None


def read_pilot(
    values: ArrayLike, sentences: ArrayLike, phrases: ArrayLike, agreement: float | None = None
) -> Pilot:
    """Estimates from one value, one sentence code and one phrase code for each vote.

    ``agreement`` is P(A), where it is known from more votes than these.

    >>> read_pilot([1, 1, -1, -1, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2])[:5]
    (6, 2, 1.0, 0.0, 0.6666666666666666)
    """
    x, s, f = (np.asarray(column) for column in (values, sentences, phrases))
    if not len(x):
        return Pilot(0, 0, None, None, None, None, None, None)
    units, phrase = np.unique(np.stack([s, f]), axis=1, return_inverse=True)
    phrase = phrase.reshape(-1)
    _, sentence, often = np.unique(units[0], return_inverse=True, return_counts=True)
    agreement = agreement_of(x, phrase) if agreement is None else agreement
    counts = len(x), len(often)
    shape = float(often.mean()), len(x) / units.shape[1]
    if agreement is None:
        return Pilot(*counts, None, None, None, None, *shape)
    return Pilot(*counts, agreement, *_solved(x, agreement, _cross(x, phrase, sentence)), *shape)


def agreement_of(values: ArrayLike, phrases: ArrayLike) -> float | None:
    """The share of pairs of votes on one phrase that say the same.

    >>> agreement_of([1, 1, -1, 0, 0], [0, 0, 0, 1, 1])
    0.5
    """
    x, phrase = np.asarray(values), np.asarray(phrases)
    if not len(x):
        return None
    counts = np.stack([np.bincount(phrase, x == value) for value in (-1, 0, 1)])
    n = counts.sum(axis=0)
    pairs = float((n * (n - 1)).sum())
    return float((counts * (counts - 1)).sum()) / pairs if pairs else None


def _cross(x: NDArray[np.int64], phrase: NDArray[np.int64], sentence: NDArray[np.int64]) -> float | None:
    """The mean product of votes on different phrases of one sentence; ``sentence`` is that of each phrase."""
    total, number = np.bincount(phrase, x), np.bincount(phrase)
    products = np.bincount(sentence, total) ** 2 - np.bincount(sentence, total**2)
    pairs = np.bincount(sentence, number) ** 2 - np.bincount(sentence, number**2)
    return float(products.sum() / pairs.sum()) if pairs.sum() else None


def _solved(
    x: NDArray[np.int64], agreement: float, cross: float | None
) -> tuple[float | None, float | None, float | None]:
    """Ties, win rate and clustering."""
    accuracy = accuracy_from_agreement(max(agreement, 1 / 3))
    sharpness = (3 * accuracy - 1) / 2
    if sharpness < DULL:
        return None, None, None
    ties = _within((float((x == 0).mean()) - (1 - accuracy) / 2) / sharpness)
    scale = (1 - ties) * sharpness
    if scale < DULL:
        return ties, None, None
    p = _within(0.5 + float(x.mean()) / (2 * scale))
    if cross is None or p in (0, 1):
        return ties, p, None
    return ties, p, _within((cross / scale**2 - (2 * p - 1) ** 2) / (4 * p * (1 - p)))


def _within(value: float) -> float:
    return min(max(value, 0.0), 1.0)
