"""The support vector machine and its grid: equal to scikit-learn's, and to the thesis's procedure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.svm import SVC

from metrics.learned import svm
from metrics.learned.features import Scaling
from metrics.learned.svm import GridPoint, Labelled, best_point, kernel, refine_grid, search, train
from metrics.metaeval.datasets import FloatArray


def labelled(seed: int, size: int = 120, columns: int = 4) -> Labelled:
    rng = np.random.default_rng(seed)
    classes = np.where(np.arange(size) % 2 == 0, 1, -1)
    return Labelled(rng.normal(size=(size, columns)) + 0.5 * classes[:, None], classes)


@pytest.mark.parametrize("sigma", [0.5, 2.0, 10.0])
@pytest.mark.parametrize("c", [0.5, 50.0])
def test_the_machine_equals_scikit_learns(c: float, sigma: float) -> None:
    examples, fresh = labelled(1), labelled(2).rows * 3
    theirs = SVC(C=c, gamma=1 / (2 * sigma**2), tol=0.01).fit(examples.rows, examples.classes)
    ours = train(examples, c=c, sigma=sigma)
    np.testing.assert_allclose(ours.decision(fresh), theirs.decision_function(fresh), atol=1e-9)


def test_the_kernel_is_one_on_the_diagonal_and_symmetric() -> None:
    rows = labelled(3).rows * 1000
    values = kernel(rows, rows, 7.0)
    assert (np.diag(values) == 1).all()
    np.testing.assert_array_equal(values, values.T)


def test_far_away_rows_get_the_bias_and_nothing_overflows() -> None:
    machine = train(labelled(1), c=1, sigma=1)
    far = machine.decision(np.full((2, 4), 1e6))
    np.testing.assert_allclose(far, machine.bias)


def test_a_block_boundary_changes_nothing() -> None:
    machine = train(labelled(1), c=1, sigma=1)
    rows = labelled(5, size=200).rows
    one_by_one = np.concatenate([machine.decision(row[None]) for row in rows])
    np.testing.assert_allclose(machine.decision(rows), one_by_one, atol=1e-12)
    assert machine.decision(rows[:0]).shape == (0,)


def test_positive_values_are_human() -> None:
    rng = np.random.default_rng(1)
    classes = np.repeat([1, -1], 50)
    machine = train(Labelled(rng.normal(size=(100, 2)) + 5.0 * classes[:, None], classes), c=10, sigma=3)
    assert machine.decision(np.array([[5.0, 5.0]]))[0] > 0 > machine.decision(np.array([[-5.0, -5.0]]))[0]


@pytest.mark.parametrize(
    ("rows", "classes", "message"),
    [
        (np.ones((2, 1)), [1, 1], r"found \[1\]"),
        (np.ones((0, 1)), [], r"found \[\]"),
        (np.ones((2, 1)), [1, 0], r"found \[0, 1\]"),
        (np.array([[np.nan], [1.0]]), [1, -1], "1 feature values are not finite"),
        (np.ones((3, 1)), [1, -1], "do not fit"),
    ],
)
def test_examples_that_cannot_be_learned_from_are_refused(
    rows: FloatArray, classes: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Labelled(rows, np.array(classes, dtype=np.int64))


@pytest.mark.parametrize(("c", "sigma"), [(0.0, 1.0), (1.0, 0.0), (math.nan, 1.0)])
def test_bad_parameters_are_refused(c: float, sigma: float) -> None:
    with pytest.raises(ValueError, match="positive numbers"):
        train(labelled(1), c=c, sigma=sigma)


def test_rows_of_another_width_are_refused() -> None:
    machine = train(labelled(1), c=1, sigma=1)
    with pytest.raises(ValueError, match="rows of 4 features"):
        machine.decision(np.ones((1, 3)))


def test_the_grids_are_those_of_the_thesis() -> None:
    """Kulesza 2004, Tables A.1 and A.2: 35 and 63 points."""
    assert list(svm.BASIC[0]) == [5, 10, 25, 50, 75, 100, 150]
    assert list(svm.BASIC[1]) == [10, 25, 50, 75, 100]
    assert list(svm.EXTENDED[1]) == [25, 40, 50, 55, 60, 65, 70, 75, 100]
    assert len(svm.EXTENDED[0]) * len(svm.EXTENDED[1]) == 63


@pytest.mark.parametrize("scaling", ["none", "standard", "minmax"])
def test_the_grid_has_the_accuracies_of_a_plain_loop(scaling: str) -> None:
    training, validation = labelled(1), labelled(2)
    found = search(training, validation, axes=((1.0, 50.0), (0.7, 5.0)), scaling=scaling)
    fitted = Scaling.fit(training.rows, scaling)
    for point in found.points:
        theirs = SVC(C=point.c, gamma=1 / (2 * point.sigma**2), tol=0.01)
        theirs.fit(fitted(training.rows), training.classes)
        right = theirs.predict(fitted(validation.rows)) == validation.classes
        assert point.accuracy == right.mean()
        assert point.human == right[validation.classes > 0].mean()
        assert point.machine == right[validation.classes < 0].mean()
        assert point.support == len(theirs.support_)
    assert found.chosen == best_point(found.points)
    decided = found.machine.decision(validation.rows) > 0
    assert (decided == (validation.classes > 0)).mean() == found.chosen.accuracy


def point(c: float, sigma: float, accuracy: float) -> GridPoint:
    return GridPoint(c, sigma, accuracy, accuracy, accuracy, 1)


def test_among_equals_the_smoother_machine_is_chosen() -> None:
    points = [point(10, 5, 0.6), point(5, 5, 0.6), point(5, 10, 0.6), point(1, 1, 0.5)]
    assert best_point(points) == points[2]


def test_the_grid_is_refined_only_where_accuracy_jumps_next_to_the_best_point() -> None:
    row = [point(1, 10, 0.50), point(4, 10, 0.64), point(16, 10, 0.63)]
    column = [point(4, 40, 0.40), point(4, 90, 0.20)]
    wanted = refine_grid(row + column, examples=1000)
    assert wanted == [pytest.approx((2, 10)), pytest.approx((4, 20))]
    assert refine_grid(row + column, examples=10) == []


def test_refinement_adds_points_and_never_chooses_a_worse_one() -> None:
    training, validation = labelled(1, 400), labelled(2, 400)
    axes = ((1.0,), (0.02, 2.0))
    coarse, fine = search(training, validation, axes=axes), search(training, validation, axes=axes, refine=2)
    assert set(coarse.points) < set(fine.points)
    assert fine.chosen.accuracy >= coarse.chosen.accuracy


def test_an_empty_grid_and_an_unknown_scaling_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        search(labelled(1), labelled(2), axes=((), (1.0,)))
    with pytest.raises(ValueError, match="unknown scaling 'log'"):
        search(labelled(1), labelled(2), scaling="log")


def test_a_constant_feature_is_only_shifted() -> None:
    rows = np.array([[1.0, 7.0], [3.0, 7.0]])
    for kind in ("standard", "minmax"):
        np.testing.assert_array_equal(Scaling.fit(rows, kind)(rows)[:, 1], [0, 0])
