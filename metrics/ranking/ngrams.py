"""A back-off n-gram language model as sorted arrays, and scoring of whole texts at once.

An n-gram is stored under ``prefix · V + word``, where ``prefix`` is the row of its first n−1 words among the
(n−1)-grams and V the size of the vocabulary: exact, without hashing, and found by binary search. The row of
the n-gram that ends at position i follows from that of the (n−1)-gram that ends at i−1, so a text of any
length needs one vectorised search per order, and the score under every shorter context falls out on the way:

    pₙ(i) = prob[n-gram at i]                      if the model has it
    pₙ(i) = backoff[(n−1)-gram at i−1] + pₙ₋₁(i)   otherwise

Logarithms are to base 10, as in ARPA files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

UNKNOWN, START, END = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")
BATCH = 20_000  # sentences scored together; bounds the memory, not the answer


@dataclass(frozen=True, eq=False)
class NgramModel:
    """``keys[n-2]`` are the sorted n-grams; ``log_probs[n-1]`` and ``backoffs[n-1]`` belong to its rows.

    The first three words are ``<unk>``, ``<s>`` and ``</s>``.
    """

    words: tuple[str, ...]
    keys: tuple[IntArray, ...]
    log_probs: tuple[FloatArray, ...]
    backoffs: tuple[FloatArray, ...]

    @property
    def order(self) -> int:
        return len(self.log_probs)

    @cached_property
    def ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def score(self, sentences: Sequence[Sequence[str]]) -> Scored:
        """Log-probabilities of tokenised sentences, ``</s>`` included, under every order of the model."""
        parts = [self._score(sentences[i : i + BATCH]) for i in range(0, len(sentences), BATCH)]
        if not parts:
            return Scored(np.zeros((0, self.order)), np.zeros(0, np.int64), np.zeros(0, np.int64))
        return Scored(
            np.concatenate([part.log_probs for part in parts]),
            np.concatenate([part.unknown for part in parts]),
            np.concatenate([part.lengths for part in parts]),
        )

    def find(self, prefix: IntArray, word: IntArray, n: int) -> IntArray:
        """Rows of the n-grams (n ≥ 2) made of an (n−1)-gram's row and a word; −1 where there is none."""
        keys = self.keys[n - 2]
        wanted = prefix * len(self.words) + word
        row = np.searchsorted(keys, wanted)
        hit = (prefix >= 0) & (row < len(keys))
        hit[hit] = keys[row[hit]] == wanted[hit]
        return np.where(hit, row, -1)

    def _score(self, sentences: Sequence[Sequence[str]]) -> Scored:
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        text = encode(sentences, self.ids)
        per_word = self._per_word(text)
        starts = np.concatenate(([0], np.cumsum(lengths[:-1] + 2)))
        per_word[starts] = 0.0  # <s> is given, not predicted
        unknown = np.add.reduceat((text == UNKNOWN).astype(np.int64), starts)
        return Scored(np.add.reduceat(per_word, starts, axis=0), unknown, lengths)

    def _per_word(self, text: IntArray) -> FloatArray:
        """log p of every position of an encoded text, one column per order."""
        columns = np.empty((len(text), self.order))
        columns[:, 0] = self.log_probs[0][text]
        row = text
        for n in range(2, self.order + 1):
            context = np.concatenate(([-1], row[:-1]))
            row = self.find(context, text, n)
            weight = _looked_up(self.backoffs[n - 2], context, np.zeros(len(text)))
            columns[:, n - 1] = _looked_up(self.log_probs[n - 1], row, weight + columns[:, n - 2])
        return columns


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """One row per sentence: log10 p under orders 1…N, unknown words, number of words."""

    log_probs: FloatArray
    unknown: IntArray
    lengths: IntArray


def _looked_up(values: FloatArray, rows: IntArray, otherwise: FloatArray) -> FloatArray:
    """The values of the rows that exist; a corpus of one-word sentences has no 4-grams to look up."""
    known = rows >= 0
    otherwise[known] = values[rows[known]]
    return otherwise


def encode(sentences: Iterable[Sequence[str]], ids: dict[str, int]) -> IntArray:
    """All sentences as one row of word numbers, each between ``<s>`` and ``</s>``.

    >>> encode([["a"], ["b", "a"]], {"a": 3}).tolist()
    [1, 3, 2, 1, 0, 3, 2]
    """
    get = ids.get
    pieces = ((START, *[get(word, UNKNOWN) for word in sentence], END) for sentence in sentences)
    return np.fromiter(chain.from_iterable(pieces), np.int64)
