"""People's majority beside a metric's votes: rates, intervals and tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from appraise.lib.resampling import Ints
from evaluation.schemes import FOUR_WAY, SIX_WAY
from evaluation.study.systems import NO_VOTE
from metrics.metaeval.correlation import fisher_interval
from metrics.scoring.vote_agreement import compare_metric_pairs, count_human_votes, permutation_p, vote_line

# label:    A>>B A>B A=B A<B A<<B N/A
MUCH_A = [1, 0, 0, 0, 0, 0]
counts_strategy = st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=12).map(
    lambda rows: np.array(rows, dtype=np.int64)
)


def count_labels(*majorities: int) -> Ints:
    rows = {1: [0, 2, 0, 0, 0, 0], 0: [0, 0, 2, 0, 0, 0], -1: [0, 0, 0, 2, 0, 0], NO_VOTE: [0, 1, 0, 1, 0, 0]}
    return np.array([rows[m] for m in majorities])


@given(counts_strategy)
def test_the_majority_is_what_a_plain_count_says(counts: Ints) -> None:
    found = count_human_votes(counts, SIX_WAY)
    for row, majority, margin in zip(counts.tolist(), found.majority, found.margin, strict=True):
        threes = {1: row[0] + row[1], 0: row[2], -1: row[3] + row[4]}
        best = sorted(threes.values(), reverse=True)
        winners = [side for side, votes in threes.items() if votes == best[0]]
        assert majority == (winners[0] if len(winners) == 1 else NO_VOTE)
        assert margin == best[0] - best[1]


def test_much_better_weighs_twice_as_much_and_counts_once() -> None:
    votes = np.array([MUCH_A, [0, 1, 0, 0, 0, 0], [1, 0, 0, 1, 0, 5]])
    found = count_human_votes(votes, SIX_WAY)
    assert found.mean.tolist() == [1.0, 0.5, 0.25]
    assert found.majority.tolist() == [1, 1, NO_VOTE]


def test_with_four_choices_better_weighs_one() -> None:
    assert count_human_votes(np.array([[0, 1, 0, 0, 0, 0]]), FOUR_WAY).mean.tolist() == [1.0]


def test_pairs_without_majority_or_without_vote_do_not_count() -> None:
    line = vote_line(
        np.array([1, -1, 0, 1, NO_VOTE]),
        np.array([1.0, -1.0, 0.0, 1.0, np.nan]),
        count_human_votes(count_labels(1, 1, 0, NO_VOTE, 1), SIX_WAY),
        np.array([0, 1, 2, 3, 4]),
    )
    assert line.same.value == pytest.approx(2 / 3)
    assert line.same.n == 3
    assert (line.decided.value, line.decided.n) == (0.5, 2)
    assert line.voted == 4


def test_a_metric_is_one_more_annotator() -> None:
    """Seven of ten answers agree with its votes: κ′ = (0.7 − 1/4) / (3/4); N/A agrees with nothing."""
    votes = np.array([1, 0, -1])
    answers = np.array([[1, 2, 0, 1, 0, 0], [0, 0, 2, 0, 0, 1], [0, 1, 0, 1, 1, 0]])
    line = vote_line(votes, votes * 1.0, count_human_votes(answers, SIX_WAY), np.array([0, 1, 2]))
    assert line.kappa == pytest.approx((0.7 - 0.25) / 0.75)
    assert line.kappa_interval is not None
    assert line.kappa_interval[0] <= 0.6 <= line.kappa_interval[1]


def test_without_votes_there_is_no_rate() -> None:
    empty = count_human_votes(np.zeros((2, 6), dtype=np.int64), SIX_WAY)
    line = vote_line(np.array([1, 0]), np.array([1.0, 0.0]), empty, np.array([0, 1]))
    assert line.same == line.decided
    assert (line.same.value, line.same.interval, line.same.n, line.pearson, line.kappa) == (
        None,
        None,
        0,
        None,
        None,
    )


def test_the_interval_is_about_sentences_not_pairs() -> None:
    """A hundred pairs in two sentences tell less than a hundred pairs in fifty."""
    votes, majority = np.tile([1, -1], 50), count_human_votes(count_labels(*[1] * 100), SIX_WAY)
    widths = []
    for sentences in (np.repeat([0, 1], 50), np.arange(100)):
        order = np.argsort(votes, kind="stable")  # in two sentences: one all right, one all wrong
        line = vote_line(votes[order], votes[order] * 1.0, majority, sentences)
        assert line.same.interval is not None
        widths.append(line.same.interval[1] - line.same.interval[0])
    assert widths[0] == 1.0 > widths[1]


def test_the_interval_of_a_correlation_is_about_sentences_too() -> None:
    """Pairs alone in their sentences are what Fisher's z′ takes them for; twenty alike in one are not."""
    rng = np.random.default_rng(3)
    mean = rng.choice([-1, 0, 1], 200)
    deltas, majority = mean + rng.normal(size=200), count_human_votes(count_labels(*mean), SIX_WAY)
    alone = vote_line(np.sign(mean), deltas, majority, np.arange(200))
    fisher = fisher_interval(alone.pearson, 200)
    assert (alone.measured, alone.answers) == (200, 400)
    assert alone.pearson_interval == pytest.approx(fisher, abs=0.03)
    again = np.repeat(np.arange(10), 20)
    alike = vote_line(
        np.sign(mean[again]), deltas[again], count_human_votes(count_labels(*mean[again]), SIX_WAY), again
    )
    wide, narrow = alike.pearson_interval, fisher_interval(alike.pearson, 200)
    assert wide is not None
    assert narrow is not None
    assert wide[1] - wide[0] > 2 * (narrow[1] - narrow[0])


def test_two_metrics_are_compared_where_both_voted() -> None:
    majority = count_human_votes(count_labels(*[1] * 12), SIX_WAY)
    good, bad = np.array([1] * 12), np.array([1, 1] + [-1] * 9 + [NO_VOTE])
    (found,) = compare_metric_pairs([good, bad], majority, np.arange(12))
    assert (found.pairs, found.only_a, found.only_b) == (11, 9, 0)
    assert found.mcnemar == pytest.approx(stats.binomtest(9, 9).pvalue)
    assert found.p is not None
    assert found.p < 0.02


def test_equal_metrics_differ_in_nothing() -> None:
    majority = count_human_votes(count_labels(1, -1), SIX_WAY)
    (found,) = compare_metric_pairs([np.array([1, 1]), np.array([1, 1])], majority, np.array([0, 1]))
    assert (found.mcnemar, found.p, found.p_holm) == (None, None, None)


def test_holm_makes_no_p_smaller() -> None:
    rng = np.random.default_rng(3)
    majority = count_human_votes(count_labels(*rng.choice([1, 0, -1], 60).tolist()), SIX_WAY)
    votes = [rng.choice([1, 0, -1], 60) for _ in range(4)]
    found = compare_metric_pairs(votes, majority, np.arange(60) // 3)
    assert len(found) == 6
    assert all(one.p is not None and one.p_holm is not None and one.p_holm >= one.p for one in found)


@given(st.lists(st.integers(-2, 2), min_size=1, max_size=8))
def test_the_permutation_test_follows_every_permutation(gaps: list[int]) -> None:
    """Against the slow twin that goes through all signs."""
    values = np.array([gap for gap in gaps if gap], dtype=np.float64)
    found = permutation_p(np.array(gaps, dtype=np.float64), resamples=4000)
    if not len(values):
        assert found is None
        return
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(values))).reshape(len(values), -1)
    exact = float((np.abs(values @ signs) >= abs(values.sum())).mean())
    assert found == pytest.approx(exact, abs=0.05)
