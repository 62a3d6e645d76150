"""Correlations, Fisher's z′, Williams's test, Holm: golden numbers and independent implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from appraise.lib.resampling import holm
from metrics.metaeval.correlation import fisher_interval, pearson, spearman, williams_test

values = st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=3, max_size=30)

# Kulesza 2004 (paper 000), Table A.1: accuracy and Pearson of the 35 models, row by row of C, column by σ.
ACCURACY = """
.6391 .6392 .6287 .6206 .6147  .6437 .6395 .6280 .6179 .6116  .6421 .6390 .6039 .6170 .6025
.6441 .6385 .5700 .6072 .6012  .6361 .6330 .5441 .5928 .6009  .6348 .6313 .5434 .5974 .5961
.6203 .6039 .5581 .5575 .5913"""
PEARSON = """
.3772 .3734 .3561 .3320 .3376  .3789 .3732 .3652 .3322 .3431  .3821 .3731 .3499 .3327 .3248
.3771 .3695 .3208 .3027 .2951  .3734 .3582 .2963 .2609 .3100  .3583 .3542 .2259 .2464 .2681
.2948 .3279 .1831 .2098 .2870"""


def numbers(text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([float(word) for word in text.split()])


def test_accuracy_predicts_human_correlation_over_the_grid_of_the_thesis() -> None:
    """The meta-correlation of Table A.1; the text rounds it to .855."""
    r = pearson(numbers(ACCURACY), numbers(PEARSON))
    assert r == pytest.approx(0.8544, abs=5e-5)
    interval = fisher_interval(r, 35, level=0.99)
    assert interval is not None
    assert interval[0] > 0, "significant at 99 %, as section 4.2 says"


@given(values)
def test_both_coefficients_equal_scipy(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs, dtype=np.float64).T
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        assert pearson(a, b) is None
        assert spearman(a, b) is None
        return
    assert pearson(a, b) == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-9)
    assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-9)


def test_a_correlation_needs_two_values_of_equal_length_that_are_numbers() -> None:
    assert pearson(np.array([1.0]), np.array([1.0])) is None
    with pytest.raises(ValueError, match="2 and 1"):
        pearson(np.array([1.0, 2.0]), np.array([1.0]))
    with pytest.raises(ValueError, match="finite"):
        spearman(np.array([1.0, math.nan]), np.array([1.0, 2.0]))


def test_values_near_zero_and_far_from_it_keep_their_correlation() -> None:
    a = np.array([1e-200, 2e-200, 4e-200])
    assert pearson(a, np.array([1.0, 2.0, 4.0])) == pytest.approx(1)
    assert pearson(a * 1e300, np.array([1.0, 2.0, 4.0])) == pytest.approx(1)


@pytest.mark.parametrize("size", [4, 10, 300])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_fishers_interval_equals_scipy(size: int, level: float) -> None:
    a, b = np.random.default_rng(size).normal(size=(2, size))
    theirs = stats.pearsonr(a, b)
    found = fisher_interval(float(theirs.statistic), size, level=level)
    assert found == pytest.approx(tuple(theirs.confidence_interval(level)))


def test_fishers_interval_is_undefined_where_the_transformation_is() -> None:
    assert fisher_interval(0.5, 3) is None
    assert fisher_interval(1.0, 50) is None
    assert fisher_interval(None, 50) is None
    with pytest.raises(ValueError, match="level"):
        fisher_interval(0.5, 50, level=95)


def test_williams_test_of_a_worked_example() -> None:
    """Steiger's form of t with 3 degrees of freedom fewer than items, worked by hand."""
    r12, r13, r23, n = 0.6, 0.5, 0.7, 103
    k = 1 - 0.36 - 0.25 - 0.49 + 2 * 0.6 * 0.5 * 0.7
    t = 0.1 * math.sqrt(102 * 1.7 / (2 * k * 102 / 100 + 0.55**2 * 0.3**3))
    assert williams_test(r12, r13, r23, n) == pytest.approx(float(stats.t.sf(t, 100)))


@given(st.floats(-0.8, 0.8), st.floats(-0.8, 0.8), st.floats(-0.5, 0.9))
def test_williams_test_is_symmetric_and_fair(r12: float, r13: float, r23: float) -> None:
    there, back = williams_test(r12, r13, r23, 50), williams_test(r13, r12, r23, 50)
    if there is not None and back is not None:
        assert there + back == pytest.approx(1)
        assert (there < 0.5) == (r12 > r13) or r12 == pytest.approx(r13)


def test_williams_test_is_undefined_for_identical_metrics_and_three_items() -> None:
    assert williams_test(0.5, 0.5, 1.0, 50) is None
    assert williams_test(0.5, 0.4, 0.3, 3) is None


@given(st.lists(st.integers(0, 40).map(lambda hundredth: hundredth / 100), max_size=12))
def test_holm_equals_its_definition(p_values: list[float]) -> None:
    m = len(p_values)
    ordered = sorted(p_values)
    by_value = {p: max(min(1.0, (m - j) * q) for j, q in enumerate(ordered) if q <= p) for p in p_values}
    assert holm(np.array(p_values)) == pytest.approx([by_value[p] for p in p_values])


def test_holm_equals_statsmodels() -> None:
    p_values = np.random.default_rng(1).beta(0.5, 3, 12).tolist()
    assert holm(np.array(p_values)) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_holm_of_nothing_is_nothing() -> None:
    assert holm(np.zeros(0)).tolist() == []
