"""Agreement on labels that lie on a scale: a near miss costs less than a contradiction.

Only the ordered part of a scheme is read; *N/A* stands apart from the scale, and judgements that say it
are left out here (they count in every nominal coefficient). Of several judgements of one annotator on
one item the first counts.
"""

from __future__ import annotations

import numpy as np

from evaluation.agreement.coefficients import Coefficient, corrected, ratio
from evaluation.agreement.judgements import Floats, Judgements
from evaluation.agreement.tally import Tally
from evaluation.schemes import Scheme


def scale_of(scheme: Scheme) -> list[int]:
    """Codes of the labels that lie on the scheme's scale, in its order.

    >>> from evaluation.schemes import FOUR_WAY
    >>> scale_of(FOUR_WAY)
    [0, 1, 2]
    """
    return [scheme.choices.index(choice) for choice in scheme.ordered]


def collapsed_part(judgements: Judgements, scheme: Scheme) -> Judgements:
    """The same judgements read with the coarser labels behind κ′ (*much better* is *better*)."""
    return judgements.relabelled(scheme.collapsed.labels, collapse_of(scheme))


def collapse_of(scheme: Scheme) -> list[int]:
    """The code of each label in the collapsed scheme.

    >>> from evaluation.schemes import SIX_WAY
    >>> collapse_of(SIX_WAY)
    [0, 0, 1, 2, 2, 3]
    """
    coarse = scheme.collapsed.choices
    return [coarse.index(choice.collapsed) for choice in scheme.choices]


def ordinal_alpha(size: int) -> Coefficient:
    """Krippendorff's α with the ordinal metric: δ² = (judgements from c to k, ends half)²."""

    def features(tally: Tally) -> Floats:
        n = tally.counts.sum(axis=0)
        counts = np.where(n > 1, tally.counts, 0).astype(np.float64)
        together = counts[:, None] * counts[None, :]
        together[np.arange(size), np.arange(size)] -= counts
        together /= np.maximum(n - 1, 1)
        return together.reshape(size * size, -1)

    def value(t: Floats) -> Floats:
        o = t.reshape(size, size, *t.shape[1:])
        n_c = o.sum(axis=1)
        n = n_c.sum(axis=0)
        delta = _ordinal(n_c)
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
    """Gwet's AC2 with quadratic weights: the weighted twin of AC1."""
    steps = np.subtract.outer(np.arange(size), np.arange(size))
    weights = 1 - (steps / (size - 1)) ** 2

    def features(tally: Tally) -> Floats:
        r = tally.counts.sum(axis=0)
        shares = tally.counts / np.maximum(r, 1)
        near = (tally.counts * (weights @ tally.counts - 1)).sum(axis=0)
        return np.vstack([near / np.maximum(r * (r - 1), 1), r > 1, shares, r > 0])

    def value(t: Floats) -> Floats:
        pi = ratio(t[2:-1], t[-1])
        chance = weights.sum() / (size * (size - 1)) * (pi * (1 - pi)).sum(axis=0)
        return corrected(ratio(t[0], t[1]), chance)

    return Coefficient(
        "gwet_ac2",
        "Gwet AC2, quadratic",
        "as AC1, near misses weighted; N/A left out",
        features,
        value,
    )


def _ordinal(n_c: Floats) -> Floats:
    """Squared ordinal distances of labels whose judgements number ``n_c``."""
    middle = np.cumsum(n_c, axis=0) - n_c / 2
    return np.asarray((middle[:, None] - middle[None, :]) ** 2)
