"""The inner loops of counting: which pairs of words share a sentence, and how often.

Plain Python over numpy arrays, compiled where numba is present. Words are numbers; a sentence is a run of
distinct numbers in one flat array, bounded by ``offsets``. The result is a table in compressed rows: row x
lists the smaller-numbered partners of word x in ascending order, with counts. Words are numbered
by first appearance, so frequent words have small numbers and the rows that are searched most are short.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from metrics.compiled.compiler import Ints, Longs, compiled

Numbers: TypeAlias = npt.NDArray[np.uint32]
Rows: TypeAlias = tuple[Longs, Ints, Ints]


@compiled
def count_pairs(ids: Ints, offsets: Longs, words: int) -> Rows:
    """Count every pair of every sentence: (row starts, partners, counts); sorts the sentences in place.

    Word by word, the sentences that hold it add their larger words into one dense row of counters
    (Gustavson's product XᵀX, upper half only). Turning rows into columns then sorts without comparing.
    """
    sort_sentences(ids, offsets)
    numbers = ids.view(np.uint32)  # unsigned: numba need not check for negative indices
    starts, after, ends = invert(numbers, offsets, words)
    capacity = count_all_pairs(offsets)
    partner = np.empty(capacity + 1, np.uint32)
    count = np.empty(capacity, np.int32)
    filled = np.zeros(words + 1, np.int64)
    tally = np.zeros(words, np.int32)
    used = 0
    for word in range(words):
        first = used
        for k in range(starts[word], starts[word + 1]):
            for place in range(after[k], ends[k]):
                other = numbers[place]
                partner[used] = other  # overwritten by the next one unless it is new: no branch to predict
                seen = tally[other]
                used += seen == 0
                tally[other] = seen + 1
        for k in range(first, used):
            count[k] = tally[partner[k]]
            tally[partner[k]] = 0
        filled[word + 1] = used
    return transpose(filled, partner[:used], count[:used], words)


@compiled
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


@compiled
def sort_sentences(ids: Ints, offsets: Longs) -> None:
    """Put each sentence's words in ascending order, in place."""
    for sentence in range(offsets.size - 1):
        ids[offsets[sentence] : offsets[sentence + 1]].sort()


@compiled
def count_all_pairs(offsets: Longs) -> int:
    """The number of pairs of the sentences, repeated ones included."""
    total = 0
    for sentence in range(offsets.size - 1):
        length = offsets[sentence + 1] - offsets[sentence]
        total += length * (length - 1) // 2
    return total


@compiled
def invert(numbers: Numbers, offsets: Longs, words: int) -> tuple[Longs, Ints, Ints]:
    """The positions of every word: (starts, the position after it, the end of its sentence)."""
    starts = running_total(numbers, words)
    free = starts[:-1].copy()
    after = np.empty(numbers.size, np.int32)
    ends = np.empty(numbers.size, np.int32)
    for sentence in range(offsets.size - 1):
        end = offsets[sentence + 1]
        for place in range(offsets[sentence], end):
            to = free[numbers[place]]
            after[to] = place + 1
            ends[to] = end
            free[numbers[place]] = to + 1
    return starts, after, ends


@compiled
def transpose(filled: Longs, partner: Numbers, count: Ints, words: int) -> Rows:
    """Rows of the smaller word become rows of the larger; reading in order leaves each row sorted."""
    starts = running_total(partner, words)
    free = starts[:-1].copy()
    packed = np.empty(partner.size, np.int64)  # word and count together: one scattered write instead of two
    for word in range(words):
        for k in range(filled[word], filled[word + 1]):
            to = free[partner[k]]
            packed[to] = (np.int64(word) << 32) | np.int64(count[k])
            free[partner[k]] = to + 1
    smaller = np.empty(partner.size, np.int32)
    counts = np.empty(partner.size, np.int32)
    for k in range(partner.size):
        smaller[k] = packed[k] >> 32
        counts[k] = packed[k] & 0xFFFFFFFF
    return starts, smaller, counts


@compiled
def running_total(numbers: Numbers, words: int) -> Longs:
    """Where the entries of each word start when they are put in order of words."""
    starts = np.zeros(words + 1, np.int64)
    for number in numbers:
        starts[number + np.uint32(1)] += 1
    for word in range(words):
        starts[word + 1] += starts[word]
    return starts


@compiled
def bounds(starts: Longs, word: int) -> tuple[int, int]:
    """The row of a word; a table that is older than the word has none."""
    if word + 1 < starts.size:
        return starts[word], starts[word + 1]
    return 0, 0
