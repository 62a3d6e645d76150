"""A back-off n-gram language model: training by interpolated modified Kneser–Ney, scoring of whole texts.

An n-gram is stored under ``prefix · V + word``, where ``prefix`` is the row of its first n−1 words among the
(n−1)-grams and V the size of the vocabulary: exact, without hashing, and found by binary search. The row of
the n-gram that ends at position i follows from that of the (n−1)-gram that ends at i−1, so a text of any
length needs one vectorised search per order, which also gives the score under every shorter context:

    pₙ(i) = prob[n-gram at i]                      if the model has it
    pₙ(i) = backoff[(n−1)-gram at i−1] + pₙ₋₁(i)   otherwise

Logarithms are to base 10, as in ARPA files.

Training follows Chen & Goodman (1998) with the conventions of the usual tools (paper 001, section 2.3): the
highest order counts occurrences, lower orders count the distinct words on the left (except after ``<s>``,
where there are none); unigrams are interpolated with the uniform distribution over the vocabulary, ``<unk>``
included, so that an unknown word has a small probability. For every context the probabilities sum to one.
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
BATCH = 20_000  # sentences scored together: bounds the memory, does not change the scores
FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)  # for a corpus too small to estimate them; lmplz uses the same
NEVER = -99.0  # log10 probability of <s>, which is never predicted


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

    def score(self, sentences: Sequence[Sequence[str]]) -> LanguageModelScores:
        """Log-probabilities of tokenised sentences, ``</s>`` included, under every order of the model."""
        parts = [self._score(sentences[i : i + BATCH]) for i in range(0, len(sentences), BATCH)]
        none = np.zeros(0, np.int64)
        return LanguageModelScores(
            np.concatenate([np.zeros((0, self.order)), *(part.log_probs for part in parts)]),
            np.concatenate([none, *(part.unknown for part in parts)]),
            np.concatenate([none, *(part.lengths for part in parts)]),
        )

    def find(self, prefix: IntArray, word: IntArray, n: int) -> IntArray:
        """Rows of the n-grams (n ≥ 2) made of an (n−1)-gram's row and a word; −1 where there is none."""
        keys = self.keys[n - 2]
        wanted = prefix * len(self.words) + word
        row = np.searchsorted(keys, wanted)
        hit = (prefix >= 0) & (row < len(keys))
        hit[hit] = keys[row[hit]] == wanted[hit]
        return np.where(hit, row, -1)

    def _score(self, sentences: Sequence[Sequence[str]]) -> LanguageModelScores:
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        text = encode(sentences, self.ids)
        per_word = self._per_word(text)
        starts = np.concatenate(([0], np.cumsum(lengths[:-1] + 2)))
        per_word[starts] = 0.0  # <s> is given, not predicted
        unknown = np.add.reduceat((text == UNKNOWN).astype(np.int64), starts)
        return LanguageModelScores(np.add.reduceat(per_word, starts, axis=0), unknown, lengths)

    def _per_word(self, text: IntArray) -> FloatArray:
        """log p of every position of an encoded text, one column per order."""
        columns = np.empty((len(text), self.order))
        columns[:, 0] = self.log_probs[0][text]
        row = text
        for n in range(2, self.order + 1):
            context = np.concatenate(([-1], row[:-1]))
            row = self.find(context, text, n)
            weight = _look_up(self.backoffs[n - 2], context, np.zeros(len(text)))
            columns[:, n - 1] = _look_up(self.log_probs[n - 1], row, weight + columns[:, n - 2])
        return columns


@dataclass(frozen=True, slots=True, eq=False)
class LanguageModelScores:
    """One row per sentence: log10 p under orders 1…N, unknown words, number of words."""

    log_probs: FloatArray
    unknown: IntArray
    lengths: IntArray


def _look_up(values: FloatArray, rows: IntArray, otherwise: FloatArray) -> FloatArray:
    """The values of the rows that exist; a corpus of one-word sentences has no 4-grams."""
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


def train_language_model(sentences: Iterable[Sequence[str]], order: int = 5) -> NgramModel:
    """Model of the given order from tokenised sentences; raises ValueError when there are no words.

    >>> model = train_language_model([["a", "b"], ["a", "c"]], order=2)
    >>> model.order, model.words
    (2, ('<unk>', '<s>', '</s>', 'a', 'b', 'c'))
    """
    if order < 1:
        raise ValueError(f"the order of a language model is at least 1, got {order}")
    words, text = _number_words(sentences)
    levels = _count(text, len(words), order)
    return _estimate(words, levels)


@dataclass(frozen=True, slots=True, eq=False)
class NgramLevel:
    """The distinct n-grams of one order: sorted keys, rows of prefix and suffix one order below, counts."""

    keys: IntArray
    prefix: IntArray
    suffix: IntArray
    counts: FloatArray


def estimate_discounts(counts: FloatArray) -> tuple[float, float, float]:
    """D₁, D₂, D₃₊ from the counts of counts (Chen & Goodman 1998, equation 26).

    >>> estimate_discounts(np.array([1.0] * 8 + [2.0] * 4 + [3.0] * 2 + [4.0]))
    (0.5, 1.25, 2.0)
    """
    n1, n2, n3, n4 = (int(np.count_nonzero(counts == c)) for c in (1, 2, 3, 4))
    if not (n1 and n2 and n3):
        return FALLBACK_DISCOUNTS
    y = n1 / (n1 + 2 * n2)
    estimates = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
    return estimates if all(0 < d <= c for c, d in enumerate(estimates, start=1)) else FALLBACK_DISCOUNTS


def _number_words(sentences: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], IntArray]:
    """The vocabulary in order of appearance, and the text as numbers; special symbols are not words."""
    ids = {word: i for i, word in enumerate(SPECIAL)}

    def numbered() -> Iterable[list[str]]:
        for sentence in sentences:
            words = [word for word in sentence if word not in SPECIAL]
            for word in words:
                ids.setdefault(word, len(ids))
            yield words

    text = encode(numbered(), ids)
    if len(ids) == len(SPECIAL):
        raise ValueError("a language model needs at least one word of text")
    return tuple(ids), text


def _count(text: IntArray, vocabulary: int, order: int) -> list[NgramLevel]:
    """Distinct n-grams of every order, with adjusted counts."""
    sentence = np.cumsum(text == START)
    rows = [text]  # rows[n-1][i]: the n-gram that ends at i, −1 where it would cross a sentence
    firsts: list[IntArray] = []
    levels: list[NgramLevel] = []
    for n in range(2, order + 1):
        inside = np.zeros(len(text), bool)
        inside[n - 1 :] = (sentence[n - 1 :] == sentence[: max(0, len(text) - n + 1)]) & (
            sentence[n - 1 :] > 0
        )
        here = np.flatnonzero(inside)
        keys, first, row, counts = np.unique(
            rows[-1][here - 1] * vocabulary + text[here],
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        n_grams = np.full(len(text), -1, np.int64)
        n_grams[here] = row
        firsts.append(here[first])
        levels.append(NgramLevel(keys, keys // vocabulary, rows[-1][firsts[-1]], counts.astype(float)))
        rows.append(n_grams)
    unigrams = np.bincount(text, minlength=vocabulary).astype(float)
    zero = np.zeros(vocabulary, np.int64)
    levels.insert(0, NgramLevel(np.arange(vocabulary), zero, zero, unigrams))
    starts = [np.arange(vocabulary) == START] + [
        text[at - n + 1] == START for n, at in enumerate(firsts, start=2)
    ]
    return [
        _count_continuations(low, high, start)
        for low, high, start in zip(levels[:-1], levels[1:], starts[:-1], strict=True)
    ] + levels[-1:]


def _count_continuations(
    low: NgramLevel, high: NgramLevel, after_start: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> NgramLevel:
    """Counts of a lower order: distinct words on the left, occurrences where ``<s>`` comes first."""
    left = np.bincount(high.suffix, minlength=len(low.keys)).astype(float)
    return NgramLevel(low.keys, low.prefix, low.suffix, np.where(after_start, low.counts, left))


def _estimate(words: tuple[str, ...], levels: Sequence[NgramLevel]) -> NgramModel:
    probabilities: list[FloatArray] = []
    backoffs: list[FloatArray] = []
    lower = np.full(1, 1 / (len(words) - 1))  # uniform; <s> is never predicted
    for n, level in enumerate(levels, start=1):
        counts = level.counts.copy()
        if n == 1:
            counts[[UNKNOWN, START]] = 0.0
        contexts = 1 if n == 1 else len(levels[n - 2].keys)
        discounted, gamma = _discount(counts, level.prefix, contexts)
        lower = discounted + gamma[level.prefix] * lower[level.suffix]
        probabilities.append(lower)
        if n > 1:
            backoffs.append(gamma)
    log_probs = [np.log10(p) for p in probabilities]
    log_probs[0][START] = NEVER
    weights = [np.log10(gamma) for gamma in backoffs] + [np.zeros(len(levels[-1].keys))]
    return NgramModel(words, tuple(level.keys for level in levels[1:]), tuple(log_probs), tuple(weights))


def _discount(counts: FloatArray, prefix: IntArray, contexts: int) -> tuple[FloatArray, FloatArray]:
    """Discounted relative frequencies, and γ: the mass that every context leaves to the lower order."""
    d = np.array((0.0, *estimate_discounts(counts[counts > 0])))
    discount = d[np.minimum(counts, 3).astype(np.int64)]
    total = np.bincount(prefix, counts, contexts)
    freed = np.bincount(prefix, discount, contexts)
    occurs = total > 0
    gamma = np.divide(freed, total, out=np.ones(contexts), where=occurs)
    return np.divide(counts - discount, total[prefix], out=np.zeros(len(counts)), where=occurs[prefix]), gamma
