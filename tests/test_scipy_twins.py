"""Statistics that a base installation computes without SciPy have SciPy's values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import special, stats

from appraise.lib.resampling import Floats
from evaluation.alignment.hmm import digamma
from evaluation.assessments.annotator_agreement import measure_agreement
from evaluation.assessments.ranking import rank_sum, signed_rank
from evaluation.assessments.values import OutputRating
from evaluation.power.design import find_significant
from evaluation.results.systems import find_connected_systems, sign_test

SIDES = ("two-sided", "greater")
sizes = st.sampled_from([2, 5, 12, 13, 30, 50, 51, 120])
seeds = st.integers(0, 2**32)


def make_scores(seed: int, size: int, *, digits: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    return rng.normal(0.3, 1, size).round(digits), rng.normal(0, 1, size).round(digits)


@given(seeds, sizes, st.sampled_from([0, 1, 9]))
def test_the_rank_sum_test(seed: int, size: int, digits: int) -> None:
    a, b = make_scores(seed, size, digits=digits)
    for side, p in zip(SIDES, rank_sum(a, b[1:]), strict=True):
        twin = stats.mannwhitneyu(a, b[1:], alternative=side, method="asymptotic").pvalue
        assert p == pytest.approx(twin, abs=1e-12)


@given(seeds, sizes, st.sampled_from([0, 1, 9]))
def test_the_signed_rank_test(seed: int, size: int, digits: int) -> None:
    a, b = make_scores(seed, size, digits=digits)
    changed = (a - b)[a != b]
    has_ties = len(np.unique(np.abs(changed))) < len(changed)
    if len(changed) and (len(changed) > 12 or not has_ties):
        method = "exact" if len(changed) <= 50 and not has_ties else "asymptotic"
        for side, p in zip(SIDES, signed_rank(a, b), strict=True):
            twin = stats.wilcoxon(changed, alternative=side, method=method).pvalue
            assert p == pytest.approx(twin, abs=1e-12)


def test_equal_scores_are_no_evidence() -> None:
    assert rank_sum(np.ones(3), np.ones(4)) == (1.0, 1.0)
    assert signed_rank(np.ones(3), np.ones(3)) == (1.0, 1.0)


@given(seeds, st.sampled_from([2, 3, 17, 300]), st.sampled_from([0, 1, 9]))
def test_tau_c(seed: int, size: int, digits: int) -> None:
    a, b = make_scores(seed, size, digits=digits)
    pairs = [
        (OutputRating("ann", "s", n, float(x)), OutputRating("bob", "s", n, float(y)))
        for n, (x, y) in enumerate(zip(a, b, strict=True))
    ]
    tau = measure_agreement(pairs, lambda rating: rating.score, lambda rating: 9).kendall_tau_c
    if np.ptp(a) and np.ptp(b):
        assert tau == pytest.approx(stats.kendalltau(a, b, variant="c").statistic, abs=1e-12)
    else:
        assert tau is None


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=20))
def test_digamma(values: list[float]) -> None:
    x = np.array(values)
    assert digamma(x) == pytest.approx(special.digamma(x), rel=1e-12, abs=1e-12)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_sign_test(positive: int, negative: int) -> None:
    n = positive + negative
    twin = min(1.0, 2 * special.bdtr(min(positive, negative), n, 0.5)) if n else np.nan
    assert sign_test(positive, negative) == pytest.approx(twin, rel=1e-9, nan_ok=True)


@given(st.integers(0, 2**16 - 1))
def test_systems_are_connected_or_not(edges: int) -> None:
    wins = np.array([edges >> bit & 1 for bit in range(16)]).reshape(4, 4)
    np.fill_diagonal(wins, 0)
    found = find_connected_systems(wins, np.zeros((4, 4)))
    compared = np.flatnonzero((wins + wins.T).any(axis=1))
    reach = np.linalg.matrix_power((wins + wins.T + np.eye(4) > 0).astype(int), 4) > 0
    is_connected = len(compared) > 0 and reach[np.ix_(compared, compared)].all()
    assert found.tolist() == (compared.tolist() if is_connected else [])


def test_the_limit_of_significance() -> None:
    limit = special.ndtri(0.975)
    values = np.array([[1.0, -1.0] * 50, [1.0, 0.9] * 50])
    z = values.mean(axis=1) * 10 / values.std(axis=1, ddof=1)
    assert find_significant(values).tolist() == (z > limit).tolist() == [False, True]
