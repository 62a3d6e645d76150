"""System results: what counts as a vote, what counts as evidence, what is said without data."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from appraise.lib.resampling import holm
from evaluation.results import PhraseRanking, Votes, compute_system_results, expected_wins
from evaluation.results.strengths import cluster_ranks, compute_rank_ranges
from evaluation.results.systems import run_sign_tests, sign_test

verdicts = st.lists(
    st.builds(
        PhraseRanking,
        st.lists(st.sampled_from("xyz"), min_size=1, max_size=2, unique=True),
        st.lists(st.sampled_from("xyz"), min_size=1, max_size=2, unique=True),
        st.sampled_from([1, 0, -1, None]),
        st.integers(0, 5),
        st.sampled_from(["ann", "bob"]),
    ),
    max_size=25,
)


def one(a: str, b: str, sign: int | None, sentence: int, annotator: str = "ann") -> PhraseRanking:
    return PhraseRanking([a], [b], sign, sentence, annotator)


class TestVotes:
    @given(verdicts)
    def test_tables_equal_a_plain_count(self, found: list[PhraseRanking]) -> None:
        votes = Votes.from_rankings(found, "xyz")
        wins, ties = np.zeros((3, 3), int), np.zeros((3, 3), int)
        for v in found:
            for a, b in itertools.product(v.systems_a, v.systems_b):
                i, j = "xyz".index(a), "xyz".index(b)
                if a == b or v.sign is None:
                    continue
                wins[i, j] += v.sign == 1
                wins[j, i] += v.sign == -1
                if v.sign == 0:
                    ties[i, j] += 1
                    ties[j, i] += 1
        assert (votes.wins == wins).all()
        assert (votes.ties == ties).all()
        assert votes.columns.sum(axis=1) == pytest.approx(np.concatenate([wins.ravel(), ties.ravel()]))

    def test_identical_outputs_are_all_credited(self) -> None:
        votes = Votes.from_rankings([PhraseRanking(["x", "y"], ["z"], -1, 1, "ann")])
        assert votes.wins[2].tolist() == [1, 1, 0]

    def test_not_applicable_is_no_vote(self) -> None:
        assert len(Votes.from_rankings([one("x", "y", None, 1)])) == 0


class TestContradiction:
    """Two annotators who contradict each other must not make a difference significant."""

    def test_on_every_sentence(self) -> None:
        found = [one("x", "y", sign, s, who) for s in range(200) for sign, who in ((1, "ann"), (-1, "bob"))]
        comparison = run_sign_tests(Votes.from_rankings(found))[0]
        assert (comparison.n, comparison.p, comparison.significant) == (0, None, False)
        assert comparison.sentences_even == 200

    def test_even_if_one_of_them_worked_more(self) -> None:
        found = [one("x", "y", 1, s, "ann") for s in range(200)] + [
            one("x", "y", -1, s, "bob") for s in range(80)
        ]
        comparison = run_sign_tests(Votes.from_rankings(found))[0]
        assert comparison.p is not None
        assert comparison.p < 0.001
        assert (comparison.annotators_for, comparison.annotators_against) == (1, 1)
        assert not comparison.significant

    def test_many_clicks_on_few_sentences_are_few_data(self) -> None:
        found = [one("x", "y", 1, s, who) for s in range(4) for who in ("ann", "bob") for _ in range(50)]
        comparison = run_sign_tests(Votes.from_rankings(found))[0]
        assert (comparison.wins, comparison.n) == (400, 4)
        assert not comparison.significant

    def test_while_agreement_on_many_sentences_is(self) -> None:
        found = [one("x", "y", 1, s, who) for s in range(30) for who in ("ann", "bob")]
        comparison = run_sign_tests(Votes.from_rankings(found))[0]
        assert comparison.significant
        assert comparison.n == 30


class TestSignTest:
    @given(st.integers(0, 40), st.integers(0, 40))
    def test_equals_the_exact_binomial_test(self, positive: int, negative: int) -> None:
        if positive + negative:
            theirs = stats.binomtest(positive, positive + negative).pvalue
            assert sign_test(positive, negative) == pytest.approx(theirs)

    def test_holm_never_lowers_a_p_value(self) -> None:
        values = np.array([0.2, 0.001, 0.04, 0.03])
        adjusted = holm(values)
        assert (adjusted >= values).all()
        assert adjusted.tolist() == pytest.approx([0.2, 0.004, 0.09, 0.09])

    @given(verdicts)
    def test_swapping_sides_changes_nothing(self, found: list[PhraseRanking]) -> None:
        swapped = [
            PhraseRanking(
                v.systems_b, v.systems_a, None if v.sign is None else -v.sign, v.sentence, v.annotator
            )
            for v in found
        ]
        ours, theirs = (run_sign_tests(Votes.from_rankings(each, "xyz")) for each in (found, swapped))
        assert ours == theirs


class TestRanks:
    def test_equal_systems_share_their_ranks(self) -> None:
        assert compute_rank_ranges(np.zeros((10, 3))) == [(1, 3)] * 3

    def test_clusters_are_cut_where_no_ranges_touch(self) -> None:
        assert cluster_ranks([(1, 1), (2, 3), (2, 4), (4, 5), (5, 5)]) == [1, 2, 2, 2, 2]
        assert cluster_ranks([(3, 3), (1, 1), (2, 2)]) == [3, 1, 2]
        assert cluster_ranks([]) == []

    def test_expected_wins_ignores_ties_and_opponents_never_met(self) -> None:
        found = expected_wins(np.array([[0.0, 3.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
        assert found[:2].tolist() == [0.75, 0.25]
        assert np.isnan(found[2])


class TestWholeResults:
    def simulated(self, sentences: int = 150, seed: int = 1) -> Votes:
        """Three systems of which x is clearly best and y, z are the same."""
        rng = np.random.default_rng(seed)
        chances = {"xy": 0.7, "xz": 0.7, "yz": 0.4}
        return Votes.from_rankings(
            one(pair[0], pair[1], int(rng.choice([1, 0, -1], p=[p, 0.2, 0.8 - p])), s, who)
            for s in range(sentences)
            for pair, p in chances.items()
            for who in ("ann", "bob")
        )

    def test_the_best_system_stands_alone_and_equals_share_a_cluster(self) -> None:
        found = compute_system_results(self.simulated(), resamples=300)
        lines = {line.system: line for line in found.systems}
        assert (lines["x"].rank, lines["x"].rank_range, lines["x"].cluster) == (1, (1, 1), 1)
        assert lines["y"].cluster == lines["z"].cluster == 2
        assert lines["y"].rank_range == lines["z"].rank_range == (2, 3)
        assert found.systems[0].system == "x"
        assert found.connected
        assert (found.votes, found.sentences, found.annotators) == (900, 150, 2)

    def test_the_same_seed_gives_the_same_results(self) -> None:
        first, again = (compute_system_results(self.simulated(40), resamples=50, seed=3) for _ in range(2))
        assert first == again

    def test_wins_losses_and_ties_add_up(self) -> None:
        found = compute_system_results(self.simulated(20), resamples=0)
        assert sum(line.wins for line in found.systems) == sum(line.losses for line in found.systems)
        assert sum(line.wins + line.losses + line.ties for line in found.systems) == 2 * found.votes

    def test_without_resamples_there_are_ranks_but_no_ranges(self) -> None:
        line = compute_system_results(self.simulated(20), resamples=0).systems[0]
        assert line.rank == 1
        assert (line.rank_range, line.cluster) == (None, None)

    def test_systems_that_nobody_compared_are_not_ranked(self) -> None:
        found = compute_system_results(
            Votes.from_rankings([one("x", "y", 1, s) for s in range(5)], "xyz"), resamples=20
        )
        last = found.systems[-1]
        assert last.system == "z"
        assert last.rank is last.ability is last.expected_wins is None
        assert (last.wins, last.losses, last.ties) == (0, 0, 0)

    def test_two_islands_cannot_be_ranked_against_each_other(self) -> None:
        found = compute_system_results(
            Votes.from_rankings([one("a", "b", 1, 1), one("c", "d", 1, 2)]), resamples=20
        )
        assert not found.connected
        assert all(line.rank is None for line in found.systems)
        assert all(line.expected_wins is not None for line in found.systems)

    def test_no_votes_at_all(self) -> None:
        found = compute_system_results(Votes.from_rankings([], "xy"))
        assert (found.votes, found.comparisons, found.tie_parameter, found.connected) == (0, (), None, False)
        assert all(line.expected_wins is None for line in found.systems)

    @given(verdicts)
    @settings(max_examples=30)
    def test_anything_can_be_computed(self, found: list[PhraseRanking]) -> None:
        results = compute_system_results(Votes.from_rankings(found, "xyz"), resamples=10)
        assert {line.system for line in results.systems} == set("xyz")
