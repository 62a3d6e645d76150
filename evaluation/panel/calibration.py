"""Is a consensus of 80 % right in 80 of 100 cases? Measured where the truth is known.

The truth may come from a simulation, or from adjudications: then it is known for disputed items only, and
the figure is about disputes. Where nobody knows it, ``expected_calibration`` says what the votes at hand
could achieve at best.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evaluation.agreement import Judgements
from evaluation.agreement.judgements import Codes, Floats, Ints
from evaluation.panel.models import MODELS, Panel


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


def expected_calibration(
    judgements: Judgements, panel: Panel, *, rounds: int = 5, seed: int = 0, bins: int = 10
) -> Calibration:
    """What calibration would be if the model were true: how far so few votes can carry it.

    Truths are drawn from the panel's probabilities and votes from its members' tables, for the same members
    on the same items; the model is fitted anew, and its probabilities are compared with the drawn truths.

    >>> from evaluation.panel.models import mace
    >>> study = Judgements.from_matrix([[0, 1] * 30, [0, 1] * 30, [0, 1] * 30], ("yes", "no"))
    >>> expected_calibration(study, mace(study), rounds=1).accuracy
    1.0
    """
    random, first = np.random.default_rng(seed), judgements.first_only
    posteriors, truths = [], []
    for _ in range(rounds):
        truth = _drawn(panel.posterior, random)
        said = _drawn(panel.confusion[first.annotators, truth[first.items]], random)
        posteriors.append(MODELS[panel.model](replace(first, labels=said), panel.rules).posterior)
        truths.append(np.where(judgements.counts.any(axis=0), truth, -1))
    return calibration(np.vstack(posteriors), np.concatenate(truths), bins)


def _drawn(shares: Floats, random: np.random.Generator) -> Ints:
    """One label for each row of probabilities."""
    reached = shares.cumsum(axis=1) < random.random(len(shares))[:, None]
    return np.asarray(np.minimum(reached.sum(axis=1), shares.shape[1] - 1))
