"""Matchings of words: METEOR's alignment in stages, and the runs that the F-measure rewards.

METEOR: each stage numbers the same words in its own way (surface, stem, …). From the last word of the
hypothesis to the first, a free word is matched with the last free word of the reference that has the same
number, as NLTK does. A chunk is a stretch of matches that are adjacent and in the same order in both texts.

F-measure (Turian, Shen & Melamed 2003): a run is a stretch of consecutive words that both texts have. The
best set of compatible runs is expensive to find, so the longest free run is taken repeatedly; ties go to the
earliest in the hypothesis, then in the reference. A heap holds every maximal run once; a run that has lost
words is split when it is popped. Single words come last, in the order of the hypothesis.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from metrics.compiled.compiler import Flags, Floats, Ints, Longs, compiled
from metrics.compiled.numbering import Numbered, longest_line

FREE = -1


def matches_and_chunks(stages: list[Numbered]) -> Longs:
    """Count matched words and chunks per line of the systems, for one reference; stages have equal lengths.

    >>> from metrics.compiled.numbering import number_words
    >>> matches_and_chunks([number_words("the cat sat on\\non the cat\\n", 1, 1, 1)]).tolist()
    [[3, 2]]
    """
    first = stages[0]
    found = np.zeros((first.systems * first.segments, 2), np.int64)
    numbers = np.stack([stage.ids for stage in stages])
    types = np.max([stage.types for stage in stages], axis=0)
    align(numbers, first.offsets, types, first.segments, first.systems, found)
    return found


@compiled
def align(numbers: Ints, offsets: Longs, types: Ints, segments: int, systems: int, found: Longs) -> None:
    partner = np.zeros(longest_line(offsets, segments, (1 + systems) * segments) + 1, np.int32)
    taken = np.zeros(longest_line(offsets, 0, segments) + 1, np.bool_)
    last = np.zeros(types.max() + 1 if len(types) else 1, np.int32)  # the last free place of each number
    earlier = np.zeros(len(taken), np.int32)  # the place before with the same number
    for segment in range(segments):
        start = offsets[segment]
        size = offsets[segment + 1] - start
        for system in range(systems):
            line = (1 + system) * segments + segment
            begin = offsets[line]
            length = offsets[line + 1] - begin
            partner[:length] = FREE
            taken[:size] = False
            for stage in range(len(numbers)):
                reference = numbers[stage, start : start + size]
                words = numbers[stage, begin : begin + length]
                match_stage(words, reference, types[segment], partner, taken, last, earlier)
            row = system * segments + segment
            found[row, 0], found[row, 1] = count_chunks(partner, length)


@compiled
def match_stage(
    words: Ints, reference: Ints, known: int, partner: Ints, taken: Flags, last: Ints, earlier: Ints
) -> None:
    last[: known + 1] = FREE
    for place in range(len(reference)):
        if not taken[place]:
            earlier[place] = last[reference[place]]
            last[reference[place]] = place
    for place in range(len(words) - 1, -1, -1):
        word = words[place]
        if word != 0 and partner[place] == FREE and last[word] != FREE:
            partner[place] = last[word]
            taken[last[word]] = True
            last[word] = earlier[last[word]]


@compiled
def count_chunks(partner: Ints, length: int) -> tuple[int, int]:
    matches = 0
    chunks = 0
    previous = -2  # partner of the previous word; -2 if it has none
    for place in range(length):
        if partner[place] == FREE:
            previous = -2
            continue
        matches += 1
        if partner[place] != previous + 1:
            chunks += 1
        previous = partner[place]
    return matches, chunks


Run = tuple[int, int, int]  # minus its length, its start in the hypothesis and in the reference


def matched_runs(block: Numbered, exponent: float) -> Floats:
    """Sum length ** ``exponent`` over the greedy matching, per line of the systems, for one reference.

    >>> from metrics.compiled.numbering import number_words
    >>> matched_runs(number_words("he took the dog for a walk\\nhe walked the dog\\n", 1, 1, 1), 2.0).tolist()
    [5.0]
    """
    sums = np.zeros(block.systems * block.segments)
    top = int(np.diff(block.offsets).max(initial=0))
    sum_runs(block, np.arange(top + 2.0) ** exponent, sums)
    return sums


@compiled
def sum_runs(block: Numbered, powers: Floats, sums: Floats) -> None:
    ids, offsets, _, segments, _, systems = block
    here_used = np.zeros(longest_line(offsets, segments, (1 + systems) * segments) + 1, np.bool_)
    there_used = np.zeros(longest_line(offsets, 0, segments) + 1, np.bool_)
    for segment in range(segments):
        reference = ids[offsets[segment] : offsets[segment + 1]]
        for system in range(systems):
            line = (1 + system) * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            here_used[: len(words)] = False
            there_used[: len(reference)] = False
            total = take_runs(find_runs(words, reference), here_used, there_used, powers)
            total += powers[1] * take_words(words, reference, here_used, there_used)
            sums[system * segments + segment] = total


@compiled
def find_runs(words: Ints, reference: Ints) -> list[Run]:
    """Return a heap of every maximal run of two words or more."""
    runs = [(0, 0, 0) for _ in range(0)]  # empty, but numba knows the type of its items
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
                heappush(runs, (-length, here, there))
    return runs


@compiled
def take_runs(runs: list[Run], here_used: Flags, there_used: Flags, powers: Floats) -> float:
    """Pop the best run until the heap is empty; push the free parts of a run that has lost words."""
    total = 0.0
    while len(runs) > 0:
        negated, here, there = heappop(runs)
        length = -negated
        free = 0
        for step in range(length + 1):
            if step < length and not here_used[here + step] and not there_used[there + step]:
                free += 1
            elif step == free == length:
                total += powers[length]
                here_used[here : here + length] = True
                there_used[there : there + length] = True
            else:
                if free > 1:
                    heappush(runs, (-free, here + step - free, there + step - free))
                free = 0
    return total


@compiled
def take_words(words: Ints, reference: Ints, here_used: Flags, there_used: Flags) -> int:
    """Match the remaining words, in the order of the hypothesis, with the earliest free place."""
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
