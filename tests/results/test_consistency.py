"""Cyclic triads and side bias."""

from __future__ import annotations

import itertools
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st
from statsmodels.stats.proportion import proportion_confint

from evaluation.results import PhraseRanking, Votes
from evaluation.results.consistency import (
    PreferredSide,
    Triads,
    count_annotator_triads,
    count_system_triads,
    count_triads,
    measure_side_bias,
    measure_side_bias_by_annotator,
    wilson_interval,
)


@st.composite
def preferences(draw: st.DrawFn) -> np.ndarray:
    size = draw(st.integers(1, 6))
    table = np.zeros((size, size), dtype=np.int64)
    for i, j in itertools.combinations(range(size), 2):
        table[i, j] = draw(st.sampled_from([-1, 0, 1]))
    return table - table.T


class TestTriads:
    @given(preferences())
    def test_equals_looking_at_every_triple(self, table: np.ndarray) -> None:
        cyclic = decided = 0
        for i, j, k in itertools.combinations(range(len(table)), 3):
            signs = {table[i, j], table[j, k], table[k, i]}
            decided += 0 not in signs
            cyclic += signs in ({1}, {-1})
        assert count_triads(table) == Triads(cyclic, decided)

    @given(st.integers(0, 1000))
    def test_kendall_and_babington_smith(self, seed: int) -> None:
        """In a complete tournament cyclic triads number C(n,3) − Σ C(wins,2)."""
        rng = np.random.default_rng(seed)
        upper = np.triu(rng.choice([-1, 1], (7, 7)), 1)
        table = upper - upper.T
        wins = (table > 0).sum(axis=1)
        assert count_triads(table).cyclic == comb(7, 3) - sum(comb(int(w), 2) for w in wins)

    def test_of_systems_and_of_annotators(self) -> None:
        circle = [("x", "y"), ("y", "z"), ("z", "x")]
        found = [PhraseRanking([a], [b], 1, 1, "ann") for a, b in circle]
        found += [PhraseRanking([a], [b], 1, 2, "bob") for a, b in (("x", "y"), ("y", "z"), ("x", "z"))]
        votes = Votes.from_rankings(found)
        assert count_annotator_triads(votes) == {"ann": Triads(1, 1), "bob": Triads(0, 1)}
        assert count_system_triads(votes) == Triads(0, 0)  # z and x are even

    def test_a_circle_over_different_sentences_is_no_fault_of_the_annotator(self) -> None:
        circle = [("x", "y"), ("y", "z"), ("z", "x")]
        votes = Votes.from_rankings(PhraseRanking([a], [b], 1, s, "ann") for s, (a, b) in enumerate(circle))
        assert count_annotator_triads(votes)["ann"] == Triads(0, 0)
        assert count_system_triads(votes) == Triads(1, 1)

    def test_share_without_triads_is_none(self) -> None:
        assert Triads(0, 0).share is None
        assert Triads(1, 4).share == 0.25


class TestSideBias:
    @given(st.integers(0, 50), st.integers(1, 50))
    def test_wilson_equals_statsmodels(self, left: int, right: int) -> None:
        theirs = proportion_confint(left, left + right, method="wilson")
        assert wilson_interval(left, left + right) == pytest.approx(theirs, abs=1e-6)

    @pytest.mark.parametrize(
        ("shown", "side"),
        [
            ([1] * 62 + [-1] * 38, PreferredSide.LEFT),
            ([1] * 38 + [-1] * 62, PreferredSide.RIGHT),
            ([1] * 53 + [-1] * 47, PreferredSide.EVEN),
            ([0] * 9 + [2], None),
            ([], None),
        ],
    )
    def test_a_side_is_named_only_when_the_interval_leaves_one_half(
        self, shown: list[int], side: PreferredSide | None
    ) -> None:
        assert measure_side_bias(np.array(shown, dtype=np.int64)).side is side

    def test_shares_of_ties_and_not_applicable(self) -> None:
        found = measure_side_bias(np.array([1, -1, 0, 2]))
        assert (found.tie_share, found.not_applicable_share, found.left_share) == (0.25, 0.25, 0.5)
        assert measure_side_bias(np.zeros(0, dtype=np.int64)).tie_share is None

    def test_annotators_are_kept_apart(self) -> None:
        found = measure_side_bias_by_annotator(np.array([4, 4, 7]), np.array([1, 1, -1]))
        assert (found[4].left, found[7].right) == (2, 1)
