"""Uniform and tuned combinations: closed forms, laws, held-out documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize

from metrics.learned.combination import JudgedTable, cross_validate, tune, uniform
from metrics.metaeval.datasets import Comparisons, FloatArray

NO_TIES = np.empty((0, 2), dtype=np.int64)


def judged(seed: int, pairs: int = 300, truth: tuple[float, ...] = (2.0, -1.0, 0.0)) -> JudgedTable:
    """Cells in segments of three; verdicts follow a noisy linear function of the features."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(pairs, len(truth)))
    quality = rows @ np.array(truth) + rng.logistic(size=pairs)
    left = np.arange(0, pairs - 1)
    right = left + 1
    better = np.where(quality[left] > quality[right], left, right)
    worse = np.where(quality[left] > quality[right], right, left)
    return JudgedTable(rows, Comparisons(better, worse, NO_TIES), np.arange(pairs) // 30)


def test_weights_maximise_the_penalised_likelihood() -> None:
    table = judged(1)
    found = tune([table], strength=0.5)
    scaled = found.scaling(table.rows)
    differences = scaled[table.human.better] - scaled[table.human.worse]

    def objective(weights: FloatArray) -> float:
        return float(np.logaddexp(0, -differences @ weights).sum() + weights @ weights / (2 * 0.5))

    best = minimize(objective, np.zeros(3), tol=1e-10).x
    np.testing.assert_allclose(found.values, best, atol=1e-3)
    assert found.values[0] > 0 > found.values[1]


def test_turning_every_verdict_round_turns_the_weights_round() -> None:
    table = judged(2)
    turned = JudgedTable(
        table.rows, Comparisons(table.human.worse, table.human.better, NO_TIES), table.documents
    )
    np.testing.assert_allclose(tune([table]).values, -tune([turned]).values, atol=1e-4)


def test_a_set_counts_the_same_however_often_it_was_judged() -> None:
    one, other = judged(3), judged(4, truth=(-1.0, 2.0, 0.0))
    verdicts = Comparisons(np.tile(one.human.better, 7), np.tile(one.human.worse, 7), NO_TIES)
    often = JudgedTable(one.rows, verdicts, one.documents)
    strong = tune([often, other], strength=1e6).values
    np.testing.assert_allclose(strong, tune([one, other], strength=1e6).values, atol=1e-3)


def test_one_pair_is_enough_and_none_is_not() -> None:
    rows = np.array([[1.0], [0.0]])
    table = JudgedTable(rows, Comparisons(np.array([0]), np.array([1]), NO_TIES), np.zeros(2, dtype=np.int64))
    assert tune([table]).values[0] > 0
    same = JudgedTable(np.ones((2, 1)), table.human, table.documents)
    with pytest.raises(ValueError, match="no decided pair"):
        tune([same])
    with pytest.raises(ValueError, match="positive"):
        tune([table], strength=0)


def test_rows_of_another_width_are_refused() -> None:
    with pytest.raises(ValueError, match="rows of 3 features"):
        tune([judged(1)])(np.ones((2, 2)))


@given(
    st.lists(st.lists(st.floats(-5, 5), min_size=2, max_size=2), min_size=1, max_size=8),
    st.floats(0.5, 9),
    st.floats(-3, 3),
)
def test_the_uniform_mean_does_not_care_for_a_metrics_unit(
    rows: list[list[float]], scale: float, shift: float
) -> None:
    table = np.array(rows).round(3)
    moved = np.column_stack([table[:, 0] * scale + shift, table[:, 1]])
    np.testing.assert_allclose(uniform(table), uniform(moved), atol=1e-6)
    assert ((uniform(table) >= 0) & (uniform(table) <= 1)).all()


def test_no_document_is_scored_by_weights_that_saw_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from metrics.learned import combination

    table = judged(5)
    seen: list[set[int]] = []
    real = combination.tune

    def spy(sets: list[JudgedTable], *, strength: float) -> combination.FeatureWeights:
        used = np.concatenate([sets[0].human.better, sets[0].human.worse])
        seen.append(set(table.documents[used].tolist()))
        return real(sets, strength=strength)

    monkeypatch.setattr(combination, "tune", spy)
    (scores,) = cross_validate([table], folds=5)
    assert np.isfinite(scores).all()
    assert len(seen) == 5
    held_out = [set(range(10)) - documents for documents in seen]
    assert sorted(document for fold in held_out for document in fold) == list(range(10))


def test_held_out_scores_still_follow_the_verdicts() -> None:
    table = judged(6, pairs=600)
    (scores,) = cross_validate([table], folds=10)
    within = table.documents[table.human.better] == table.documents[table.human.worse]
    right = scores[table.human.better][within] > scores[table.human.worse][within]
    assert right.mean() > 0.75


def test_one_fold_is_no_validation() -> None:
    with pytest.raises(ValueError, match="at least two folds"):
        cross_validate([judged(1)], folds=1)
