"""IBM model 1: how well the words of one side explain the words of the other (Brown et al. 1993).

The discussion of paper 001 asks for alignment features, so that a well-formed sentence that has nothing to
do with the source does not win. Trained by expectation–maximisation on sentence pairs; a sentence is scored
by the mean log-probability of its words given the other side's words and the empty word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metrics.ranking.loess import FloatArray
from metrics.ranking.ngrams import IntArray

EMPTY = ""
FLOOR = 1e-7  # probability of a word that the model never saw beside this one
Sentence = Sequence[str]


@dataclass(frozen=True, eq=False)
class Lexicon:
    """t(word | given): ``keys`` are sorted ``given · V + word``, ``table`` their probabilities."""

    given: tuple[str, ...]
    words: tuple[str, ...]
    keys: IntArray
    table: FloatArray

    @cached_property
    def _given_ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.given)}

    @cached_property
    def _word_ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def score(self, given: Sentence, words: Sentence) -> float | None:
        """Mean natural log p(word | the other side); None for a sentence without words."""
        if not words:
            return None
        left = np.array([self._given_ids.get(word, -1) for word in (EMPTY, *given)], np.int64)
        right = np.array([self._word_ids.get(word, -1) for word in words], np.int64)
        return float(np.log(np.maximum(self.probabilities(left, right).mean(axis=0), FLOOR)).mean())

    def probabilities(self, left: IntArray, right: IntArray) -> FloatArray:
        """t for every combination of two rows of word numbers; 0 where the pair was never seen."""
        wanted = left[:, None] * len(self.words) + right[None, :]
        row = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = (left[:, None] >= 0) & (right[None, :] >= 0) & (self.keys[row] == wanted)
        return np.where(known, self.table[row], 0.0)


def train(pairs: Sequence[tuple[Sentence, Sentence]], rounds: int = 5) -> Lexicon:
    """IBM-1 of the second side given the first; raises ValueError without sentence pairs.

    >>> model = train([(["das", "Haus"], ["the", "house"]), (["das"], ["the"])])
    >>> model.score(["das"], ["the"]) > model.score(["das"], ["house"])
    True
    """
    pairs = [(a, b) for a, b in pairs if a and b]
    if not pairs:
        raise ValueError("a lexicon needs at least one pair of sentences with words")
    given = {word: i for i, word in enumerate(dict.fromkeys((EMPTY, *(w for a, _ in pairs for w in a))))}
    words = {word: i for i, word in enumerate(dict.fromkeys(w for _, b in pairs for w in b))}
    links, token = _links(pairs, given, words)
    keys, row = np.unique(links, return_inverse=True)
    source = keys // len(words)
    table = 1.0 / np.bincount(source, minlength=len(given))[source]
    for _ in range(rounds):
        weight = table[row]
        share = weight / np.bincount(token, weight)[token]
        expected = np.bincount(row, share, len(keys))
        table = expected / np.bincount(source, expected, len(given))[source]
    return Lexicon(tuple(given), tuple(words), keys, table)


def _links(
    pairs: Sequence[tuple[Sentence, Sentence]], given: dict[str, int], words: dict[str, int]
) -> tuple[IntArray, IntArray]:
    """Every possible link as a key, and the number of the running word that it would explain."""
    keys: list[IntArray] = []
    token: list[IntArray] = []
    seen = 0
    for a, b in pairs:
        left = np.array([0, *(given[word] for word in a)], np.int64)
        right = np.array([words[word] for word in b], np.int64)
        keys.append((left[:, None] * len(words) + right[None, :]).ravel())
        token.append(np.tile(np.arange(seen, seen + len(right)), len(left)))
        seen += len(right)
    return np.concatenate(keys), np.concatenate(token)
