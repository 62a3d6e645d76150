"""Clipped n-gram matches: how many n-grams of an output occur in its references.

An n-gram counts at most as often as it occurs in the reference that has it most often (Papineni et al. 2002,
section 2.1). Keys are exact. If a segment has few types, the numbers of n words are packed into 64 bits;
otherwise a key is the pair (n-gram without its last word, last word), so neither length nor alphabet is
limited.
"""

from __future__ import annotations

from typing import NamedTuple

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


class NgramTable(NamedTuple):
    """The n-grams of the references of a segment in an open hash table with ``2 ** bits`` places.

    The arrays are working memory for all segments; ``current`` and ``owner`` are for several references.
    """

    keys: Bits
    counts: Ints  # the highest count in a reference
    nodes: Longs  # the number of an n-gram, which stands for it in longer keys
    current: Ints  # count in the current reference …
    owner: Ints  # … whose number this is
    order: int
    bits: int
    packed: bool
    width: np.uint64  # of a word in a packed key


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
    current = np.zeros(size if references > 1 else 1, np.int32)
    owner = np.zeros(size if references > 1 else 1, np.int32)
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
        table = NgramTable(keys, counts, nodes, current, owner, order, bits, packed, width)
        used = 0
        for part in range(references):
            line = part * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            used = index_reference(words, table, used, part + 1 if references > 1 else 0)
        for system in range(systems):
            line = (references + system) * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            found = matches[system * segments + segment]
            match_output(words, table, touched, found)


@compiled
def index_reference(words: Ints, table: NgramTable, used: int, reference: int) -> int:
    """Count the n-grams of a reference; returns how many distinct ones there are so far.

    With several references, numbered from 1, an n-gram keeps its highest count. The only reference has number
    0: ``current`` and ``owner`` are then not needed.
    """
    keys, counts, nodes, current, owner, order, bits, packed, width = table
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
def match_output(words: Ints, table: NgramTable, touched: Ints, found: Longs) -> None:
    """Add the matches of an output to ``found``; the counts are reduced meanwhile and restored at the end."""
    keys, counts, nodes, _, _, order, bits, packed, width = table
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
