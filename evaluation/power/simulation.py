"""The same model, drawn instead of solved: an independent check, and the truth for small studies."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from evaluation.power.design import Design
from evaluation.results import wilson


class SimulatedPower(NamedTuple):
    power: float
    low: float
    high: float
    studies: int

    @property
    def interval(self) -> tuple[float, float]:
        return self.low, self.high


def simulated_power(
    design: Design, sentences: int, *, alpha: float = 0.05, studies: int = 2000, seed: int = 0
) -> SimulatedPower:
    """The share of simulated studies in which the better system was called better, with a Wilson interval.

    >>> simulated_power(Design(win_rate=1.0, ties=0.0, accuracy=1.0, clustering=0.0), 30, studies=100).power
    1.0
    """
    if sentences < 2:
        raise ValueError(f"a test needs at least 2 sentences, found {sentences}")
    random = np.random.default_rng(seed)
    won = 0
    per_round = max(1, 2_000_000 // (sentences * design.votes))  # keeps memory small
    for start in range(0, studies, per_round):
        values = _sentences(design, (min(per_round, studies - start), sentences), random)
        won += int(significant(values, alpha).sum())
    low, high = wilson(won, studies) or (0.0, 1.0)
    return SimulatedPower(won / studies, low, high, studies)


def significant(values: NDArray[np.float64], alpha: float = 0.05) -> NDArray[np.bool_]:
    """In which studies (rows) the z test over sentences (columns) finds the first system better.

    >>> significant(np.array([[1.0, 0.5, 1.0, 0.0], [1.0, -1.0, 0.5, -0.5]])).tolist()
    [True, False]
    """
    return np.asarray(_z(values) > float(ndtri(1 - alpha / 2)))


def _sentences(design: Design, shape: tuple[int, int], random: np.random.Generator) -> NDArray[np.float64]:
    """Values of sentences, studies × sentences."""
    pairs = (*shape, design.phrases)
    rate = _rates(design, shape, random)[..., None]
    truth = np.where(random.random(pairs) < rate, 1, -1)
    truth[random.random(pairs) < design.ties] = 0
    votes = truth[..., None].repeat(design.overlap, axis=-1)
    wrong = random.random(votes.shape) >= design.accuracy
    turned = votes + random.integers(1, 3, size=votes.shape)  # one of the two other answers, counted round
    votes = np.where(wrong, (turned + 1) % 3 - 1, votes)
    return np.asarray(votes.mean(axis=(-1, -2)))


def _rates(design: Design, shape: tuple[int, int], random: np.random.Generator) -> NDArray[np.float64]:
    """How often the better system wins in each sentence: a beta distribution with the wanted correlation."""
    p, rho = design.win_rate, design.clustering
    if rho == 0 or p in (0, 1):
        return np.full(shape, p)
    if rho == 1:
        return (random.random(shape) < p).astype(np.float64)
    strength = (1 - rho) / rho
    return random.beta(p * strength, (1 - p) * strength, size=shape)


def _z(values: NDArray[np.float64]) -> NDArray[np.float64]:
    mean, spread = values.mean(axis=1), values.std(axis=1, ddof=1)
    certain = np.where(mean > 0, np.inf, 0.0)  # all sentences alike
    return np.asarray(np.divide(mean * math.sqrt(values.shape[1]), spread, out=certain, where=spread > 0))
