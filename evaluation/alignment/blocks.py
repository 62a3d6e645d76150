"""Blocks: disjoint two-sided phrases from word links, and the blocks that keep their order.

``build_blocks`` performs the first two steps of complete mode:

1. *Anchors* are links between equal words that are the only such link of both words. They are reliable, so
   all other links of their words are dropped.
2. The remaining links are grouped into connected components. Where the hulls (smallest enclosing spans) of
   two components overlap on a side, the loosest one is dropped, that is, the one that encloses most words
   without a link of its own; equally loose ones are dropped together, so the result does not depend on an
   order of search. An anchor encloses only its own words, so it is never dropped.

``find_core`` finds out which blocks moved. A *chain* is a set of blocks that have the same order in both
sentences; its weight is the number of words that it covers. The *core* consists of the blocks that are in
**every** heaviest chain, so it depends neither on which of two equal chains an algorithm finds nor on which
sentence is called A. Two-sided phrases outside the core have moved.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence

from evaluation.alignment.values import Link

Block = tuple[int, int, int, int]
"""A two-sided phrase (a0, a1, b0, b1): A[a0, a1) is aligned with B[b0, b1)."""


def find_core(blocks: Sequence[Block]) -> set[Block]:
    """Return the blocks that are in every heaviest chain; ``blocks`` are disjoint and sorted by A.

    >>> sorted(find_core([(0, 1, 3, 4), (1, 3, 0, 2)]))
    [(1, 3, 0, 2)]
    >>> find_core([(0, 2, 2, 4), (2, 4, 0, 2)])
    set()
    """
    if are_in_order(blocks):
        return set(blocks)
    before = _heaviest_before(blocks)
    # With both sentences reversed, the heaviest chain after a block is the one before its mirror image.
    after = _heaviest_before([(-a1, -a0, -b1, -b0) for a0, a1, b0, b1 in reversed(blocks)])[::-1]
    total = max(x + block_weight(block) for x, block in zip(before, blocks, strict=True))
    intervals = [
        (x, x + block_weight(block), block)
        for x, y, block in zip(before, after, blocks, strict=True)
        if x + block_weight(block) + y == total
    ]
    return _select_unrivalled(intervals)


def are_in_order(blocks: Sequence[Block]) -> bool:
    """Whether blocks that are sorted by A are also sorted by B."""
    last = -1
    for block in blocks:
        if block[2] < last:
            return False
        last = block[2]
    return True


def block_weight(block: Block) -> int:
    a0, a1, b0, b1 = block
    return a1 - a0 + b1 - b0


def _heaviest_before(blocks: Sequence[Block]) -> list[int]:
    """Return for each block the weight of the heaviest chain that ends before it.

    ``starts`` and ``weights`` both increase: a chain that ends further right in B is kept only if it is
    heavier.
    """
    starts: list[int] = []
    weights: list[int] = []
    before = []
    for block in blocks:
        position = bisect_left(starts, block[2])
        best = weights[position - 1] if position else 0
        before.append(best)
        value = best + block_weight(block)
        end = position
        while end < len(weights) and weights[end] <= value:
            end += 1
        starts[position:end] = [block[2]]
        weights[position:end] = [value]
    return before


def _select_unrivalled(intervals: list[tuple[int, int, Block]]) -> set[Block]:
    """Return the blocks of heaviest chains that no other such block can replace.

    Each block comes with its interval of weights. The blocks of one heaviest chain tile the weights from 0 to
    the total without overlap. So a block is in all of these chains exactly if no other interval overlaps its
    own.
    """
    intervals.sort()
    unrivalled = set()
    reach = 0
    for number, (start, end, block) in enumerate(intervals):
        follower = intervals[number + 1][0] if number + 1 < len(intervals) else end
        if reach <= start and follower >= end:
            unrivalled.add(block)
        reach = max(reach, end)
    return unrivalled


def build_blocks(a: Sequence[str], b: Sequence[str], links: Iterable[Link]) -> list[Block]:
    """Return disjoint blocks, sorted by A; ``a`` and ``b`` are token keys.

    >>> build_blocks(["going", "to", "go"], ["gonna", "go"], [(0, 0), (1, 0), (2, 1)])
    [(0, 2, 0, 1), (2, 3, 1, 2)]
    """
    links = set(links)
    if len(links) == len({i for i, _ in links}) == len({j for _, j in links}):
        return [(i, i + 1, j, j + 1) for i, j in sorted(links)]  # one to one: each link is a block
    anchors = _find_anchors(a, b, links)
    taken_a, taken_b = {i for i, _ in anchors}, {j for _, j in anchors}
    rest = [link for link in links if link[0] not in taken_a and link[1] not in taken_b]
    hulls = {(i, i + 1, j, j + 1): 0 for i, j in anchors}
    for component in _find_components(rest):
        block = _hull(component)
        words = len({i for i, _ in component}) + len({j for _, j in component})
        hulls[block] = block_weight(block) - words  # hulls differ: each begins with its own word
    return _drop_overlapping(hulls)


def _find_anchors(a: Sequence[str], b: Sequence[str], links: Iterable[Link]) -> list[Link]:
    equal = [(i, j) for i, j in links if a[i] == b[j]]
    of_a = Counter(i for i, _ in equal)
    of_b = Counter(j for _, j in equal)
    return [(i, j) for i, j in equal if of_a[i] == of_b[j] == 1]


def _find_components(links: Iterable[Link]) -> list[list[Link]]:
    """Return groups of links that share words, directly or through other links."""
    parent: dict[int, int] = {}

    def root(word: int) -> int:
        while parent.setdefault(word, word) != word:
            parent[word] = word = parent[parent[word]]
        return word

    links = list(links)
    for i, j in links:
        parent[root(i)] = root(~j)  # words of B get negative numbers
    groups: dict[int, list[Link]] = {}
    for link in links:
        groups.setdefault(root(link[0]), []).append(link)
    return list(groups.values())


def _hull(component: Sequence[Link]) -> Block:
    of_a, of_b = [i for i, _ in component], [j for _, j in component]
    return min(of_a), max(of_a) + 1, min(of_b), max(of_b) + 1


def _drop_overlapping(looseness: dict[Block, int]) -> list[Block]:
    blocks = list(looseness)
    while overlapping := _find_overlapping(blocks, 0) | _find_overlapping(blocks, 2):
        loosest = max(looseness[block] for block in overlapping)
        blocks = [block for block in blocks if block not in overlapping or looseness[block] < loosest]
    return sorted(blocks)


def _find_overlapping(blocks: list[Block], side: int) -> set[Block]:
    """Return the blocks whose span on one side (0 for A, 2 for B) overlaps that of another block."""
    blocks.sort(key=lambda block: block[side])
    overlapping = set()
    reach = -1
    for number, block in enumerate(blocks):
        overlaps_next = number + 1 < len(blocks) and blocks[number + 1][side] < block[side + 1]
        if block[side] < reach or overlaps_next:
            overlapping.add(block)
        reach = max(reach, block[side + 1])
    return overlapping
