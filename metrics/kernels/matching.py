"""METEOR's alignment in stages: equal words first, then words that are equal in another sense.

Each stage numbers the same words in its own way (surface, stem, …). From the last word of the hypothesis to
the first, a word still free takes the last free word of the reference with the same number, as NLTK aligns.
The matches then fall into chunks: stretches adjacent and in the same order in both texts.
"""

from __future__ import annotations

import numpy as np

from metrics.kernels.compiler import Flags, Ints, Longs, kernel
from metrics.kernels.words import Numbered, longest_line

FREE = -1


def matches_and_chunks(stages: list[Numbered]) -> Longs:
    """Matched words and chunks per line of the systems, for one reference; every stage has equal lines.

    >>> from metrics.kernels.words import number_words
    >>> matches_and_chunks([number_words("the cat sat on\\non the cat\\n", 1, 1, 1)]).tolist()
    [[3, 2]]
    """
    first = stages[0]
    found = np.zeros((first.systems * first.segments, 2), np.int64)
    numbers = np.stack([stage.ids for stage in stages])
    types = np.max([stage.types for stage in stages], axis=0)
    align(numbers, first.offsets, types, first.segments, first.systems, found)
    return found


@kernel
def align(numbers: Ints, offsets: Longs, types: Ints, segments: int, systems: int, found: Longs) -> None:
    partner = np.zeros(longest_line(offsets, segments, (1 + systems) * segments) + 1, np.int32)
    taken = np.zeros(longest_line(offsets, 0, segments) + 1, np.bool_)
    last = np.zeros(types.max() + 1 if len(types) else 1, np.int32)  # of each number, its last free place
    earlier = np.zeros(len(taken), np.int32)  # and the place before that with the same number
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


@kernel
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


@kernel
def count_chunks(partner: Ints, length: int) -> tuple[int, int]:
    matches = 0
    chunks = 0
    previous = -2  # partner of the word before, unless it has none
    for place in range(length):
        if partner[place] == FREE:
            previous = -2
            continue
        matches += 1
        if partner[place] != previous + 1:
            chunks += 1
        previous = partner[place]
    return matches, chunks
