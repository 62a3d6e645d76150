"""Interpolated modified Kneser–Ney, the language model of paper 001 (section 2.3, "target language model").

Chen & Goodman (1998), with the conventions of the usual tools: the highest order counts occurrences, lower
orders count the different words seen on the left (except after ``<s>``, where nothing can stand on the left);
the unigrams are interpolated with the uniform distribution over the vocabulary, ``<unk>`` included, so that
an unknown word has a small honest probability. For every context the probabilities sum to one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.ranking.ngrams import SPECIAL, START, UNKNOWN, FloatArray, IntArray, NgramModel, encode

FALLBACK = (0.5, 1.0, 1.5)  # where a corpus is too small to estimate discounts; lmplz uses the same
NEVER = -99.0  # log10 probability written for <s>, which is never predicted


def train(sentences: Iterable[Sequence[str]], order: int = 5) -> NgramModel:
    """Model of the given order from tokenised sentences; raises ValueError when there are no words.

    >>> model = train([["a", "b"], ["a", "c"]], order=2)
    >>> model.order, model.words
    (2, ('<unk>', '<s>', '</s>', 'a', 'b', 'c'))
    """
    if order < 1:
        raise ValueError(f"the order of a language model is at least 1, got {order}")
    words, text = _read(sentences)
    levels = _count(text, len(words), order)
    return _estimate(words, levels)


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """The different n-grams of one order: sorted key, row of its prefix and suffix one order below, count."""

    keys: IntArray
    prefix: IntArray
    suffix: IntArray
    counts: FloatArray


def discounts(counts: FloatArray) -> tuple[float, float, float]:
    """D₁, D₂, D₃₊ from the counts of counts (Chen & Goodman 1998, equation 26).

    >>> discounts(np.array([1.0] * 8 + [2.0] * 4 + [3.0] * 2 + [4.0]))
    (0.5, 1.25, 2.0)
    """
    n1, n2, n3, n4 = (int(np.count_nonzero(counts == c)) for c in (1, 2, 3, 4))
    if not (n1 and n2 and n3):
        return FALLBACK
    y = n1 / (n1 + 2 * n2)
    found = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
    return found if all(0 < d <= c for c, d in enumerate(found, start=1)) else FALLBACK


def _read(sentences: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], IntArray]:
    """Vocabulary in order of appearance, and the text as numbers; the marks of a model are not words."""
    ids = {word: i for i, word in enumerate(SPECIAL)}

    def numbered() -> Iterable[list[str]]:
        for sentence in sentences:
            kept = [word for word in sentence if word not in SPECIAL]
            for word in kept:
                ids.setdefault(word, len(ids))
            yield kept

    text = encode(numbered(), ids)
    if len(ids) == len(SPECIAL):
        raise ValueError("a language model needs at least one word of text")
    return tuple(ids), text


def _count(text: IntArray, vocabulary: int, order: int) -> list[Level]:
    """Distinct n-grams of every order, with adjusted counts."""
    sentence = np.cumsum(text == START)
    rows = [text]  # rows[n-1][i]: the n-gram that ends at i, −1 where it would cross a sentence
    firsts: list[IntArray] = []
    levels: list[Level] = []
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
        whole = np.full(len(text), -1, np.int64)
        whole[here] = row
        firsts.append(here[first])
        levels.append(Level(keys, keys // vocabulary, rows[-1][firsts[-1]], counts.astype(float)))
        rows.append(whole)
    unigrams = np.bincount(text, minlength=vocabulary).astype(float)
    zero = np.zeros(vocabulary, np.int64)
    levels.insert(0, Level(np.arange(vocabulary), zero, zero, unigrams))
    starts = [np.arange(vocabulary) == START] + [
        text[at - n + 1] == START for n, at in enumerate(firsts, start=2)
    ]
    return [
        _continued(low, high, start)
        for low, high, start in zip(levels[:-1], levels[1:], starts[:-1], strict=True)
    ] + levels[-1:]


def _continued(low: Level, high: Level, after_start: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Level:
    """Counts of a lower order: different words on the left, occurrences where ``<s>`` comes first."""
    left = np.bincount(high.suffix, minlength=len(low.keys)).astype(float)
    return Level(low.keys, low.prefix, low.suffix, np.where(after_start, low.counts, left))


def _estimate(words: tuple[str, ...], levels: Sequence[Level]) -> NgramModel:
    probabilities: list[FloatArray] = []
    backoffs: list[FloatArray] = []
    lower = np.full(1, 1 / (len(words) - 1))  # uniform; <s> is never predicted
    for n, level in enumerate(levels, start=1):
        counts = level.counts.copy()
        if n == 1:
            counts[[UNKNOWN, START]] = 0.0
        contexts = 1 if n == 1 else len(levels[n - 2].keys)
        discounted, gamma = _discounted(counts, level.prefix, contexts)
        lower = discounted + gamma[level.prefix] * lower[level.suffix]
        probabilities.append(lower)
        if n > 1:
            backoffs.append(gamma)
    log_probs = [np.log10(p) for p in probabilities]
    log_probs[0][START] = NEVER
    weights = [np.log10(gamma) for gamma in backoffs] + [np.zeros(len(levels[-1].keys))]
    return NgramModel(words, tuple(level.keys for level in levels[1:]), tuple(log_probs), tuple(weights))


def _discounted(counts: FloatArray, prefix: IntArray, contexts: int) -> tuple[FloatArray, FloatArray]:
    """Discounted relative frequencies, and γ: the mass that every context gives to the lower order."""
    d = np.array((0.0, *discounts(counts[counts > 0])))
    taken = d[np.minimum(counts, 3).astype(np.int64)]
    total = np.bincount(prefix, counts, contexts)
    freed = np.bincount(prefix, taken, contexts)
    seen = total > 0
    gamma = np.divide(freed, total, out=np.ones(contexts), where=seen)
    return np.divide(counts - taken, total[prefix], out=np.zeros(len(counts)), where=seen[prefix]), gamma
