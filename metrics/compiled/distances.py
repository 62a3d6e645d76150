"""Edit distances and longest common subsequences in words, bit-parallel: for WER, PER, ROUGE-L and ROUGE-W.

The edit distance follows Hyyrö (2003) after Myers (1999): a column of the dynamic programme is two bit
vectors of differences, with 64 reference words in a machine word. With free order the errors are what remains
of the longer text without the words of the shorter (Kulesza 2004, section 1.2.2).

The longest common subsequence is bit-parallel, too (Crochemore et al. 2001, Hyyrö 2004). The weighted one
follows the dynamic programme of Lin 2004, section 4: a common run of k words counts f(k) = k ** weight.
"""

from __future__ import annotations

import numpy as np

from metrics.compiled.compiler import Bits, Floats, Ints, Longs, compiled
from metrics.compiled.numbering import Numbered, U, longest_line, longest_segment

ONE, ZERO, ALL, TOP = U(1), U(0), U(0xFFFFFFFFFFFFFFFF), U(63)


def word_errors(block: Numbered) -> Longs:
    """Count edits, and errors with free order, for every line of the systems against one reference.

    >>> from metrics.compiled.numbering import number_words
    >>> word_errors(number_words("he took the dog for a walk\\nhe walked the dog\\n", 1, 1, 1)).tolist()
    [[4, 4]]
    """
    errors = np.zeros((block.systems * block.segments, 2), np.int64)
    with np.errstate(over="ignore"):  # additions carry out of the machine word
        count_errors(block, errors)
    return errors


@compiled
def count_errors(block: Numbered, errors: Longs) -> None:
    ids, offsets, types, segments, _, systems = block
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


@compiled
def mark_places(reference: Ints, known: int, places: Bits) -> None:
    """Store the bit vector of the places of each type in the reference; type 0 has none."""
    width = (len(reference) + 63) // 64
    places[: known * width] = ZERO
    for place in range(len(reference)):
        places[reference[place] * width + place // 64] |= ONE << U(place % 64)


@compiled
def advance(
    up: np.uint64, down: np.uint64, match: np.uint64, carry_plus: np.uint64, carry_minus: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Advance 64 rows by one word: the differences along the column, then ``up`` and ``down`` of the next.

    The highest bits of the first two are the carries into the rows above.
    """
    match = match | carry_minus
    diagonal = (((match & up) + up) ^ up) | match | down
    plus = down | ~(diagonal | up)
    minus = diagonal & up
    next_plus = (plus << ONE) | carry_plus
    next_minus = (minus << ONE) | carry_minus
    return plus, minus, next_minus | ~(diagonal | next_plus), next_plus & diagonal


@compiled
def distance(words: Ints, size: int, places: Bits, rising: Bits, falling: Bits) -> int:
    """Return the Levenshtein distance from the reference of ``size`` words that ``places`` describes."""
    if size == 0:
        return len(words)
    if size > 64:
        return distance_long(words, size, places, rising, falling)
    result = size
    up = ALL
    down = ZERO
    last = U(size - 1)
    for word in words:
        plus, minus, up, down = advance(up, down, places[word], ONE, ZERO)
        result += int((plus >> last) & ONE) - int((minus >> last) & ONE)
    return result


@compiled
def distance_long(words: Ints, size: int, places: Bits, rising: Bits, falling: Bits) -> int:
    """The same for references of more than 64 words."""
    width = (size + 63) // 64
    last = U((size - 1) % 64)
    rising[:width] = ALL
    falling[:width] = ZERO
    result = size
    for word in words:
        carry_plus = ONE
        carry_minus = ZERO
        for part in range(width):
            match = places[word * width + part]
            plus, minus, rising[part], falling[part] = advance(
                rising[part], falling[part], match, carry_plus, carry_minus
            )
            if part == width - 1:
                result += int((plus >> last) & ONE) - int((minus >> last) & ONE)
            carry_plus = plus >> TOP
            carry_minus = minus >> TOP
    return result


def common_lengths(block: Numbered) -> Longs:
    """Return the length of the longest common subsequence with the only reference, per line of the systems.

    >>> from metrics.compiled.numbering import number_words
    >>> common_lengths(number_words("police kill the gunman\\nthe gunman kill police\\n", 1, 1, 1)).tolist()
    [2]
    """
    lengths = np.zeros(block.systems * block.segments, np.int64)
    with np.errstate(over="ignore"):  # additions carry out of the machine word
        measure_common(block, lengths)
    return lengths


def weighted_lengths(block: Numbered, weight: float) -> Floats:
    """Return the weighted length WLCS(hypothesis, reference), per line of the systems.

    >>> from metrics.compiled.numbering import number_words
    >>> weighted_lengths(number_words("a b c d\\na b x d\\n", 1, 1, 1), 2.0).tolist()
    [5.0]
    """
    lengths = np.zeros(block.systems * block.segments)
    top = int(np.diff(block.offsets).max(initial=0))
    measure_weighted(block, np.arange(top + 2.0) ** weight, lengths)
    return lengths


@compiled
def measure_common(block: Numbered, lengths: Longs) -> None:
    ids, offsets, types, segments, _, systems = block
    longest = longest_segment(offsets, segments, 1)
    places = np.zeros((longest + 1) * ((longest + 63) // 64 + 1), np.uint64)
    state = np.zeros((longest + 63) // 64 + 1, np.uint64)
    for segment in range(segments):
        reference = ids[offsets[segment] : offsets[segment + 1]]
        mark_places(reference, types[segment] + 1, places)
        for system in range(systems):
            line = (1 + system) * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            lengths[system * segments + segment] = common_length(words, len(reference), places, state)


@compiled
def common_length(words: Ints, size: int, places: Bits, state: Bits) -> int:
    """Return the length; each zero bit of the final ``state`` adds one to it."""
    width = (size + 63) // 64
    state[:width] = ALL
    for word in words:
        if word == 0:
            continue
        carry = ZERO
        for part in range(width):
            old = state[part]
            match = old & places[word * width + part]
            total = old + match + carry
            carry = ONE if total < old or (carry == ONE and total == old) else ZERO
            state[part] = total | (old - match)
    length = 0
    for place in range(size):
        if (state[place // 64] >> U(place % 64)) & ONE == ZERO:
            length += 1
    return length


@compiled
def measure_weighted(block: Numbered, powers: Floats, lengths: Floats) -> None:
    ids, offsets, _, segments, _, systems = block
    longest = longest_line(offsets, 0, segments)
    best = np.zeros(longest + 1)
    run = np.zeros(longest + 1, np.int32)
    for segment in range(segments):
        reference = ids[offsets[segment] : offsets[segment + 1]]
        for system in range(systems):
            line = (1 + system) * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            lengths[system * segments + segment] = weighted_length(words, reference, powers, best, run)


@compiled
def weighted_length(words: Ints, reference: Ints, powers: Floats, best: Floats, run: Ints) -> float:
    """Return the weighted length; ``best`` and ``run`` hold one row of the table and are overwritten."""
    size = len(reference)
    best[: size + 1] = 0.0
    run[: size + 1] = 0
    for word in words:
        corner_best = 0.0
        corner_run = 0
        for place in range(1, size + 1):
            above_best = best[place]
            above_run = run[place]
            if word == reference[place - 1]:
                run[place] = corner_run + 1
                best[place] = corner_best + powers[corner_run + 1] - powers[corner_run]
            else:
                run[place] = 0
                best[place] = max(above_best, best[place - 1])
            corner_best = above_best
            corner_run = above_run
    return float(best[size])
