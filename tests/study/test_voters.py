"""Machines among annotators: counted like anyone where asked for, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evaluation.schemes import Choice
from evaluation.study import Study, summarise_agreement
from evaluation.study.values import add_voters
from tests.study.studies import make_study

SAID = {0: Choice.A_BETTER, 1: Choice.A_BETTER, 2: Choice.EQUAL, 4: Choice.B_BETTER, 99: Choice.EQUAL}


@pytest.fixture
def study() -> Study:
    answers = [(0, 0, "A>B"), (1, 0, "A>B"), (0, 1, "A<B"), (1, 2, "A=B"), (0, 3, "A>B")]
    made = make_study(answers, expected={3: "A>B"}, sentences=[0, 1, 2, 3, 4])
    return replace(made, pair_keys=np.arange(5))


def test_a_machine_votes_where_people_did(study: Study) -> None:
    heard = add_voters(study, {"voter:x": SAID})
    assert heard.annotator_names == ("a", "b", "voter:x")
    assert [row.tolist() for row in (heard.annotators[5:], heard.pairs[5:])] == [[2, 2, 2], [0, 1, 2]]
    assert heard.judgements().annotators.tolist().count(2) == 3  # not on 3, a check, nor on 4, unjudged
    assert heard.labels.dtype == study.labels.dtype


def test_agreement_with_a_machine_is_that_with_anyone_who_said_the_same(study: Study) -> None:
    answers = [(0, 0, "A>B"), (1, 0, "A>B"), (0, 1, "A<B"), (1, 2, "A=B"), (0, 3, "A>B"),
               (2, 0, "A>B"), (2, 1, "A>B"), (2, 2, "A=B")]  # fmt: skip
    person = make_study(answers, expected={3: "A>B"}, sentences=[0, 1, 2, 3, 4])
    machine = summarise_agreement(study, votes={"voter:x": SAID}, resamples=20)
    anyone = summarise_agreement(person, resamples=20)
    assert machine.report.kappa == anyone.report.kappa
    assert machine.report.pairs == anyone.report.pairs == 5
    assert machine.voters == ("voter:x",)


def test_what_is_about_persons_stays_about_persons(study: Study) -> None:
    alone = summarise_agreement(study, resamples=20)
    heard = summarise_agreement(study, votes={"voter:x": SAID}, resamples=20)
    assert [one.row.kappa for one in heard.subsets] == [one.row.kappa for one in alone.subsets]
    assert (heard.annotators, heard.times, heard.windows) == (alone.annotators, alone.times, alone.windows)
    assert alone.voters == ()
    assert summarise_agreement(study, votes={}, resamples=20) == alone


def test_a_machine_that_says_nothing_here_changes_nothing(study: Study) -> None:
    silent = summarise_agreement(study, votes={"voter:x": {}}, resamples=20)
    assert silent.report.coefficients == summarise_agreement(study, resamples=20).report.coefficients
    assert silent.report.annotators == ("a", "b")
