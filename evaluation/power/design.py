"""The model behind a plan, and its power in closed form.

Two systems are compared on sentences; a sentence has ``phrases`` phrase pairs, each judged by ``overlap``
people.

* A pair is truly a tie with probability ``ties``. Otherwise the better system wins it with probability p_s,
  which differs from sentence to sentence: its mean is ``win_rate``, and two pairs of one sentence correlate
  by ``clustering`` (an intra-class correlation ρ; p_s is beta distributed).
* A person gives the true answer with probability ``accuracy``, else one of the two others alike.

The value of a vote is 1, 0 or −1; that of a sentence is the mean of its votes; the test is a two-sided z test
on the means of sentences. Phrases and people of one sentence are never counted as independent. From the model
follow the mean and the variance of a sentence in closed form (``Design.mean``, ``Design.variance``) and the
power by the normal approximation, which ``simulation`` checks without it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtr, ndtri


@dataclass(frozen=True)
class Design:
    """What is expected of the systems, the sentences and the people."""

    win_rate: float = 0.55
    ties: float = 0.2
    accuracy: float = 0.8
    phrases: int = 3
    overlap: int = 1
    clustering: float = 0.1

    def __post_init__(self) -> None:
        for name in ("win_rate", "ties", "accuracy", "clustering"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie between 0 and 1, found {getattr(self, name)}")
        for name in ("phrases", "overlap"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, found {getattr(self, name)}")

    @property
    def sharpness(self) -> float:
        """The mean vote on a pair that the better system truly wins: 1 if people never err, 0 if they
        guess."""
        return (3 * self.accuracy - 1) / 2

    @property
    def mean(self) -> float:
        """The expected value of a vote, and of a sentence."""
        return (1 - self.ties) * (2 * self.win_rate - 1) * self.sharpness

    @property
    def variance(self) -> float:
        """Of the value of a sentence: the mean of phrases × overlap dependent votes."""
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


def power(design: Design, sentences: int, alpha: float = 0.05) -> float:
    """The chance that the better system is called better after so many sentences.

    >>> round(power(Design(win_rate=0.5), 100), 3)  # nothing to find: chance findings on that side
    0.025
    """
    if sentences < 1:
        return 0.0
    if design.variance <= 0:
        return 1.0 if design.mean > 0 else 0.0
    strength = design.mean * math.sqrt(sentences / design.variance)
    return float(ndtr(strength - float(ndtri(1 - alpha / 2))))


def sentences_needed(design: Design, wanted: float = 0.8, alpha: float = 0.05) -> int | None:
    """The fewest sentences with at least the wanted power; ``None`` where no number is enough.

    >>> sentences_needed(Design(win_rate=0.75, ties=0.0, accuracy=1.0, phrases=1))
    24
    """
    if not 0 < wanted < 1:
        raise ValueError(f"power must lie between 0 and 1, found {wanted}")
    if design.mean <= 0:
        return None
    z = float(ndtri(1 - alpha / 2) + ndtri(wanted))
    return max(math.ceil(max(z, 0.0) ** 2 * design.variance / design.mean**2 - 1e-9), 1)


def accuracy_from_agreement(agreement: float) -> float:
    """How often people must be right to agree so often: P(A) = a² + (1 − a)²/2, the root above 1/3.

    ``agreement`` is P(A) over win, tie and loss; below 1/3 no accuracy explains it.

    >>> round(accuracy_from_agreement(1.0), 3), round(accuracy_from_agreement(0.66), 3)
    (1.0, 0.8)
    """
    if not 1 / 3 - 1e-9 <= agreement <= 1:
        raise ValueError(
            f"people who agree in {agreement} of cases answer by lot or worse (1/3 … 1 expected)"
        )
    return (1 + math.sqrt(max(6 * agreement - 2, 0.0))) / 3
