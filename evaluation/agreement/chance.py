"""The two models of chance behind the headline κ, by name.

``fixed`` is paper 003's: each label of the scheme is equally likely. ``wmt`` is the WMT organisers':
ties are as frequent as they were, the rest is uniform; it needs to know which label is the tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evaluation.agreement.coefficients import Coefficient, fixed_kappa, wmt_chance, wmt_kappa
from evaluation.agreement.judgements import Floats, Judgements
from evaluation.schemes import Choice

TIES = (Choice.EQUAL.value, "=", "tie", "0")


class Chance(StrEnum):
    FIXED = "fixed"
    WMT = "wmt"


@dataclass(frozen=True, slots=True)
class Labels:
    """A label set with the places of the tie and of the label that stands apart, if any."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, judgements: Judgements) -> Labels:
        return cls(judgements.label_names)

    @property
    def tie(self) -> int:
        """The tie is named so, or is the middle one of an odd number of labels.

        >>> Labels(("A>B", "A=B", "A<B", "N/A")).tie, Labels(("worse", "same", "better")).tie
        (1, 1)
        """
        for name in TIES:
            if name in self.names:
                return self.names.index(name)
        if len(self.names) % 2:
            return len(self.names) // 2
        raise ValueError(f"no tie among the labels {', '.join(self.names)}; one must be {' or '.join(TIES)}")

    @property
    def apart(self) -> int | None:
        name = Choice.NOT_APPLICABLE.value
        return self.names.index(name) if name in self.names else None

    def kappa(self, chance: Chance) -> Coefficient:
        """The headline κ under a model of chance."""
        if chance is Chance.FIXED:
            return fixed_kappa(len(self.names))
        return wmt_kappa(self.tie, self.apart)

    def expected(self, label_totals: Floats, chance: Chance) -> Floats:
        """P(E), from the totals of labels where the model reads them."""
        if chance is Chance.FIXED:
            return np.asarray(1 / len(self.names))
        return wmt_chance(label_totals, self.tie, self.apart)
