"""Two campaigns side by side, on drawn ones whose difference is known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from evaluation.campaign_diff.shares import compare_shares

Campaign = dict[int, tuple[int, int]]


def simulate_campaign(rate: float, sentences: int, random: np.random.Generator, first: int = 0) -> Campaign:
    """Two to five votes a sentence; sentences differ, so votes of one are alike."""
    rates = random.beta(4 * rate, 4 * (1 - rate), size=sentences)
    votes = random.integers(2, 6, size=sentences)
    return {first + s: (int(random.binomial(votes[s], rates[s])), int(votes[s])) for s in range(sentences)}


@pytest.mark.parametrize("paired", [True, False])
def test_campaigns_without_a_difference_are_called_different_in_about_one_of_twenty(paired: bool) -> None:
    random = np.random.default_rng(1)
    found = 0
    for _ in range(200):
        before, after = (
            simulate_campaign(0.6, 40, random),
            simulate_campaign(0.6, 40, random, first=0 if paired else 100),
        )
        outcome = compare_shares(before, after, resamples=200)
        assert outcome is not None
        assert outcome.paired is paired
        found += outcome.p <= 0.05
    assert found / 200 <= 0.09


@pytest.mark.parametrize("paired", [True, False])
def test_intervals_hold_the_drawn_difference_about_as_often_as_they_say(paired: bool) -> None:
    random = np.random.default_rng(2)
    held = 0
    for _ in range(120):
        before, after = (
            simulate_campaign(0.5, 60, random),
            simulate_campaign(0.65, 60, random, first=0 if paired else 100),
        )
        outcome = compare_shares(before, after, resamples=200)
        assert outcome is not None
        held += outcome.low <= 0.15 <= outcome.high
    assert held / 120 >= 0.88


def test_exchanging_sentences_gives_the_exact_probability() -> None:
    before = {s: (p, 2) for s, p in enumerate([0, 1, 0, 1, 1, 0, 1])}
    after = {s: (p, 2) for s, p in enumerate([2, 1, 1, 2, 2, 1, 1])}
    gaps = [after[s][0] - before[s][0] for s in before]
    observed = abs(sum(gaps))
    signs = list(product([-1, 1], repeat=len(gaps)))
    exact = np.mean([abs(np.dot(turn, gaps)) >= observed for turn in signs])
    outcome = compare_shares(before, after, resamples=20_000, seed=3)
    assert outcome is not None
    assert outcome.p == pytest.approx(exact, abs=0.01)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=6))
def test_turning_time_round_turns_the_change_round(points: list[tuple[int, int]]) -> None:
    before = {s: (p, 4) for s, (p, _) in enumerate(points)}
    after = {s: (p, 4) for s, (_, p) in enumerate(points)}
    there, back = compare_shares(before, after, resamples=50), compare_shares(after, before, resamples=50)
    assert there is not None
    assert back is not None
    assert there.difference == pytest.approx(-back.difference)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert there.p == back.p


def test_the_same_campaign_twice_has_not_changed() -> None:
    campaign = simulate_campaign(0.7, 30, np.random.default_rng(4))
    outcome = compare_shares(campaign, campaign)
    assert outcome is not None
    assert (outcome.difference, outcome.low, outcome.high, outcome.p) == (0, 0, 0, 1.0)


def test_without_votes_there_is_nothing_to_compare() -> None:
    assert compare_shares({}, {1: (1, 1)}) is None
    assert compare_shares({1: (0, 0)}, {1: (1, 1)}) is None
