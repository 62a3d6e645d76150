"""Greedy maximum matching of runs: what the F-measure rewards (Turian, Shen & Melamed 2003).

A run is a stretch of consecutive words that both texts have. The best set of non-conflicting runs is costly
to find, so the longest free run is taken again and again; ties go to the earliest in the hypothesis, then
to the earliest in the reference. A heap holds every maximal run once; a run that has lost words since is
split when it comes up. Runs of one word are left for the end, where the order of the hypothesis decides.
"""

from __future__ import annotations

import numpy as np

from metrics.kernels.compiler import Flags, Floats, Ints, Longs, kernel
from metrics.kernels.words import Numbered, longest_line

LENGTH, HERE, THERE = 0, 1, 2  # columns of the heap: length of the run, start in hypothesis and reference


def matched_runs(block: Numbered, exponent: float) -> Floats:
    """Sum of length ** ``exponent`` over the greedy matching, per line of the systems, for one reference.

    >>> from metrics.kernels.words import number_words
    >>> matched_runs(number_words("he took the dog for a walk\\nhe walked the dog\\n", 1, 1, 1), 2.0).tolist()
    [5.0]
    """
    sums = np.zeros(block.systems * block.segments)
    top = int(np.diff(block.offsets).max(initial=0))
    sum_runs(*block, np.arange(top + 2.0) ** exponent, sums)
    return sums


@kernel
def sum_runs(
    ids: Ints,
    offsets: Longs,
    types: Ints,
    segments: int,
    references: int,
    systems: int,
    powers: Floats,
    sums: Floats,
) -> None:
    here_used = np.zeros(longest_line(offsets, segments, (1 + systems) * segments) + 1, np.bool_)
    there_used = np.zeros(longest_line(offsets, 0, segments) + 1, np.bool_)
    heap = np.zeros((256, 3), np.int32)
    for segment in range(segments):
        reference = ids[offsets[segment] : offsets[segment + 1]]
        for system in range(systems):
            line = (1 + system) * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            here_used[: len(words)] = False
            there_used[: len(reference)] = False
            size, heap = find_runs(words, reference, heap)
            total = take_runs(heap, size, here_used, there_used, powers)
            total += powers[1] * take_words(words, reference, here_used, there_used)
            sums[system * segments + segment] = total


@kernel
def find_runs(words: Ints, reference: Ints, heap: Ints) -> tuple[int, Ints]:
    """Put every maximal run of two words or more on the heap, which grows as it must."""
    size = 0
    for here in range(len(words)):
        if words[here] == 0:
            continue
        for there in range(len(reference)):
            if words[here] != reference[there]:
                continue
            if here > 0 and there > 0 and words[here - 1] == reference[there - 1]:
                continue  # the run began earlier
            length = 1
            while (
                here + length < len(words)
                and there + length < len(reference)
                and words[here + length] == reference[there + length]
            ):
                length += 1
            if length > 1:
                size, heap = push(heap, size, length, here, there)
    return size, heap


@kernel
def take_runs(heap: Ints, size: int, here_used: Flags, there_used: Flags, powers: Floats) -> float:
    """Take the best run off the heap until none is left; put the free parts of a damaged one back."""
    total = 0.0
    while size > 0:
        length = int(heap[0, LENGTH])
        here = int(heap[0, HERE])
        there = int(heap[0, THERE])
        size = pop(heap, size)
        free = 0
        while free < length and not here_used[here + free] and not there_used[there + free]:
            free += 1
        if free == length:
            total += powers[length]
            here_used[here : here + length] = True
            there_used[there : there + length] = True
        else:
            size, heap = put_back(heap, size, length, here, there, here_used, there_used)
    return total


@kernel
def put_back(
    heap: Ints, size: int, length: int, here: int, there: int, here_used: Flags, there_used: Flags
) -> tuple[int, Ints]:
    """The free parts of a damaged run, where they are two words or more."""
    free = 0
    for step in range(length + 1):
        if step < length and not here_used[here + step] and not there_used[there + step]:
            free += 1
            continue
        if free > 1:
            size, heap = push(heap, size, free, here + step - free, there + step - free)
        free = 0
    return size, heap


@kernel
def take_words(words: Ints, reference: Ints, here_used: Flags, there_used: Flags) -> int:
    """Match single words that are still free, in the order of the hypothesis, to the earliest free place."""
    taken = 0
    for here in range(len(words)):
        if words[here] == 0 or here_used[here]:
            continue
        for there in range(len(reference)):
            if not there_used[there] and words[here] == reference[there]:
                there_used[there] = True
                taken += 1
                break
    return taken


@kernel
def before(heap: Ints, one: int, other: int) -> bool:
    if heap[one, LENGTH] != heap[other, LENGTH]:
        return bool(heap[one, LENGTH] > heap[other, LENGTH])
    if heap[one, HERE] != heap[other, HERE]:
        return bool(heap[one, HERE] < heap[other, HERE])
    return bool(heap[one, THERE] < heap[other, THERE])


@kernel
def swap(heap: Ints, one: int, other: int) -> None:
    for column in range(3):
        kept = heap[one, column]
        heap[one, column] = heap[other, column]
        heap[other, column] = kept


@kernel
def push(heap: Ints, size: int, length: int, here: int, there: int) -> tuple[int, Ints]:
    if size == len(heap):
        larger = np.zeros((2 * size, 3), np.int32)
        larger[:size] = heap
        heap = larger
    heap[size, LENGTH] = length
    heap[size, HERE] = here
    heap[size, THERE] = there
    child = size
    while child > 0 and before(heap, child, (child - 1) // 2):
        swap(heap, child, (child - 1) // 2)
        child = (child - 1) // 2
    return size + 1, heap


@kernel
def pop(heap: Ints, size: int) -> int:
    """Drop the first entry."""
    size -= 1
    swap(heap, 0, size)
    parent = 0
    while True:
        child = 2 * parent + 1
        if child >= size:
            return size
        if child + 1 < size and before(heap, child + 1, child):
            child += 1
        if not before(heap, child, parent):
            return size
        swap(heap, child, parent)
        parent = child
