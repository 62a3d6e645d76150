"""The difference of a share between two campaigns, with significance.

A win rate, an agreement P(A), the share of a phenomenon: each is (sum of points) / (sum of votes), and each
sentence contributes to both sums. Where the two campaigns judged the same sentences, sentences are paired: a
resample takes a sentence for both, and the test exchanges the two campaigns sentence by sentence (approximate
randomisation, Noreen 1989). Otherwise each campaign is resampled by itself, and the permutation test assigns
all sentences to the campaigns at random. Sentences are never split, because the votes on one are dependent.

κ with a fixed chance P(E) is (P(A) − P(E)) / (1 − P(E)), so its difference is that of P(A), scaled.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from appraise.lib.resampling import multinomial_counts, p_value
from evaluation.agreement.coefficients import ratio
from evaluation.agreement.judgements import Floats

Sums = Mapping[Any, tuple[float, float]]  # sentence → (points, votes)

RESAMPLES = 2000
RESAMPLES_AT_ONCE = 250


@dataclass(frozen=True)
class ShareDiff:
    """Shares before and after, with a 95 % interval and the p-value of their difference."""

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


def compare_shares(
    before: Sums, after: Sums, *, resamples: int = RESAMPLES, seed: int = 0
) -> ShareDiff | None:
    """Compare two campaigns; None where either has no vote (or, if paired, none on common sentences).

    Sentences are paired if the common ones are at least half of the smaller campaign; then only those are
    compared.

    >>> diff = compare_shares({1: (1, 2), 2: (2, 2)}, {1: (2, 2), 2: (2, 2)})
    >>> diff.before, diff.after, diff.paired, diff.sentences
    (0.75, 1.0, True, (2, 2))
    """
    common = sorted(before.keys() & after.keys(), key=repr)
    is_paired = 2 * len(common) >= max(min(len(before), len(after)), 1)
    old = _to_columns(before, common if is_paired else sorted(before, key=repr))
    new = _to_columns(after, common if is_paired else sorted(after, key=repr))
    if not old[1].sum() or not new[1].sum():
        return None
    rng = np.random.default_rng(seed)
    resample, permute = (_resample_pairs, _exchange) if is_paired else (_resample_separately, _reassign)
    low, high = np.quantile(_repeat(resample, old, new, resamples, rng), [0.025, 0.975])
    null_values = np.abs(_repeat(permute, old, new, resamples, rng))
    p = p_value(null_values, abs(_share(new) - _share(old)) - 1e-12)
    sizes = (old.shape[1], new.shape[1])
    return ShareDiff(_share(old), _share(new), float(low), float(high), p, sizes, is_paired)


def _to_columns(sums: Sums, sentences: list[Hashable]) -> Floats:
    """(points, votes) × sentences."""
    return np.array([sums[sentence] for sentence in sentences], dtype=np.float64).reshape(-1, 2).T


def _share(columns: Floats) -> float:
    return float(columns[0].sum() / columns[1].sum())


def _difference(old: Floats, new: Floats) -> Floats:
    """Differences of many resamples; a resample without votes counts as no difference."""
    return np.nan_to_num(ratio(new[0], new[1]) - ratio(old[0], old[1]))


Sampler = Callable[[Floats, Floats, int, np.random.Generator], Floats]


def _repeat(sampler: Sampler, old: Floats, new: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Sample differences in blocks, to limit memory."""
    sizes = [min(RESAMPLES_AT_ONCE, resamples - start) for start in range(0, resamples, RESAMPLES_AT_ONCE)]
    return np.concatenate([sampler(old, new, size, rng) for size in sizes])


def _resample_pairs(old: Floats, new: Floats, size: int, rng: np.random.Generator) -> Floats:
    counts = multinomial_counts(old.shape[1], size, rng).T
    return _difference(old @ counts, new @ counts)


def _resample_separately(old: Floats, new: Floats, size: int, rng: np.random.Generator) -> Floats:
    old_counts, new_counts = (multinomial_counts(side.shape[1], size, rng).T for side in (old, new))
    return _difference(old @ old_counts, new @ new_counts)


def _exchange(old: Floats, new: Floats, size: int, rng: np.random.Generator) -> Floats:
    swap = rng.integers(2, size=(old.shape[1], size)).astype(np.float64)
    return _difference(old @ (1 - swap) + new @ swap, new @ (1 - swap) + old @ swap)


def _reassign(old: Floats, new: Floats, size: int, rng: np.random.Generator) -> Floats:
    both = np.hstack([old, new])
    is_old = np.arange(both.shape[1])[:, None] < old.shape[1]
    assignment = rng.permuted(np.repeat(is_old, size, axis=1), axis=0).astype(np.float64)
    return _difference(both @ assignment, both @ (1 - assignment))
