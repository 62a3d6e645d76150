"""Plans, against textbook formulas where they exist and against simulation where they do not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from evaluation.power.design import (
    Design,
    _simulate_sentences,
    accuracy_from_agreement,
    compute_power,
    find_required_sentences,
    simulate_power,
)

PLAIN = Design(win_rate=0.6, ties=0.0, accuracy=1.0, phrases=1, overlap=1, clustering=0.0)
DESIGNS = [
    PLAIN,
    Design(),
    Design(win_rate=0.7, ties=0.4, accuracy=0.6, phrases=4, overlap=3, clustering=0.3),
    Design(win_rate=0.55, ties=0.1, accuracy=0.9, phrases=6, overlap=2, clustering=0.8),
]


def test_without_ties_errors_or_nesting_it_is_the_sign_test() -> None:
    """n independent wins and losses: z = (2p̂ − 1)√n / √(1 − (2p − 1)²) under the alternative."""
    n, p = 200, 0.6
    textbook = norm.cdf((2 * p - 1) * math.sqrt(n) / math.sqrt(1 - (2 * p - 1) ** 2) - norm.ppf(0.975))
    assert compute_power(PLAIN, n) == pytest.approx(textbook, abs=1e-12)


def test_nesting_costs_the_design_effect() -> None:
    """The variance of the mean of m equally correlated votes is that of one, times (1 + (m − 1)ρ) / m."""
    one, m, rho = PLAIN.variance, 5, 0.3
    nested = Design(win_rate=0.6, ties=0.0, accuracy=1.0, phrases=m, overlap=1, clustering=rho)
    assert nested.variance == pytest.approx(one * (1 + (m - 1) * rho) / m)


@pytest.mark.parametrize("design", DESIGNS)
def test_mean_and_variance_are_those_of_drawn_sentences(design: Design) -> None:
    drawn = _simulate_sentences(design, (1, 100_000), np.random.default_rng(1))
    assert drawn.mean() == pytest.approx(design.mean, abs=4 * math.sqrt(design.variance / 100_000))
    assert drawn.var() == pytest.approx(design.variance, rel=0.02)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_planned_number_of_sentences_has_the_wanted_power(design: Design) -> None:
    n = find_required_sentences(design, 0.8)
    assert n is not None
    simulated = simulate_power(design, n, studies=1500, seed=2)
    assert simulated.low - 0.03 <= 0.8 <= simulated.high + 0.03


def test_equal_systems_are_rarely_called_different() -> None:
    nothing = Design(win_rate=0.5, phrases=4, overlap=2, clustering=0.3)
    assert simulate_power(nothing, 60, studies=2000, seed=3).power <= 0.045  # one side of 5 %, small sample
    assert find_required_sentences(nothing) is None


@given(st.floats(0.51, 0.95), st.integers(1, 6), st.floats(0.0, 0.9))
def test_more_is_never_worse(rate: float, phrases: int, clustering: float) -> None:
    design = Design(win_rate=rate, phrases=phrases, clustering=clustering)
    assert compute_power(design, 101) >= compute_power(design, 100)
    more = Design(win_rate=rate, phrases=phrases + 1, clustering=clustering)
    assert more.variance <= design.variance + 1e-12
    needed = find_required_sentences(design, 0.8)
    assert needed is not None
    assert compute_power(design, needed) >= 0.8 - 1e-9
    assert needed == 1 or compute_power(design, needed - 1) < 0.8 + 1e-9


@given(st.floats(1 / 3, 1))
def test_accuracy_explains_the_agreement(accuracy: float) -> None:
    agreement = accuracy**2 + (1 - accuracy) ** 2 / 2
    assert accuracy_from_agreement(agreement) == pytest.approx(accuracy, abs=1e-6)


def test_people_who_agree_less_than_by_lot_are_refused() -> None:
    with pytest.raises(ValueError, match=r"found 0\.2"):
        accuracy_from_agreement(0.2)


@pytest.mark.parametrize("bad", [{"win_rate": 1.2}, {"ties": -0.1}, {"phrases": 0}, {"overlap": 0}])
def test_impossible_designs_are_refused_by_name(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        Design(**bad)  # type: ignore[arg-type]  # whole numbers and fractions alike
