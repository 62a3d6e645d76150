"""The information in one more answer: about the order of two systems, or about a disputed pair.

*Order of systems.* The strengths θ of the tie-aware Bradley–Terry model (``results.davidson``) have a nearly
normal posterior (Laplace). For two systems let d = θ_i − θ_j with posterior mean m and variance v. One more
vote on them carries Fisher information I about d, after which the variance is v′ = v / (1 + I v), while the
mean moves by a normal step of variance v − v′. The value of the vote is the expected fall of uncertainty
about *who is better*, in bits:

    H(Φ(m / √v)) − E[ H(Φ(m′ / √v′)) ],   m′ ~ N(m, v − v′).

What the vote tells about other systems through the model is left out: it is small, and leaving it out keeps
the rule explainable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr, ndtr

from evaluation.results import davidson

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(31)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def order_information(wins: ArrayLike, ties: ArrayLike) -> Floats:
    """Systems × systems: bits that one more vote on each two systems is expected to tell about their order.

    >>> table = order_information([[0, 50, 9], [10, 0, 8], [9, 8, 0]], np.zeros((3, 3)))
    >>> bool(table[0, 2] > table[0, 1])  # first against third is open, first against second is not
    True
    """
    won, tied = np.asarray(wins, dtype=np.float64), np.asarray(ties, dtype=np.float64)
    mean, variance, information = davidson.differences(won, tied)
    size = len(won)
    bits = np.zeros((size, size))
    off = ~np.eye(size, dtype=bool)
    after = variance[off] / (1 + information[off] * variance[off])
    step = np.sqrt(variance[off] - after)
    moved = mean[off][:, None] + step[:, None] * _NODES
    expected = _doubt(moved / np.sqrt(after)[:, None]) @ _WEIGHTS
    bits[off] = np.maximum(_doubt(mean[off] / np.sqrt(variance[off])) - expected, 0.0)
    return bits


def _doubt(z: Floats) -> Floats:
    """Bits of uncertainty about a sign that is positive with probability Φ(z)."""
    return np.asarray((entr(ndtr(z)) + entr(ndtr(-z))) / np.log(2))


def disagreement_scores(counts: ArrayLike) -> Floats:
    """Items × labels to a score for each item: the entropy of its votes in bits, with one more on each label.

    An item without votes has the highest score; one on which many agree has a low one.

    >>> disagreement_scores([[0, 0], [5, 0], [3, 3]]).round(2).tolist()
    [1.0, 0.59, 1.0]
    """
    votes = np.asarray(counts, dtype=np.float64) + 1.0
    shares = votes / votes.sum(axis=1, keepdims=True)
    return np.asarray(entr(shares).sum(axis=1) / np.log(2))
