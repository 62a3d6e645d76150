"""Useful questions first, and estimates that do not notice."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.results import davidson
from evaluation.selection import disagreement_scores, drawn_order, levelled_weights, order_information
from evaluation.selection.information import _doubt

SCORES = st.lists(st.floats(0, 10), min_size=1, max_size=8)


@given(SCORES, st.integers(0, 1000))
def test_every_question_is_drawn_once_with_a_chance_above_nothing(scores: list[float], seed: int) -> None:
    draws = drawn_order(scores, seed=seed)
    assert sorted(draw.question for draw in draws) == list(range(len(scores)))
    assert all(0.2 / len(scores) - 1e-12 <= draw.probability <= 1 + 1e-12 for draw in draws)


def test_the_first_draw_has_the_probability_that_it_says() -> None:
    scores, studies = [3.0, 1.0, 0.0], 4000
    first = [drawn_order(scores, seed=seed, most=1)[0] for seed in range(studies)]
    for question, chance in enumerate([0.2 / 3 + 0.8 * 0.75, 0.2 / 3 + 0.8 * 0.25, 0.2 / 3]):
        hits = [draw.probability for draw in first if draw.question == question]
        assert set(np.round(hits, 12)) == {round(chance, 12)}
        assert len(hits) / studies == pytest.approx(chance, abs=0.03)


@given(st.lists(st.tuples(st.floats(0.01, 5), st.floats(-1, 1)), min_size=2, max_size=5), st.data())
def test_weighted_means_are_exactly_unbiased(pool: list[tuple[float, float]], data: st.DataObject) -> None:
    """All orders of drawing, each with its probability: their weighted means average to the true mean."""
    scores, values = map(np.array, zip(*pool, strict=True))
    drawn = data.draw(st.integers(1, len(pool)))
    expected, mass = 0.0, 0.0
    for order in permutations(range(len(pool)), drawn):
        chances, left = [], list(range(len(pool)))
        for question in order:
            share = 0.2 / len(left) + 0.8 * scores[question] / scores[left].sum()
            chances.append(float(share))
            left.remove(question)
        probability = float(np.prod(chances))
        weights = levelled_weights(chances, len(pool))
        expected += probability * float((weights * values[list(order)]).mean())
        mass += probability
    assert mass == pytest.approx(1.0)
    assert expected == pytest.approx(values.mean(), abs=1e-9)


def test_weights_are_one_when_all_was_asked_or_drawn_at_random() -> None:
    assert levelled_weights([draw.probability for draw in drawn_order([5.0, 1.0, 2.0])], 3) == pytest.approx(
        1
    )
    assert levelled_weights([1 / 10, 1 / 9, 1 / 8], 10) == pytest.approx(1)


def test_information_equals_the_mutual_information_of_a_drawn_future() -> None:
    """The normal approximation against brute force: draw futures, look how the doubt falls."""
    wins, ties = np.array([[0.0, 12.0], [8.0, 0.0]]), np.array([[0.0, 4.0], [4.0, 0.0]])
    mean, variance, information = (table[0, 1] for table in davidson.differences(wins, ties))
    after = variance / (1 + information * variance)
    futures = np.random.default_rng(1).normal(mean, np.sqrt(variance - after), size=400_000)
    fall = _doubt(np.array(mean / np.sqrt(variance))) - _doubt(futures / np.sqrt(after)).mean()
    assert order_information(wins, ties)[0, 1] == pytest.approx(float(fall), abs=5e-4)


def test_information_is_symmetric_and_falls_as_a_pair_is_settled() -> None:
    def bits(n: int) -> float:
        table = order_information([[0, 3 * n], [n, 0]], [[0, n], [n, 0]])
        assert table == pytest.approx(table.T)
        assert table[0, 0] == 0
        return float(table[0, 1])

    assert bits(1) > bits(4) > bits(16) > bits(64) >= 0


def test_renaming_systems_renames_the_information() -> None:
    wins = np.array([[0.0, 9, 4], [3, 0, 6], [5, 6, 0]])
    ties = np.array([[0.0, 2, 1], [2, 0, 3], [1, 3, 0]])
    turn = [2, 0, 1]
    renamed = order_information(wins[np.ix_(turn, turn)], ties[np.ix_(turn, turn)])
    assert renamed == pytest.approx(order_information(wins, ties)[np.ix_(turn, turn)], abs=1e-9)


def test_the_posterior_variance_of_two_systems_is_the_textbook_one() -> None:
    """Without ties: the variance of a logit from w wins and l losses is about 1/w + 1/l."""
    _mean, variance, _bits = davidson.differences(np.array([[0.0, 300], [200, 0]]), np.zeros((2, 2)))
    assert variance[0, 1] == pytest.approx(1 / 300 + 1 / 200, rel=0.02)


@pytest.mark.parametrize("bad", [[-1.0], [float("nan")], [float("inf")]])
def test_impossible_scores_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="scores"):
        drawn_order(bad)


def test_impossible_draws_are_refused() -> None:
    with pytest.raises(ValueError, match="draws"):
        levelled_weights([0.5, 0.5], 1)
    with pytest.raises(ValueError, match="regardless"):
        drawn_order([1.0], uniform=0.0)
    with pytest.raises(ValueError, match="probabilities"):
        levelled_weights([0.0], 3)


def test_disputed_items_come_before_settled_ones() -> None:
    new, settled, disputed = disagreement_scores([[0, 0, 0], [9, 0, 0], [3, 3, 3]])
    assert settled < disputed <= new + 1e-12
