"""The inner loops of collocations, in plain Python over numpy arrays, compiled where numba is present.

*Counting*: which pairs of words share a sentence, and how often. Words are numbers; a sentence is a run of
distinct numbers in one flat array, bounded by ``offsets``. The result is a table in compressed rows: row x
lists the smaller-numbered partners of word x in ascending order, with counts. Words are numbered
by first appearance, so frequent words have small numbers and the rows that are searched most are short.

*Scoring*: which pairs of a sentence are in the corpus, and which of them a tree selects. The pairs of one
sentence are three arrays, ``left < right`` (places of the words) and ``weight``; a selection is an array of
marks, one per pair.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from metrics.compiled.compiler import Floats, Ints, Longs, compiled

Numbers: TypeAlias = npt.NDArray[np.uint32]
Rows: TypeAlias = tuple[Longs, Ints, Ints]
Marks: TypeAlias = npt.NDArray[np.uint8]

SIMPLE, MST, NCB, NCB2 = range(4)
NO_VERB = -1


@compiled
def find_pairs(
    ids: Ints, offsets: Longs, rows: Longs, partners: Ints, counts: Ints
) -> tuple[Longs, Ints, Ints, Ints]:
    """All pairs of every sentence that are in the table: (starts, left, right, co-occurrences).

    An unknown word is a negative number; it keeps its position and has no pairs.
    """
    capacity = count_all_pairs(offsets)
    starts = np.zeros(offsets.size, np.int64)
    left = np.empty(capacity, np.int32)
    right = np.empty(capacity, np.int32)
    both = np.empty(capacity, np.int32)
    used = 0
    for sentence in range(offsets.size - 1):
        words = ids[offsets[sentence] : offsets[sentence + 1]]
        for i in range(words.size):
            for j in range(i + 1, words.size):
                count = co_occurrences(words[i], words[j], rows, partners, counts)
                if count > 0:
                    left[used] = i
                    right[used] = j
                    both[used] = count
                    used += 1
        starts[sentence + 1] = used
    return starts, left[:used].copy(), right[:used].copy(), both[:used].copy()


@compiled
def co_occurrences(a: int, b: int, rows: Longs, partners: Ints, counts: Ints) -> int:
    """The number of sentences of the corpus with both words; 0 if a word is unknown."""
    small, large = min(a, b), max(a, b)
    if small < 0:
        return 0
    low, high = rows[large], rows[large + 1]
    while low < high:
        middle = (low + high) // 2
        if partners[middle] < small:
            low = middle + 1
        else:
            high = middle
    if low < rows[large + 1] and partners[low] == small:
        return int(counts[low])
    return 0


@compiled
def score_sentences(
    starts: Longs, left: Ints, right: Ints, weight: Floats, lengths: Ints, first_verb: Ints, methods: Longs
) -> tuple[Floats, Longs]:
    """Sum and number of the collocations that each method selects, one row a sentence, one column a method.

    A pair whose weight is NaN is not a collocation: it is below the cutoff.
    """
    sums = np.zeros((lengths.size, methods.size))
    kept_counts = np.zeros((lengths.size, methods.size), np.int64)
    for sentence in range(lengths.size):
        a, b = starts[sentence], starts[sentence + 1]
        if a == b:
            continue
        order = strongest_first(weight[a:b])
        for column in range(methods.size):
            marks = select(
                methods[column], left[a:b], right[a:b], order, lengths[sentence], first_verb[sentence]
            )
            for k in range(order.size):
                if marks[order[k]]:
                    sums[sentence, column] += weight[a + order[k]]
                    kept_counts[sentence, column] += 1
    return sums, kept_counts


@compiled
def select(method: int, left: Ints, right: Ints, order: Longs, words: int, first_verb: int) -> Marks:
    """Mark the pairs that a method selects."""
    if method == SIMPLE:
        marks = np.zeros(left.size, np.uint8)
        marks[order] = 1
        return marks
    verb = first_verb if method == NCB2 else NO_VERB
    return kruskal(left, right, order, words, method != MST, verb)


@compiled
def strongest_first(weight: Floats) -> Longs:
    """The collocations by descending weight; equal weights keep their order in the sentence."""
    known = np.flatnonzero(~np.isnan(weight))
    return known[np.argsort(-weight[known], kind="mergesort")]


@compiled
def kruskal(left: Ints, right: Ints, order: Longs, words: int, no_crossing: bool, verb: int) -> Marks:
    """Greedy maximum spanning forest; optionally without crossing branches.

    With ``verb`` ≥ 0 there is a branch from before the first word to that verb, which blocks branches that
    would cross it and is not a collocation.
    """
    marks = np.zeros(left.size, np.uint8)
    parent = np.arange(words)
    kept = np.empty(words, np.int64)
    branches = 0
    for k in order:
        i, j = left[k], right[k]
        if i < verb < j:
            continue
        root_i, root_j = find(parent, i), find(parent, j)
        if root_i == root_j:
            continue
        if no_crossing and crosses_any(i, j, left, right, kept[:branches]):
            continue
        parent[root_i] = root_j
        marks[k] = 1
        kept[branches] = k
        branches += 1
        if branches == words - 1:
            break
    return marks


@compiled
def find(parent: Longs, i: int) -> int:
    """The representative of a tree, halving the path on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@compiled
def crosses_any(i: int, j: int, left: Ints, right: Ints, kept: Longs) -> bool:
    """Whether a branch has exactly one end strictly inside a selected one."""
    for k in kept:
        a, b = left[k], right[k]
        if a < i < b < j or i < a < j < b:
            return True
    return False


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
