"""Is one system better than another? A sign test that counts sentences, not clicks.

Votes on one sentence are not independent, and two annotators who contradict each other on a sentence
have shown nothing: each sentence gives one sign, that of its summed votes, and even sentences give
none. A difference is called significant only if it survives Holm's correction for the number of
comparisons *and* more annotators side with the better system than against it, so that one busy
annotator cannot outvote another who says the opposite.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr  # scipy.stats has the same and takes a second to load

from evaluation.agreement.judgements import Floats, Ints
from evaluation.results.votes import Votes

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems; ``n`` sentences decided, ``p`` is None where there are none."""

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
        return self.sentences_for + self.sentences_against


def compare_systems(votes: Votes) -> tuple[Comparison, ...]:
    """Every two systems with a vote between them, in the order of their names in ``votes``."""
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    signs = np.where(votes.first < votes.second, votes.signs, -votes.signs)
    codes = low * len(votes.system_names) + high
    found = [(int(code), codes == code) for code in np.unique(codes)]
    nets = [
        (_net(signs[rows], votes.sentences[rows]), _net(signs[rows], votes.annotators[rows]))
        for _, rows in found
    ]
    values = np.array([sign_test(int((s > 0).sum()), int((s < 0).sum())) for s, _ in nets], dtype=np.float64)
    adjusted = holm(values)
    return tuple(
        _comparison(votes, code, signs[rows], *net, p, q)
        for (code, rows), net, p, q in zip(found, nets, values, adjusted, strict=True)
    )


def sign_test(positive: int, negative: int) -> float:
    """Two-sided exact p of an even coin; nan without data.

    >>> sign_test(9, 1)
    0.021484375
    """
    n = positive + negative
    return min(1.0, 2 * float(bdtr(min(positive, negative), n, 0.5))) if n else np.nan


def holm(values: Floats) -> Floats:
    """Holm's step-down correction; nan stays nan and does not count as a comparison.

    >>> holm(np.array([0.01, 0.04, 0.03, np.nan])).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    adjusted = np.full(len(values), np.nan)
    order = np.argsort(values)[: int((~np.isnan(values)).sum())]  # nan sorts last
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(values[order] * factors))
    return adjusted


def _net(signs: Ints, groups: Ints) -> Ints:
    """The sign of the sum in each group that occurs."""
    places = np.unique(groups, return_inverse=True)[1].reshape(-1)
    return np.sign(np.bincount(places, signs)).astype(np.int64)


def _comparison(
    votes: Votes, code: int, signs: Ints, by_sentence: Ints, by_annotator: Ints, p: float, p_holm: float
) -> Comparison:
    a, b = divmod(code, len(votes.system_names))
    ahead = int((by_sentence > 0).sum()) - int((by_sentence < 0).sum())
    support = int(by_annotator.sum()) * int(np.sign(ahead))
    return Comparison(
        votes.system_names[a],
        votes.system_names[b],
        *_for_against_even(signs),
        *_for_against_even(by_sentence),
        *_for_against_even(by_annotator)[:2],
        None if np.isnan(p) else float(p),
        None if np.isnan(p) else float(p_holm),
        bool(p_holm < LEVEL and support > 0),
    )


def _for_against_even(signs: Ints) -> tuple[int, int, int]:
    return int((signs > 0).sum()), int((signs < 0).sum()), int((signs == 0).sum())
