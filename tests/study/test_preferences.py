"""Preferences between candidates: the votes on their phrases, added."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given, strategies as st

from evaluation.schemes import Choice
from evaluation.study.preferences import CandidatePreference, measure_preferences
from tests.study.studies import answers, make_study

# (pair, candidate with its first text, candidate with its second text); a pair may stand in several places.
places = st.lists(
    st.tuples(st.integers(0, 3), st.integers(10, 13), st.integers(10, 13)).filter(lambda p: p[1] != p[2]),
    max_size=8,
    unique_by=lambda place: (place[0], *sorted(place[1:])),
)


@given(answers, places)
def test_votes_are_added_like_by_a_slow_twin(
    rows: list[tuple[int, int, str]], where: list[tuple[int, int, int]]
) -> None:
    study = make_study(rows)
    where = [place for place in where if place[0] < len(study.pair_sentences)]
    columns = np.array(where, dtype=np.int64).reshape(-1, 3).T
    found = list(measure_preferences(study, *columns))
    votes: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for pair, first, second in where:
        for annotator, own, label in rows:
            sign = Choice(label).sign
            if own == pair and sign is not None:
                turned = sign if first < second else -sign
                votes[min(first, second), max(first, second)].append((annotator, turned))
    slow = []
    for (first, second), given_votes in sorted(votes.items()):
        lead = sum(sign for _, sign in given_votes)
        nets = [sum(s for a, s in given_votes if a == who) for who in {who for who, _ in given_votes}]
        decided = [net for net in nets if net]
        if lead:
            same = sum((net > 0) == (lead > 0) for net in decided)
            sides = (first, second) if lead > 0 else (second, first)
            size = len(given_votes)
            slow.append(CandidatePreference(*sides, abs(lead / size), size, len(nets), same / len(decided)))
    assert found == slow
