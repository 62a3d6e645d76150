"""Learn a reference-free ranker (paper 001) from the votes of people on the phrases of a task.

A vote on a phrase pair says that a sentence with the better text beats the same sentence with the worse one,
once in each of the two sentences: two examples per vote that differ in nothing else. The ranker votes as in
the app: it ranks the four sentences of a pair together, and the pair's first text wins if the two sentences
that contain it win more often. It is tested on votes of people and sentences without a part in training
(``task_training.measure_held_out_accuracy``); on its own training task, each sentence gets the vote of a
ranker that was trained without that sentence (``cross_fit``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from metrics.metaeval.datasets import FloatArray, IntArray
from metrics.ranking.classifiers import CLASSIFIERS, Classifier
from metrics.ranking.features import NAMES, Extractor
from metrics.ranking.pairs import PairExamples, make_examples, preferences_of, soft_wins
from metrics.scoring.phrase_votes import NOISE, AlignedOccurrence, MetricVote, choose_from_delta
from metrics.scoring.task_texts import ItemText, TaskTexts
from metrics.scoring.task_training import PhraseVotes, Predictor, folds_of, select_votes, version_texts

BATCH = 50  # pairs described at once, between two reports of progress
BoolArray = npt.NDArray[np.bool_]
ReportPairs = Callable[[int, int], None]


def describe_versions(
    occurrences: Sequence[AlignedOccurrence],
    items: Mapping[int, ItemText],
    extractor: Extractor,
    report: ReportPairs,
) -> FloatArray:
    """Return the features of both sentences with the first (rows 2i) and second (2i + 1) text of pair i."""
    blocks = [np.empty((0, 2, len(NAMES)))]
    for start in range(0, len(occurrences), BATCH):
        batch = occurrences[start : start + BATCH]
        report(start, len(occurrences))
        texts = [text for pair in batch for text in version_texts(pair)]
        sources = [items[pair.item].source for pair in batch]
        rows = extractor.describe(sources, texts, np.repeat(np.arange(len(batch)), 4).tolist())
        blocks.append(rows.reshape(-1, 2, len(NAMES)))
    return np.concatenate(blocks)


def describe_outputs(task_texts: TaskTexts, extractor: Extractor) -> dict[int, tuple[list[int], FloatArray]]:
    """Return item → the ids of its outputs, and their features."""
    of_item: dict[int, list[tuple[int, str]]] = {}
    for mine in task_texts.outputs.values():
        for item, written in mine.items():
            if task_texts.items[item].source:
                of_item.setdefault(item, []).append((written.output, written.text))
    return {
        item: (
            [output for output, _ in rows],
            extractor.describe([task_texts.items[item].source], [text for _, text in rows], [0] * len(rows)),
        )
        for item, rows in of_item.items()
    }


def find_known_features(versions: FloatArray, names: Sequence[str]) -> tuple[str, ...]:
    """Return the features that have a value somewhere, which needs their tool."""
    known: BoolArray = np.asarray(np.isfinite(versions).any(axis=(0, 1)))
    return tuple(name for name in names if known[NAMES.index(name)])


def training_pairs(votes: PhraseVotes) -> PairExamples:
    """Return two examples per vote, one in each sentence, and each in both directions."""
    rows = votes.versions.reshape(-1, votes.versions.shape[-1])
    better, worse = (np.ravel([2 * side, 2 * side + 1]).tolist() for side in (votes.better, votes.worse))
    return make_examples(rows, better, worse)


def make_predictor(kind: str) -> Predictor:
    """Return the predictor for ``measure_held_out_accuracy`` that trains a classifier of this kind."""

    def predict(known: PhraseVotes, test: PhraseVotes) -> FloatArray:
        return compute_deltas(
            train_classifier(known, kind), test.versions[test.better], test.versions[test.worse]
        )

    return predict


def train_classifier(votes: PhraseVotes, kind: str) -> Classifier:
    pairs = training_pairs(votes)
    return CLASSIFIERS[kind](pairs.differences, pairs.won)


def compute_deltas(classifier: Classifier, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return Δ of each pair from the features of its two versions, as the ranker's scores give it.

    Among the four sentences the score of one is its expected share of wins, so what the first version's
    sentences have more than the second's is Σ (2p − 1) / 3 over the pairs of one of each.
    """
    fours = np.concatenate([first, second], axis=1)
    shares = [soft_wins(matrix) / 3 for matrix in preferences_of(list(fours), classifier)]
    return np.array([share[:2].sum() - share[2:].sum() for share in shares], np.float64)


def cross_fit(
    votes: PhraseVotes, sentences: IntArray, kind: str, seed: int = 1
) -> list[tuple[IntArray, Classifier]]:
    """Return for each fold the rows of its ``sentences``, and the classifier of the votes on all others."""
    folds = folds_of(sentences, seed)
    fold_of = dict(zip(sentences.tolist(), folds.tolist(), strict=True))
    of_vote = np.array([fold_of[sentence] for sentence in votes.sentences.tolist()], np.int64)
    folds_and_classifiers = []
    for fold in np.unique(folds):
        rest = select_votes(votes, of_vote != fold)
        if len(rest):
            folds_and_classifiers.append((np.flatnonzero(folds == fold), train_classifier(rest, kind)))
    return folds_and_classifiers


def cast_votes(
    occurrences: Sequence[AlignedOccurrence], versions: FloatArray, classifier: Classifier
) -> list[MetricVote]:
    """Return the ranker's votes; rows 2i and 2i + 1 of ``versions`` belong to pair i."""
    deltas = compute_deltas(classifier, versions[::2], versions[1::2])
    deltas[np.abs(deltas) <= NOISE] = 0.0
    return [
        MetricVote(occurrence.pair, choose_from_delta(delta), delta)
        for occurrence, delta in zip(occurrences, deltas.tolist(), strict=True)
    ]
