"""Clipped n-gram matches: how many n-grams of an output its references also have.

An n-gram counts as often as it occurs in that reference where it occurs most (Papineni et al. 2002, section
2.1). Keys are exact. Where a segment has few types, the numbers of n words are packed into 64 bits;
otherwise a key is the pair (n-gram without its last word, last word), so neither length nor alphabet is
limited.
"""

from __future__ import annotations

import numpy as np

from metrics.kernels.compiler import Bits, Ints, Longs, kernel
from metrics.kernels.words import (
    GOLDEN,
    Numbered,
    U,
    longest_line,
    longest_segment,
    reference_length,
    table_size,
)

EMPTY = U(0)


def clipped_matches(block: Numbered, order: int) -> Longs:
    """Matches of length 1 … ``order`` for every line of the systems, in the order of the block.

    >>> from metrics.kernels.words import number_words
    >>> clipped_matches(number_words("the cat sat\\nthe the cat\\n", 1, 1, 1), 3).tolist()
    [[2, 1, 0]]
    """
    matches = np.zeros((block.systems * block.segments, order), np.int64)
    with np.errstate(over="ignore"):  # hashes wrap around on purpose
        count_matches(*block, order, matches)
    return matches


@kernel
def count_matches(
    ids: Ints,
    offsets: Longs,
    types: Ints,
    segments: int,
    references: int,
    systems: int,
    order: int,
    matches: Longs,
) -> None:
    size, _ = table_size(order * longest_segment(offsets, segments, references))
    keys = np.zeros(size, np.uint64)
    counts = np.zeros(size, np.int32)
    current = np.zeros(size if references > 1 else 1, np.int32)  # count in the reference at hand …
    owner = np.zeros(size if references > 1 else 1, np.int32)  # … which is this one
    nodes = np.zeros(size, np.int64)
    most = order * longest_line(offsets, references * segments, (references + systems) * segments)
    touched = np.zeros(most, np.int32)
    for segment in range(segments):
        size, bits = table_size(order * reference_length(offsets, segments, references, segment))
        keys[:size] = EMPTY
        counts[:size] = 0
        if references > 1:
            owner[:size] = 0
        packed = types[segment] < (1 << min(64 // order, 32))
        width = U(min(64 // order, 32)) if packed else U(32)
        used = 0
        for part in range(references):
            line = part * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            if references == 1:
                used = index_only(words, order, width, packed, keys, counts, nodes, used, bits)
            else:
                used = index_one(
                    words, order, width, packed, keys, counts, nodes, used, bits, current, owner, part + 1
                )
        for system in range(systems):
            line = (references + system) * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            found = matches[system * segments + segment]
            match_one(words, order, width, packed, keys, counts, nodes, bits, touched, found)


@kernel
def index_only(
    words: Ints,
    order: int,
    width: np.uint64,
    packed: bool,
    keys: Bits,
    counts: Ints,
    nodes: Longs,
    used: int,
    bits: int,
) -> int:
    """Count the n-grams of the only reference; returns how many different ones there are."""
    shift = U(64 - bits)
    mask = (1 << bits) - 1
    size = len(words)
    for start in range(size):
        key = EMPTY
        for end in range(start, min(start + order, size)):
            key = (key << width) | U(words[end])
            slot = np.int64((key * GOLDEN) >> shift)
            while keys[slot] != key and keys[slot] != EMPTY:
                slot = (slot + 1) & mask
            if keys[slot] == EMPTY:
                keys[slot] = key
                used += 1
                nodes[slot] = used
            counts[slot] += 1
            if not packed:
                key = U(nodes[slot])
    return used


@kernel
def index_one(
    words: Ints,
    order: int,
    width: np.uint64,
    packed: bool,
    keys: Bits,
    counts: Ints,
    nodes: Longs,
    used: int,
    bits: int,
    current: Ints,
    owner: Ints,
    reference: int,
) -> int:
    """The same for one of several references: an n-gram keeps its highest count in any of them."""
    shift = U(64 - bits)
    mask = (1 << bits) - 1
    size = len(words)
    for start in range(size):
        key = EMPTY
        for end in range(start, min(start + order, size)):
            key = (key << width) | U(words[end])
            slot = np.int64((key * GOLDEN) >> shift)
            while keys[slot] != key and keys[slot] != EMPTY:
                slot = (slot + 1) & mask
            if keys[slot] == EMPTY:
                keys[slot] = key
                used += 1
                nodes[slot] = used
            if owner[slot] != reference:
                owner[slot] = reference
                current[slot] = 0
            current[slot] += 1
            if current[slot] > counts[slot]:
                counts[slot] = current[slot]
            if not packed:
                key = U(nodes[slot])
    return used


@kernel
def match_one(
    words: Ints,
    order: int,
    width: np.uint64,
    packed: bool,
    keys: Bits,
    counts: Ints,
    nodes: Longs,
    bits: int,
    touched: Ints,
    found: Longs,
) -> None:
    """Take the n-grams of an output from the counts, note the matches, and put them back."""
    shift = U(64 - bits)
    mask = (1 << bits) - 1
    size = len(words)
    taken = 0
    for start in range(size):
        key = EMPTY
        for end in range(start, min(start + order, size)):
            if words[end] == 0:  # no reference has this word, so none has a longer n-gram with it
                break
            key = (key << width) | U(words[end])
            slot = np.int64((key * GOLDEN) >> shift)
            while keys[slot] != key and keys[slot] != EMPTY:
                slot = (slot + 1) & mask
            if keys[slot] == EMPTY:
                break
            if counts[slot] > 0:
                counts[slot] -= 1
                touched[taken] = slot
                taken += 1
                found[end - start] += 1
            if not packed:
                key = U(nodes[slot])
    for place in range(taken):
        counts[touched[place]] += 1
