"""Weights from the log of draws: unbiased over the whole process of drawing, begun questions and the rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.results import Verdict, Votes, system_results
from evaluation.results.weighted import weighted_lines
from evaluation.selection import (
    Question,
    comparison_scores,
    disagreement_table,
    drawn_order,
    order_table,
    question_weights,
)

VALUES = np.array([5.0, -1.0, 0.5, 2.0, 0.0, 3.0, -4.0, 1.0])


def one_campaign(seed: int) -> float:
    """Two asked before; two draws of three, two begun of each, scores by what was seen; one from the rest."""
    random = np.random.default_rng(seed)
    questions = [Question(n < 2) for n in range(len(VALUES))]
    number, seen = 0, 0.0
    for _ in range(2):
        left = [n for n, one in enumerate(questions) if not one.begun]
        scores = np.abs(VALUES[left]) + (seen > 2)  # useful questions look like large values
        for draw in drawn_order(scores, seed=int(random.integers(2**32)), most=3)[:2]:
            at = left[draw.question]
            questions[at] = Question(True, number, draw.probability)
            number, seen = number + 1, seen + VALUES[at]
    left = [n for n, one in enumerate(questions) if not one.begun]
    questions[int(random.choice(left))] = Question(True, rest=7)
    weights = question_weights(questions)
    return float(sum(w * value for w, value in zip(weights, VALUES, strict=True) if w is not None))


def test_totals_are_estimated_without_bias_though_useful_questions_come_first() -> None:
    found = np.array([one_campaign(seed) for seed in range(1200)])
    error = found.std() / np.sqrt(len(found))
    assert abs(found.mean() - VALUES.sum()) < 3.5 * error
    naive = 5 / 7  # of all questions were begun; without weights the total would be far off
    assert error < 0.2 * naive


@given(st.integers(1, 30), st.data())
def test_everything_asked_stands_for_itself(size: int, data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.floats(0, 9), min_size=size, max_size=size))
    draws = drawn_order(scores, seed=3)
    questions = [Question(True, n, draw.probability) for n, draw in enumerate(draws)]
    assert question_weights(questions) == pytest.approx([1.0] * size)


def test_what_was_not_begun_has_no_weight() -> None:
    assert question_weights([]) == []
    assert question_weights([Question(False, 0, 0.5), Question(False, rest=3)]) == [None, None]
    assert question_weights([Question(True), Question(False)]) == [1.0, None]


def votes() -> Votes:
    said = [("x", "y", 1)] * 8 + [("x", "y", -1)] * 2 + [("x", "z", 1), ("y", "z", 0), ("z", "x", 1)]
    return Votes.from_verdicts([Verdict([a], [b], sign, n, "ann") for n, (a, b, sign) in enumerate(said)])


def test_equal_weights_change_nothing_and_heavier_votes_count_more() -> None:
    plain = {line.system: line for line in system_results(votes(), resamples=0).systems}
    same = weighted_lines(votes(), np.full(13, 2.5))
    for name, line in plain.items():
        assert same[name].expected_wins == pytest.approx(line.expected_wins)
        assert weighted_lines(votes(), np.ones(13))[name].ability == pytest.approx(line.ability)
    heavy = np.where(votes().signs < 0, 50.0, 1.0)
    assert (weighted_lines(votes(), heavy)["x"].expected_wins or 0) < (plain["x"].expected_wins or 0)


def test_systems_that_no_vote_links_have_no_strength_weighted_or_not() -> None:
    apart = Votes.from_verdicts([Verdict(["a"], ["b"], 1, 0, "ann"), Verdict(["c"], ["d"], 1, 1, "ann")])
    assert {line.ability for line in weighted_lines(apart, np.ones(2)).values()} == {None}
    assert not weighted_lines(Votes.from_verdicts([]), np.ones(0))


def test_open_comparisons_of_undecided_systems_come_first() -> None:
    places = (np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([1, 2, 2]))
    asked = (np.array([0, 1, 2]), np.array([0, 1, 2]))
    decided, open_, rare = comparison_scores(order_table(votes()), places, asked, 3)
    assert decided < open_
    divided = comparison_scores(disagreement_table(votes()), places, asked, 3)
    assert divided[0] == min(divided)
    assert rare > 0
