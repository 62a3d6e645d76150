"""People as a metric, and ROC curves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from metrics.learned.analysis import compute_roc
from metrics.metaeval.correlation import pearson
from metrics.replicate.paper000 import split_ratings


def test_ratings_are_normalised_by_rater_before_they_are_split() -> None:
    """Kulesza 2004, section 3.1: a 3 of the kind user A is 35 %, of the strict user B 69 %."""
    kind = [
        rating for rating, times in zip(range(1, 6), (6, 16, 26, 32, 20), strict=True) for _ in range(times)
    ]
    strict = [
        rating for rating, times in zip(range(1, 6), (18, 36, 30, 16, 0), strict=True) for _ in range(times)
    ]
    items, truth, human = split_ratings(["A"] * 100 + ["B"] * 100, [*range(100)] * 2, kind + strict, seed=1)
    place = 6 + 16
    assert kind[place] == 3
    assert {truth[place], human[place]} >= {0.35}
    assert pytest.approx(0.69) in [*truth[strict.index(3) : 84], *human[strict.index(3) : 84]]
    assert len(items) == 100


def test_items_rated_once_have_no_human_metric() -> None:
    assert split_ratings("abab", [1, 1, 2, 3], [1, 2, 3, 4], seed=1)[0] == (1,)
    none: list[int] = []
    items, truth, human = split_ratings(none, none, [], seed=1)
    assert items == ()
    assert pearson(human, truth) is None


def test_the_split_is_decided_by_the_seed_and_uses_two_different_ratings() -> None:
    raters, items = ["a", "b", "c"] * 30, [n // 3 for n in range(90)]
    ratings = np.random.default_rng(1).permutation(90)
    one, same, other = (split_ratings(raters, items, ratings.tolist(), seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one[1], same[1])
    assert not np.array_equal(one[1], other[1])


def test_the_area_equals_scikit_learns_and_the_curve_runs_from_corner_to_corner() -> None:
    rng = np.random.default_rng(3)
    human, machine = rng.integers(2, 9, 60).astype(float), rng.integers(0, 7, 80).astype(float)
    curve = compute_roc(human, machine)
    assert curve is not None
    labels = np.r_[np.ones(60), np.zeros(80)]
    assert curve.area == pytest.approx(roc_auc_score(labels, np.r_[human, machine]))
    assert (curve.human[0], curve.machine[0]) == (1, 0)
    assert (curve.human[-1], curve.machine[-1]) == (0, 1)
    steps = -np.diff(curve.human) * (curve.machine[1:] + curve.machine[:-1]) / 2
    assert steps.sum() == pytest.approx(curve.area)


def test_a_curve_needs_both_classes() -> None:
    assert compute_roc(np.empty(0), np.ones(3)) is None
    assert compute_roc(np.ones(3), np.empty(0)) is None
