"""Studies as columns: which answers count, and in which labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.agreement import agreement_over_time, report
from evaluation.schemes import FOUR_WAY, SCHEMES, SIX_WAY, Scheme
from evaluation.study import StudyTask
from evaluation.study.timeline import timeline
from evaluation.study.values import label_codes, latest
from tests.study.studies import answers, make_study


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30))
def test_the_last_row_of_each_cell_is_kept(rows: list[tuple[int, int]]) -> None:
    columns = [np.array([row[place] for row in rows], dtype=np.int64) for place in (0, 1)]
    slow = sorted({row: number for number, row in enumerate(rows)}.values())
    assert latest(columns).tolist() == slow


@given(answers)
def test_agreement_over_time_in_one_pass_is_agreement_over_time(rows: list[tuple[int, int, str]]) -> None:
    judgements = make_study(rows).judgements()
    for window, slow in zip(timeline(judgements, 4), agreement_over_time(judgements, 4), strict=True):
        assert (window.judgements, window.pairs) == (slow.judgements, slow.pairs)
        assert window.p_a == pytest.approx(slow.p_a)
        assert window.kappa == pytest.approx(slow.kappa)


def test_repeats_and_checks_do_not_count_in_agreement() -> None:
    study = make_study(
        [(0, 0, "A>B"), (0, 0, "A<B"), (1, 0, "A>B"), (0, 1, "A=B")],
        presentations=[0, 1, 0, 0],
        expected={1: "A>B"},
    )
    judgements = study.judgements()
    assert len(judgements) == 2
    assert judgements.label_names == SIX_WAY.labels
    assert [study.repeats().labels.tolist(), study.is_check.tolist()] == [
        [1, 3],
        [False, False, False, True],
    ]


def test_tasks_with_different_schemes_are_pooled_over_four_choices() -> None:
    tasks = (StudyTask("four", "Four", "four-way"), StudyTask("six", "Six", "six-way"))
    study = make_study(
        [(0, 0, "A>B"), (1, 0, "A>B"), (0, 1, "A>>B"), (1, 1, "A>B")], tasks=tasks, pair_tasks=[0, 1]
    )
    assert study.mixed
    assert study.scheme == FOUR_WAY
    assert report(study.judgements(), FOUR_WAY).kappa.value == 1  # “much better” is “better”
    assert report(study.of_task(1).judgements(), SIX_WAY).kappa.value == pytest.approx(-0.2)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=str)
def test_labels_of_a_smaller_scheme_keep_their_meaning(scheme: Scheme) -> None:
    read = [scheme.choices[code] for code in label_codes(scheme)]
    assert read == [said if said in scheme.choices else said.collapsed for said in SIX_WAY.choices]


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        make_study([(0, 0, "A>B")], swapped=[True, False])
