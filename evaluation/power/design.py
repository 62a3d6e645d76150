"""The model behind a plan, with its power in closed form and by simulation.

Two systems are compared on sentences; a sentence has ``phrases`` phrase pairs, each judged by ``overlap``
people.

* A pair is truly a tie with probability ``ties``. Otherwise the better system wins it with probability p_s,
  which varies between sentences: its mean is ``win_rate``, and two pairs of one sentence have the correlation
  ``clustering`` (an intra-class correlation ρ; p_s is beta distributed).
* A person gives the true answer with probability ``accuracy``, else one of the two others at random.

The value of a vote is 1, 0 or −1; that of a sentence is the mean of its votes; the test is a two-sided z test
on the means of sentences. Phrases and people of one sentence never count as independent. The model gives the
mean and the variance of a sentence in closed form (``Design.mean``, ``Design.variance``) and the power by the
normal approximation. ``simulate_power`` checks it without the approximation, and is exact for small studies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.results.consistency import wilson_interval

NORMAL = NormalDist()
MAX_VOTES_AT_ONCE = 2_000_000  # simulated at a time, to limit memory


@dataclass(frozen=True)
class Design:
    """Assumptions about the systems, the sentences and the people."""

    win_rate: float = 0.55
    ties: float = 0.2
    accuracy: float = 0.8
    phrases: int = 3
    overlap: int = 1
    clustering: float = 0.1

    def __post_init__(self) -> None:
        for name in ("win_rate", "ties", "accuracy", "clustering"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be between 0 and 1, found {getattr(self, name)}")
        for name in ("phrases", "overlap"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, found {getattr(self, name)}")

    @property
    def sharpness(self) -> float:
        """The mean vote on a pair that the better system truly wins: 1 without errors, 0 for guessing."""
        return (3 * self.accuracy - 1) / 2

    @property
    def mean(self) -> float:
        """The expected value of a vote, and of a sentence."""
        return (1 - self.ties) * (2 * self.win_rate - 1) * self.sharpness

    @property
    def variance(self) -> float:
        """The variance of the value of a sentence: the mean of phrases × overlap dependent votes."""
        decisive, p, h = 1 - self.ties, self.win_rate, self.sharpness
        square = decisive * (1 + self.accuracy) / 2 + self.ties * (1 - self.accuracy)
        same_phrase = decisive * h**2
        same_sentence = (decisive * h) ** 2 * ((2 * p - 1) ** 2 + 4 * self.clustering * p * (1 - p))
        m, o = self.phrases, self.overlap
        mean_of_squares = (square + (o - 1) * same_phrase) / (m * o) + (m - 1) / m * same_sentence
        return mean_of_squares - self.mean**2

    @property
    def votes(self) -> int:
        """Judgements per sentence."""
        return self.phrases * self.overlap


class SimulatedPower(NamedTuple):
    power: float
    low: float
    high: float
    studies: int

    @property
    def interval(self) -> tuple[float, float]:
        return self.low, self.high


def compute_power(design: Design, sentences: int, alpha: float = 0.05) -> float:
    """The probability that the test finds the better system with so many sentences.

    >>> round(compute_power(Design(win_rate=0.5), 100), 3)  # no difference: false positives in this direction
    0.025
    """
    if sentences < 1:
        return 0.0
    if design.variance <= 0:
        return 1.0 if design.mean > 0 else 0.0
    strength = design.mean * math.sqrt(sentences / design.variance)
    return NORMAL.cdf(strength - NORMAL.inv_cdf(1 - alpha / 2))


def find_required_sentences(design: Design, wanted: float = 0.8, alpha: float = 0.05) -> int | None:
    """The smallest number of sentences with at least the wanted power; None if no number is enough.

    >>> find_required_sentences(Design(win_rate=0.75, ties=0.0, accuracy=1.0, phrases=1))
    24
    """
    if not 0 < wanted < 1:
        raise ValueError(f"power must be between 0 and 1, found {wanted}")
    if design.mean <= 0:
        return None
    z = NORMAL.inv_cdf(1 - alpha / 2) + NORMAL.inv_cdf(wanted)
    return max(math.ceil(max(z, 0.0) ** 2 * design.variance / design.mean**2 - 1e-9), 1)


def accuracy_from_agreement(agreement: float) -> float:
    """The accuracy of people who agree so often: P(A) = a² + (1 − a)²/2, the root above 1/3.

    ``agreement`` is P(A) over win, tie and loss; below 1/3 no accuracy explains it.

    >>> round(accuracy_from_agreement(1.0), 3), round(accuracy_from_agreement(0.66), 3)
    (1.0, 0.8)
    """
    if not 1 / 3 - 1e-9 <= agreement <= 1:
        raise ValueError(f"agreement must be between 1/3 (random answers) and 1, found {agreement}")
    return (1 + math.sqrt(max(6 * agreement - 2, 0.0))) / 3


def simulate_power(
    design: Design, sentences: int, *, alpha: float = 0.05, studies: int = 2000, seed: int = 0
) -> SimulatedPower:
    """Simulate studies; the power is the share that finds the better system, with a Wilson interval.

    >>> simulate_power(Design(win_rate=1.0, ties=0.0, accuracy=1.0, clustering=0.0), 30, studies=100).power
    1.0
    """
    if sentences < 2:
        raise ValueError(f"a test needs at least 2 sentences, found {sentences}")
    rng = np.random.default_rng(seed)
    successes = 0
    at_once = max(1, MAX_VOTES_AT_ONCE // (sentences * design.votes))
    for start in range(0, studies, at_once):
        values = _simulate_sentences(design, (min(at_once, studies - start), sentences), rng)
        successes += int(find_significant(values, alpha).sum())
    low, high = wilson_interval(successes, studies) or (0.0, 1.0)
    return SimulatedPower(successes / studies, low, high, studies)


def find_significant(values: NDArray[np.float64], alpha: float = 0.05) -> NDArray[np.bool_]:
    """Return in which studies (rows) the z test over sentences (columns) finds the first system better.

    >>> find_significant(np.array([[1.0, 0.5, 1.0, 0.0], [1.0, -1.0, 0.5, -0.5]])).tolist()
    [True, False]
    """
    mean, spread = values.mean(axis=1), values.std(axis=1, ddof=1)
    z = np.where(mean > 0, np.inf, 0.0)  # where all sentences are equal
    np.divide(mean * math.sqrt(values.shape[1]), spread, out=z, where=spread > 0)
    return np.asarray(z > NORMAL.inv_cdf(1 - alpha / 2))


def _simulate_sentences(
    design: Design, shape: tuple[int, int], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Values of sentences, studies × sentences."""
    pairs = (*shape, design.phrases)
    rate = _simulate_rates(design, shape, rng)[..., None]
    truth = np.where(rng.random(pairs) < rate, 1, -1)
    truth[rng.random(pairs) < design.ties] = 0
    votes = truth[..., None].repeat(design.overlap, axis=-1)
    is_wrong = rng.random(votes.shape) >= design.accuracy
    shifted = votes + rng.integers(1, 3, size=votes.shape)  # one of the two other answers, modulo 3
    votes = np.where(is_wrong, (shifted + 1) % 3 - 1, votes)
    return np.asarray(votes.mean(axis=(-1, -2)))


def _simulate_rates(design: Design, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Win rates of sentences: a beta distribution with the correlation of the design."""
    p, rho = design.win_rate, design.clustering
    if rho == 0 or p in (0, 1):
        return np.full(shape, p)
    if rho == 1:
        return (rng.random(shape) < p).astype(np.float64)
    concentration = (1 - rho) / rho
    return rng.beta(p * concentration, (1 - p) * concentration, size=shape)
