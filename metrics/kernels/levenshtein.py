"""Edit distance in words, bit-parallel, and the same with free order.

The distance follows Hyyrö (2003) after Myers (1999): a column of the dynamic programme is two bit vectors
of differences, 64 reference words to a machine word, any number of machine words. With free order the
errors are what remains of the longer text when the words of the shorter are taken out (Kulesza 2004,
section 1.2.2).
"""

from __future__ import annotations

import numpy as np

from metrics.kernels.compiler import Bits, Ints, Longs, kernel
from metrics.kernels.words import Numbered, U, longest_segment

ONE, ZERO, ALL, TOP = U(1), U(0), U(0xFFFFFFFFFFFFFFFF), U(63)


def word_errors(block: Numbered) -> Longs:
    """Edits and errors with free order, for every line of the systems, against one reference.

    >>> from metrics.kernels.words import number_words
    >>> word_errors(number_words("he took the dog for a walk\\nhe walked the dog\\n", 1, 1, 1)).tolist()
    [[4, 4]]
    """
    errors = np.zeros((block.systems * block.segments, 2), np.int64)
    with np.errstate(over="ignore"):  # the addition carries out of the word on purpose
        count_errors(*block, errors)
    return errors


@kernel
def count_errors(
    ids: Ints, offsets: Longs, types: Ints, segments: int, references: int, systems: int, errors: Longs
) -> None:
    longest = longest_segment(offsets, segments, 1)
    places = np.zeros((longest + 1) * ((longest + 63) // 64 + 1), np.uint64)
    rising = np.zeros((longest + 63) // 64 + 1, np.uint64)
    falling = np.zeros((longest + 63) // 64 + 1, np.uint64)
    counts = np.zeros(longest + 1, np.int32)
    left = np.zeros(longest + 1, np.int32)
    for segment in range(segments):
        reference = ids[offsets[segment] : offsets[segment + 1]]
        known = types[segment] + 1
        mark_places(reference, known, places)
        counts[:known] = 0
        for word in reference:
            counts[word] += 1
        for system in range(systems):
            line = (1 + system) * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            shared = 0
            left[:known] = counts[:known]
            for word in words:
                if left[word] > 0:
                    left[word] -= 1
                    shared += 1
            row = system * segments + segment
            errors[row, 0] = distance(words, len(reference), places, rising, falling)
            errors[row, 1] = max(len(words), len(reference)) - shared


@kernel
def mark_places(reference: Ints, known: int, places: Bits) -> None:
    """For each type the bit vector of where it stands in the reference; type 0 stands nowhere."""
    width = (len(reference) + 63) // 64
    places[: known * width] = ZERO
    for place in range(len(reference)):
        places[reference[place] * width + place // 64] |= ONE << U(place % 64)


@kernel
def distance(words: Ints, size: int, places: Bits, rising: Bits, falling: Bits) -> int:
    """Levenshtein distance of ``words`` from the reference of ``size`` words that ``places`` describes."""
    if size == 0:
        return len(words)
    if size > 64:
        return distance_long(words, size, places, rising, falling)
    result = size
    up = ALL
    down = ZERO
    last = U(size - 1)
    for word in words:
        match = places[word] | down
        diagonal = ((up + (match & up)) ^ up) | match
        minus = up & diagonal
        plus = down | ~(up | diagonal)
        result += int((plus >> last) & ONE) - int((minus >> last) & ONE)
        plus = (plus << ONE) | ONE
        minus = minus << ONE
        down = plus & diagonal
        up = minus | ~(plus | diagonal)
    return result


@kernel
def distance_long(words: Ints, size: int, places: Bits, rising: Bits, falling: Bits) -> int:
    width = (size + 63) // 64
    last = U((size - 1) % 64)
    rising[:width] = ALL
    falling[:width] = ZERO
    result = size
    for word in words:
        carry_plus = ONE
        carry_minus = ZERO
        for part in range(width):
            up = rising[part]
            down = falling[part]
            match = places[word * width + part] | carry_minus
            diagonal = (((match & up) + up) ^ up) | match | down
            plus = down | ~(diagonal | up)
            minus = diagonal & up
            if part == width - 1:
                result += int((plus >> last) & ONE) - int((minus >> last) & ONE)
            next_plus = plus >> TOP
            next_minus = minus >> TOP
            plus = (plus << ONE) | carry_plus
            minus = (minus << ONE) | carry_minus
            carry_plus = next_plus
            carry_minus = next_minus
            rising[part] = minus | ~(diagonal | plus)
            falling[part] = plus & diagonal
    return result
