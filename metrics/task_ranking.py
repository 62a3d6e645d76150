"""Learn a reference-free ranker (paper 001) from the votes on phrases that people gave in a task.

A vote on a phrase pair says that a sentence with the better text beats the same sentence with the worse one,
once in the frame of each of the two sentences: two examples a vote that differ in nothing else. The ranker
votes as in the app: it sees the four sentences of a pair together, and the pair's first text wins where the
two sentences that hold it are more often the better ones. Two honest tests: votes of people and sentences
that had no part in training (``task_training.held_out``), and, for agreement on the very task that it learned
from, the vote of a ranker that has seen no vote on the sentence (``cross_fitted``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from metrics.datasets import FloatArray, IntArray
from metrics.phrase_votes import MachineVote, Standing
from metrics.ranking.classifiers import CLASSIFIERS, Classifier
from metrics.ranking.data import RankedSet
from metrics.ranking.features import NAMES, Extractor
from metrics.ranking.pairs import Pairs, examples, preferences_of, soft_wins
from metrics.substitution import NOISE, vote
from metrics.task_training import Judge, PhraseVotes, folds_of, part, version_texts
from metrics.testset import ItemText, TestSet

BATCH = 50  # pairs described at once, between two reports of progress
BoolArray = npt.NDArray[np.bool_]
Tell = Callable[[int, int], None]


def described_versions(
    standings: Sequence[Standing], items: Mapping[int, ItemText], extractor: Extractor, tell: Tell
) -> FloatArray:
    """Rows 2i and 2i + 1: both sentences with the first, and with the second text of pair i; all features."""
    found = [np.empty((0, 2, len(NAMES)))]
    for start in range(0, len(standings), BATCH):
        some = standings[start : start + BATCH]
        tell(start, len(standings))
        texts = [text for one in some for text in version_texts(one)]
        sources = [items[one.item].source for one in some]
        found.append(_described(sources, texts, np.repeat(np.arange(len(some)), 4), extractor, 2))
    return np.concatenate(found)


def described_outputs(tests: TestSet, extractor: Extractor) -> dict[int, tuple[list[int], FloatArray]]:
    """Item → the ids of its outputs, and their features."""
    of_item: dict[int, list[tuple[int, str]]] = {}
    for mine in tests.outputs.values():
        for item, written in mine.items():
            if tests.items[item].source:
                of_item.setdefault(item, []).append((written.output, written.text))
    return {
        item: (
            [output for output, _ in rows],
            _described(
                [tests.items[item].source],
                [text for _, text in rows],
                np.zeros(len(rows), dtype=np.int64),
                extractor,
            ),
        )
        for item, rows in of_item.items()
    }


def known_features(versions: FloatArray, names: Sequence[str]) -> tuple[str, ...]:
    """Of the named features those that some tool gave."""
    known: BoolArray = np.asarray(np.isfinite(versions).any(axis=(0, 1)))
    return tuple(name for name in names if known[NAMES.index(name)])


def training_pairs(votes: PhraseVotes) -> Pairs:
    """Two examples a vote, one in the frame of each sentence, and each in both directions."""
    rows = votes.versions.reshape(-1, votes.versions.shape[-1])
    better, worse = (np.ravel([2 * side, 2 * side + 1]).tolist() for side in (votes.better, votes.worse))
    return examples(rows, better, worse)


def ranking_judge(kind: str) -> Judge:
    """The judge of ``held_out`` that trains a classifier of this kind."""

    def judge(known: PhraseVotes, test: PhraseVotes) -> FloatArray:
        return leanings(trained(known, kind), test.versions[test.better], test.versions[test.worse])

    return judge


def trained(votes: PhraseVotes, kind: str) -> Classifier:
    pairs = training_pairs(votes)
    return CLASSIFIERS[kind](pairs.differences, pairs.won)


def leanings(classifier: Classifier, first: FloatArray, second: FloatArray) -> FloatArray:
    """Δ of each pair from the features of its two versions, as the ranker's scores give it.

    Among the four sentences the score of one is its expected share of wins, so what the first version's
    sentences have more than the second's is Σ (2p − 1) / 3 over the pairs of one of each.
    """
    fours = np.concatenate([first, second], axis=1)
    shares = [soft_wins(matrix) / 3 for matrix in preferences_of(list(fours), classifier)]
    return np.array([share[:2].sum() - share[2:].sum() for share in shares], np.float64)


def cross_fitted(
    votes: PhraseVotes, sentences: IntArray, kind: str, seed: int = 1
) -> list[tuple[IntArray, Classifier]]:
    """For each fold of sentences the rows of ``sentences`` in it, and what votes on the others taught."""
    folds = folds_of(sentences, seed)
    fold_of = dict(zip(sentences.tolist(), folds.tolist(), strict=True))
    of_vote = np.array([fold_of[sentence] for sentence in votes.sentences.tolist()], np.int64)
    found = []
    for fold in np.unique(folds):
        rest = part(votes, of_vote != fold)
        if len(rest):
            found.append((np.flatnonzero(folds == fold), trained(rest, kind)))
    return found


def cast(standings: Sequence[Standing], versions: FloatArray, classifier: Classifier) -> list[MachineVote]:
    """The ranker's votes; rows 2i and 2i + 1 of ``versions`` belong to pair i."""
    deltas = leanings(classifier, versions[::2], versions[1::2])
    deltas[np.abs(deltas) <= NOISE] = 0.0
    return [
        MachineVote(one.pair, vote(delta), delta)
        for one, delta in zip(standings, deltas.tolist(), strict=True)
    ]


def _described(
    sources: Sequence[str], texts: Sequence[str], of: IntArray, extractor: Extractor, each: int = 1
) -> FloatArray:
    names = tuple(str(place) for place in range(len(texts)))
    ranked = RankedSet(
        tuple(sources), tuple(map(str, range(len(sources)))), names, tuple(texts), tuple(of.tolist()), ()
    )
    rows = extractor.extract(ranked, np.arange(len(texts)))
    return rows if each == 1 else rows.reshape(-1, each, rows.shape[-1])
