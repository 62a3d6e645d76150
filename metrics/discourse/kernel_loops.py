"""The loops of the tree kernel over the arrays of a ``Forest``; see ``kernel`` for the formula.

What is remembered about a pair of trees is one number for each pair of *matching* nodes, in a ragged array:
the matches of a node are a stretch of the other tree's nodes in order of production, so its numbers lie side
by side. Memory and time therefore grow with the matches, not with the product of the two sizes.
"""

from __future__ import annotations

import numpy as np

from metrics.kernels.compiler import Floats, Longs, kernel

LARGE = 30.0  # beyond it log(1 + x) and log x are the same to the last digits


@kernel
def log_kernels(
    left: Longs,
    right: Longs,
    starts: Longs,
    productions: Longs,
    order: Longs,
    ranks: Longs,
    child_starts: Longs,
    children: Longs,
    log_decay: float,
    result: Floats,
) -> None:
    """log K of each pair of trees into ``result``."""
    largest = 1
    for tree in range(len(starts) - 1):
        largest = max(largest, starts[tree + 1] - starts[tree])
    first = np.empty(largest, np.int64)
    last = np.empty(largest, np.int64)
    offsets = np.empty(largest, np.int64)
    gains = np.empty(1 << 12)
    for pair in range(len(left)):
        a, b = left[pair], right[pair]
        a_start, a_end, b_start, b_end = starts[a], starts[a + 1], starts[b], starts[b + 1]
        matching(a_start, a_end, b_start, b_end, productions, order, first, last)
        matches = 0
        for node in range(a_end - a_start):
            offsets[node] = matches - first[node]
            matches += last[node] - first[node]
        if matches > len(gains):
            gains = np.empty(2 * matches)
        result[pair] = log_kernel(
            a_start,
            a_end,
            b_start,
            order,
            ranks,
            child_starts,
            children,
            first,
            last,
            offsets,
            log_decay,
            gains,
        )


@kernel
def matching(
    a: int, a_end: int, b: int, b_end: int, productions: Longs, order: Longs, first: Longs, last: Longs
) -> None:
    """For every node of tree a, the stretch of tree b's sorted nodes that have the same production."""
    start = end = b
    for place in range(a, a_end):
        node = order[place]
        production = productions[a + node]
        if not (start < end and productions[b + order[start]] == production):
            start = end
            while start < b_end and productions[b + order[start]] < production:
                start += 1
            end = start
            while end < b_end and productions[b + order[end]] == production:
                end += 1
        first[node] = start
        last[node] = end


@kernel
def log_kernel(
    a: int,
    a_end: int,
    b: int,
    order: Longs,
    ranks: Longs,
    child_starts: Longs,
    children: Longs,
    first: Longs,
    last: Longs,
    offsets: Longs,
    log_decay: float,
    gains: Floats,
) -> float:
    """log Σ C over the matching nodes, children before parents; ``gains`` holds log(1 + C) of each match."""
    bare_gain = np.log1p(np.exp(log_decay))
    bare, highest, total = 0, -np.inf, 0.0
    for node in range(a_end - a):
        begin = child_starts[a + node]
        width = child_starts[a + node + 1] - begin
        for place in range(first[node], last[node]):
            begin_other = child_starts[b + order[place]]
            value = log_decay
            for child in range(width):
                mine, theirs = children[begin + child], children[begin_other + child]
                if mine >= 0 and theirs >= 0:
                    rank = ranks[b + theirs]
                    if first[mine] <= rank < last[mine]:
                        value += gains[offsets[mine] + rank]
            if value == log_decay:  # nothing below matches: the commonest case needs no logarithm
                bare += 1
                gains[offsets[node] + place] = bare_gain
                continue
            gains[offsets[node] + place] = value if value > LARGE else np.log1p(np.exp(value))
            if value > highest:
                total = total * np.exp(highest - value) + 1.0
                highest = value
            else:
                total += np.exp(value - highest)
    if bare and highest > log_decay:
        total += bare * np.exp(log_decay - highest)
    elif bare:
        total, highest = float(bare), log_decay
    return highest + np.log(total) if total > 0 else -np.inf
