"""Figures for the page of a machine: importance, ROC."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.learned.analysis import permutation_importance, thin_curve, validation_roc
from metrics.learned.svm import Labelled, search, train


def examples(n: int, seed: int) -> Labelled:
    """Humans have the higher first feature; the second is noise."""
    rng = np.random.default_rng(seed)
    classes = np.where(np.arange(n) % 2, 1, -1)
    return Labelled(np.column_stack([classes + rng.normal(size=n) / 3, rng.normal(size=n)]), classes)


def test_the_feature_that_decides_is_the_important_one() -> None:
    machine = train(examples(100, 1), c=10, sigma=3)
    important, noise = permutation_importance(machine, examples(100, 2))
    assert important == pytest.approx(0.5, abs=0.1)  # shuffled, it is a guess
    assert abs(noise) < 0.05
    assert permutation_importance(machine, examples(100, 2)).tolist() == [important, noise]


def test_a_machine_that_separates_has_an_area_near_one_and_both_ends_of_the_curve() -> None:
    curve = validation_roc(train(examples(100, 1), c=10, sigma=3), examples(500, 2))
    assert curve is not None
    assert curve.area > 0.98
    points = thin_curve(curve, 20)
    assert (points[0], points[-1], len(points)) == ((0.0, 1.0), (1.0, 0.0), 20)


def test_every_machine_of_a_grid_is_there() -> None:
    found = search(examples(60, 1), examples(30, 2), axes=((1.0, 10.0), (1.0, 3.0)))
    assert [(m.c, m.sigma) for m in found.machines] == [(p.c, p.sigma) for p in found.points]
