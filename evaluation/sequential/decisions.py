"""Are there enough judgements, and if not, about how many more are needed?

Two questions of a manager: is it decided which of two systems is better, and is κ known precisely enough?
The first is answered with error control at any time (``betting``). The second is about precision, not about a
claim: the study ends when the interval is as narrow as wished (a fixed-width rule in the manner of Chow &
Robbins 1965), and nothing is said about chance findings.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evaluation.sequential.betting import confidence_sequence, evidence

MOST_MORE = 20  # times as many sentences again; a forecast beyond that means nothing


class Decision(NamedTuple):
    """After ``n`` sentences: who is better (1 the first, −1 the second, 0 undecided), and how sure.

    ``low`` and ``high`` bound the mean of (wins − losses) / votes per sentence, at all times together;
    ``more`` is a forecast of the sentences still needed, ``None`` where it would be a guess.
    """

    n: int
    better: int
    mean: float | None
    low: float
    high: float
    decided_after: int | None
    more: int | None


def decide(differences: ArrayLike, alpha: float = 0.05) -> Decision:
    """Read one difference in [−1, 1] per sentence, in the order in which the sentences were finished.

    >>> decide([1, 1, 0, 1] * 10).better, decide([1, -1] * 20).better
    (1, 0)
    """
    x = np.asarray(differences, dtype=np.float64)
    if not x.size:
        return Decision(0, 0, None, -1.0, 1.0, None, None)
    y = (x + 1) / 2
    low, high = (2 * bound - 1 for bound in confidence_sequence(y, alpha))
    won = evidence(y, 0.5, alpha) >= 1 / alpha
    mean = float(x.mean())
    decided = int(won.argmax()) + 1 if won.any() else None
    direction = int(np.sign(x[:decided].mean())) if decided else 0
    more = None if decided else _still_needed(y, alpha)
    return Decision(len(x), direction, mean, float(low[-1]), float(high[-1]), decided, more)


def _still_needed(y: np.ndarray, alpha: float) -> int | None:
    """Sentences until a bet fixed in hindsight would have won enough, if the rest is like what was seen.

    The best constant bet gains g in log capital per sentence; log(2/α) is needed in all.
    """
    bets = np.linspace(-1.0, 1.0, 201)[:, None]
    gain = float(np.log1p(bets * (y - 0.5)).mean(axis=1).max())
    if gain <= 0:
        return None
    needed = math.ceil(math.log(2 / alpha) / gain)
    return max(needed - len(y), 1) if needed <= (MOST_MORE + 1) * len(y) else None


Z = 1.96  # of a 95 % interval


class Precision(NamedTuple):
    half_width: float
    wanted: float
    enough: bool
    more: int | None


def precision(n: int, low: float | None, high: float | None, wanted: float) -> Precision | None:
    """Whether an interval over ``n`` units is at most ± ``wanted``; widths shrink with the root of n.

    Chow & Robbins (1965) stop at the first n ≥ (z/d)² (S² + 1/n). Without 1/n, two sentences on which all
    agree would have an interval of no width, and be enough.

    >>> precision(100, 0.40, 0.60, 0.05)
    Precision(half_width=0.1, wanted=0.05, enough=False, more=304)
    >>> precision(2, 1.0, 1.0, 0.05)
    Precision(half_width=0.0, wanted=0.05, enough=False, more=38)
    """
    if low is None or high is None:
        return None
    half = round((high - low) / 2, 12)
    spread = n * half**2  # (z S)²
    needed = (spread + math.sqrt(spread**2 + (2 * wanted * Z) ** 2)) / (2 * wanted**2)
    more = math.ceil(needed - n - 1e-9)
    return Precision(half, wanted, more <= 0, more if more > 0 else None)
