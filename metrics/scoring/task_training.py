"""Learn a combination of metrics (paper 004) from the votes of people on the phrases of a task.

A vote on a phrase pair says which of two versions of both sentences is better: the one with the first text in
both, or the one with the second (``metrics.scoring.phrase_votes``). The features of a version are the mean
over its two sentences, so the learned weights score single sentences, and the vote of the learned metric by
substitution is exactly what was trained. The result is judged by votes of people who had no part in training,
on sentences that had none: groups of sentences and of annotators are held out together, in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.base import Segment
from metrics.learned import features
from metrics.learned.combination import FeatureWeights, JudgedTable, tune
from metrics.learned.features import Preparation
from metrics.metaeval.datasets import Comparisons, FloatArray, IntArray
from metrics.metaeval.kendall import bootstrap_share
from metrics.scoring.phrase_votes import AlignedOccurrence, exchange_phrases
from metrics.scoring.task_texts import ItemText

MIN_VOTES = 100
MIN_SENTENCES = 10
MIN_ANNOTATORS = 2
FOLDS = 5


class TooLittleData(ValueError):
    """There is not enough training data; the message says how much is missing."""


@dataclass(frozen=True, slots=True, eq=False)
class PhraseVotes:
    """Decided votes: ``better[i]`` and ``worse[i]`` are rows of ``versions``; ties and N/A are left out.

    A row has the features of a version, or those of its two sentences one after the other.
    """

    versions: FloatArray
    better: IntArray
    worse: IntArray
    sentences: IntArray
    annotators: IntArray

    def __len__(self) -> int:
        return len(self.better)


@dataclass(frozen=True, slots=True)
class HeldOutAccuracy:
    """Accuracy on held-out votes; each vote is tested once, by weights that saw neither its sentence nor its
    annotator. ``single`` is the same for each feature alone, its direction learned."""

    accuracy: float
    interval: tuple[float, float] | None
    votes: int
    folds: int
    single: dict[str, float]


def compute_version_features(
    occurrences: Sequence[AlignedOccurrence],
    items: Mapping[int, ItemText],
    names: Sequence[str],
    preparation: Preparation,
) -> FloatArray:
    """Return in rows 2i and 2i + 1 the features with the first and with the second text of pair i in both."""
    segments: list[Segment] = []
    for occurrence in occurrences:
        item, texts = items[occurrence.item], version_texts(occurrence)
        segments += [Segment(text, item.references, item.source or None) for text in texts]
    if not segments:
        return np.empty((0, len(names)))
    rows = features.compute(names, segments, preparation)
    return np.asarray(rows.reshape(-1, 2, len(names)).mean(axis=1))


def version_texts(pair: AlignedOccurrence) -> tuple[str, str, str, str]:
    """Return the two sentences with the pair's first text in both, then with its second."""
    texts = exchange_phrases(pair.first, pair.second, pair.phrases, pair.group)
    with_a, with_b = (texts.first, texts.second_changed), (texts.first_changed, texts.second)
    return (*with_b, *with_a) if pair.flipped else (*with_a, *with_b)


def check_size(votes: PhraseVotes) -> None:
    """Raise ``TooLittleData`` with what is missing, if anything is."""
    have = (len(votes), len(np.unique(votes.sentences)), len(np.unique(votes.annotators)))
    need = (MIN_VOTES, MIN_SENTENCES, MIN_ANNOTATORS)
    words = ("decided votes", "sentences with one", "annotators")
    missing = [f"{n - h} more {word}" for h, n, word in zip(have, need, words, strict=True) if h < n]
    if missing:
        counts = ", ".join(f"{h} {word}" for h, word in zip(have, words, strict=True))
        raise TooLittleData(f"there are {counts}; needed are {' and '.join(missing)}")


def train(votes: PhraseVotes) -> FeatureWeights:
    """Learn weights from all decided votes."""
    cells = np.zeros(len(votes.versions), dtype=np.int64)
    return tune([JudgedTable(votes.versions, Comparisons(votes.better, votes.worse), cells)])


Predictor = Callable[[PhraseVotes, PhraseVotes], FloatArray]
"""Learns from the first votes; returns for each of the second how far it prefers the better version."""


def predict_by_weights(known: PhraseVotes, test: PhraseVotes) -> FloatArray:
    """The ``Predictor`` that learns weights."""
    scores = train(known)(test.versions)
    return np.asarray(scores[test.better] - scores[test.worse])


def measure_held_out_accuracy(
    votes: PhraseVotes,
    names: Sequence[str],
    *,
    predict: Predictor = predict_by_weights,
    resamples: int = 1000,
    seed: int = 1,
) -> HeldOutAccuracy | None:
    """Test every vote with a model of other sentences and other annotators; None if there is no such vote."""
    sentence_fold, people_fold = folds_of(votes.sentences, seed), folds_of(votes.annotators, seed)
    right = np.full((len(votes), 1 + len(names)), np.nan)
    tested = 0
    for s in range(int(sentence_fold.max()) + 1):
        for p in range(int(people_fold.max()) + 1):
            test = (sentence_fold == s) & (people_fold == p)
            train_rows = (sentence_fold != s) & (people_fold != p)
            if test.any() and train_rows.any():
                right[test] = _mark_correct(
                    select_votes(votes, train_rows), select_votes(votes, test), predict
                )
                tested += 1
    known = np.isfinite(right[:, 0])
    if not known.any():
        return None
    return HeldOutAccuracy(
        float(right[known, 0].mean()),
        bootstrap_share(right[known, 0], votes.sentences[known], resamples, seed),
        int(known.sum()),
        tested,
        {name: float(right[known, 1 + place].mean()) for place, name in enumerate(names)},
    )


def _mark_correct(known: PhraseVotes, test: PhraseVotes, predict: Predictor) -> FloatArray:
    """Return 1 where the predictor, and each feature alone, prefers the better version; ½ for a tie."""
    gaps, learned = _gaps(test), predict(known, test)
    directions = np.sign(np.nansum(_gaps(known), axis=0))
    both = np.nan_to_num(np.column_stack([learned, gaps * directions]).round(12))
    return np.asarray((np.sign(both) + 1) / 2)


def _gaps(votes: PhraseVotes) -> FloatArray:
    """Better minus worse, feature by feature, over both sentences of a version."""
    gaps: FloatArray = votes.versions[votes.better] - votes.versions[votes.worse]
    return gaps if gaps.ndim == 2 else gaps.mean(axis=1)


def folds_of(groups: IntArray, seed: int) -> IntArray:
    """Return a fold for every row, the same for all rows of a group; as even as the groups allow."""
    names, codes = np.unique(groups, return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(names))
    return np.asarray((order % min(FOLDS, len(names)))[codes.reshape(-1)])


def select_votes(votes: PhraseVotes, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> PhraseVotes:
    return PhraseVotes(
        votes.versions, votes.better[rows], votes.worse[rows], votes.sentences[rows], votes.annotators[rows]
    )
