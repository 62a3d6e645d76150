"""ReliefF: which features separate winning from losing pairs (Kononenko 1994; paper 001, section 3.2).

Each example is compared with its k nearest neighbours of each class, by Manhattan distance on features scaled
to [0, 1]. A good feature differs from the near examples of the other class (misses) and agrees with those of
its own (hits): w = mean over examples of (mean difference to misses − mean difference to hits). Misses of
several classes are weighted by the frequency of their class. Missing values are ignored: a distance is taken
over the features that both examples have.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metrics.ranking.classifiers import FloatArray

BLOCK = 256  # examples compared at once; bounds the memory


def relieff(features: FloatArray, classes: npt.NDArray[np.generic], neighbours: int = 100) -> FloatArray:
    """One weight per feature, in [−1, 1]; higher is more informative, a constant feature gets 0.

    Raises ``ValueError`` for fewer than two classes.

    >>> x = np.array([[0.0, 0.3], [0.1, 0.9], [0.9, 0.2], [1.0, 0.8]])
    >>> relieff(x, np.array([0, 0, 1, 1]), neighbours=1).round(2).tolist()
    [0.8, -0.71]
    """
    labels, codes = np.unique(classes, return_inverse=True)
    if len(labels) < 2 or len(features) != len(codes):
        raise ValueError(
            f"expected examples of two classes or more, got {len(labels)} for {len(features)} rows"
        )
    scaled = _scale(features)
    priors = np.bincount(codes) / len(codes)
    weights = np.zeros(features.shape[1])
    for start in range(0, len(scaled), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(scaled)))
        distances = _distances(scaled[rows], scaled)
        distances[rows - start, rows] = np.inf  # no example is its own neighbour
        for label in range(len(labels)):
            members = np.flatnonzero(codes == label)
            difference = _mean_difference(scaled, rows, members, distances[:, members], neighbours)
            hit = codes[rows] == label
            share = np.where(hit, -1.0, priors[label] / (1 - priors[codes[rows]]))
            weights += share @ difference
    return weights / len(scaled)


def _scale(features: FloatArray) -> FloatArray:
    """Every feature stretched to [0, 1]; a constant one becomes 0."""
    known = np.isfinite(features)
    low = np.min(features, axis=0, initial=np.inf, where=known)
    spread = np.max(features, axis=0, initial=-np.inf, where=known) - low
    moved = np.where(known, features - low, np.nan)
    return np.where(known & (spread <= 0), 0.0, moved / np.where(spread > 0, spread, 1.0))


def _distances(some: FloatArray, scaled: FloatArray) -> FloatArray:
    """Mean difference over the features that both have; infinite where they share none."""
    if not np.isnan(scaled).any():
        from scipy.spatial.distance import cdist  # here, because only training needs it

        return np.asarray(cdist(some, scaled, "cityblock") / scaled.shape[1])
    total, shared = np.zeros((len(some), len(scaled))), np.zeros((len(some), len(scaled)))
    for left, right in zip(some.T, scaled.T, strict=True):
        difference = np.abs(left[:, None] - right[None, :])
        known = ~np.isnan(difference)
        total[known] += difference[known]
        shared += known
    return np.asarray(np.divide(total, shared, out=np.full_like(total, np.inf), where=shared > 0))


def _mean_difference(
    scaled: FloatArray,
    rows: npt.NDArray[np.int64],
    members: npt.NDArray[np.int64],
    distances: FloatArray,
    neighbours: int,
) -> FloatArray:
    """Per example and feature: mean difference to its nearest members of one class; 0 where unknown."""
    k = min(neighbours, len(members))
    near = (
        np.argpartition(distances, k - 1, axis=1)[:, :k]
        if k < len(members)
        else np.tile(np.arange(len(members)), (len(rows), 1))
    )
    usable = np.isfinite(np.take_along_axis(distances, near, axis=1))
    difference = np.abs(scaled[members[near]] - scaled[rows][:, None, :])
    known = ~np.isnan(difference) & usable[:, :, None]
    count = known.sum(axis=1)
    total = np.where(known, difference, 0.0).sum(axis=1)
    return np.asarray(np.divide(total, count, out=np.zeros_like(total), where=count > 0))
