"""Looking after every sentence keeps its promise: simulated truth, and a slow twin."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom

from evaluation.stopping.betting import confidence_sequence, evidence
from evaluation.stopping.decisions import check_precision, decide


def test_equal_systems_are_called_different_in_at_most_alpha_of_studies_though_one_looks_every_time() -> None:
    random = np.random.default_rng(1)
    studies = 1500
    wrong = sum(decide_quickly(random.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=300)) for _ in range(studies))
    assert wrong / studies <= 0.05


def decide_quickly(x: np.ndarray) -> bool:
    return bool((evidence((x + 1) / 2) >= 20).any())


def test_a_fixed_sample_test_looked_at_every_time_would_not_keep_it() -> None:
    """The check above can fail: the usual z test fails it at once."""
    random = np.random.default_rng(1)
    x = random.choice([-1.0, 1.0], size=(1000, 300))
    n = np.arange(1, 301)
    z = np.abs(x.cumsum(axis=1)) / np.sqrt(n)
    assert (z[:, 9:] > 1.96).any(axis=1).mean() > 0.2


def test_the_true_mean_stays_inside_at_all_times_in_most_studies() -> None:
    random = np.random.default_rng(2)
    missed = 0
    for _ in range(150):
        low, high = confidence_sequence(random.beta(2, 3, size=150), grid=201)
        missed += bool((low > 0.4).any() or (high < 0.4).any())
    assert missed / 150 <= 0.05


def test_a_clear_difference_is_decided_soon_and_for_the_right_side() -> None:
    random = np.random.default_rng(3)
    x = random.choice([-1.0, 0.0, 1.0], p=[0.2, 0.2, 0.6], size=400)
    decision = decide(x)
    assert decision.better == 1
    assert decision.decided_after is not None
    assert decision.decided_after < 200
    assert decision.low > 0
    assert decide(-x).better == -1


def test_the_forecast_is_of_the_right_size() -> None:
    random = np.random.default_rng(4)
    ratios = []
    for _ in range(15):
        x = random.choice([-1.0, 0.0, 1.0], p=[0.3, 0.2, 0.5], size=700)
        seen = 40
        forecast, needed = decide(x[:seen]).more, decide(x).decided_after
        if forecast and needed and needed > seen:
            ratios.append((seen + forecast) / needed)
    assert 0.3 < float(np.median(ratios)) < 3


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from([0.2, 0.5, 0.7]))
def test_the_capital_equals_bets_made_one_by_one(y: list[float], mean: float) -> None:
    more = less = 1.0
    spread_sum, total, variance = 0.25, 0.5, 0.25
    for t, value in enumerate(y, 1):
        bet = math.sqrt(2 * math.log(2 / 0.05) / (variance * t * math.log1p(t)))
        more *= 1 + min(bet, 0.5 / mean) * (value - mean)
        less *= 1 - min(bet, 0.5 / (1 - mean)) * (value - mean)
        total += value
        spread_sum += (value - total / (t + 1)) ** 2
        variance = spread_sum / (t + 1)
    assert evidence(y, mean)[-1] == pytest.approx((more + less) / 2, rel=1e-9)


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 1.0]), max_size=40))
def test_exchanging_the_systems_turns_everything_round(x: list[float]) -> None:
    one, other = decide(x), decide([-v for v in x])
    assert one.better == -other.better
    assert one.more == other.more
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))


def test_bounds_only_tighten_also_from_block_to_block() -> None:
    low, high = confidence_sequence(np.random.default_rng(5).random(2500), grid=101)
    assert high[-1] - low[-1] < 0.1
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()


def test_without_sentences_nothing_is_decided() -> None:
    assert decide([]).mean is None
    assert decide([]).better == 0


@pytest.mark.parametrize("bad", [[1.5], [float("nan")], [-0.1]])
def test_values_outside_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match=r"in \[0, 1\]"):
        evidence(bad)


@pytest.mark.parametrize("agreeing", [0.6, 0.75])
def test_an_interval_holds_the_truth_though_one_stops_as_soon_as_it_is_narrow(agreeing: float) -> None:
    """One pair a sentence, looked at after each: the percentile bootstrap is then binomial."""
    random, wanted, held, studies = np.random.default_rng(6), 0.08, 0, 400
    for _ in range(studies):
        agreed = random.random(400) < agreeing
        counts, n = agreed.cumsum()[1:], np.arange(2, 401)
        low, high = (binom.ppf(q, n, counts / n) / n for q in (0.025, 0.975))
        stops = (
            k
            for k in range(len(n))
            if (found := check_precision(int(n[k]), (low[k], high[k]), wanted)) and found.enough
        )
        stop = next(stops)
        held += bool(low[stop] <= agreeing <= high[stop])
    assert held / studies >= 0.91


def test_precision_is_enough_when_the_interval_is_narrow_and_unknown_without_one() -> None:
    assert check_precision(100, (0.5, 0.58), 0.05) == (0.04, 0.05, True, None)
    assert check_precision(100, None, 0.05) is None
