"""Who sits on the panel."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.panel.votes import VoterWeighting, collect_panel_votes
from evaluation.schemes import SIX_WAY, Choice
from evaluation.study import Study, StudyTask
from evaluation.study.values import NO_CHECK
from evaluation.voters import Vote

# Pair 0 by both, pair 2 by one, an attention check (pair 1) by both; pair 3 by nobody.
ROWS = [("ann", 0, "A>>B"), ("bob", 0, "A<B"), ("ann", 1, "A>B"), ("bob", 1, "A>B"), ("ann", 2, "N/A")]


def study() -> Study:
    zeros = np.zeros(len(ROWS), dtype=int)
    return Study(
        tasks=(StudyTask("t", "T", "six-way"),),
        annotator_names=("ann", "bob"),
        annotators=np.array([("ann", "bob").index(who) for who, *_ in ROWS]),
        pairs=np.array([pair for _, pair, _ in ROWS]),
        presentations=zeros,
        labels=np.array([SIX_WAY.labels.index(label) for *_, label in ROWS]),
        swapped=zeros.astype(bool),
        surplus=zeros.astype(bool),
        active_ms=zeros,
        pair_keys=np.arange(10, 14),
        pair_tasks=np.zeros(4, dtype=int),
        pair_sentences=np.array([0, 0, 1, 1]),
        expected=np.array([NO_CHECK, 1, NO_CHECK, NO_CHECK]),
    )


def test_machines_vote_where_people_did_and_everything_is_read_four_way() -> None:
    said = {
        0: [Vote("ter", Choice.EQUAL), Vote("bleu", Choice.A_BETTER)],
        1: [Vote("bleu", Choice.EQUAL)],
        3: [Vote("bleu", Choice.EQUAL)],
    }
    found = collect_panel_votes(study(), said)
    names = found.judgements.annotator_names
    rows = zip(found.judgements.annotators, found.judgements.items, found.judgements.labels, strict=True)
    told = {
        (names[who], int(found.pairs[item]), found.judgements.label_names[label]) for who, item, label in rows
    }
    assert told == {
        ("ann", 0, "A>B"), ("bob", 0, "A<B"), ("ann", 2, "N/A"), ("ter", 0, "A=B"), ("bleu", 0, "A>B"),
    }  # fmt: skip
    assert found.voters == ("bleu", "ter")
    assert found.judgements.sentences.tolist() == [0, 0, 1, 0, 0]


def test_machines_weigh_as_much_as_they_are_given() -> None:
    found = collect_panel_votes(study(), {0: [Vote("ter", Choice.EQUAL), Vote("bleu", Choice.A_BETTER)]})
    voices = {
        seats: found.model_options(seats).weights for seats in (VoterWeighting.ONE_VOTER, VoterWeighting.EACH)
    }
    assert voices[VoterWeighting.ONE_VOTER] == pytest.approx([1, 1, 0.5, 0.5])
    assert voices[VoterWeighting.EACH] == pytest.approx([1, 1, 1, 1])


def test_a_study_without_answers_has_an_empty_panel() -> None:
    empty = study().filter_rows(np.zeros(len(ROWS), dtype=bool))
    assert len(collect_panel_votes(empty, {0: [Vote("ter", Choice.EQUAL)]}).judgements) == 0
