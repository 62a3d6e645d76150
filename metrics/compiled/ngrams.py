"""Clipped n-gram matches: how many n-grams of an output occur in its references.

An n-gram counts at most as often as it occurs in the reference that has it most often (Papineni et al. 2002,
section 2.1). Keys are exact. If a segment has few types, the numbers of n words are packed into 64 bits;
otherwise a key is the pair (n-gram without its last word, last word), so neither length nor alphabet is
limited.
"""

from __future__ import annotations

import numpy as np

from metrics.compiled.compiler import Bits, Ints, Longs, compiled
from metrics.compiled.numbering import (
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
    """Count the matches of length 1 … ``order`` for every line of the systems, in the order of the block.

    >>> from metrics.compiled.numbering import number_words
    >>> clipped_matches(number_words("the cat sat\\nthe the cat\\n", 1, 1, 1), 3).tolist()
    [[2, 1, 0]]
    """
    matches = np.zeros((block.systems * block.segments, order), np.int64)
    with np.errstate(over="ignore"):  # hashes wrap around on purpose
        count_matches(block, order, matches)
    return matches


@compiled
def count_matches(block: Numbered, order: int, matches: Longs) -> None:
    ids, offsets, types, segments, references, systems = block
    size, _ = table_size(order * longest_segment(offsets, segments, references))
    keys = np.zeros(size, np.uint64)
    counts = np.zeros(size, np.int32)
    current = np.zeros(size if references > 1 else 1, np.int32)  # count in the current reference …
    owner = np.zeros(size if references > 1 else 1, np.int32)  # … whose number this is
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
            number = part + 1 if references > 1 else 0
            used = index_reference(
                words, order, width, packed, keys, counts, nodes, used, bits, current, owner, number
            )
        for system in range(systems):
            line = (references + system) * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            found = matches[system * segments + segment]
            match_output(words, order, width, packed, keys, counts, nodes, bits, touched, found)


@compiled
def index_reference(
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
    """Count the n-grams of a reference; returns how many distinct ones there are so far.

    With several references, numbered from 1, an n-gram keeps its highest count. The only reference has number
    0: ``current`` and ``owner`` are then not needed.
    """
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
            if reference == 0:
                counts[slot] += 1
            else:
                if owner[slot] != reference:
                    owner[slot] = reference
                    current[slot] = 0
                current[slot] += 1
                if current[slot] > counts[slot]:
                    counts[slot] = current[slot]
            if not packed:
                key = U(nodes[slot])
    return used


@compiled
def match_output(
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
    """Add the matches of an output to ``found``; the counts are reduced meanwhile and restored at the end."""
    shift = U(64 - bits)
    mask = (1 << bits) - 1
    size = len(words)
    taken = 0
    for start in range(size):
        key = EMPTY
        for end in range(start, min(start + order, size)):
            if words[end] == 0:  # in no reference, and so is every longer n-gram with this word
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
