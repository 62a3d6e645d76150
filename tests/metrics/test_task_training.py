"""Learning from votes on phrases: what is trained, how it is tested, and when there is too little."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.presentation import ShownPhrase, Stave
from metrics.learned.features import Preparation
from metrics.scoring.phrase_votes import AlignedOccurrence
from metrics.scoring.task_texts import ItemText
from metrics.scoring.task_training import (
    PhraseVotes,
    TooLittleData,
    check_size,
    compute_version_features,
    measure_held_out_accuracy,
    train,
)


def invented(n: int = 400, *, noise: float = 0.2, people: int = 4, sentences: int = 40) -> PhraseVotes:
    """Votes that follow the first of three features, but for some noise."""
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(2 * n, 3))
    first_better = (rows[::2, 0] > rows[1::2, 0]) ^ (rng.random(n) < noise)
    first, second = 2 * np.arange(n), 2 * np.arange(n) + 1
    return PhraseVotes(
        rows,
        np.where(first_better, first, second),
        np.where(first_better, second, first),
        np.arange(n) % sentences,
        rng.integers(0, people, n),
    )


def test_the_feature_that_people_follow_gets_the_weight() -> None:
    weights = train(invented()).values
    assert weights[0] > 5 * abs(weights[1:]).max() > 0


def test_held_out_votes_are_predicted_as_well_as_the_noise_allows() -> None:
    found = measure_held_out_accuracy(invented(), ("good", "bad", "ugly"))
    assert found is not None
    assert found.votes == 400
    assert found.accuracy == pytest.approx(0.8, abs=0.05)
    assert found.interval is not None
    assert found.interval[0] < found.accuracy < found.interval[1]
    assert found.single["good"] == pytest.approx(0.8, abs=0.05)
    assert found.single["bad"] == pytest.approx(0.5, abs=0.1)


def test_votes_without_a_pattern_are_predicted_by_chance() -> None:
    found = measure_held_out_accuracy(invented(noise=0.5), ("a", "b", "c"))
    assert found is not None
    assert found.accuracy == pytest.approx(0.5, abs=0.1)


def test_what_one_annotator_says_is_never_tested_by_what_the_same_annotator_said() -> None:
    """Two annotators with opposite rules: what one said predicts the other badly."""
    votes = invented(noise=0.0, people=1)
    second = np.arange(400) % 2
    turned = PhraseVotes(
        votes.versions,
        np.where(second, votes.worse, votes.better),
        np.where(second, votes.better, votes.worse),
        votes.sentences,
        second,
    )
    found = measure_held_out_accuracy(turned, ("a", "b", "c"))
    assert found is not None
    assert found.accuracy < 0.1


def test_with_one_annotator_nobody_can_be_held_out() -> None:
    assert measure_held_out_accuracy(invented(people=1), ("a", "b", "c")) is None


def test_the_same_votes_give_the_same_model() -> None:
    assert train(invented()).values.tolist() == train(invented()).values.tolist()


@pytest.mark.parametrize(
    ("votes", "told"),
    [
        (invented(40, people=3), "60 more decided votes"),
        (invented(200, sentences=4), "6 more sentences with one"),
        (invented(200, people=1), "1 more annotators"),
        (
            invented(0, people=1),
            "100 more decided votes and 10 more sentences with one and 2 more annotators",
        ),
    ],
)
def test_too_little_data_says_how_much_is_missing(votes: PhraseVotes, told: str) -> None:
    with pytest.raises(TooLittleData, match=told):
        check_size(votes)


@pytest.mark.parametrize("flipped", [False, True])
def test_the_two_versions_hold_the_two_texts_in_both_sentences(flipped: bool) -> None:
    first, second = (
        Stave("a red house", [(0, 1), (2, 5), (6, 11)]),
        Stave("a big house", [(0, 1), (2, 5), (6, 11)]),
    )
    phrases = tuple(ShownPhrase((n, n + 1), (n, n + 1), n != 1, False) for n in range(3))
    standing = AlignedOccurrence(1, 1, first, second, phrases, (1,), flipped)
    rows = compute_version_features(
        [standing], {1: ItemText("s", "", ("a red house",))}, ("wer-count",), Preparation()
    )
    assert rows.tolist() == ([[1.0], [0.0]] if flipped else [[0.0], [1.0]])
