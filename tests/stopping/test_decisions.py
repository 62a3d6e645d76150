"""What is decided, from columns, against sentences read one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from evaluation.schemes import Choice
from evaluation.stopping.decisions import decide, evaluate_stopping_rule
from evaluation.study import SystemPairs
from tests.study.studies import answers, make_study

NAMES = ("x", "y", "z")
systems = st.sampled_from([(0, 1), (1, 0), (0, 2), (2, 1)])
places = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), systems), max_size=12)
Rows = list[tuple[int, int, str]]
Places = list[tuple[int, int, tuple[int, int]]]


def meetings_at(where: Places) -> SystemPairs:
    columns = np.array([(pair, sentence, *two) for pair, sentence, two in where], dtype=np.int64)
    pairs, sentences, first, second = columns.reshape(-1, 4).T
    return SystemPairs(pairs, sentences, first, second, NAMES)


def one_by_one(rows: Rows, where: Places, awaited: set[int], a: int, b: int) -> tuple[list[float], int]:
    """Values of complete sentences in order of completion, and how many with votes are not complete."""
    found, under_way = [], 0
    for sentence in sorted({sentence for _, sentence, _ in where}):
        here = [(pair, two) for pair, s, two in where if s == sentence and set(two) == {a, b}]
        signs = [
            (n, sign if two == (a, b) else -sign)
            for n, (_, pair, label) in enumerate(rows)
            for place, two in here
            if place == pair and (sign := Choice(label).sign) is not None
        ]
        if signs and any(pair in awaited for pair, _ in here):
            under_way += 1
        elif signs:
            found.append((max(n for n, _ in signs), sum(sign for _, sign in signs) / len(signs)))
    # What one answer completes stays in the order of the sentences: an order by value would know the outcome.
    return [value for _, value in sorted(found, key=lambda one: one[0])], under_way


@settings(max_examples=40)
@given(answers, places, st.sets(st.integers(0, 6)))
def test_values_of_sentences_are_those_read_one_by_one(rows: Rows, where: Places, awaited: set[int]) -> None:
    study = make_study(rows, pair_tasks=[0] * 7)
    open_pairs = np.isin(np.arange(7), list(awaited))
    found = evaluate_stopping_rule(study, meetings_at(where), open_pairs, resamples=0)
    contests = sorted({tuple(sorted(two)) for _, _, two in where})
    assert [(one.a, one.b) for one in found.system_pairs] == [(NAMES[a], NAMES[b]) for a, b in contests]
    for one, (a, b) in zip(found.system_pairs, contests, strict=True):
        values, under_way = one_by_one(rows, where, awaited, a, b)
        assert one.under_way == under_way
        assert one.decision == pytest.approx(decide(values, 0.05 / len(contests)))


def test_a_system_that_always_wins_is_found_better_under_its_own_name() -> None:
    rows = [(0, pair, "A>B") for pair in range(60)]
    where = [(pair, pair, (1, 0)) for pair in range(60)]
    found = evaluate_stopping_rule(make_study(rows), meetings_at(where), np.zeros(60, dtype=bool))
    assert found.system_pairs[0].better == "y"
    assert found.undecided == 0
    assert found.precision is None  # one annotator agrees with nobody


def test_the_more_pairs_of_systems_the_later_each_is_decided() -> None:
    rows = [(0, pair, "A>B") for pair in range(90)]
    alone = [(pair, pair, (0, 1)) for pair in range(30)]
    among = alone + [(pair, pair, (0, 2) if pair < 60 else (2, 1)) for pair in range(30, 90)]
    after = [
        evaluate_stopping_rule(make_study(rows), meetings_at(where), np.zeros(90, dtype=bool))
        .system_pairs[0]
        .decision
        for where in (alone, among)
    ]
    assert (after[0].decided_after or 99) < (after[1].decided_after or 99)


def test_limits_that_mean_nothing_are_refused() -> None:
    study, nowhere = make_study([]), meetings_at([])
    with pytest.raises(ValueError, match=r"found 1\.5 and"):
        evaluate_stopping_rule(study, nowhere, np.zeros(0, dtype=bool), alpha=1.5)
    with pytest.raises(ValueError, match="and 0"):
        evaluate_stopping_rule(study, nowhere, np.zeros(0, dtype=bool), wanted=0)
