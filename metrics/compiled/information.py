"""Information-weighted n-gram matches, as NIST sums them (Doddington 2002, equations 2 and 3).

All texts form one numbered segment, so that a word has the same number everywhere. N-grams are nodes of a
trie: a key is the pair (node of the n-gram without its last word, last word). The weight of a node is log2 of
the count of its parent over its own; the parent of a single word is the whole corpus.
"""

from __future__ import annotations

import numpy as np

from metrics.compiled.compiler import Bits, Floats, Ints, Longs, compiled
from metrics.compiled.numbering import GOLDEN, U, longest_line, number_words, table_size

EMPTY = U(0)
WORD_BITS = U(32)


def weighted_matches(
    corpus: list[str], references: list[list[str]], systems: list[list[str]], order: int
) -> tuple[Floats, Longs]:
    """Return the summed information of the matches ``[system, segment, n - 1]`` and the length of every line.

    Weights come from ``corpus``, or from the references if it is empty; ``references[r][i]`` and
    ``systems[s][i]`` as everywhere. Lines must not contain line feeds. The lengths are those of the
    references and then the systems, ``[reference + system, segment]``.

    >>> matched, lengths = weighted_matches([], [["a b a c"]], [["a c b"]], 2)
    >>> matched.tolist(), lengths.tolist()
    ([[[5.0, 1.0]]], [[4], [3]])
    """
    segments = len(systems[0]) if systems else 0
    lines = [*corpus, *(line for part in (*references, *systems) for line in part)]
    known = len(corpus) + len(references) * segments
    block = number_words("".join(f"{line}\n" for line in lines), 1, known, len(lines) - known)
    matched = np.zeros((len(systems), segments, order))
    with np.errstate(over="ignore"):  # hashes wrap around
        sum_information(block.ids, block.offsets, len(corpus), segments, len(references), order, matched)
    return matched, np.diff(block.offsets[len(corpus) :]).reshape(-1, segments)


@compiled
def sum_information(
    ids: Ints, offsets: Longs, corpus: int, segments: int, references: int, order: int, matched: Floats
) -> None:
    known = corpus + references * segments
    tokens = int(offsets[known])
    size, bits = table_size(order * tokens)
    keys = np.zeros(size, np.uint64)
    nodes = np.zeros(size, np.int32)
    counts = np.zeros(order * tokens + 1, np.int32)
    parents = np.zeros(len(counts), np.int32)
    trails = np.zeros((tokens, order), np.int32)  # the nodes of all n-grams that start at a token
    used = 0
    for line in range(known):
        counted = corpus == 0 or line < corpus
        words = ids[offsets[line] : offsets[line + 1]]
        trail = trails[offsets[line] : offsets[line + 1]]
        used = add_line(words, trail, bits, keys, nodes, counts, parents, used, counted)
    information = weigh(counts, parents, used, int(offsets[corpus if corpus > 0 else known]))
    highest = np.zeros(used + 1, np.int32)  # highest count of a node in any reference of the segment
    current = np.zeros(used + 1, np.int32)
    trail = np.zeros((longest_line(offsets, known, len(offsets) - 1), order), np.int32)
    for segment in range(segments):
        for part in range(references):
            line = corpus + part * segments + segment
            raise_highest(trails[offsets[line] : offsets[line + 1]], highest, current)
        for system in range(len(matched)):
            line = known + system * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            find_nodes(words, bits, keys, nodes, trail)
            match(trail[: len(words)], highest, current, information, matched[system, segment])
        for part in range(references):
            line = corpus + part * segments + segment
            clear(trails[offsets[line] : offsets[line + 1]], highest)


@compiled
def add_line(
    words: Ints,
    trail: Ints,
    bits: int,
    keys: Bits,
    nodes: Ints,
    counts: Ints,
    parents: Ints,
    used: int,
    counted: bool,
) -> int:
    """Add the n-grams of a line to the trie and their nodes to ``trail``; count them if ``counted``."""
    order = trail.shape[1]
    for start in range(len(words)):
        node = 0
        for end in range(start, min(start + order, len(words))):
            key = (U(node) << WORD_BITS) | U(words[end])
            slot = find_slot(key, bits, keys)
            if keys[slot] == EMPTY:
                used += 1
                keys[slot] = key
                nodes[slot] = used
                parents[used] = node
            node = nodes[slot]
            trail[start, end - start] = node
            if counted:
                counts[node] += 1
    return used


@compiled
def find_slot(key: np.uint64, bits: int, keys: Bits) -> int:
    """Return the slot of a key, or the empty slot where it belongs."""
    slot = np.int64((key * GOLDEN) >> U(64 - bits))
    while keys[slot] != key and keys[slot] != EMPTY:
        slot = (slot + 1) & ((1 << bits) - 1)
    return int(slot)


@compiled
def weigh(counts: Ints, parents: Ints, used: int, total: int) -> Floats:
    """Return log2(count of the n-gram without its last word / its own count); a count of 0 is taken as 1."""
    information = np.zeros(used + 1)
    for node in range(1, used + 1):
        whole = total if parents[node] == 0 else counts[parents[node]]
        information[node] = np.log2(max(whole, 1) / max(counts[node], 1))
    return information


@compiled
def find_nodes(words: Ints, bits: int, keys: Bits, nodes: Ints, trail: Ints) -> None:
    """Write the nodes of the n-grams of a line to ``trail``, 0 for those that are not in the trie."""
    order = trail.shape[1]
    for start in range(len(words)):
        trail[start] = 0
        node = 0
        for end in range(start, min(start + order, len(words))):
            if words[end] == 0:
                break
            slot = find_slot((U(node) << WORD_BITS) | U(words[end]), bits, keys)
            if keys[slot] == EMPTY:
                break
            node = nodes[slot]
            trail[start, end - start] = node


@compiled
def raise_highest(trail: Ints, highest: Ints, current: Ints) -> None:
    """Raise the highest counts to those of a reference."""
    for start in range(len(trail)):
        for place in range(trail.shape[1]):
            node = trail[start, place]
            if node == 0:
                break
            current[node] += 1
            if current[node] > highest[node]:
                highest[node] = current[node]
    clear(trail, current)


@compiled
def match(trail: Ints, highest: Ints, current: Ints, information: Floats, found: Floats) -> None:
    """Sum the information of the n-grams of an output, each at most as often as in a reference."""
    for start in range(len(trail)):
        for place in range(trail.shape[1]):
            node = trail[start, place]
            if node == 0:
                break
            if current[node] < highest[node]:
                current[node] += 1
                found[place] += information[node]
    clear(trail, current)


@compiled
def clear(trail: Ints, counts: Ints) -> None:
    for start in range(len(trail)):
        for place in range(trail.shape[1]):
            counts[trail[start, place]] = 0
