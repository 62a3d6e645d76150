"""The hot loop of counting: which pairs of words share a sentence, and how often.

Plain Python over numpy arrays, compiled where numba is present. Words are numbers; a sentence is a run of
distinct numbers in one flat array, bounded by ``offsets``. The result is a table in compressed rows: row x
lists the smaller-numbered partners of word x in ascending order, with counts. Numbers are given by first
appearance, so frequent words are small and the rows that are searched most are short.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from metrics.kernels.compiler import Ints, Longs, kernel

Rows: TypeAlias = tuple[Longs, Ints, Ints]


@kernel
def count_pairs(ids: Ints, offsets: Longs, words: int) -> Rows:
    """Count every pair of every sentence: (row starts, partners, counts).

    Word by word, the sentences that hold it add their larger words into one dense row of counters
    (Gustavson's product XᵀX, upper half only). Turning rows into columns then sorts without comparing.
    """
    sort_sentences(ids, offsets)
    starts, places = invert(ids, words)
    last = sentence_ends(offsets)
    capacity = 0
    for sentence in range(offsets.size - 1):
        length = offsets[sentence + 1] - offsets[sentence]
        capacity += length * (length - 1) // 2
    partner = np.empty(capacity + 1, np.int32)
    count = np.empty(capacity, np.int32)
    filled = np.zeros(words + 1, np.int64)
    tally = np.zeros(words, np.int32)
    used = 0
    for word in range(words):
        first = used
        for k in range(starts[word], starts[word + 1]):
            place = places[k]
            for other_place in range(place + 1, last[place]):
                other = ids[other_place]
                partner[used] = other  # overwritten by the next one unless it is new: no branch to guess
                used += tally[other] == 0
                tally[other] += 1
        for k in range(first, used):
            count[k] = tally[partner[k]]
            tally[partner[k]] = 0
        filled[word + 1] = used
    return transpose(filled, partner[:used], count[:used], words)


@kernel
def merge_rows(a: Rows, b: Rows, words: int) -> Rows:
    """The sum of two tables over a vocabulary that has grown to ``words``."""
    starts = np.zeros(words + 1, np.int64)
    partner = np.empty(a[1].size + b[1].size, np.int32)
    count = np.empty(a[1].size + b[1].size, np.int32)
    used = 0
    for word in range(words):
        i, i_end = bounds(a[0], word)
        j, j_end = bounds(b[0], word)
        while i < i_end or j < j_end:
            from_a = j == j_end or (i < i_end and a[1][i] <= b[1][j])
            from_b = i == i_end or (j < j_end and b[1][j] <= a[1][i])
            total = 0
            if from_a:
                partner[used] = a[1][i]
                total += a[2][i]
                i += 1
            if from_b:
                partner[used] = b[1][j]
                total += b[2][j]
                j += 1
            count[used] = total
            used += 1
        starts[word + 1] = used
    return starts, partner[:used].copy(), count[:used].copy()


@kernel
def sort_sentences(ids: Ints, offsets: Longs) -> None:
    """Put each sentence's words in ascending order, in place; sentences are short, so by insertion."""
    for sentence in range(offsets.size - 1):
        for i in range(offsets[sentence] + 1, offsets[sentence + 1]):
            word = ids[i]
            j = i
            while j > offsets[sentence] and ids[j - 1] > word:
                ids[j] = ids[j - 1]
                j -= 1
            ids[j] = word


@kernel
def invert(ids: Ints, words: int) -> tuple[Longs, Longs]:
    """For every word the places where it stands, words in order: (starts, places)."""
    starts = np.zeros(words + 1, np.int64)
    for word in ids:
        starts[word + 1] += 1
    for word in range(words):
        starts[word + 1] += starts[word]
    free = starts[:-1].copy()
    places = np.empty(ids.size, np.int64)
    for place in range(ids.size):
        word = ids[place]
        places[free[word]] = place
        free[word] += 1
    return starts, places


@kernel
def sentence_ends(offsets: Longs) -> Longs:
    """For every place the end of its sentence."""
    ends = np.empty(offsets[-1], np.int64)
    for sentence in range(offsets.size - 1):
        for place in range(offsets[sentence], offsets[sentence + 1]):
            ends[place] = offsets[sentence + 1]
    return ends


@kernel
def transpose(starts: Longs, partner: Ints, count: Ints, words: int) -> Rows:
    """Rows of the smaller word become rows of the larger; reading in order leaves each row sorted."""
    out = np.zeros(words + 1, np.int64)
    for other in partner:
        out[other + 1] += 1
    for word in range(words):
        out[word + 1] += out[word]
    free = out[:-1].copy()
    smaller = np.empty(partner.size, np.int32)
    counts = np.empty(partner.size, np.int32)
    for word in range(words):
        for k in range(starts[word], starts[word + 1]):
            to = free[partner[k]]
            smaller[to] = word
            counts[to] = count[k]
            free[partner[k]] += 1
    return out, smaller, counts


@kernel
def bounds(starts: Longs, word: int) -> tuple[int, int]:
    """The row of a word; a table made before the word was met has none."""
    if word + 1 < starts.size:
        return starts[word], starts[word + 1]
    return 0, 0
