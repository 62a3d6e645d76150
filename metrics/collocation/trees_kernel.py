"""The inner loops of scoring: which pairs of a sentence are in the corpus, and which of them a tree selects.

Plain Python over numpy arrays, compiled where numba is present. The pairs of one sentence are three arrays,
``left < right`` (places of the words) and ``weight``; a selection is an array of marks, one per pair.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metrics.collocation.counting_kernel import count_all_pairs
from metrics.kernels.compiler import Floats, Ints, Longs, kernel

Marks = npt.NDArray[np.uint8]

SIMPLE, MST, NCB, NCB2, EXACT = range(5)
NO_VERB = -1


@kernel
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


@kernel
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


@kernel
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
                methods[column],
                left[a:b],
                right[a:b],
                weight[a:b],
                order,
                lengths[sentence],
                first_verb[sentence],
            )
            for k in range(order.size):
                if marks[order[k]]:
                    sums[sentence, column] += weight[a + order[k]]
                    kept_counts[sentence, column] += 1
    return sums, kept_counts


@kernel
def select(
    method: int, left: Ints, right: Ints, weight: Floats, order: Longs, words: int, first_verb: int
) -> Marks:
    """Mark the pairs that a method selects."""
    if method == SIMPLE:
        marks = np.zeros(left.size, np.uint8)
        marks[order] = 1
        return marks
    if method == EXACT:
        return best_non_crossing(left, right, weight, order, words)
    verb = first_verb if method == NCB2 else NO_VERB
    return kruskal(left, right, order, words, method != MST, verb)


@kernel
def strongest_first(weight: Floats) -> Longs:
    """The collocations by descending weight; equal weights keep their order in the sentence."""
    known = np.flatnonzero(~np.isnan(weight))
    return known[np.argsort(-weight[known], kind="mergesort")]


@kernel
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


@kernel
def find(parent: Longs, i: int) -> int:
    """The representative of a tree, halving the path on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def crosses_any(i: int, j: int, left: Ints, right: Ints, kept: Longs) -> bool:
    """Whether a branch has exactly one end strictly inside a selected one."""
    for k in kept:
        a, b = left[k], right[k]
        if a < i < b < j or i < a < j < b:
            return True
    return False


@kernel
def best_non_crossing(left: Ints, right: Ints, weight: Floats, order: Longs, words: int) -> Marks:
    """The forest without crossing branches with the highest sum of weights; only positive weights count.

    Absent pairs count as branches of weight 0: any forest without crossings can be completed to a tree with
    such branches, so the best tree, stripped of them, is the best forest. ``closed[i, j]`` is the best
    tree over words i…j that holds the branch i–j, ``whole[i, j]`` the best tree over i…j: i's farthest
    neighbour k splits it into a closed tree i…k and a whole one k…j.
    """
    pair = np.full((words, words), -1)
    value = np.zeros((words, words))
    for k in order:
        if weight[k] > 0:
            pair[left[k], right[k]] = k
            value[left[k], right[k]] = weight[k]
    whole = np.zeros((words, words))
    closed = np.zeros((words, words))
    farthest = np.zeros((words, words), np.int64)
    split = np.zeros((words, words), np.int64)
    for span in range(1, words):
        for i in range(words - span):
            j = i + span
            best = -1.0
            for k in range(i, j):
                total = whole[i, k] + whole[k + 1, j]
                if total > best:
                    best = total
                    split[i, j] = k
            closed[i, j] = best + value[i, j]
            best = -1.0
            for k in range(i + 1, j + 1):
                total = closed[i, k] + whole[k, j]
                if total > best:
                    best = total
                    farthest[i, j] = k
            whole[i, j] = best
    return trace_back(pair, farthest, split, left.size)


@kernel
def trace_back(pair: Longs, farthest: Longs, split: Longs, pairs: int) -> Marks:
    """Trace the tables of ``best_non_crossing`` back from the whole sentence."""
    words = pair.shape[0]
    marks = np.zeros(pairs, np.uint8)
    pending = np.empty((2 * words + 2, 2), np.int64)
    pending[0] = 0, words - 1
    waiting = 1 if words > 1 else 0
    while waiting > 0:
        waiting -= 1
        i, j = pending[waiting]
        k = farthest[i, j]
        if pair[i, k] >= 0:
            marks[pair[i, k]] = 1
        middle = split[i, k]
        for a, b in ((i, middle), (middle + 1, k), (k, j)):
            if a < b:
                pending[waiting] = a, b
                waiting += 1
    return marks
