"""The inner loops of scoring: which pairs of a sentence are in the corpus, and which of them a tree selects.

Plain Python over numpy arrays, compiled where numba is present. The pairs of one sentence are three arrays,
``left < right`` (places of the words) and ``weight``; a selection is an array of marks, one per pair.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metrics.collocation.counting_loops import count_all_pairs
from metrics.compiled.compiler import Floats, Ints, Longs, compiled

Marks = npt.NDArray[np.uint8]

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
