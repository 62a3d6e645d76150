"""Is a consensus of 80 % right in 80 of 100 cases? Asked wherever the truth is known.

The truth may come from a simulation, or from adjudications: then it is known for disputed items only, and
the figure is about disputes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.agreement.judgements import Codes, Floats


class Calibration(NamedTuple):
    """Accuracy and mean confidence per bin of confidence, and over all.

    ``expected_error`` is the mean distance between the two, weighted by the size of the bins.
    """

    n: int
    accuracy: float | None
    expected_error: float | None
    bins: list[tuple[float, float, int]]  # mean confidence, accuracy, how many


def calibration(posterior: Floats, truth: Codes, bins: int = 10) -> Calibration:
    """Compare the confidence of each consensus with its truth; −1 where the truth is unknown.

    >>> calibration(np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([0, 1]))
    Calibration(n=2, accuracy=0.5, expected_error=0.35, bins=[(0.6, 0.0, 1), (0.9, 1.0, 1)])
    """
    known = np.asarray(truth) >= 0
    if not known.any():
        return Calibration(0, None, None, [])
    confidence = posterior[known].max(axis=1)
    right = posterior[known].argmax(axis=1) == np.asarray(truth)[known]
    bin_of = np.minimum((confidence * bins).astype(int), bins - 1)
    rows: list[tuple[float, float, int]] = []
    for number in np.unique(bin_of):
        inside = bin_of == number
        mean = round(float(confidence[inside].mean()), 6)
        rows.append((mean, float(right[inside].mean()), int(inside.sum())))
    error = sum(abs(sure - share) * size for sure, share, size in rows) / len(right)
    return Calibration(len(right), float(right.mean()), round(error, 6), rows)
