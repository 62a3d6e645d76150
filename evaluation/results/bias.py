"""Does an annotator prefer a side of the screen? Sides are shuffled, so without a bias each wins half."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import sqrt

import numpy as np

from evaluation.agreement.bootstrap import Interval
from evaluation.agreement.judgements import Codes

LEFT, TIE, RIGHT, NOT_APPLICABLE = 1, 0, -1, 2
Z = 1.959964  # two-sided 95 %


class Side(StrEnum):
    EVEN = "even"
    LEFT = "prefers left"
    RIGHT = "prefers right"


@dataclass(frozen=True, slots=True)
class SideBias:
    """What one annotator chose, as shown; shares are None without data."""

    left: int
    right: int
    ties: int
    not_applicable: int
    left_share: float | None
    interval: Interval | None
    side: Side | None

    @property
    def judgements(self) -> int:
        return self.left + self.right + self.ties + self.not_applicable

    @property
    def tie_share(self) -> float | None:
        return self.ties / self.judgements if self.judgements else None

    @property
    def not_applicable_share(self) -> float | None:
        return self.not_applicable / self.judgements if self.judgements else None


def side_bias(shown: Codes) -> SideBias:
    """Share of wins given to the left side, with Wilson's 95 % interval.

    >>> side_bias(np.array([LEFT] * 30 + [RIGHT] * 10 + [TIE])).side
    <Side.LEFT: 'prefers left'>
    """
    left, right, ties, apart = (int((shown == code).sum()) for code in (LEFT, RIGHT, TIE, NOT_APPLICABLE))
    n = left + right
    interval = wilson(left, n)
    share = left / n if n else None
    return SideBias(left, right, ties, apart, share, interval, _side(interval))


def side_bias_by_annotator(annotators: Codes, shown: Codes) -> dict[int, SideBias]:
    """The same for each annotator code."""
    return {int(code): side_bias(shown[annotators == code]) for code in np.unique(annotators)}


def wilson(successes: int, n: int, z: float = Z) -> Interval | None:
    """Wilson's score interval of a share; None without data.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    if not n:
        return None
    p = successes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def _side(interval: Interval | None) -> Side | None:
    if interval is None:
        return None
    if interval[0] > 0.5:
        return Side.LEFT
    return Side.RIGHT if interval[1] < 0.5 else Side.EVEN
