"""Strengths of systems (Bradley–Terry with ties, Davidson 1970), rank ranges and clusters.

System i beats j with probability πᵢ / (πᵢ + πⱼ + ν√(πᵢπⱼ)) and ties with probability ν√(πᵢπⱼ) / (…). In
θ = log π and δ = log ν the log-likelihood is concave, so Newton's method finds the only maximum; many tables
(resamples) are fitted at once.

A system that never lost would be infinitely strong. A normal prior of precision ``PRIOR`` on θ and δ, worth
about a hundredth of a vote, keeps every estimate finite and hardly moves those that the data determine.

Clusters are those of WMT (Bojar et al. 2013, section 3): two neighbours belong to different clusters only
where no rank range of the better systems overlaps one of the worse systems.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.agreement.judgements import Floats

PRIOR = 0.01
MAX_STEPS = 60
MAX_STEP_LENGTH = 2.0  # a longer Newton step overshoots where a system wins everything
EQUAL = 1e-9  # difference below which two strengths are equal

Range = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Davidson:
    """Fitted strengths; ``abilities`` is θ with mean 0 (… × systems), ``log_tie`` is δ (…)."""

    abilities: Floats
    log_tie: Floats


def fit_davidson(wins: Floats, ties: Floats) -> Davidson:
    """Fit one table (systems × systems) or many (… × systems × systems).

    >>> model = fit_davidson(np.array([[0.0, 60.0], [15.0, 0.0]]), np.array([[0.0, 30.0], [30.0, 0.0]]))
    >>> round(float(np.exp(model.abilities[0] - model.abilities[1])), 2)  # 60/15
    4.0
    >>> round(float(np.exp(model.log_tie)), 2)  # 30/√(60·15)
    1.0
    """
    if wins.shape != ties.shape or wins.shape[-1] != wins.shape[-2]:
        raise ValueError(f"expected two square tables of one shape, found {wins.shape} and {ties.shape}")
    size = wins.shape[-1]
    parameters = np.zeros((*wins.shape[:-2], size + 1))
    for _ in range(MAX_STEPS):
        gradient, information = _derivatives(wins, ties, parameters)
        step = np.linalg.solve(information, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, keepdims=True)
        parameters += step * np.minimum(1, MAX_STEP_LENGTH / np.maximum(longest, 1e-300))
        if longest.max(initial=0) < 1e-9:
            break
    abilities = parameters[..., :size]
    return Davidson(abilities - abilities.mean(axis=-1, keepdims=True), parameters[..., size])


def compute_rank_ranges(strengths: Floats, level: float = 0.95) -> list[Range]:
    """Compute the best and worst plausible rank of each system from resamples × systems.

    Systems of equal strength share their ranks.

    >>> compute_rank_ranges(np.array([[3.0, 1.0, 1.0]] * 20))
    [(1, 1), (2, 3), (2, 3)]
    """
    best, worst = rank_systems(strengths)
    low = np.quantile(best, (1 - level) / 2, axis=0, method="inverted_cdf")
    high = np.quantile(worst, (1 + level) / 2, axis=0, method="inverted_cdf")
    return [(int(a), int(b)) for a, b in zip(low, high, strict=True)]


def rank_systems(strengths: Floats) -> tuple[Floats, Floats]:
    """Return the best and the worst rank of each system if equal ones may be in any order."""
    above = strengths[..., None, :] - strengths[..., :, None]
    return 1 + (above > EQUAL).sum(axis=-1), strengths.shape[-1] - (above < -EQUAL).sum(axis=-1)


def cluster_ranks(ranges: list[Range]) -> list[int]:
    """Return the cluster of each system, 1 first.

    >>> cluster_ranks([(1, 2), (3, 4), (1, 2), (3, 4)])
    [1, 2, 1, 2]
    """
    order = sorted(range(len(ranges)), key=lambda system: ranges[system])
    clusters, cluster, worst = [0] * len(ranges), 0, 0
    for position, system in enumerate(order):
        best_to_come = min(ranges[later][0] for later in order[position:])
        if best_to_come > worst:
            cluster += 1
        clusters[system] = cluster
        worst = max(worst, ranges[system][1])
    return clusters


def _derivatives(wins: Floats, ties: Floats, parameters: Floats) -> tuple[Floats, Floats]:
    """Return the gradient, and minus the matrix of second derivatives, at (θ, δ)."""
    size = wins.shape[-1]
    n = wins + wins.swapaxes(-1, -2) + ties
    win, tie = _outcome_probabilities(parameters)
    share = win + tie / 2  # expected points of the row; a tie is half a point
    spread = n * (win + tie / 4 - share**2)
    joint = n * tie * (0.5 - share)
    gradient = np.empty_like(parameters)
    gradient[..., :size] = (wins + ties / 2 - n * share).sum(axis=-1)
    gradient[..., size] = (ties - n * tie).sum(axis=(-1, -2)) / 2
    information = np.zeros((*parameters.shape, size + 1))
    information[..., :size, :size] = -spread
    systems = np.arange(size)
    information[..., systems, systems] = spread.sum(axis=-1) - spread[..., systems, systems]
    information[..., :size, size] = information[..., size, :size] = joint.sum(axis=-1)
    information[..., size, size] = (n * tie * (1 - tie)).sum(axis=(-1, -2)) / 2
    diagonal = np.arange(size + 1)
    information[..., diagonal, diagonal] += PRIOR
    return gradient - PRIOR * parameters, information


def _outcome_probabilities(parameters: Floats) -> tuple[Floats, Floats]:
    """Return the probability that the row beats the column, and that they tie."""
    theta, tie = parameters[..., :-1], np.exp(parameters[..., -1])[..., None, None]
    half = (theta[..., :, None] - theta[..., None, :]) / 2
    up = np.exp(half)
    total = up + 1 / up + tie
    return up / total, tie / total
