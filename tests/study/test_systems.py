"""Votes between systems from columns, against the slow and obvious way; disputes and their entropy."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from evaluation.results import PhraseRanking, Votes
from evaluation.schemes import SIX_WAY, Choice
from evaluation.study import SystemPairs, collect_system_votes, compute_study_results, find_disagreements
from evaluation.study.disagreements import Split, entropy, max_entropy
from evaluation.study.systems import pair_systems
from tests.study.studies import answers, make_study

NAMES = ("x", "y", "z")
places = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), max_size=12
)


def counted(votes: Votes) -> Counter[tuple[object, ...]]:
    return Counter(
        (votes.system_names[a], votes.system_names[b], int(sign), votes.annotator_names[who])
        for a, b, sign, who in zip(votes.first, votes.second, votes.signs, votes.annotators, strict=True)
    )


@given(answers, places)
def test_votes_from_columns_are_votes_one_by_one(
    rows: list[tuple[int, int, str]], where: list[tuple[int, int, int, int]]
) -> None:
    study = make_study(rows)
    pairs, sentences, first, second = np.array(where, dtype=np.int64).reshape(-1, 4).T
    meetings = SystemPairs(pairs, sentences, first, second, NAMES)
    slow = [
        PhraseRanking([NAMES[one]], [NAMES[other]], Choice(label).sign, sentence, "abcdefghij"[person])
        for person, pair, label in rows
        for place, sentence, one, other in where
        if place == pair and one != other
    ]
    fast = counted(collect_system_votes(study, meetings))
    for key in [key for key in fast if key[0] == key[1]]:  # nobody writes both sides; random data does
        del fast[key]
    assert fast == counted(Votes.from_rankings(slow))


def test_identical_outputs_are_all_credited() -> None:
    writers = np.array([[10, 10, 20], [0, 1, 2]])  # x and y wrote candidate 10, z wrote 20
    one = np.array([0])
    meetings = pair_systems(one, one, np.array([10]), np.array([20]), writers, NAMES)
    assert list(zip(meetings.first.tolist(), meetings.second.tolist(), strict=True)) == [(0, 2), (1, 2)]
    results = compute_study_results(make_study([(0, 0, "A>B")]), meetings)
    assert {line.system: (line.wins, line.losses) for line in results.systems} == {
        "x": (1, 0),
        "y": (1, 0),
        "z": (0, 2),
    }


def test_a_damaged_candidate_that_no_system_wrote_meets_nobody() -> None:
    one = np.array([0])
    assert (
        len(pair_systems(one, one, np.array([10]), np.array([99]), np.array([[10], [0]]), NAMES).pairs) == 0
    )


def test_two_annotators_who_contradict_each_other_are_not_significant() -> None:
    rows = [(person, pair, ("A>B", "A<B")[person]) for person in range(2) for pair in range(30)]
    places = np.arange(30)
    meetings = SystemPairs(places, places, places * 0, places * 0 + 1, ("x", "y"))
    assert not compute_study_results(make_study(rows), meetings).comparisons[0].significant


@given(st.lists(st.integers(0, 5), min_size=2, max_size=6).filter(any))
def test_entropy_is_what_scipy_says(votes: list[int]) -> None:
    assert entropy(np.array([votes]))[0] == pytest.approx(stats.entropy(votes, base=2), abs=1e-12)
    assert entropy(np.array([votes]))[0] <= max_entropy(sum(votes), len(votes)) + 1e-9


def test_disputes_come_most_divided_first_and_can_be_parted() -> None:
    rows = [
        (0, 0, "A>B"), (1, 0, "A>B"),  # agreed: no dispute
        (0, 1, "A>>B"), (1, 1, "A>B"),  # degree only
        (0, 2, "A>B"), (1, 2, "A<B"), (2, 2, "A=B"),  # opposite
    ]  # fmt: skip
    study = make_study(rows)
    assert [dispute.pair for dispute in find_disagreements(study)] == [2, 1]
    assert [dispute.pair for dispute in find_disagreements(study, split=Split.DEGREE)] == [1]
    assert [dispute.pair for dispute in find_disagreements(study, split=Split.OPPOSITE)] == [2]
    assert [dispute.pair for dispute in find_disagreements(study, annotator=2)] == [2]
    assert find_disagreements(study, pairs=[0]) == []
    assert sum(find_disagreements(study)[0].votes) == 3
    assert len(find_disagreements(study)[0].votes) == len(SIX_WAY.choices)
