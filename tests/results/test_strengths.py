"""Bradley–Terry with ties: closed forms, logistic regression, and a general optimiser as a twin."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings, strategies as st
from scipy import optimize

from evaluation.agreement.judgements import Floats
from evaluation.results.strengths import PRIOR, fit_davidson


def random_table(seed: int, size: int = 4, most: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, most, (size, size)).astype(float)
    ties = np.triu(rng.integers(0, most // 2, (size, size)), 1).astype(float)
    np.fill_diagonal(wins, 0)
    return wins, ties + ties.T


def test_two_systems_have_a_closed_form() -> None:
    """π₁/π₂ = wins/losses and ν = ties/√(wins·losses) (Davidson 1970, equation 3.2 for t = 2)."""
    found = fit_davidson(np.array([[0.0, 900.0], [400.0, 0.0]]), np.array([[0.0, 600.0], [600.0, 0.0]]))
    assert np.exp(found.abilities[0] - found.abilities[1]) == pytest.approx(900 / 400, rel=1e-3)
    assert np.exp(found.log_tie) == pytest.approx(600 / np.sqrt(900 * 400), rel=1e-3)


def log_likelihood(wins: Floats, ties: Floats, abilities: Floats, log_tie: float) -> float:
    """Logarithm of the likelihood times the prior, written down from the definition."""
    strength, tie = np.exp(abilities), np.exp(log_tie)
    geometric = tie * np.sqrt(np.outer(strength, strength))
    total = strength[:, None] + strength[None, :] + geometric
    prior = -PRIOR / 2 * (float(abilities @ abilities) + log_tie**2)
    likely = (wins * np.log(strength[:, None] / total)).sum() + (ties * np.log(geometric / total)).sum() / 2
    return float(likely) + prior


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_no_other_strengths_are_more_likely(seed: int, size: int) -> None:
    """A general optimiser on the same likelihood finds the same maximum."""
    wins, ties = random_table(seed, size)
    found = fit_davidson(wins, ties)
    ours = log_likelihood(wins, ties, found.abilities, float(found.log_tie))
    best = optimize.minimize(
        lambda x: -log_likelihood(wins, ties, x[:-1], x[-1]), np.zeros(size + 1), method="BFGS"
    )
    assert ours >= -best.fun - 1e-6
    assert found.abilities == pytest.approx(best.x[:-1] - best.x[:-1].mean(), abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_without_ties_it_is_logistic_regression(seed: int) -> None:
    wins, _ = random_table(seed, 4, 400)
    rows = [(i, j) for i in range(4) for j in range(4) if i != j]
    design = np.array([[(k == i) - (k == j) for k in range(1, 4)] for i, j in rows], dtype=float)
    weights = np.array([wins[i, j] for i, j in rows])
    model = sm.GLM(np.ones(len(rows)), design, family=sm.families.Binomial(), freq_weights=weights).fit()
    ours = fit_davidson(wins, np.zeros((4, 4))).abilities
    assert ours[1:] - ours[0] == pytest.approx(model.params, abs=5e-3)


def test_many_tables_at_once_equal_one_at_a_time() -> None:
    tables = [random_table(seed) for seed in range(6)]
    together = fit_davidson(np.array([w for w, _ in tables]), np.array([t for _, t in tables]))
    for place, (wins, ties) in enumerate(tables):
        alone = fit_davidson(wins, ties)
        assert together.abilities[place] == pytest.approx(alone.abilities, abs=1e-6)
        assert together.log_tie[place] == pytest.approx(alone.log_tie, abs=1e-6)


def test_a_system_that_never_loses_stays_finite_and_first() -> None:
    wins = np.array([[0, 50, 50], [0, 0, 30], [0, 20, 0]], dtype=float)
    found = fit_davidson(wins, np.zeros((3, 3)))
    assert np.isfinite(found.abilities).all()
    assert found.abilities.argmax() == 0


def test_equal_systems_are_equally_strong() -> None:
    wins = np.array([[0, 7, 7], [7, 0, 7], [7, 7, 0]], dtype=float)
    assert fit_davidson(wins, wins).abilities == pytest.approx(np.zeros(3), abs=1e-9)


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_renaming_systems_permutes_strengths(seed: int) -> None:
    wins, ties = random_table(seed)
    order = np.random.default_rng(seed).permutation(4)
    turned = fit_davidson(wins[np.ix_(order, order)], ties[np.ix_(order, order)])
    assert turned.abilities == pytest.approx(fit_davidson(wins, ties).abilities[order], abs=1e-6)


def test_tables_must_be_square() -> None:
    with pytest.raises(ValueError, match="square"):
        fit_davidson(np.zeros((2, 3)), np.zeros((2, 3)))
