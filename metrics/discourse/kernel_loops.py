"""The loops of the tree kernel over the arrays of a ``Forest``; see ``kernel`` for the formula.

For a pair of trees one number is stored for each pair of *matching* nodes, in a ragged array: the matches of
a node are a slice of the nodes of the other tree in order of production, so their numbers are adjacent.
Memory and time therefore grow with the number of matches, not with the product of the two sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metrics.compiled.compiler import Floats, Longs, compiled

if TYPE_CHECKING:
    from metrics.discourse.kernel import Forest

LARGE = 30.0  # beyond it log(1 + x) and log x are equal to the last digits


@compiled
def log_kernels(left: Longs, right: Longs, forest: Forest, log_decay: float, result: Floats) -> None:
    """log K of each pair of trees into ``result``."""
    starts = forest.starts
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
        matching(a_start, a_end, b_start, b_end, forest, first, last)
        matches = 0
        for node in range(a_end - a_start):
            offsets[node] = matches - first[node]
            matches += last[node] - first[node]
        if matches > len(gains):
            gains = np.empty(2 * matches)
        result[pair] = log_kernel(a_start, a_end, b_start, forest, first, last, offsets, log_decay, gains)


@compiled
def matching(a: int, a_end: int, b: int, b_end: int, forest: Forest, first: Longs, last: Longs) -> None:
    """For every node of tree a, the slice of the sorted nodes of tree b that have the same production."""
    productions, order = forest.productions, forest.order
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


@compiled
def log_kernel(
    a: int,
    a_end: int,
    b: int,
    forest: Forest,
    first: Longs,
    last: Longs,
    offsets: Longs,
    log_decay: float,
    gains: Floats,
) -> float:
    """log Σ C over the matching nodes, children before parents; ``gains`` holds log(1 + C) of each match."""
    _, _, order, ranks, child_starts, children = forest
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
            if value == log_decay:  # no child matches: the most frequent case needs no logarithm
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
