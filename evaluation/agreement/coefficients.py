"""Agreement coefficients, each with its own idea of chance (Artstein & Poesio 2008; Gwet 2014).

All have the form (P(A) − P(E)) / (1 − P(E)) and differ in how they weigh items in P(A) and in what they
call chance. A coefficient is data: ``features`` gives one column of numbers for each item, columns add up
to totals, and ``value`` turns totals into the coefficient. So a bootstrap costs one matrix product, and
the estimate and its interval come from the same line of code. ``nan`` stands for "undefined" inside
arrays; ``estimate`` turns it into ``None``.

Where an annotator judged an item twice, each judgement counts as a label, but the two are not compared
(unless the tally says so): in every formula Pᵢ is the share of the *compared* pairs that agree.
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
    """The coefficient over all items of a tally or of several, or None where it is undefined.

    >>> tally = Tally(np.array([[2, 2, 0, 1], [0, 0, 2, 1]]))
    >>> round(estimate(SCOTT_PI, tally), 4), estimate(SCOTT_PI, [])
    (0.4667, None)
    """
    blocks = tallies.blocks() if isinstance(tallies, Tally) else tallies
    parts = [coefficient.features(block).sum(axis=1) for block in blocks]
    return defined(coefficient.value(np.sum(parts, axis=0))) if parts else None


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
        lambda t: corrected(ratio(t[0], t[1]), 1 / size),
    )


def bennett_s(size: int) -> Coefficient:
    """Bennett's S (Brennan–Prediger): P(A) as in Fleiss, P(E) = 1/size.

    It equals κ with fixed chance where all items have the same number of judgements.
    """
    return Coefficient(
        "bennett_s",
        "Bennett S",
        f"uniform, P(E) = 1/{size}, items weigh the same",
        _by_item,
        lambda t: corrected(ratio(t[0], t[1]), 1 / size),
    )


def wmt_kappa(tie: int, apart: int | None = None) -> Coefficient:
    """κ of the WMT organisers: ties as frequent as seen, all other labels equally likely.

    With t the share of ties and three labels, P(E) = t² + 2·((1−t)/2)². A label that stands ``apart``
    (N/A) is, like ties, as frequent as seen; m further labels share the rest: m·((1−t−a)/m)².
    """
    return Coefficient(
        "kappa",
        "κ (WMT)",
        "ties as frequent as seen, the rest uniform",
        lambda tally: np.vstack([tally.pairs, tally.counts]),
        lambda t: corrected(ratio(t[0], t[1]), wmt_chance(t[2:], tie, apart)),
    )


def wmt_chance(label_totals: Floats, tie: int, apart: int | None = None) -> Floats:
    """P(E) of ``wmt_kappa`` from totals of labels.

    >>> round(float(wmt_chance(np.array([4.0, 2.0, 4.0]), 1)), 4)
    0.36
    """
    shares = ratio(label_totals, label_totals.sum(axis=0))
    seen = [tie] if apart is None else [tie, apart]
    rest = 1 - shares[seen].sum(axis=0)
    return np.asarray((shares[seen] ** 2).sum(axis=0) + rest**2 / max(len(shares) - len(seen), 1))


def _pairs(tally: Tally) -> Floats:
    return tally.pairs


def _pairs_and_labels(tally: Tally) -> Floats:
    pairs = tally.pairs
    return np.vstack([pairs, np.where(pairs[1] > 0, tally.counts, 0)])


def _pi(t: Floats) -> Floats:
    p = ratio(t[2:], t[2:].sum(axis=0))
    return corrected(ratio(t[0], t[1]), (p**2).sum(axis=0))


def _fleiss(t: Floats) -> Floats:
    pi = ratio(t[2:-1], t[-1])
    return corrected(ratio(t[0], t[1]), (pi**2).sum(axis=0))


def _ac1(t: Floats) -> Floats:
    pi = ratio(t[2:-1], t[-1])
    return corrected(ratio(t[0], t[1]), (pi * (1 - pi)).sum(axis=0) / (len(pi) - 1))


def _alpha(t: Floats) -> Floats:
    n_c, n = t[1:], t[1:].sum(axis=0)
    d_o = 1 - ratio(t[0], n)
    d_e = 1 - ratio((n_c * (n_c - 1)).sum(axis=0), n * (n - 1))
    return 1 - ratio(d_o, d_e)


def _coincidences(tally: Tally) -> Floats:
    """(n·Pᵢ, n_c …) × items: the coincidence matrix's diagonal and margins.

    n·Pᵢ is Krippendorff's Σ n_c(n_c−1)/(n−1), where Pᵢ is the share of compared pairs that agree.
    """
    found = np.empty((1 + len(tally.counts), tally.counts.shape[1]))
    n_c = found[1:]
    n_c[:] = tally.counts
    n = n_c.sum(axis=0)
    found[0], compared = _item_agreement(tally, n_c, n)
    found[0] *= n
    n_c[:, ~compared] = 0  # a value without a partner cannot coincide
    return found


def _by_item(tally: Tally) -> Floats:
    """(Pᵢ, 1 if anything was compared, rᵢₖ/rᵢ …, 1 if anybody judged it) × items."""
    found = np.empty((3 + len(tally.counts), tally.counts.shape[1]))
    shares = found[2:-1]
    shares[:] = tally.counts
    r = shares.sum(axis=0)
    found[0], found[1] = _item_agreement(tally, shares, r)
    shares /= np.maximum(r, 1)
    found[-1] = r > 0
    return found


def _item_agreement(tally: Tally, counts: Floats, r: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Pᵢ = Σ rᵢₖ(rᵢₖ−1) / rᵢ(rᵢ−1), without pairs that are not compared, and where there are pairs."""
    agreeing, pairs = np.einsum("ij,ij->j", counts, counts) - r, r * (r - 1)
    if tally.own is not None:
        agreeing, pairs = agreeing - 2 * tally.own[0], pairs - 2 * tally.own[1]
    return agreeing / np.maximum(pairs, 1), pairs > 0


def corrected(p_a: Floats, p_e: Floats | float) -> Floats:
    """(P(A) − P(E)) / (1 − P(E)); undefined where chance alone explains everything."""
    return ratio(p_a - p_e, 1 - np.asarray(p_e))


def ratio(above: Floats, below: Floats) -> Floats:
    """Quotient that is nan where the denominator is nothing (up to rounding)."""
    nothing = np.abs(below) < 1e-12
    return np.asarray(np.where(nothing, np.nan, above / np.where(nothing, 1.0, below)))


def defined(value: Floats | float) -> float | None:
    """The number, or None for nan."""
    return None if np.isnan(value) else float(value)


OBSERVED = Coefficient("p_a", "P(A)", "none", _pairs, lambda t: ratio(t[0], t[1]))

SCOTT_PI = Coefficient(
    "scott_pi",
    "Scott π",
    "one label distribution, over judgements that have a partner",
    _pairs_and_labels,
    _pi,
)
"""Scott's π for any number of annotators: P(A) over pairs, P(E) = Σ pₖ²."""

FLEISS = Coefficient(
    "fleiss",
    "Fleiss κ",
    "one label distribution, items weigh the same",
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
    "one label distribution, steady when one label dominates",
    _by_item,
    _ac1,
)
"""Gwet's AC1: P(A) and πₖ as in Fleiss, P(E) = Σ πₖ(1−πₖ) / (q−1) with q the labels of the scheme."""

KRIPPENDORFF_ALPHA = Coefficient(
    "krippendorff_alpha",
    "Krippendorff α, nominal",
    "one label distribution, drawn without putting back",
    _coincidences,
    _alpha,
)
"""Krippendorff's α = 1 − D_o/D_e for nominal labels; items with one judgement do not count."""
