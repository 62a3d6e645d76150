"""The reliability of each panel member, and the calibration of the consensus.

Reliability has an interval over sentences: whole sentences are resampled, because the phrases of one sentence
are not independent, and the model is fitted again to each resample, starting from the full fit.

Calibration: is a consensus of 80 % right in 80 of 100 cases? It is measured where the truth is known, in
simulations or from adjudications. Adjudicated pairs are disagreements, so that figure is about disagreements
only. Without any truth, ``simulate_calibration`` estimates the best that so few votes could achieve.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from appraise.lib.resampling import percentile_interval, sample_counts
from evaluation.agreement import Judgements
from evaluation.agreement.judgements import Codes, Floats, Ints
from evaluation.panel.models import Panel, fit_model, refit_samples

BINS = 10  # of confidence


class Reliability(NamedTuple):
    member: str
    answers: int
    value: float | None  # None for a member without answers
    low: float | None
    high: float | None


class Calibration(NamedTuple):
    """Accuracy and mean confidence over all items and in bins of confidence.

    ``expected_error`` is the mean difference of the two, weighted by the size of the bins.
    """

    n: int
    accuracy: float | None
    expected_error: float | None
    bins: list[tuple[float, float, int]]  # mean confidence, accuracy, number of items


def estimate_reliabilities(
    judgements: Judgements, panel: Panel, *, resamples: int = 200, seed: int = 0
) -> list[Reliability]:
    """Estimate each member's reliability with a percentile interval over resampled sentences.

    >>> study = Judgements.from_matrix([[0, 1] * 9, [0, 1] * 9, [0] * 18], ("yes", "no"))
    >>> [row.answers for row in estimate_reliabilities(study, fit_model("mace", study), resamples=20)]
    [18, 18, 18]
    """
    fits = refit_samples(judgements, panel, _resample_sentences(judgements, resamples, seed))
    samples = np.array([fit.reliability for fit in fits]).reshape(resamples, len(judgements.annotator_names))
    answers = np.bincount(judgements.first_judgements.annotators, minlength=len(judgements.annotator_names))
    rows: list[Reliability] = []
    for code, member in enumerate(judgements.annotator_names):
        if not answers[code]:
            rows.append(Reliability(member, 0, None, None, None))
            continue
        low, high = percentile_interval(samples[:, code]) or (None, None)
        rows.append(Reliability(member, int(answers[code]), float(panel.reliability[code]), low, high))
    return rows


def measure_calibration(posterior: Floats, truth: Codes) -> Calibration:
    """Compare the confidence of each consensus with the truth; −1 where the truth is unknown.

    >>> measure_calibration(np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([0, 1]))
    Calibration(n=2, accuracy=0.5, expected_error=0.35, bins=[(0.6, 0.0, 1), (0.9, 1.0, 1)])
    """
    is_known = np.asarray(truth) >= 0
    if not is_known.any():
        return Calibration(0, None, None, [])
    confidence = posterior[is_known].max(axis=1)
    is_right = posterior[is_known].argmax(axis=1) == np.asarray(truth)[is_known]
    bin_of = np.minimum((confidence * BINS).astype(int), BINS - 1)
    rows: list[tuple[float, float, int]] = []
    for number in np.unique(bin_of):
        inside = bin_of == number
        mean = round(float(confidence[inside].mean()), 6)
        rows.append((mean, float(is_right[inside].mean()), int(inside.sum())))
    error = sum(abs(mean - accuracy) * size for mean, accuracy, size in rows) / len(is_right)
    return Calibration(len(is_right), float(is_right.mean()), round(error, 6), rows)


def simulate_calibration(
    judgements: Judgements, panel: Panel, *, rounds: int = 5, seed: int = 0
) -> Calibration:
    """Estimate the calibration if the model were true, given this number of votes.

    Truths are sampled from the panel's probabilities and votes from its confusion matrices, for the same
    members on the same items. The model is fitted to them, and its probabilities are compared with the
    truths.

    >>> study = Judgements.from_matrix([[0, 1] * 30, [0, 1] * 30, [0, 1] * 30], ("yes", "no"))
    >>> simulate_calibration(study, fit_model("mace", study), rounds=1).accuracy
    1.0
    """
    rng, first = np.random.default_rng(seed), judgements.first_judgements
    posteriors, truths = [], []
    for _ in range(rounds):
        truth = _sample_labels(panel.posterior, rng)
        votes = _sample_labels(panel.confusion[first.annotators, truth[first.items]], rng)
        posteriors.append(fit_model(panel.model, replace(first, labels=votes), panel.options).posterior)
        truths.append(np.where(judgements.counts.any(axis=0), truth, -1))
    return measure_calibration(np.vstack(posteriors), np.concatenate(truths))


def _sample_labels(probabilities: Floats, rng: np.random.Generator) -> Ints:
    """Sample one label for each row of probabilities."""
    is_below = probabilities.cumsum(axis=1) < rng.random(len(probabilities))[:, None]
    return np.asarray(np.minimum(is_below.sum(axis=1), probabilities.shape[1] - 1))


def _resample_sentences(judgements: Judgements, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each item counts in a resample of sentences."""
    items, sentence_of = judgements.judged_items
    sentences = int(sentence_of.max()) + 1
    for block in sample_counts(sentences, resamples, np.random.default_rng(seed)):
        for counts in block:
            item_counts = np.zeros(judgements.counts.shape[1])
            item_counts[items] = counts[sentence_of]
            yield item_counts
