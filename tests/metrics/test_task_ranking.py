"""Rankers from votes on phrases: what they are taught, how they vote; nobody votes on what it saw."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluation.presentation import ShownPhrase, Stave
from metrics.ranking.classifiers import CLASSIFIERS
from metrics.ranking.features import NAMES, Extractor
from metrics.ranking.metric import RankerMetric
from metrics.ranking.models import fit_ranker, save_ranker
from metrics.scoring.phrase_votes import AlignedOccurrence, phrase_votes
from metrics.scoring.task_ranking import (
    cast_votes,
    compute_deltas,
    cross_fit,
    describe_versions,
    find_known_features,
    make_predictor,
    train_classifier,
    training_pairs,
)
from metrics.scoring.task_texts import ItemText
from metrics.scoring.task_training import PhraseVotes, measure_held_out_accuracy, version_texts


def invented(n: int = 300, *, noise: float = 0.2) -> PhraseVotes:
    """Votes that follow the first of three features of the two sentences together, but for some noise."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(2 * n, 2, 3))
    means = rows.mean(axis=1)[:, 0]
    first_better = (means[::2] > means[1::2]) ^ (rng.random(n) < noise)
    first, second = 2 * np.arange(n), 2 * np.arange(n) + 1
    better, worse = np.where(first_better, first, second), np.where(first_better, second, first)
    return PhraseVotes(rows, better, worse, np.arange(n) % 30, np.arange(n) % 4)


def test_a_vote_gives_an_example_in_each_frame_and_in_both_directions() -> None:
    votes = invented(5)
    pairs = training_pairs(votes)
    assert pairs.won.tolist() == [1.0] * 10 + [0.0] * 10
    frames = votes.versions[votes.better] - votes.versions[votes.worse]
    assert pairs.differences[:10].tolist() == np.concatenate([frames[:, 0], frames[:, 1]]).tolist()


@pytest.mark.parametrize("kind", ["logistic", "naive-bayes"])
def test_the_other_way_round_the_vote_is_the_other_one(kind: str) -> None:
    votes = invented()
    classifier = train_classifier(votes, kind)
    first, second = votes.versions[::2], votes.versions[1::2]
    assert compute_deltas(classifier, first, second) == pytest.approx(
        -compute_deltas(classifier, second, first)
    )
    assert compute_deltas(classifier, first, first) == pytest.approx(np.zeros(len(first)))


def test_held_out_votes_are_predicted_about_as_well_as_the_noise_allows() -> None:
    found = measure_held_out_accuracy(
        invented(), ("good", "bad", "ugly"), predict=make_predictor("logistic"), resamples=50
    )
    assert found is not None
    assert found.accuracy == pytest.approx(0.8, abs=0.07)
    assert found.single["bad"] == pytest.approx(0.5, abs=0.1)


def test_every_pair_is_voted_on_once_by_a_ranker_that_saw_no_vote_on_its_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    votes, seen = invented(), []
    monkeypatch.setattr(
        "metrics.scoring.task_ranking.train_classifier", lambda some, kind: seen.append(set(some.sentences))
    )
    of_pair = np.arange(300) % 30
    folds = cross_fit(votes, of_pair, "logistic")
    assert sorted(np.concatenate([rows for rows, _ in folds]).tolist()) == list(range(300))
    assert all(not set(of_pair[rows]) & known for (rows, _), known in zip(folds, seen, strict=True))


def test_features_that_no_tool_gives_are_dropped_and_unknown_ones_are_ties() -> None:
    versions = np.full((2, 2, len(NAMES)), np.nan)
    versions[0, 0, NAMES.index("copied")] = 1.0
    assert find_known_features(versions, ("len", "copied")) == ("copied",)
    votes = invented(40)
    votes.versions[:, :, 2] = np.nan
    found = measure_held_out_accuracy(
        votes, ("a", "b", "c"), predict=make_predictor("logistic"), resamples=10
    )
    assert found is not None
    assert found.single["c"] == 0.5


@pytest.mark.parametrize("flipped", [False, True])
def test_the_ranker_votes_here_as_the_saved_metric_votes_in_the_app(flipped: bool, tmp_path: Path) -> None:
    """The Δ of four expected shares of wins, by two roads."""
    spans = [(0, 1), (2, 5), (6, 11)]
    first, second = Stave("a red house", spans), Stave("a big house", spans)
    phrases = tuple(ShownPhrase((n, n + 1), (n, n + 1), n != 1, False) for n in range(3))
    longer = Stave("a crimson house", [(0, 1), (2, 9), (10, 15)])
    asked = [
        AlignedOccurrence(1, 1, first, second, phrases, (1,), flipped),
        AlignedOccurrence(2, 1, longer, first, phrases, (1,), flipped),
    ]
    items = {1: ItemText("s", "ein rotes house", ())}
    versions = describe_versions(asked, items, Extractor("de", "en"), lambda done, total: None)
    assert len(version_texts(asked[0])) == 4
    rng = np.random.default_rng(1)
    pairs, won = rng.normal(size=(200, 2)), rng.integers(0, 2, 200).astype(float)
    names = ("len_target", "copied")
    classifier = CLASSIFIERS["logistic"](pairs, won)
    columns = [NAMES.index(name) for name in names]
    about = {"data": "d" * 64, "tools": {}, "source_language": "de", "target_language": "en"}
    path = tmp_path / "r.npz"
    save_ranker(fit_ranker(names, "logistic", pairs, won, about), path)
    here = cast_votes(asked, versions[:, :, columns], classifier)
    there = phrase_votes(RankerMetric(str(path)), asked, items)
    assert [(vote.pair, vote.choice) for vote in here] == [(vote.pair, vote.choice) for vote in there]
    assert [vote.delta for vote in here] == pytest.approx([vote.delta for vote in there])
