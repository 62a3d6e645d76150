"""Leaving out doubtful answers: a choice with a reason, computed from the answers themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evaluation.study import Filter, select_answers, summarise_agreement
from evaluation.study.annotators import (
    compute_annotator_lines,
    count_checks,
    count_times,
    find_failed,
    find_speeders,
)
from tests.study.studies import Answer, make_study


def test_whoever_misses_too_many_checks_has_failed_and_whoever_saw_none_has_not() -> None:
    rows: list[Answer] = [(0, 0, "A>>B"), (0, 1, "A>B"), (1, 0, "A<B"), (1, 1, "A>B"), (2, 2, "A=B")]
    study = make_study(rows, expected={0: "A>B", 1: "A>B"})
    assert count_checks(study) == {0: (2, 2), 1: (1, 2), 2: (0, 0)}
    assert find_failed(study) == {1}
    assert select_answers(study, [Filter.FAILED]).tolist() == [True, True, False, False, True]


def test_a_check_is_passed_if_every_answer_about_it_is_as_expected() -> None:
    """Three pairs of two checks: one wrong answer of two fails the check."""
    rows: list[Answer] = [(0, 0, "A>B"), (0, 1, "A<B"), (0, 2, "A>>B"), (1, 0, "A>B"), (1, 1, "A>>B")]
    study = make_study(rows, expected={0: "A>B", 1: "A>B", 2: "A>B"})
    study = replace(study, comparisons=np.array([7, 7, 8]))
    assert count_checks(study) == {0: (1, 2), 1: (1, 1)}


def test_times_and_sides_are_those_of_the_answers_that_are_counted() -> None:
    """Neither the repeat (pair 0 again) nor the check (pair 2) counts as an answer."""
    rows: list[Answer] = [(0, 0, "A>B"), (0, 1, "A>B"), (0, 0, "A<B"), (0, 2, "A<B")]
    study = make_study(
        rows, expected={2: "A>B"}, presentations=[0, 0, 1, 0], active_ms=[2000, 4000, 90_000, 90_000]
    )
    line = compute_annotator_lines(study)[0]
    assert line.answers == line.bias.left + line.bias.right == 2
    assert line.median == 3.0
    assert sum(n for *_, n in count_times(study)) == 2


def test_a_speeder_is_three_times_faster_than_usual() -> None:
    rows: list[Answer] = [(person, pair, "A>B") for person in range(3) for pair in range(6)]
    study = make_study(rows, active_ms=[9000] * 6 + [8000] * 6 + [900] * 6)
    assert find_speeders(study) == {2}
    assert int(select_answers(study, [Filter.SPEEDERS]).sum()) == 12


def test_one_annotator_alone_is_no_speeder() -> None:
    assert find_speeders(make_study([(0, pair, "A>B") for pair in range(9)], active_ms=[10] * 9)) == set()


def test_answers_without_a_time_say_nothing_about_speed() -> None:
    study = make_study([(0, 0, "A>B")])
    assert compute_annotator_lines(study)[0].median is None


def test_surplus_answers_go_alone() -> None:
    study = make_study([(0, 0, "A>B"), (1, 0, "A>B")], surplus=[False, True])
    assert select_answers(study, [Filter.SURPLUS]).tolist() == [True, False]
    assert select_answers(study, []).all()


def test_the_table_of_subsets_is_always_about_the_whole_study() -> None:
    rows: list[Answer] = [(person, pair, "A>B") for person in range(3) for pair in range(6)]
    study = make_study(rows, surplus=[False] * 12 + [True] * 6)
    whole, filtered = (summarise_agreement(study, without=without) for without in ([], [Filter.SURPLUS]))
    sizes = [subset.row.judgements for subset in whole.subsets]
    assert sizes == [18, 18, 18, 12, 12]
    assert [subset.row.judgements for subset in filtered.subsets] == sizes
    assert filtered.report.judgements == 12


def test_the_side_is_what_the_annotator_saw() -> None:
    study = make_study(
        [(0, 0, "A>B"), (0, 1, "A>B"), (0, 2, "A=B"), (0, 3, "N/A")], swapped=[False, True, True, True]
    )
    bias = compute_annotator_lines(study)[0].bias
    assert (bias.left, bias.right, bias.ties, bias.not_applicable) == (1, 1, 1, 1)


def test_a_study_without_answers_has_no_figures_and_does_not_fail() -> None:
    summary = summarise_agreement(make_study([]))
    assert summary.report.kappa.value is None
    assert summary.annotators == ()
    assert summary.windows == ()
    assert {value for _, value in summary.wanted} == {None}
    assert np.isclose(summary.by_task.pooled.judgements, 0)
