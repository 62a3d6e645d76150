"""What changed between two campaigns: any share that is a sum over sentences, with significance.

A win rate, an agreement P(A), the share of a phenomenon: each is (sum of points) / (sum of votes), and each
sentence contributes to both sums. Where the two campaigns judged the same sentences, sentences are paired: a
resample draws a sentence for both, and the test exchanges the two campaigns sentence by sentence (approximate
randomisation, Noreen 1989). Otherwise each campaign is resampled by itself, and the test reassigns all
sentences at random. Sentences are never split, because what was said about one of them is not independent.

κ with a fixed chance P(E) is (P(A) − P(E)) / (1 − P(E)), so its change is that of P(A), stretched.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Sums = Mapping[Any, tuple[float, float]]  # sentence → (points, votes)
Floats = NDArray[np.float64]

RESAMPLES = 2000
AT_ONCE = 250  # resamples in one array


@dataclass(frozen=True)
class Change:
    """Shares before and after, their difference with a 95 % interval, and the probability by chance."""

    before: float
    after: float
    low: float
    high: float
    p: float
    sentences: tuple[int, int]
    paired: bool

    @property
    def difference(self) -> float:
        return self.after - self.before


def change(before: Sums, after: Sums, *, resamples: int = RESAMPLES, seed: int = 0) -> Change | None:
    """Compare two campaigns; ``None`` where either has no vote (or, if paired, none on common sentences).

    Sentences are paired where both campaigns hold the same ones; with only some in common, the common ones
    are compared if they are at least half of the smaller campaign.

    >>> found = change({1: (1, 2), 2: (2, 2)}, {1: (2, 2), 2: (2, 2)})
    >>> found.before, found.after, found.paired, found.sentences
    (0.75, 1.0, True, (2, 2))
    """
    common = sorted(before.keys() & after.keys(), key=repr)
    paired = 2 * len(common) >= max(min(len(before), len(after)), 1)
    one = _columns(before, common if paired else sorted(before, key=repr))
    other = _columns(after, common if paired else sorted(after, key=repr))
    if not one[1].sum() or not other[1].sum():
        return None
    random = np.random.default_rng(seed)
    draws = _paired_draws if paired else _separate_draws
    low, high = np.quantile(np.concatenate(draws(one, other, resamples, random)), [0.025, 0.975])
    chance = _exchanged if paired else _dealt
    p = _p_value(one, other, np.concatenate(chance(one, other, resamples, random)))
    sizes = (one.shape[1], other.shape[1])
    return Change(_share(one), _share(other), float(low), float(high), p, sizes, paired)


def _columns(sums: Sums, sentences: list[Hashable]) -> Floats:
    """(points, votes) × sentences."""
    return np.array([sums[sentence] for sentence in sentences], dtype=np.float64).reshape(-1, 2).T


def _share(columns: Floats) -> float:
    return float(columns[0].sum() / columns[1].sum())


def _ratio(points: Floats, votes: Floats) -> Floats:
    """Shares of many resamples; a resample without votes counts as no difference."""
    return np.asarray(np.divide(points, votes, out=np.full(points.shape, np.nan), where=votes > 0))


def _difference(one: Floats, other: Floats) -> Floats:
    return np.nan_to_num(_ratio(other[0], other[1]) - _ratio(one[0], one[1]))


def _rounds(resamples: int) -> list[int]:
    return [min(AT_ONCE, resamples - start) for start in range(0, resamples, AT_ONCE)]


def _counts(size: int, rows: int, random: np.random.Generator) -> Floats:
    """How often each of ``size`` sentences was drawn, sentences × rows."""
    return random.multinomial(size, np.full(size, 1 / size), size=rows).T.astype(np.float64)


def _paired_draws(one: Floats, other: Floats, resamples: int, random: np.random.Generator) -> list[Floats]:
    drawn = (_counts(one.shape[1], rows, random) for rows in _rounds(resamples))
    return [_difference(one @ counts, other @ counts) for counts in drawn]


def _separate_draws(one: Floats, other: Floats, resamples: int, random: np.random.Generator) -> list[Floats]:
    return [
        _difference(one @ _counts(one.shape[1], rows, random), other @ _counts(other.shape[1], rows, random))
        for rows in _rounds(resamples)
    ]


def _exchanged(one: Floats, other: Floats, resamples: int, random: np.random.Generator) -> list[Floats]:
    swaps = (random.integers(2, size=(one.shape[1], rows)).astype(np.float64) for rows in _rounds(resamples))
    return [_difference(one @ (1 - swap) + other @ swap, other @ (1 - swap) + one @ swap) for swap in swaps]


def _dealt(one: Floats, other: Floats, resamples: int, random: np.random.Generator) -> list[Floats]:
    everything = np.hstack([one, other])
    first = np.arange(everything.shape[1])[:, None] < one.shape[1]
    found: list[Floats] = []
    for rows in _rounds(resamples):
        hand = random.permuted(np.repeat(first, rows, axis=1), axis=0).astype(np.float64)
        found.append(_difference(everything @ hand, everything @ (1 - hand)))
    return found


def _p_value(one: Floats, other: Floats, by_chance: Floats) -> float:
    observed = abs(_share(other) - _share(one))
    return float((1 + (np.abs(by_chance) >= observed - 1e-12).sum()) / (1 + len(by_chance)))
