"""Agreement and wins by phenomenon, on studies whose truth is known because it was drawn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluation.agreement.tasks import MIN_SENTENCES
from evaluation.phenomena.classification import Phenomenon
from evaluation.phenomena.profile import (
    Profile,
    SystemCell,
    compute_p_values,
    compute_profile,
    sum_votes,
)
from evaluation.schemes import SIX_WAY
from evaluation.study import Study, StudyTask, SystemPairs
from evaluation.study.values import NO_CHECK

KINDS = list(Phenomenon)
NUMBER, ORDER = KINDS.index(Phenomenon.NUMBER), KINDS.index(Phenomenon.ORDER)
A, EQUAL, B = (SIX_WAY.labels.index(label) for label in ("A>B", "A=B", "A<B"))
Shown = NDArray[np.bool_]


def simulate_study(sentences: int, seed: int = 0, people: int = 3) -> tuple[Study, SystemPairs, Shown]:
    """Four pairs a sentence, the first about a number, the second about order, two about neither.

    ``new`` holds every first text: it wins seven times in ten, but at numbers only one time in ten; people
    say the same about everything but order, about which they guess.
    """
    random = np.random.default_rng(seed)
    pairs = np.arange(4 * sentences)
    shown = np.zeros((len(pairs), len(KINDS)), dtype=bool)
    shown[pairs[pairs % 4 == 0], NUMBER] = shown[pairs[pairs % 4 == 1], ORDER] = True
    shown[pairs[pairs % 4 > 1], KINDS.index(Phenomenon.CHOICE)] = True
    truth = np.where(random.random(len(pairs)) < np.where(pairs % 4 == 0, 0.1, 0.7), A, B)
    labels = np.repeat(truth[:, None], people, axis=1)
    guessed = pairs % 4 == 1
    labels[guessed] = random.choice([A, B], size=(guessed.sum(), people))
    study = Study(
        tasks=(StudyTask("t", "T", "six-way"),),
        annotator_names=tuple("abcdefgh"[:people]),
        annotators=np.tile(np.arange(people), len(pairs)),
        pairs=np.repeat(pairs, people),
        presentations=np.zeros(labels.size, dtype=int),
        labels=labels.ravel(),
        swapped=np.zeros(labels.size, dtype=bool),
        surplus=np.zeros(labels.size, dtype=bool),
        active_ms=np.zeros(labels.size, dtype=int),
        pair_keys=pairs,
        pair_tasks=np.zeros(len(pairs), dtype=int),
        pair_sentences=pairs // 4,
        expected=np.full(len(pairs), NO_CHECK),
    )
    new = np.zeros(len(pairs), dtype=int)
    return study, SystemPairs(pairs, pairs // 4, new, new + 1, ("new", "old")), shown


@pytest.fixture(scope="module")
def profile() -> Profile:
    return compute_profile(*simulate_study(60), resamples=200)


def cell(profile: Profile, phenomenon: Phenomenon, system: str) -> SystemCell:
    [one] = [c for c in profile.cells if (c.phenomenon, c.system) == (phenomenon, system)]
    return one


def test_the_phenomenon_about_which_people_guess_has_all_disputes(profile: Profile) -> None:
    assert [line.phenomenon for line in profile.lines] == [
        Phenomenon.ORDER,
        Phenomenon.NUMBER,
        Phenomenon.CHOICE,
    ]
    order, number, _ = profile.lines
    assert (order.pairs, order.share, order.dispute_share) == (60, 0.25, 1.0)
    assert order.disputed == order.opposite == profile.disputed
    assert number.disputed == 0
    assert number.agreement.kappa == 1.0
    assert order.agreement.kappa is not None
    assert order.agreement.kappa < 0.5


def test_what_a_system_does_worse_is_found_and_nothing_else(profile: Profile) -> None:
    worse = cell(profile, Phenomenon.NUMBER, "new")
    assert worse.outcome == "worse"
    assert worse.interval is not None
    assert worse.interval[0] <= 0.1 <= worse.interval[1]
    assert worse.wins + worse.ties + worse.losses == 60 * 3
    # Where one of two systems is worse, the other is better, by the same numbers.
    mirrored = cell(profile, Phenomenon.NUMBER, "old")
    assert (mirrored.outcome, mirrored.wins, mirrored.rate) == ("better", worse.losses, 1 - worse.rate)
    assert next((c.phenomenon, c.system) for c in profile.worse) == (Phenomenon.NUMBER, "new")


def test_sums_are_those_of_a_plain_loop() -> None:
    study, meetings, shown = simulate_study(5, seed=2)
    sums = sum_votes(study, meetings, shown)
    plain = np.zeros_like(sums)
    for pair, label in zip(study.pairs.tolist(), study.labels.tolist(), strict=True):
        for layer in (*np.flatnonzero(shown[pair]), -1):
            plain[0 if label == A else 2, layer, 0, pair // 4] += 1
            plain[2 if label == A else 0, layer, 1, pair // 4] += 1
    assert np.array_equal(sums, plain)


@pytest.mark.parametrize("sentences", [8, 60])
def test_cells_without_a_difference_are_found_in_about_one_of_twenty(sentences: int) -> None:
    """Four hundred cells at once; votes of a sentence are alike, and few sentences show the phenomenon."""
    random = np.random.default_rng(sentences)
    rates = random.beta(2.8, 1.2, size=(400, 120))
    here = np.where(np.arange(120) < sentences, random.integers(1, 4, size=(400, 120)), 0)
    total = here + random.integers(1, 8, size=(400, 120))
    won = random.binomial(here, rates)
    columns = np.stack([won, here], axis=1).astype(float)
    totals = np.stack([won + random.binomial(total - here, rates), total], axis=1).astype(float)
    assert (compute_p_values(columns, totals, seed=1) <= 0.05).mean() <= 0.08


def test_a_phenomenon_of_every_pair_has_no_elsewhere() -> None:
    study, meetings, shown = simulate_study(6)
    everywhere = np.zeros_like(shown)
    everywhere[:, 0] = True
    profile = compute_profile(study, meetings, everywhere, resamples=20)
    assert {(c.elsewhere, c.p, c.outcome) for c in profile.cells} == {(None, None, "")}


def test_there_is_no_interval_where_resampling_cannot_tell(profile: Profile) -> None:
    order, number, _ = profile.lines
    assert (order.sentences, order.agreement.interval is None) == (60, False)
    assert (number.agreement.kappa, number.agreement.interval) == (1.0, None)  # all resamples are alike
    for sentences in (MIN_SENTENCES - 1, MIN_SENTENCES):
        few = compute_profile(*simulate_study(sentences), resamples=200)
        assert all((cell.interval is None) == (cell.sentences < MIN_SENTENCES) for cell in few.cells)
        rare = few.lines[0]
        assert rare.sentences == sentences
        assert rare.agreement.kappa is not None
        assert (rare.agreement.interval is None) == (sentences < MIN_SENTENCES)


def test_a_study_without_answers_has_no_lines() -> None:
    study, meetings, shown = simulate_study(2)
    empty = compute_profile(study.filter_rows(np.zeros(len(study), dtype=bool)), meetings, shown)
    assert (empty.lines, empty.cells, empty.pairs, empty.everything.kappa) == ((), (), 0, None)
