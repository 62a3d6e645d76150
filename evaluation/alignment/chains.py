"""Which phrases keep their order: the core of a set of crossing phrases.

A *chain* is a set of blocks that stand in the same order in both sentences; its weight is the number of
words it covers. Several chains may be the heaviest. The *core* holds the blocks that are in **every**
heaviest chain, so it never depends on which of two equal chains an algorithm happens to find, nor on which
sentence is called A. Two-sided phrases outside the core are the moved ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

Block = tuple[int, int, int, int]
"""A two-sided phrase: A[a0, a1) beside B[b0, b1)."""


def core(blocks: Sequence[Block]) -> set[Block]:
    """The blocks of every heaviest in-order chain; ``blocks`` are disjoint and sorted by A.

    >>> sorted(core([(0, 1, 3, 4), (1, 3, 0, 2)]))
    [(1, 3, 0, 2)]
    >>> core([(0, 2, 2, 4), (2, 4, 0, 2)])
    set()
    """
    if in_order(blocks):
        return set(blocks)
    before = _heaviest_before(blocks)
    # Read both sentences backwards: the heaviest chain after a block is the one before its mirror image.
    after = _heaviest_before([(-a1, -a0, -b1, -b0) for a0, a1, b0, b1 in reversed(blocks)])[::-1]
    total = max(x + weight(block) for x, block in zip(before, blocks, strict=True))
    on_some = [
        (x, x + weight(block), block)
        for x, y, block in zip(before, after, blocks, strict=True)
        if x + weight(block) + y == total
    ]
    return _unrivalled(on_some)


def in_order(blocks: Sequence[Block]) -> bool:
    """Whether blocks sorted by A are sorted by B too."""
    last = -1
    for block in blocks:
        if block[2] < last:
            return False
        last = block[2]
    return True


def weight(block: Block) -> int:
    a0, a1, b0, b1 = block
    return a1 - a0 + b1 - b0


def _heaviest_before(blocks: Sequence[Block]) -> list[int]:
    """For each block the weight of the heaviest chain that ends before it.

    ``starts`` and ``weights`` both rise: a chain that ends further right in B is kept only if it is heavier.
    """
    starts: list[int] = []
    weights: list[int] = []
    before = []
    for block in blocks:
        place = bisect_left(starts, block[2])
        best = weights[place - 1] if place else 0
        before.append(best)
        value = best + weight(block)
        end = place
        while end < len(weights) and weights[end] <= value:
            end += 1
        starts[place:end] = [block[2]]
        weights[place:end] = [value]
    return before


def _unrivalled(on_some: list[tuple[int, int, Block]]) -> set[Block]:
    """Blocks of heaviest chains that no other such block can replace.

    The blocks of one heaviest chain tile the weights from 0 to the total without overlap. So a block is on
    all of them exactly if no other candidate's interval of weights overlaps its own.
    """
    on_some.sort()
    kept = set()
    reach = 0
    for place, (start, end, block) in enumerate(on_some):
        follower = on_some[place + 1][0] if place + 1 < len(on_some) else end
        if reach <= start and follower >= end:
            kept.add(block)
        reach = max(reach, end)
    return kept
