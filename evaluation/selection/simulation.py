"""How many judgements does selection save? A campaign that was judged in full, judged again in another order.

The votes of each two systems are shuffled; a policy says from which two systems the next votes are taken, in
batches; after each batch the systems are put into rank clusters. What counts is how many votes were needed
until the boundaries between the clusters of the full data had appeared. Votes are drawn as the site draws
them (a share uniformly over all that are left, the rest by information), with the information of the last
batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.judgements import Floats, Ints
from evaluation.results import clusters, davidson, rank_ranges
from evaluation.selection.information import order_information
from evaluation.selection.policy import UNIFORM

SAMPLES = 400
SHARES = (0.5, 0.8, 1.0)
IN_A_ROW = 3  # consecutive batches in which a boundary must be present: one alone may be luck


class Pool(NamedTuple):
    """Votes between systems i < j: ``outcomes[c]`` of ``low[c]`` and ``high[c]``, 1 where the first won."""

    systems: int
    low: Ints
    high: Ints
    outcomes: tuple[Ints, ...]

    @classmethod
    def of(cls, first: Ints, second: Ints, signs: Ints) -> Pool:
        """
        >>> pool = Pool.of(np.array([0, 1, 2]), np.array([1, 0, 0]), np.array([1, 1, 0]))
        >>> [outcomes.tolist() for outcomes in pool.outcomes]
        [[1, -1], [0]]
        """
        low, high = np.minimum(first, second), np.maximum(first, second)
        turned = np.where(first > second, -signs, signs)
        size = int(high.max(initial=-1)) + 1
        contests = np.unique(low * size + high)
        found = tuple(turned[low * size + high == contest] for contest in contests)
        return cls(size, contests // max(size, 1), contests % max(size, 1), found)

    @property
    def votes(self) -> int:
        return sum(len(outcomes) for outcomes in self.outcomes)


class Needed(NamedTuple):
    """Votes until a share of the boundaries was there for good, for each of ``SHARES``; ``None``: never."""

    votes: tuple[int | None, ...]


def votes_needed(pool: Pool, *, selected: bool, seed: int, batch: int = 100) -> Needed:
    """Judge the campaign again in a new order; ``selected``: the most useful votes first."""
    wanted = boundaries(*_tables(pool, [len(outcomes) for outcomes in pool.outcomes], _running(pool)))
    found: list[int | None] = [None] * len(SHARES)
    streak = [0] * len(SHARES)
    for votes, wins, ties in _campaign(pool, selected, seed, batch):
        reached = len(wanted & boundaries(wins, ties)) / len(wanted) if wanted else 1.0
        for n, share in enumerate(SHARES):
            streak[n] = streak[n] + 1 if reached >= share - 1e-9 else 0
            if streak[n] == IN_A_ROW and found[n] is None:
                found[n] = votes
        if None not in found:
            break
    return Needed(tuple(found))


def boundaries(wins: Floats, ties: Floats) -> set[frozenset[int]]:
    """Each boundary between two rank clusters, as the set of systems above it.

    Ranks vary as the strengths do in their posterior (normal around its maximum).
    """
    mean, variance, _ = davidson.differences(wins, ties)
    size = len(mean)
    centred = np.eye(size) - 1 / size
    spread, axes = np.linalg.eigh(-0.5 * centred @ variance @ centred)
    noise = np.random.default_rng(0).standard_normal((SAMPLES, size))
    strengths = mean.mean(axis=1) + (noise * np.sqrt(np.maximum(spread, 0.0))) @ axes.T
    placed = np.array(clusters(rank_ranges(strengths)))
    return {frozenset(np.flatnonzero(placed <= last).tolist()) for last in range(1, int(placed.max()))}


def _campaign(pool: Pool, selected: bool, seed: int, batch: int) -> Iterator[tuple[int, Floats, Floats]]:
    """Votes so far, wins and ties after each batch."""
    random = np.random.default_rng(seed)
    running = _running(pool, random)
    sizes = np.array([len(outcomes) for outcomes in pool.outcomes])
    taken = np.zeros(len(sizes), dtype=np.int64)
    uniform = UNIFORM if selected else 1.0
    worth = np.ones(len(sizes))
    while (left := sizes - taken).any():
        useful = left * worth
        chances = uniform * left / left.sum()
        chances += (1 - uniform) * (useful / useful.sum() if useful.sum() > 0 else left / left.sum())
        taken += np.minimum(random.multinomial(batch, chances / chances.sum()), left)
        wins, ties = _tables(pool, taken.tolist(), running)
        yield int(taken.sum()), wins, ties
        if selected:
            worth = order_information(wins, ties)[pool.low, pool.high]


def _running(pool: Pool, random: np.random.Generator | None = None) -> list[NDArray[np.int64]]:
    """For each contest how many of its first n votes were wins, ties and losses; in random order."""
    found = []
    for outcomes in pool.outcomes:
        order = outcomes if random is None else random.permutation(outcomes)
        steps = np.stack([order == 1, order == 0, order == -1]).astype(np.int64)
        found.append(np.concatenate([np.zeros((3, 1), dtype=np.int64), steps.cumsum(axis=1)], axis=1))
    return found


def _tables(pool: Pool, taken: list[int], running: list[NDArray[np.int64]]) -> tuple[Floats, Floats]:
    wins, ties = np.zeros((2, pool.systems, pool.systems))
    counts = np.array([column[:, n] for column, n in zip(running, taken, strict=True)]).reshape(-1, 3)
    wins[pool.low, pool.high], wins[pool.high, pool.low] = counts[:, 0], counts[:, 2]
    ties[pool.low, pool.high] = ties[pool.high, pool.low] = counts[:, 1]
    return wins, ties


class Saving(NamedTuple):
    """Mean votes at random and selected, and the share saved with its 95 % interval over orders."""

    random: float
    selected: float
    saved: float
    low: float
    high: float


def saving(random: list[int], selected: list[int], *, resamples: int = 2000) -> Saving:
    """One less the ratio of the means; orders are resampled for the interval.

    >>> saving([200, 200], [50, 150], resamples=0)[:3]
    (200.0, 100.0, 0.5)
    """
    at_random, chosen = np.array(random, dtype=np.float64), np.array(selected, dtype=np.float64)
    draws = np.random.default_rng(0)
    means = [
        values[draws.integers(len(values), size=(max(resamples, 1), len(values)))].mean(axis=1)
        for values in (at_random, chosen)
    ]
    low, high = np.quantile(1 - means[1] / means[0], [0.025, 0.975]).tolist()
    saved = 1 - float(chosen.mean() / at_random.mean())
    return Saving(float(at_random.mean()), float(chosen.mean()), saved, low, high)
