"""Soft pairwise accuracy: do a metric and people agree on how sure a difference of systems is?

Thompson, Mathur, Deutsch and Khayrallah (2024): for each pair of systems, p is the share of permutations with
at least the observed difference of their means; a permutation exchanges the two systems in random segments.
The accuracy is 1 minus the mean distance of the metric's p from that of people. All pairs and metrics use the
same permutations.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from metrics.metaeval.datasets import FloatArray

PERMUTATIONS = 1000
_ROUNDING = 1e-9  # of sums, relative to the largest


def permutation_p_values(
    scores: FloatArray, *, permutations: int = PERMUTATIONS, seed: int = 1
) -> FloatArray:
    """Return one-sided p-values that the first system of each pair is not better; nan without data.

    ``scores`` has systems × segments; a segment counts for a pair if both systems have a score.

    >>> better = np.array([[2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0, 4.0]])
    >>> bool(permutation_p_values(better)[0] < 0.2), bool(permutation_p_values(better[::-1])[0] > 0.9)
    (True, True)
    """
    pairs = list(combinations(range(len(scores)), 2))
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    differences = scores[first] - scores[second]
    known = ~np.isnan(differences)
    differences = np.where(known, differences, 0.0)
    signs = np.random.default_rng(seed).choice(np.array([-1.0, 1.0]), size=(scores.shape[1], permutations))
    observed = differences.sum(axis=1)
    tolerance = _ROUNDING * np.abs(differences).sum(axis=1, keepdims=True)
    p_values = (differences @ signs >= observed[:, None] - tolerance).mean(axis=1)
    return np.where(known.any(axis=1), p_values, np.nan)


def soft_pairwise_accuracy(metric: FloatArray, human: FloatArray) -> float | None:
    """Return 1 minus the mean distance of two vectors of p-values; None without pairs.

    >>> soft_pairwise_accuracy(np.array([0.0, 0.5]), np.array([0.1, 0.5]))
    0.95
    """
    distances = np.abs(metric - human)
    distances = distances[~np.isnan(distances)]
    return float(1 - distances.mean()) if len(distances) else None
