"""Intervals: seeded, honest about sentences, the same whichever way the draws are made."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from appraise.lib import resampling
from appraise.lib.resampling import percentile_interval, resample_totals
from evaluation.agreement import Judgements, Tally
from evaluation.agreement.bootstrap import Bootstrap, sum_by_sentence
from evaluation.agreement.coefficients import KRIPPENDORFF_ALPHA, Coefficient, fixed_kappa
from tests.agreement.studies import random_matrix, study


def interval(coefficient: Coefficient, j: Judgements, seed: int = 1) -> tuple[float, float]:
    found = Bootstrap(j, seed=seed).estimate([(coefficient, Tally.of(j))])[0].interval
    assert found is not None
    return found


def judged(seed: int = 0, items: int = 300) -> Judgements:
    j = Judgements.from_matrix(random_matrix(seed, items=items), "wxyz")
    return Judgements(j.annotators, j.items, j.labels, j.items // 4, j.label_names, j.annotator_names)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    j = judged()
    assert interval(KRIPPENDORFF_ALPHA, j) == interval(KRIPPENDORFF_ALPHA, j)
    assert interval(KRIPPENDORFF_ALPHA, j) != interval(KRIPPENDORFF_ALPHA, j, seed=2)


def test_the_interval_holds_the_estimate() -> None:
    j = judged()
    for coefficient in (fixed_kappa(4), KRIPPENDORFF_ALPHA):
        found = Bootstrap(j).estimate([(coefficient, Tally.of(j))])[0]
        assert found.value is not None
        assert found.interval is not None
        assert found.interval[0] < found.value < found.interval[1]


def test_sentences_whose_phrases_move_together_widen_the_interval() -> None:
    """Four copies of each item are no new evidence, which only the sentence knows."""
    matrix = np.repeat(random_matrix(5, items=60, missing=0), 4, axis=1)
    j = Judgements.from_matrix(matrix, "wxyz")
    j = Judgements(j.annotators, j.items, j.labels, j.items // 4, j.label_names, j.annotator_names)
    by_sentence, by_item = (
        np.diff(interval(fixed_kappa(4), replace(j, sentences=units)))[0] for units in (j.sentences, j.items)
    )
    assert 1.6 < by_sentence / by_item < 2.4  # √4


@pytest.mark.parametrize("unit", ["sentences", "items"])
def test_the_three_ways_of_drawing_agree(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spread of the totals against its exact value: n times the covariance of the columns."""
    j = judged(items=800)
    j = replace(j, sentences=getattr(j, unit))
    columns = sum_by_sentence(fixed_kappa(4).features(Tally.of(j)), j)
    exact = columns.shape[1] * np.cov(columns, bias=True)
    normal = resampled_totals_of(columns, monkeypatch, many=1)
    merged = resampled_totals_of(columns, monkeypatch, many=10**6)
    single = resampled_totals_of(
        columns + np.random.default_rng(0).normal(0, 1e-9, columns.shape), monkeypatch, 10**6
    )
    for drawn in (normal, merged, single):
        assert np.cov(drawn, bias=True) == pytest.approx(exact, rel=0.12)
        assert drawn.mean(axis=1) == pytest.approx(columns.sum(axis=1), rel=0.01)


def resampled_totals_of(columns: np.ndarray, monkeypatch: pytest.MonkeyPatch, many: int) -> np.ndarray:
    monkeypatch.setattr(resampling, "NORMAL_APPROXIMATION_UNITS", many)
    drawn = resample_totals(columns, 4000, 7)
    assert drawn is not None
    return drawn


def test_draws_are_whole_units() -> None:
    drawn = resample_totals(np.array([[1.0, 10.0, 100.0, 1000.0]]), 200, 1)
    assert drawn is not None
    digits = {sum(int(d) for d in f"{int(total):04d}") for total in drawn[0]}
    assert digits == {4}


def test_no_interval_without_resamples_or_with_a_single_sentence() -> None:
    j = judged()
    assert Bootstrap(j, resamples=0).estimate([(KRIPPENDORFF_ALPHA, Tally.of(j))])[0].interval is None
    alone = study([("a", 1, "x", 1), ("b", 1, "x", 1), ("a", 2, "y", 1), ("b", 2, "x", 1)])
    assert Bootstrap(alone).estimate([(KRIPPENDORFF_ALPHA, Tally.of(alone))])[0].interval is None


def test_no_interval_without_data() -> None:
    empty = study([])
    found = Bootstrap(empty).estimate([(KRIPPENDORFF_ALPHA, Tally.of(empty))])[0]
    assert (found.value, found.interval) == (None, None)


def test_undefined_resamples_are_left_out() -> None:
    assert percentile_interval(np.array([np.nan, 1.0, 3.0]), 1.0) == (1.0, 3.0)
    assert percentile_interval(np.array([np.nan])) is None


@pytest.mark.parametrize("units", [1001, 15_325])
def test_equal_columns_are_drawn_together_wherever_they_stand(units: int) -> None:
    """Else the draws would hang on how a processor rounds, and a bundle would not verify on another one."""
    kinds = np.random.default_rng(2).random((79, 40))
    columns = kinds[:, np.random.default_rng(3).integers(0, 40, units)]
    found, often = resampling._find_distinct_columns(columns)
    assert (found.shape[1], often.sum()) == (40, units)


def test_another_processor_draws_the_same_intervals() -> None:
    """OpenBLAS can be told to work as on an older processor; elsewhere it ignores the name."""
    program = (
        "import numpy as np\n"
        "from evaluation.agreement import Judgements, compute_agreement\n"
        "from evaluation.schemes import SIX_WAY\n"
        "for items in (3001, 21000):\n"
        "    codes = np.random.default_rng(1).integers(-1, 6, (4, items))\n"
        "    codes = np.where(np.random.default_rng(2).random(codes.shape) < 0.5, codes[0], codes)\n"
        "    found = compute_agreement(Judgements.from_matrix(codes, SIX_WAY.labels), SIX_WAY)\n"
        "    print([end for line in found.coefficients for end in line.interval or ()])\n"
    )

    def resample(**environment: str) -> list[float]:
        ran = subprocess.run(
            [sys.executable, "-c", program], env=os.environ | environment, check=True, capture_output=True
        )
        return [value for line in ran.stdout.splitlines() for value in json.loads(line)]

    assert resample(OPENBLAS_CORETYPE="Sandybridge") == pytest.approx(resample(), rel=1e-9)
