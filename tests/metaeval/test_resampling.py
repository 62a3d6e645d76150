"""Resampling: the same seed gives the same answer, the answers are calibrated, blocks do not matter."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.metaeval import kendall
from metrics.metaeval.datasets import Comparisons, IntArray
from metrics.metaeval.kendall import (
    TieRule,
    bootstrap_tau,
    bootstrap_tau_with_systems,
    outcome_counts,
    permutation_p,
    tau,
)


def counts(seed: int, share: float, segments: int = 300) -> IntArray:
    """Rows (C, D, T) of a metric that is right on ``share`` of ten pairs a segment, and ties on none."""
    right = np.random.default_rng(seed).binomial(10, share, segments)
    return np.column_stack([right, 10 - right, np.zeros_like(right)])


def test_the_interval_holds_the_value_and_shrinks_with_the_set() -> None:
    small, large = counts(1, 0.6, 50), counts(1, 0.6, 800)
    for rows in (small, large):
        interval = bootstrap_tau(rows, TieRule.DROP)
        assert interval is not None
        assert interval[0] < float(tau(rows.sum(0), TieRule.DROP)) < interval[1]
    narrow, wide = bootstrap_tau(large, TieRule.DROP), bootstrap_tau(small, TieRule.DROP)
    assert narrow is not None
    assert wide is not None
    assert (wide[1] - wide[0]) / (narrow[1] - narrow[0]) == pytest.approx(4, rel=0.25)


def test_the_same_seed_gives_the_same_interval_whatever_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = counts(2, 0.55)
    whole = bootstrap_tau(rows, TieRule.WMT14, resamples=200, seed=5)
    assert whole == bootstrap_tau(rows, TieRule.WMT14, resamples=200, seed=5)
    assert whole != bootstrap_tau(rows, TieRule.WMT14, resamples=200, seed=6)
    monkeypatch.setattr(kendall, "CELLS_AT_ONCE", 1000)
    assert whole == bootstrap_tau(rows, TieRule.WMT14, resamples=200, seed=5)


def test_without_two_segments_or_resamples_there_is_no_interval() -> None:
    nothing = np.empty((0, 3), dtype=np.int64)
    assert bootstrap_tau(nothing, TieRule.DROP) is None
    assert bootstrap_tau(counts(1, 0.6), TieRule.DROP, resamples=0) is None
    assert bootstrap_tau(counts(1, 0.6, 1), TieRule.DROP) is None  # one can only be drawn again
    assert permutation_p(nothing, nothing, TieRule.DROP) is None


def test_a_metric_is_never_better_than_itself() -> None:
    rows = counts(3, 0.6)
    assert permutation_p(rows, rows, TieRule.WMT14) == 1


def test_a_clearly_better_metric_is_found_whichever_is_named_first() -> None:
    good, bad = counts(4, 0.7), counts(5, 0.6)
    assert permutation_p(good, bad, TieRule.WMT12) == pytest.approx(1 / 1001)
    assert permutation_p(bad, good, TieRule.WMT12) == pytest.approx(1 / 1001)


def test_equal_metrics_are_called_different_about_as_often_as_promised() -> None:
    found = [
        permutation_p(counts(seed, 0.6, 60), counts(seed + 1000, 0.6, 60), TieRule.DROP, resamples=99)
        for seed in range(200)
    ]
    rejected = sum(p is not None and p <= 0.1 for p in found) / len(found)
    assert 0.04 <= rejected <= 0.17  # 10 % within three standard errors


def test_metrics_on_different_sets_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="one shape"):
        permutation_p(counts(1, 0.5, 10), counts(1, 0.5, 11), TieRule.DROP)


def test_resampling_systems_equals_a_bootstrap_of_the_whole_table() -> None:
    """The twin draws segments and systems, writes every pair out and counts anew."""
    rng = np.random.default_rng(7)
    quality, segments, systems = rng.normal(0, 1, 6), np.repeat(np.arange(40), 6), np.tile(np.arange(6), 40)
    human_scores = quality[systems] + rng.normal(0, 1, 240)
    scores = rng.normal(0, 1, 6)[systems] + human_scores + rng.normal(0, 1, 240)
    pairs = [
        (a, b) if human_scores[a] > human_scores[b] else (b, a)
        for segment in range(40)
        for a in range(segment * 6, segment * 6 + 6)
        for b in range(a + 1, segment * 6 + 6)
    ]
    human = Comparisons(*np.array(pairs).T)
    interval = bootstrap_tau_with_systems(scores, human, segments, systems, TieRule.WMT14, resamples=2000)
    slow = []
    for _ in range(1500):
        drawn = rng.integers(0, 6, 6).tolist()
        won = [
            1 if scores[a] > scores[b] else -1
            for segment in rng.integers(0, 40, 40).tolist()
            for place, one in enumerate(drawn)
            for other in drawn[place + 1 :]
            if one != other
            for a, b in [(segment * 6 + one, segment * 6 + other)]
            for a, b in [(a, b) if human_scores[a] > human_scores[b] else (b, a)]
        ]
        slow.append(np.mean(won))
    assert interval == pytest.approx(tuple(np.quantile(slow, [0.025, 0.975])), abs=0.05)
    alone = bootstrap_tau(outcome_counts(scores, human, segments), TieRule.WMT14)
    assert interval is not None
    assert alone is not None
    assert interval[1] - interval[0] > 1.5 * (alone[1] - alone[0])
    one_system = np.zeros(240, dtype=np.int64)
    assert bootstrap_tau_with_systems(scores, human, segments, one_system, TieRule.WMT14) is None
