"""Cohen's κ: against scikit-learn, with gaps and repeats, and its degenerate cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import cohen_kappa_score

from evaluation.agreement import Judgements, cohen_kappa
from evaluation.agreement.bootstrap import Bootstrap
from evaluation.agreement.pairwise import DisagreementWeights, build_pair_table
from tests.agreement.studies import Row, pairs_of, random_matrix, rows, study

SKLEARN = {
    DisagreementWeights.NONE: None,
    DisagreementWeights.LINEAR: "linear",
    DisagreementWeights.QUADRATIC: "quadratic",
}


@pytest.mark.parametrize("weights", DisagreementWeights)
@pytest.mark.parametrize("seed", range(4))
def test_every_pair_of_annotators_equals_scikit_learn(seed: int, weights: DisagreementWeights) -> None:
    matrix = random_matrix(seed, size=3 + seed)
    size = 3 + seed
    table = build_pair_table(Judgements.from_matrix(matrix, [str(i) for i in range(size)]))
    expected = []
    for a, b, ours in zip(table.first, table.second, table.cohen(weights), strict=True):
        both = (matrix[a] >= 0) & (matrix[b] >= 0)
        theirs = cohen_kappa_score(
            matrix[a, both], matrix[b, both], labels=range(size), weights=SKLEARN[weights]
        )
        assert ours == pytest.approx(theirs)
        assert cohen_kappa(matrix[a, both], matrix[b, both], size, weights) == pytest.approx(theirs)
        expected.append(theirs)
    assert len(expected) == 10
    assert table.cohen_mean(weights) == pytest.approx(np.mean(expected))


@given(rows())
def test_confusions_count_every_combination_of_repeats(found: list[Row]) -> None:
    table = build_pair_table(study(found))
    listed = pairs_of(found)
    assert table.pairs.sum() == len(listed)
    assert table.agreeing.sum() == sum(a[2] == b[2] for a, b in listed)
    names = study(found).annotator_names
    for a, b, confusion in zip(table.first, table.second, table.confusion, strict=True):
        mine = [
            (one[2], two[2]) if one[0] == names[a] else (two[2], one[2])
            for one, two in listed
            if {one[0], two[0]} == {names[a], names[b]}
        ]
        assert a < b
        assert confusion.sum() == len(mine)
        for (k, m), n in np.ndenumerate(confusion):
            assert n == mine.count(("xyz"[k], "xyz"[m]))


def test_undefined_where_both_say_one_and_the_same() -> None:
    assert cohen_kappa(np.zeros(5, dtype=np.int8), np.zeros(5, dtype=np.int8), 3) is None


def test_undefined_without_items() -> None:
    assert cohen_kappa(np.zeros(0, dtype=np.int8), np.zeros(0, dtype=np.int8), 3) is None
    assert build_pair_table(study([])).cohen_mean() is None


def test_undefined_pairs_do_not_enter_the_mean() -> None:
    found = [(who, item, "x", item) for who in "ab" for item in range(3)]
    found += [("c", 0, "x", 0), ("c", 1, "y", 1), ("c", 2, "y", 2)]
    assert build_pair_table(study(found)).cohen_mean() == pytest.approx(0.0)


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="found 1 and 2"):
        cohen_kappa(np.zeros(1, dtype=np.int8), np.zeros(2, dtype=np.int8), 3)


def test_resampled_means_lie_around_the_mean() -> None:
    j = Judgements.from_matrix(random_matrix(2, items=200), "wxyz")
    drawn = Bootstrap(j, resamples=400).resample_cohen(j, build_pair_table(j))
    assert drawn is not None
    assert drawn.mean() == pytest.approx(build_pair_table(j).cohen_mean(), abs=0.01)


def test_a_study_in_which_each_item_occurs_twice_has_the_same_kappa() -> None:
    matrix = random_matrix(3, annotators=2, items=50, missing=0)
    once = build_pair_table(Judgements.from_matrix(matrix, "wxyz")).cohen_mean()
    twice = build_pair_table(Judgements.from_matrix(np.hstack([matrix, matrix]), "wxyz")).cohen_mean()
    assert once == pytest.approx(twice)


def test_nothing_to_draw_with_one_annotator() -> None:
    alone = study([("a", 1, "x", 1)])
    assert Bootstrap(alone, resamples=10).resample_cohen(alone, build_pair_table(alone)) is None
