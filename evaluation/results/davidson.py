"""How strong is each system: the Bradley–Terry model with ties (Davidson 1970).

System i beats j with probability πᵢ / (πᵢ + πⱼ + ν√(πᵢπⱼ)) and ties with probability
ν√(πᵢπⱼ) / (…). In θ = log π and δ = log ν the log-likelihood is concave, so Newton's method finds the
one maximum; many tables (resamples) are fitted at once.

A system that never lost would be infinitely strong. A normal prior of precision ``PRIOR`` on θ and δ,
worth about a hundredth of a vote, keeps every estimate finite and moves none that the data determine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.agreement.judgements import Floats

PRIOR = 0.01
STEPS = 60
LONGEST = 2.0  # a longer Newton step overshoots where a system wins everything


@dataclass(frozen=True, eq=False)
class Davidson:
    """Fitted strengths; ``abilities`` is θ with mean 0 (… × systems), ``log_tie`` is δ (…)."""

    abilities: Floats
    log_tie: Floats


def fit(wins: Floats, ties: Floats) -> Davidson:
    """Fit one table (systems × systems) or many (… × systems × systems).

    >>> strong = fit(np.array([[0.0, 60.0], [15.0, 0.0]]), np.array([[0.0, 30.0], [30.0, 0.0]]))
    >>> round(float(np.exp(strong.abilities[0] - strong.abilities[1])), 2)  # 60/15
    4.0
    >>> round(float(np.exp(strong.log_tie)), 2)  # 30/√(60·15)
    1.0
    """
    if wins.shape != ties.shape or wins.shape[-1] != wins.shape[-2]:
        raise ValueError(f"two square tables of one shape expected, found {wins.shape} and {ties.shape}")
    size = wins.shape[-1]
    place = np.zeros((*wins.shape[:-2], size + 1))
    for _ in range(STEPS):
        slope, curve = _derivatives(wins, ties, place)
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, keepdims=True)
        place += step * np.minimum(1, LONGEST / np.maximum(longest, 1e-300))
        if longest.max(initial=0) < 1e-9:
            break
    abilities = place[..., :size]
    return Davidson(abilities - abilities.mean(axis=-1, keepdims=True), place[..., size])


def differences(wins: Floats, ties: Floats) -> tuple[Floats, Floats, Floats]:
    """For each two systems of one table: mean and variance of θᵢ − θⱼ, and what one more vote would tell
    about it.

    The posterior is taken as normal around its maximum (Laplace); the last table is the Fisher information
    of a single vote about the difference.
    """
    size = wins.shape[-1]
    fitted = fit(wins, ties)
    place = np.append(fitted.abilities, fitted.log_tie)
    _slope, curve = _derivatives(wins, ties, place)
    spread = np.linalg.inv(curve)[:size, :size]
    variance = np.diag(spread)[:, None] + np.diag(spread) - 2 * spread
    win, tie = _outcomes(place)
    information = win + tie / 4 - (win + tie / 2) ** 2
    return fitted.abilities[:, None] - fitted.abilities, variance, information


def log_likelihood(wins: Floats, ties: Floats, abilities: Floats, log_tie: float) -> float:
    """Logarithm of the likelihood times the prior, of one table."""
    a, c = _outcomes(np.append(abilities, log_tie))
    prior = -PRIOR / 2 * (float(abilities @ abilities) + log_tie**2)
    return float((wins * np.log(a)).sum() + (ties * np.log(c)).sum() / 2) + prior


def _outcomes(place: Floats) -> tuple[Floats, Floats]:
    """Probability that the row beats the column, and that they tie."""
    theta, tie = place[..., :-1], np.exp(place[..., -1])[..., None, None]
    half = (theta[..., :, None] - theta[..., None, :]) / 2
    up = np.exp(half)
    total = up + 1 / up + tie
    return up / total, tie / total


def _derivatives(wins: Floats, ties: Floats, place: Floats) -> tuple[Floats, Floats]:
    """Gradient, and minus the matrix of second derivatives, at (θ, δ)."""
    size = wins.shape[-1]
    n = wins + wins.swapaxes(-1, -2) + ties
    win, tie = _outcomes(place)
    share = win + tie / 2  # expected points of the row, a tie is half
    spread = n * (win + tie / 4 - share**2)
    joint = n * tie * (0.5 - share)
    slope = np.empty_like(place)
    slope[..., :size] = (wins + ties / 2 - n * share).sum(axis=-1)
    slope[..., size] = (ties - n * tie).sum(axis=(-1, -2)) / 2
    curve = np.zeros((*place.shape, size + 1))
    curve[..., :size, :size] = -spread
    diagonal = np.arange(size)
    curve[..., diagonal, diagonal] = spread.sum(axis=-1) - spread[..., diagonal, diagonal]
    curve[..., :size, size] = curve[..., size, :size] = joint.sum(axis=-1)
    curve[..., size, size] = (n * tie * (1 - tie)).sum(axis=(-1, -2)) / 2
    everything = np.arange(size + 1)
    curve[..., everything, everything] += PRIOR
    return slope - PRIOR * place, curve
