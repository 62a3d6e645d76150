"""Agreement coefficients, each with its own model of chance (Artstein & Poesio 2008; Gwet 2014).

All have the form (P(A) − P(E)) / (1 − P(E)) and differ in how they weight items in P(A) and in their model of
chance. A coefficient is data: ``features`` returns one column of numbers for each item, columns add up to
totals, and ``value`` computes the coefficient from totals. A bootstrap is therefore one matrix product, and
the estimate and its interval come from the same code. ``nan`` means "undefined" inside arrays; ``estimate``
returns ``None`` instead.

Where an annotator judged an item twice, each judgement counts as a label, but the two are compared only if
the tally includes them: in every formula Pᵢ is the share of the *compared* pairs that agree.

Two coefficients are for labels on a scale, where a near miss costs less than a contradiction. *N/A* is not on
the scale: their callers leave such judgements out, and count only the first of several judgements of one
annotator on an item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.judgements import Floats
from evaluation.agreement.tally import Tally


@dataclass(frozen=True)
class Coefficient:
    """A statistic of totals; ``chance`` describes its model of chance agreement."""

    name: str
    title: str
    chance: str
    features: Callable[[Tally], Floats]
    value: Callable[[Floats], Floats]


def estimate(coefficient: Coefficient, tallies: Tally | Iterable[Tally]) -> float | None:
    """Return the coefficient over all items of one or several tallies, or None where it is undefined.

    >>> tally = Tally(np.array([[2, 2, 0, 1], [0, 0, 2, 1]]))
    >>> round(estimate(SCOTT_PI, tally), 4), estimate(SCOTT_PI, [])
    (0.4667, None)
    """
    blocks = tallies.blocks() if isinstance(tallies, Tally) else tallies
    parts = [coefficient.features(block).sum(axis=1) for block in blocks]
    return none_if_nan(coefficient.value(np.sum(parts, axis=0))) if parts else None


def fixed_kappa(size: int) -> Coefficient:
    """κ of paper 003: every one of the ``size`` choices is equally likely, P(E) = 1/size.

    >>> estimate(fixed_kappa(4), Tally(np.array([[2, 1], [0, 1], [0, 0], [0, 0]])))
    0.3333333333333333
    """
    return Coefficient(
        "kappa",
        "κ (fixed chance)",
        f"uniform, P(E) = 1/{size}",
        _pairs,
        lambda t: correct_for_chance(ratio(t[0], t[1]), 1 / size),
    )


def bennett_s(size: int) -> Coefficient:
    """Bennett's S (Brennan–Prediger): P(A) as in Fleiss, P(E) = 1/size.

    It equals κ with fixed chance where all items have the same number of judgements.
    """
    return Coefficient(
        "bennett_s",
        "Bennett S",
        f"uniform, P(E) = 1/{size}, items weighted equally",
        _by_item,
        lambda t: correct_for_chance(ratio(t[0], t[1]), 1 / size),
    )


def wmt_kappa(tie: int, not_applicable: int | None = None) -> Coefficient:
    """κ of the WMT organisers: ties as frequent as observed, all other labels equally likely.

    With t the share of ties and three labels, P(E) = t² + 2·((1−t)/2)². The label ``not_applicable``, with
    the share a, is as frequent as observed too; m further labels share the rest: m·((1−t−a)/m)².
    """
    return Coefficient(
        "kappa",
        "κ (WMT)",
        "ties as frequent as seen, the rest uniform",
        lambda tally: np.vstack([tally.pairs, tally.counts]),
        lambda t: correct_for_chance(ratio(t[0], t[1]), wmt_chance(t[2:], tie, not_applicable)),
    )


def wmt_chance(label_totals: Floats, tie: int, not_applicable: int | None = None) -> Floats:
    """P(E) of ``wmt_kappa`` from label totals.

    >>> round(float(wmt_chance(np.array([4.0, 2.0, 4.0]), 1)), 4)
    0.36
    """
    shares = ratio(label_totals, label_totals.sum(axis=0))
    observed = [tie] if not_applicable is None else [tie, not_applicable]
    rest = 1 - shares[observed].sum(axis=0)
    return np.asarray((shares[observed] ** 2).sum(axis=0) + rest**2 / max(len(shares) - len(observed), 1))


def _pairs(tally: Tally) -> Floats:
    return tally.pairs


def _pairs_and_labels(tally: Tally) -> Floats:
    pairs = tally.pairs
    return np.vstack([pairs, np.where(pairs[1] > 0, tally.counts, 0)])


def _pi(t: Floats) -> Floats:
    p = ratio(t[2:], t[2:].sum(axis=0))
    return correct_for_chance(ratio(t[0], t[1]), (p**2).sum(axis=0))


def _fleiss(t: Floats) -> Floats:
    pi = ratio(t[2:-1], t[-1])
    return correct_for_chance(ratio(t[0], t[1]), (pi**2).sum(axis=0))


def _ac1(t: Floats) -> Floats:
    pi = ratio(t[2:-1], t[-1])
    return correct_for_chance(ratio(t[0], t[1]), (pi * (1 - pi)).sum(axis=0) / (len(pi) - 1))


def _alpha(t: Floats) -> Floats:
    n_c, n = t[1:], t[1:].sum(axis=0)
    d_o = 1 - ratio(t[0], n)
    d_e = 1 - ratio((n_c * (n_c - 1)).sum(axis=0), n * (n - 1))
    return 1 - ratio(d_o, d_e)


def _coincidences(tally: Tally) -> Floats:
    """(n·Pᵢ, n_c …) × items: diagonal and margins of the coincidence matrix.

    n·Pᵢ is Krippendorff's Σ n_c(n_c−1)/(n−1), where Pᵢ is the share of compared pairs that agree.
    """
    features = np.empty((1 + len(tally.counts), tally.counts.shape[1]))
    n_c = features[1:]
    n_c[:] = tally.counts
    n = n_c.sum(axis=0)
    features[0], is_compared = _item_agreement(tally, n_c, n)
    features[0] *= n
    n_c[:, ~is_compared] = 0  # a single label has no coincidences
    return features


def _by_item(tally: Tally) -> Floats:
    """(Pᵢ, 1 if there are compared pairs, rᵢₖ/rᵢ …, 1 if there are judgements) × items."""
    features = np.empty((3 + len(tally.counts), tally.counts.shape[1]))
    shares = features[2:-1]
    shares[:] = tally.counts
    r = shares.sum(axis=0)
    features[0], features[1] = _item_agreement(tally, shares, r)
    shares /= np.maximum(r, 1)
    features[-1] = r > 0
    return features


def _item_agreement(tally: Tally, counts: Floats, r: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Pᵢ = Σ rᵢₖ(rᵢₖ−1) / rᵢ(rᵢ−1) over compared pairs, and which items have such pairs."""
    agreeing, pairs = np.einsum("ij,ij->j", counts, counts) - r, r * (r - 1)
    if tally.own is not None:
        agreeing, pairs = agreeing - 2 * tally.own[0], pairs - 2 * tally.own[1]
    return agreeing / np.maximum(pairs, 1), pairs > 0


def correct_for_chance(p_a: Floats, p_e: Floats | float) -> Floats:
    """(P(A) − P(E)) / (1 − P(E)); nan where P(E) is 1."""
    return ratio(p_a - p_e, 1 - np.asarray(p_e))


def ratio(above: Floats, below: Floats) -> Floats:
    """The quotient; nan where the denominator is 0 (up to rounding)."""
    is_zero = np.abs(below) < 1e-12
    return np.asarray(np.where(is_zero, np.nan, above / np.where(is_zero, 1.0, below)))


def none_if_nan(value: Floats | float) -> float | None:
    """The number, or None for nan."""
    return None if np.isnan(value) else float(value)


OBSERVED = Coefficient("p_a", "P(A)", "none", _pairs, lambda t: ratio(t[0], t[1]))

SCOTT_PI = Coefficient(
    "scott_pi",
    "Scott π",
    "one label distribution, over judgements that can be paired",
    _pairs_and_labels,
    _pi,
)
"""Scott's π for any number of annotators: P(A) over pairs, P(E) = Σ pₖ²."""

FLEISS = Coefficient(
    "fleiss",
    "Fleiss κ",
    "one label distribution, items weighted equally",
    _by_item,
    _fleiss,
)
"""Fleiss' κ for unequal numbers of judgements (Gwet 2014, chapter 2).

P(A) is the mean over items with at least two judgements of Pᵢ = Σₖ rᵢₖ(rᵢₖ−1) / rᵢ(rᵢ−1);
P(E) = Σ πₖ² with πₖ the mean over items of rᵢₖ/rᵢ.
"""

GWET_AC1 = Coefficient(
    "gwet_ac1",
    "Gwet AC1",
    "one label distribution, robust if one label dominates",
    _by_item,
    _ac1,
)
"""Gwet's AC1: P(A) and πₖ as in Fleiss, P(E) = Σ πₖ(1−πₖ) / (q−1) with q the labels of the scheme."""

KRIPPENDORFF_ALPHA = Coefficient(
    "krippendorff_alpha",
    "Krippendorff α, nominal",
    "one label distribution, sampled without replacement",
    _coincidences,
    _alpha,
)
"""Krippendorff's α = 1 − D_o/D_e for nominal labels; items with one judgement do not count."""


def ordinal_alpha(size: int) -> Coefficient:
    """Krippendorff's α with the ordinal metric: δ² = (judgements from c to k, both ends counted half)²."""

    def features(tally: Tally) -> Floats:
        n = tally.counts.sum(axis=0)
        counts = np.where(n > 1, tally.counts, 0).astype(np.float64)
        coincidences = counts[:, None] * counts[None, :]
        coincidences[np.arange(size), np.arange(size)] -= counts
        coincidences /= np.maximum(n - 1, 1)
        return coincidences.reshape(size * size, -1)

    def value(t: Floats) -> Floats:
        o = t.reshape(size, size, *t.shape[1:])
        n_c = o.sum(axis=1)
        n = n_c.sum(axis=0)
        rank = np.cumsum(n_c, axis=0) - n_c / 2
        delta = (rank[:, None] - rank[None, :]) ** 2
        d_o = (o * delta).sum(axis=(0, 1))
        d_e = (n_c[:, None] * n_c[None, :] * delta).sum(axis=(0, 1))
        return np.asarray(1 - (n - 1) * ratio(d_o, d_e))

    return Coefficient(
        "krippendorff_alpha_ordinal",
        "Krippendorff α, ordinal",
        "one label distribution, distance by rank; N/A left out",
        features,
        value,
    )


def gwet_ac2(size: int) -> Coefficient:
    """Gwet's AC2 with quadratic weights: the weighted form of AC1."""
    steps = np.subtract.outer(np.arange(size), np.arange(size))
    weights = 1 - (steps / (size - 1)) ** 2

    def features(tally: Tally) -> Floats:
        r = tally.counts.sum(axis=0)
        shares = tally.counts / np.maximum(r, 1)
        weighted = (tally.counts * (weights @ tally.counts - 1)).sum(axis=0)
        return np.vstack([weighted / np.maximum(r * (r - 1), 1), r > 1, shares, r > 0])

    def value(t: Floats) -> Floats:
        pi = ratio(t[2:-1], t[-1])
        p_e = weights.sum() / (size * (size - 1)) * (pi * (1 - pi)).sum(axis=0)
        return correct_for_chance(ratio(t[0], t[1]), p_e)

    return Coefficient(
        "gwet_ac2",
        "Gwet AC2, quadratic",
        "as AC1, near misses weighted; N/A left out",
        features,
        value,
    )
