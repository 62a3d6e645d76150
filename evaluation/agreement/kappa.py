"""The headline κ: its two models of chance, κ′ over collapsed labels, and the names of its bands.

``fixed`` is the chance model of paper 003: each label of the scheme is equally likely. ``wmt`` is that of the
WMT organisers: ties are as frequent as observed, the other labels are uniform; it must know which label is
the tie. κ′ reads the labels of the collapsed scheme (*much better* becomes *better*).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evaluation.agreement.coefficients import Coefficient, fixed_kappa, wmt_chance, wmt_kappa
from evaluation.agreement.judgements import Floats, Judgements
from evaluation.schemes import Choice, Scheme

TIES = (Choice.EQUAL.value, "=", "tie", "0")

# Landis & Koch (1977), as used in paper 003. The printed classes leave gaps (.20–.21 …); here each class
# ends where the next one begins.
BANDS: tuple[tuple[float, str], ...] = (
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
)
ROUNDING = 1e-9  # a κ of .20 is "slight" also where it is computed as .20000000000000004


class Chance(StrEnum):
    """A model of chance agreement."""

    FIXED = "fixed"
    WMT = "wmt"


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The labels of a study, with the codes of the tie and of N/A, if there are any."""

    names: tuple[str, ...]

    @property
    def tie(self) -> int:
        """The label with the name of a tie, else the middle one of an odd number of labels.

        >>> LabelSet(("A>B", "A=B", "A<B", "N/A")).tie, LabelSet(("worse", "same", "better")).tie
        (1, 1)
        """
        for name in TIES:
            if name in self.names:
                return self.names.index(name)
        if len(self.names) % 2:
            return len(self.names) // 2
        raise ValueError(f"no tie among the labels {', '.join(self.names)}; one must be {' or '.join(TIES)}")

    @property
    def not_applicable(self) -> int | None:
        name = Choice.NOT_APPLICABLE.value
        return self.names.index(name) if name in self.names else None

    def kappa(self, chance: Chance) -> Coefficient:
        """The headline κ under a model of chance."""
        if chance is Chance.FIXED:
            return fixed_kappa(len(self.names))
        return wmt_kappa(self.tie, self.not_applicable)

    def chance_agreement(self, label_totals: Floats, chance: Chance) -> Floats:
        """P(E), from the label totals where the model uses them."""
        if chance is Chance.FIXED:
            return np.asarray(1 / len(self.names))
        return wmt_chance(label_totals, self.tie, self.not_applicable)


def scale_codes(scheme: Scheme) -> list[int]:
    """Return the codes of the ordered labels of a scheme, in their order.

    >>> from evaluation.schemes import FOUR_WAY
    >>> scale_codes(FOUR_WAY)
    [0, 1, 2]
    """
    return [scheme.choices.index(choice) for choice in scheme.ordered]


def collapsed_codes(scheme: Scheme) -> list[int]:
    """Return the code of each label in the collapsed scheme.

    >>> from evaluation.schemes import SIX_WAY
    >>> collapsed_codes(SIX_WAY)
    [0, 0, 1, 2, 2, 3]
    """
    choices = scheme.collapsed.choices
    return [choices.index(choice.collapsed) for choice in scheme.choices]


def collapse_judgements(judgements: Judgements, scheme: Scheme) -> Judgements:
    """Relabel judgements with the collapsed scheme, for κ′."""
    return judgements.relabel(scheme.collapsed.labels, collapsed_codes(scheme))


def name_band(kappa: float | None) -> str | None:
    """Return the name of a κ's band, None without a κ.

    >>> name_band(0.2), name_band(0.21), name_band(0.95), name_band(-0.1), name_band(None)
    ('slight', 'fair', 'perfect', 'poor (below chance)', None)
    """
    if kappa is None:
        return None
    if kappa < -ROUNDING:
        return "poor (below chance)"
    return next((name for bound, name in BANDS if kappa <= bound + ROUNDING), "perfect")
