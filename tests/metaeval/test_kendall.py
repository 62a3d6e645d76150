"""Kendall's τ under its tie rules, calibrated accuracy, ranked lists: laws and slow twins."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from metrics.metaeval.datasets import Comparisons, FloatArray, IntArray
from metrics.metaeval.kendall import (
    TieRule,
    calibrated_accuracy,
    outcome_counts,
    tau,
    tau_b,
)

NO_TIES = np.empty((0, 2), dtype=np.int64)


@st.composite
def judged(draw: st.DrawFn) -> tuple[FloatArray, Comparisons, IntArray]:
    """Metric scores with many ties, verdicts between cells of one segment, and the cells' segments."""
    segments = np.array(draw(st.lists(st.integers(0, 3), min_size=2, max_size=12)))
    scores = np.array(
        draw(st.lists(st.integers(0, 4), min_size=len(segments), max_size=len(segments))), float
    )
    within = [(i, j) for i, j in permutations(range(len(segments)), 2) if segments[i] == segments[j]]
    pairs = draw(st.lists(st.sampled_from(within), max_size=20)) if within else []
    ties = draw(st.lists(st.sampled_from(within), max_size=20)) if within else []
    better, worse = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return scores, Comparisons(better, worse, np.array(ties, dtype=np.int64).reshape(-1, 2)), segments


@given(judged())
def test_counts_equal_those_of_a_plain_loop(case: tuple[FloatArray, Comparisons, IntArray]) -> None:
    scores, human, segments = case
    expected: dict[int, list[int]] = {}
    for better, worse in zip(human.better.tolist(), human.worse.tolist(), strict=True):
        row = expected.setdefault(int(segments[better]), [0, 0, 0])
        row[0 if scores[better] > scores[worse] else 1 if scores[better] < scores[worse] else 2] += 1
    assert outcome_counts(scores, human, segments).tolist() == [expected[key] for key in sorted(expected)]


@given(judged())
def test_turning_the_metric_round_turns_tau_round_except_for_ties(
    case: tuple[FloatArray, Comparisons, IntArray],
) -> None:
    scores, human, segments = case
    there = outcome_counts(scores, human, segments).sum(0)
    back = outcome_counts(-scores, human, segments).sum(0)
    for rule in (TieRule.DROP, TieRule.WMT14):
        np.testing.assert_allclose(tau(there, rule), -tau(back, rule))


@given(st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(lambda counts: sum(counts[:2]) > 0))
def test_the_rules_are_ordered_in_size_and_equal_without_metric_ties(counts: list[int]) -> None:
    values = {rule: float(tau(np.array(counts), rule)) for rule in TieRule}
    assert values[TieRule.WMT12] <= values[TieRule.WMT14]
    assert abs(values[TieRule.WMT14]) <= abs(values[TieRule.DROP])
    no_ties = {float(tau(np.array([*counts[:2], 0]), rule)) for rule in TieRule}
    assert len(no_ties) == 1


def test_tau_without_a_pair_is_not_a_number_under_any_rule() -> None:
    assert all(np.isnan(tau(np.zeros(3), rule)) for rule in TieRule)
    assert np.isnan(tau(np.array([0, 0, 4]), TieRule.DROP))
    assert tau(np.array([0, 0, 4]), TieRule.WMT12) == -1


def test_tau_b_of_a_constant_side_is_undefined() -> None:
    assert tau_b(np.ones(3), np.arange(3.0)) is None
    assert tau_b(np.ones(1), np.ones(1)) is None


@given(judged())
def test_calibrated_accuracy_equals_trying_every_threshold(
    case: tuple[FloatArray, Comparisons, IntArray],
) -> None:
    scores, human, _ = case
    found = calibrated_accuracy(scores, human)
    total = len(human.better) + len(human.tied)
    if total == 0:
        assert found is None
        return
    gaps = scores[human.better] - scores[human.worse]
    tied = np.abs(scores[human.tied[:, 0]] - scores[human.tied[:, 1]])
    tries = [
        np.count_nonzero(gaps > threshold) + np.count_nonzero(tied <= threshold)
        for threshold in [0.0, *np.unique(np.concatenate([np.abs(gaps), tied]))]
    ]
    assert found is not None
    assert found.accuracy == pytest.approx(max(tries) / total)
    at = np.count_nonzero(gaps > found.threshold) + np.count_nonzero(tied <= found.threshold)
    assert at == max(tries)
