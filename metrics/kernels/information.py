"""Information-weighted n-gram matches: what NIST sums up (Doddington 2002, equations 2 and 3).

All texts are one numbered "segment" here, so that a word has the same number everywhere. N-grams are nodes
of a trie: a key is the pair (node of the n-gram without its last word, last word). A node weighs log2 of
its parent's count over its own; the parent of a single word is the whole corpus.
"""

from __future__ import annotations

import numpy as np

from metrics.kernels.compiler import Bits, Floats, Ints, Longs, kernel
from metrics.kernels.words import GOLDEN, U, number_words, table_size

EMPTY = U(0)
WORD_BITS = U(32)


def weighted_matches(
    corpus: list[str], references: list[list[str]], systems: list[list[str]], order: int
) -> tuple[Floats, Longs]:
    """Summed information of the matches ``[system, segment, n - 1]`` and the number of words of every line.

    Weights come from ``corpus``, or from the references where it is empty; ``references[r][i]`` and
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
    with np.errstate(over="ignore"):  # hashes wrap around on purpose
        sum_information(block.ids, block.offsets, len(corpus), segments, len(references), order, matched)
    return matched, np.diff(block.offsets[len(corpus) :]).reshape(-1, segments)


@kernel
def sum_information(
    ids: Ints, offsets: Longs, corpus: int, segments: int, references: int, order: int, matched: Floats
) -> None:
    known = corpus + references * segments
    size, bits = table_size(order * int(offsets[known]))
    keys = np.zeros(size, np.uint64)
    nodes = np.zeros(size, np.int32)
    counts = np.zeros(order * int(offsets[known]) + 1, np.int32)
    parents = np.zeros(len(counts), np.int32)
    used = 0
    for line in range(known):
        counted = corpus == 0 or line < corpus
        words = ids[offsets[line] : offsets[line + 1]]
        used = grow(words, order, bits, keys, nodes, counts, parents, used, counted)
    total = int(offsets[corpus if corpus > 0 else known])
    information = weigh(counts, parents, used, total)
    highest = np.zeros(used + 1, np.int32)  # count of a node in that reference where it is highest
    current = np.zeros(used + 1, np.int32)
    path = np.zeros(order, np.int32)
    for segment in range(segments):
        for part in range(references):
            line = corpus + part * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            note(words, order, bits, keys, nodes, highest, current, path)
        for system in range(len(matched)):
            line = known + system * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            match(
                words, order, bits, keys, nodes, highest, current, path, information, matched[system, segment]
            )
        for part in range(references):
            line = corpus + part * segments + segment
            words = ids[offsets[line] : offsets[line + 1]]
            forget(words, order, bits, keys, nodes, highest, path)


@kernel
def grow(
    words: Ints,
    order: int,
    bits: int,
    keys: Bits,
    nodes: Ints,
    counts: Ints,
    parents: Ints,
    used: int,
    counted: bool,
) -> int:
    """Put the n-grams of a line into the trie and count them if they are to be counted."""
    for start in range(len(words)):
        node = 0
        for end in range(start, min(start + order, len(words))):
            key = (U(node) << WORD_BITS) | U(words[end])
            slot = find(key, bits, keys)
            if keys[slot] == EMPTY:
                used += 1
                keys[slot] = key
                nodes[slot] = used
                parents[used] = node
            node = nodes[slot]
            if counted:
                counts[node] += 1
    return used


@kernel
def find(key: np.uint64, bits: int, keys: Bits) -> int:
    """The slot of a key, or the empty slot where it belongs."""
    slot = np.int64((key * GOLDEN) >> U(64 - bits))
    while keys[slot] != key and keys[slot] != EMPTY:
        slot = (slot + 1) & ((1 << bits) - 1)
    return int(slot)


@kernel
def weigh(counts: Ints, parents: Ints, used: int, total: int) -> Floats:
    """log2(count of the n-gram without its last word / its count); one never seen counts as seen once."""
    information = np.zeros(used + 1)
    for node in range(1, used + 1):
        whole = total if parents[node] == 0 else counts[parents[node]]
        information[node] = np.log2(max(whole, 1) / max(counts[node], 1))
    return information


@kernel
def walk(words: Ints, start: int, order: int, bits: int, keys: Bits, nodes: Ints, path: Ints) -> int:
    """Nodes of the n-grams that start here, as far as the trie knows them; returns how many."""
    node = 0
    length = 0
    for end in range(start, min(start + order, len(words))):
        if words[end] == 0:
            break
        slot = find((U(node) << WORD_BITS) | U(words[end]), bits, keys)
        if keys[slot] == EMPTY:
            break
        node = nodes[slot]
        path[length] = node
        length += 1
    return length


@kernel
def note(
    words: Ints, order: int, bits: int, keys: Bits, nodes: Ints, highest: Ints, current: Ints, path: Ints
) -> None:
    """Raise the highest counts to those of this reference."""
    for start in range(len(words)):
        for place in range(walk(words, start, order, bits, keys, nodes, path)):
            node = path[place]
            current[node] += 1
            highest[node] = max(highest[node], current[node])
    for start in range(len(words)):
        for place in range(walk(words, start, order, bits, keys, nodes, path)):
            current[path[place]] = 0


@kernel
def match(
    words: Ints,
    order: int,
    bits: int,
    keys: Bits,
    nodes: Ints,
    highest: Ints,
    current: Ints,
    path: Ints,
    information: Floats,
    found: Floats,
) -> None:
    """Sum the information of an output's n-grams, each as often as a reference has it at most."""
    for start in range(len(words)):
        for place in range(walk(words, start, order, bits, keys, nodes, path)):
            node = path[place]
            if current[node] < highest[node]:
                current[node] += 1
                found[place] += information[node]
    for start in range(len(words)):
        for place in range(walk(words, start, order, bits, keys, nodes, path)):
            current[path[place]] = 0


@kernel
def forget(words: Ints, order: int, bits: int, keys: Bits, nodes: Ints, highest: Ints, path: Ints) -> None:
    for start in range(len(words)):
        for place in range(walk(words, start, order, bits, keys, nodes, path)):
            highest[path[place]] = 0
