"""The reliability of each panel member, and the calibration of the consensus.

Reliability has an interval over sentences: whole sentences are resampled, because the phrases of one sentence
are not independent, and the model is fitted again to each resample, starting from the full fit.

Calibration: is a consensus of 80 % right in 80 of 100 cases? It is measured where the truth is known, in
simulations or from adjudications. Adjudicated pairs are disagreements, so that figure is about disagreements
only. Without any truth, ``measure_held_out`` predicts answers that the model has not seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from appraise.lib.resampling import percentile_interval, sample_counts
from evaluation.agreement import Judgements
from evaluation.agreement.judgements import CODED_COLUMNS, Codes, Floats, Ints
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


class HeldOut(NamedTuple):
    """How well ``answers`` of people were predicted by the others; None where no item has two answers.

    ``calibration_error`` is the mean difference between the probability of a prediction and how often such
    predictions are right.
    """

    answers: int
    consensus_right: float | None
    plurality_right: float | None
    calibration_error: float | None


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
    is_right = posterior[is_known].argmax(axis=1) == np.asarray(truth)[is_known]
    bins = bin_confidences(posterior[is_known].max(axis=1), is_right)
    return Calibration(len(is_right), float(is_right.mean()), _expected_error(bins), bins)


def bin_confidences(confidences: Floats, is_right: NDArray[Any]) -> list[tuple[float, float, int]]:
    """Return mean confidence, accuracy and number of predictions, in bins of confidence."""
    bin_of = np.minimum((confidences * BINS).astype(int), BINS - 1)
    rows: list[tuple[float, float, int]] = []
    for number in np.unique(bin_of):
        inside = bin_of == number
        mean = round(float(confidences[inside].mean()), 6)
        rows.append((mean, float(is_right[inside].mean()), int(inside.sum())))
    return rows


def _expected_error(bins: list[tuple[float, float, int]]) -> float:
    total = sum(size for *_, size in bins)
    return round(sum(abs(mean - accuracy) * size for mean, accuracy, size in bins) / total, 6)


def measure_held_out(judgements: Judgements, panel: Panel, *, rounds: int = 3, seed: int = 0) -> HeldOut:
    """Measure how well the other answers to an item predict an answer of a person.

    In each round, one answer of each item with two or more is held out, and the model of ``panel`` is fitted
    to the rest. Its prediction is the consensus, with the probability that this person gives that answer.

    >>> study = Judgements.from_matrix([[0, 1] * 30, [0, 1] * 30, [0, 1] * 30], ("yes", "no"))
    >>> measure_held_out(study, fit_model("mace", study), rounds=1)[:2]
    (60, 1.0)
    """
    rng, first = np.random.default_rng(seed), judgements.first_judgements
    people = len(first.annotator_names) if panel.options.people is None else panel.options.people
    is_person = first.annotators < people
    candidates = np.flatnonzero(is_person)
    often = np.bincount(first.items[candidates], minlength=1)
    candidates = candidates[often[first.items[candidates]] > 1]
    confidences: list[Floats] = []
    hits: list[Floats] = []
    plurality: list[Floats] = []
    for _ in range(rounds if len(candidates) else 0):
        shuffled = rng.permutation(candidates)
        held = shuffled[np.unique(first.items[shuffled], return_index=True)[1]]
        is_left = np.ones(len(first), dtype=bool)
        is_left[held] = False
        fitted = fit_model(panel.model, select_rows(first, is_left), panel.options)
        items, members, labels = first.items[held], first.annotators[held], first.labels[held]
        consensus, posterior = fitted.consensus[items], fitted.posterior[items]
        said = fitted.confusion[members[:, None], np.arange(first.size), consensus[:, None]]
        confidences.append((posterior * said).sum(axis=1))
        hits.append((consensus == labels).astype(np.float64))
        votes = select_rows(first, is_left & is_person)
        plurality.append(score_plurality(votes, items, labels))
    if not hits:
        return HeldOut(0, None, None, None)
    bins = bin_confidences(np.concatenate(confidences), np.concatenate(hits))
    right, by_plurality = (float(np.concatenate(part).mean()) for part in (hits, plurality))
    return HeldOut(sum(map(len, hits)), right, by_plurality, _expected_error(bins))


def score_plurality(votes: Judgements, items: Ints, labels: Codes) -> Floats:
    """Return the probability that the most frequent label of each item is the given one; ties are drawn.

    >>> votes = Judgements.from_matrix([[0, 1], [0, 0]], ("yes", "no"))
    >>> score_plurality(votes, np.array([0, 1]), np.array([0, 0])).tolist()
    [1.0, 0.5]
    """
    counts = votes.counts[:, items]
    is_top = counts == counts.max(axis=0)
    return np.asarray(is_top[labels, np.arange(len(items))] / is_top.sum(axis=0))


def select_rows(judgements: Judgements, mask: NDArray[np.bool_]) -> Judgements:
    """Return the masked rows; items keep their codes, unlike in ``Judgements.filter_rows``."""
    return replace(judgements, **{name: getattr(judgements, name)[mask] for name in CODED_COLUMNS})


def _resample_sentences(judgements: Judgements, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each item counts in a resample of sentences."""
    items, sentence_of = judgements.judged_items
    sentences = int(sentence_of.max()) + 1
    for block in sample_counts(sentences, resamples, np.random.default_rng(seed)):
        for counts in block:
            item_counts = np.zeros(judgements.counts.shape[1])
            item_counts[items] = counts[sentence_of]
            yield item_counts
