"""Coding judgements: nothing is lost, nothing is invented, bad codes are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from evaluation.agreement import Judgements, Pairing, Tally
from evaluation.agreement.tally import count_own_pairs
from tests.agreement.columns import from_columns
from tests.agreement.studies import Row, pairs_of, rows, study


@given(rows())
def test_counts_are_those_of_the_rows(found: list[Row]) -> None:
    j = study(found)
    assert j.counts.sum() == len(found)
    for code, label in enumerate("xyz"):
        assert j.counts[code].sum() == sum(row[2] == label for row in found)


@given(rows())
def test_pairs_are_counted_as_if_they_had_been_listed(found: list[Row]) -> None:
    for pairing in Pairing:
        listed = pairs_of(found, pairing is Pairing.DIFFERENT)
        agreeing, pairs = Tally.of(study(found), pairing).pairs.sum(axis=1)
        assert (agreeing, pairs) == (sum(a[2] == b[2] for a, b in listed), len(listed))


@given(rows())
def test_own_pairs_are_those_between_all_and_different(found: list[Row]) -> None:
    j = study(found)
    between = Tally.of(j, Pairing.ALL).pairs - Tally.of(j, Pairing.DIFFERENT).pairs
    assert np.array_equal(between, count_own_pairs(j))


@given(rows())
def test_first_judgements_keeps_one_judgement_of_each_annotator_and_item(found: list[Row]) -> None:
    first: dict[tuple[str, int], str] = {}
    for who, item, label, _ in found:
        first.setdefault((who, item), label)
    kept = study(found).first_judgements
    assert len(kept) == len(first)
    assert sorted(np.array(["x", "y", "z"])[kept.labels]) == sorted(first.values())
    assert kept.counts.shape == study(found).counts.shape


def test_a_crowd_with_few_judgements_each_is_counted_without_a_dense_table() -> None:
    found = [(f"worker{i}", i % 700, "x", i % 700) for i in range(1400)] + [("worker3", 3, "y", 3)]
    j = study(found)
    assert int(j.is_repeated.sum()) == 2
    assert count_own_pairs(j)[1].sum() == 1


def test_annotators_are_named_in_sorted_order() -> None:
    j = study([("bob", 1, "x", 1), ("ann", 1, "y", 1)])
    assert j.annotator_names == ("ann", "bob")
    assert j.annotators.tolist() == [1, 0]


def test_a_label_outside_the_set_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'maybe' is not one of"):
        study([("a", 1, "maybe", 1)])


def test_a_code_outside_the_set_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0…1"):
        from_columns([1], [1], [2], ("x", "y"))


def test_one_label_is_not_enough() -> None:
    with pytest.raises(ValueError, match="two labels"):
        Judgements.from_rows([], ("x",))


def test_columns_of_unequal_length_are_refused() -> None:
    one = np.zeros(1, dtype=np.int64)
    with pytest.raises(ValueError, match="one length"):
        Judgements(one, one, np.zeros(2, dtype=np.int64), one, ("x", "y"), ("a",))
