"""Longest common subsequences, plain and weighted by runs: what ROUGE-L and ROUGE-W measure (Lin 2004).

The plain length is bit-parallel (Crochemore et al. 2001, Hyyrö 2004). The weighted one follows the dynamic
programme of Lin 2004, section 4: a common run of k words is worth f(k), with f(k) = k ** weight.
"""

from __future__ import annotations

import numpy as np

from metrics.kernels.compiler import Bits, Floats, Ints, Longs, kernel
from metrics.kernels.levenshtein import ALL, ONE, ZERO, mark_places
from metrics.kernels.words import Numbered, U, longest_line, longest_segment


def common_lengths(block: Numbered) -> Longs:
    """Length of the longest common subsequence with the one reference, per line of the systems.

    >>> from metrics.kernels.words import number_words
    >>> common_lengths(number_words("police kill the gunman\\nthe gunman kill police\\n", 1, 1, 1)).tolist()
    [2]
    """
    lengths = np.zeros(block.systems * block.segments, np.int64)
    with np.errstate(over="ignore"):  # the addition carries out of the word on purpose
        measure_common(*block, lengths)
    return lengths


def weighted_lengths(block: Numbered, weight: float) -> Floats:
    """The weighted length WLCS(hypothesis, reference), per line of the systems.

    >>> from metrics.kernels.words import number_words
    >>> weighted_lengths(number_words("a b c d\\na b x d\\n", 1, 1, 1), 2.0).tolist()
    [5.0]
    """
    lengths = np.zeros(block.systems * block.segments)
    top = int(np.diff(block.offsets).max(initial=0))
    measure_weighted(*block, np.arange(top + 2.0) ** weight, lengths)
    return lengths


@kernel
def measure_common(
    ids: Ints, offsets: Longs, types: Ints, segments: int, references: int, systems: int, lengths: Longs
) -> None:
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


@kernel
def common_length(words: Ints, size: int, places: Bits, state: Bits) -> int:
    """A zero bit in ``state`` is a step of the length along the reference."""
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


@kernel
def measure_weighted(
    ids: Ints,
    offsets: Longs,
    types: Ints,
    segments: int,
    references: int,
    systems: int,
    powers: Floats,
    lengths: Floats,
) -> None:
    longest = longest_line(offsets, 0, segments)
    best = np.zeros(longest + 1)
    run = np.zeros(longest + 1, np.int32)
    for segment in range(segments):
        reference = ids[offsets[segment] : offsets[segment + 1]]
        for system in range(systems):
            line = (1 + system) * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            lengths[system * segments + segment] = weighted_length(words, reference, powers, best, run)


@kernel
def weighted_length(words: Ints, reference: Ints, powers: Floats, best: Floats, run: Ints) -> float:
    """One row of the table per word; ``best`` and ``run`` hold the row above and are overwritten."""
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
