"""Studies as columns: which answers count, and in which labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st

from evaluation.agreement import Judgements, compute_agreement
from evaluation.agreement.stability import compute_timeline
from evaluation.agreement.tally import Pairing, Tally
from evaluation.schemes import FOUR_WAY, SCHEMES, SIX_WAY, Scheme
from evaluation.study import StudyTask
from evaluation.study.values import find_latest, label_codes
from tests.agreement.columns import from_columns
from tests.study.studies import answers, make_study


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30))
def test_the_last_row_of_each_cell_is_kept(rows: list[tuple[int, int]]) -> None:
    columns = [np.array([row[place] for row in rows], dtype=np.int64) for place in (0, 1)]
    slow = sorted({row: number for number, row in enumerate(rows)}.values())
    assert find_latest(columns).tolist() == slow


@given(answers)
def test_agreement_over_time_in_one_pass_is_agreement_over_time(rows: list[tuple[int, int, str]]) -> None:
    judgements = make_study(rows).judgements()
    windows = compute_timeline(judgements, 4)
    assert sum(window.judgements for window in windows) == len(judgements)
    for window, (pairs, p_a) in zip(windows, slow_windows(judgements, 4), strict=True):
        assert window.pairs == pairs
        assert window.p_a == pytest.approx(p_a)
        kappa = None if p_a is None else (p_a - 1 / judgements.size) / (1 - 1 / judgements.size)
        assert window.kappa == pytest.approx(kappa)


def slow_windows(judgements: Judgements, windows: int) -> Iterator[tuple[int, float | None]]:
    """Pairs and P(A) of each window: all pairs up to its end without those up to its beginning."""
    before = np.zeros(2)
    ends = np.linspace(0, len(judgements), min(windows, len(judgements)) + 1).astype(int)
    for end in ends[1:]:
        so_far = Tally.of(
            judgements.filter_rows(np.arange(len(judgements)) < end), Pairing.DIFFERENT
        ).pairs.sum(axis=1)
        agreeing, pairs = so_far - before
        yield int(pairs), float(agreeing / pairs) if pairs else None
        before = so_far


def test_a_pair_belongs_to_the_window_of_its_later_judgement() -> None:
    judgements = from_columns([0, 0, 1, 1], [1, 2, 2, 1], [0, 0, 1, 0], ("x", "y"))
    first, second = compute_timeline(judgements, 2)
    assert (first.pairs, first.p_a) == (0, None)
    assert (second.pairs, second.p_a, second.kappa) == (2, 0.5, 0.0)


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
    assert study.is_mixed
    assert study.scheme == FOUR_WAY
    assert compute_agreement(study.judgements(), FOUR_WAY).kappa.value == 1  # “much better” is “better”
    assert compute_agreement(study.select_task(1).judgements(), SIX_WAY).kappa.value == pytest.approx(-0.2)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=str)
def test_labels_of_a_smaller_scheme_keep_their_meaning(scheme: Scheme) -> None:
    read = [scheme.choices[code] for code in label_codes(scheme)]
    assert read == [said if said in scheme.choices else said.collapsed for said in SIX_WAY.choices]


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        make_study([(0, 0, "A>B")], swapped=[True, False])
