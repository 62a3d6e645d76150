"""Complete mode: every word of both sentences is in exactly one phrase (steps 3 and 4).

This mode adds what section 6.2 of paper 003 leaves to future work: gaps, moved and cross-aligned phrases.
``evaluation.alignment.blocks`` builds blocks (two-sided phrases) from the word links. Then two steps are
repeated until nothing changes:

3. Pair uncovered runs: if both sentences have exactly one run between the same two neighbours, the two runs
   become one block. Neighbours are first all blocks, then only those of the core, because the words around a
   moved phrase still correspond. For the same reason two runs are paired if they are adjacent to the same
   core block on one side, even if a moved phrase follows one of them; and finally if they are adjacent to the
   same moved phrase, because they have moved with it.
4. Split blocks where equal and different words alternate, and join equal blocks that are adjacent in both
   sentences.

The remaining uncovered words are one-sided. Exchanging A and B mirrors every result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from evaluation.alignment.blocks import Block, are_in_order, find_core
from evaluation.alignment.values import Link, Span

Same = Callable[[Block], bool]
"""Tells whether the two sides of a block count as equal."""


def extend_blocks(a: Sequence[str], b: Sequence[str], blocks: Iterable[Block]) -> list[Block]:
    """Return all two-sided phrases, sorted by A, from disjoint blocks; ``a`` and ``b`` are token keys.

    >>> extend_blocks(["the", "red", "house"], ["the", "blue", "house"], [(0, 1, 0, 1), (2, 3, 2, 3)])
    [(0, 1, 0, 1), (1, 2, 1, 2), (2, 3, 2, 3)]
    """

    def same(block: Block) -> bool:
        return a[block[0] : block[1]] == b[block[2] : block[3]]

    phrases = join_equal(_split(a, b, blocks), same)
    while pairs := _pair_runs(phrases, len(a), len(b)):
        phrases = join_equal(_split(a, b, phrases + pairs), same)
    return phrases


def list_uncovered(blocks: Iterable[Block], length: int, side: int) -> list[Span]:
    """Return the runs outside all blocks on one side (0 for A, 2 for B), by which the blocks are sorted."""
    runs = []
    last = 0
    for block in blocks:
        if last < block[side]:
            runs.append((last, block[side]))
        last = block[side + 1]
    if last < length:
        runs.append((last, length))
    return runs


def sort_by_side(blocks: Iterable[Block], side: int) -> list[Block]:
    """Sort blocks by their position in one sentence (0 for A, 2 for B)."""
    return sorted(blocks, key=lambda block: block[side])


def _pair_runs(blocks: list[Block], length_a: int, length_b: int) -> list[Block]:
    """Return new blocks from uncovered runs (step 3); later rules apply only if earlier ones find nothing."""
    by_b, lengths = sort_by_side(blocks, 2), (length_a, length_b)
    pairs = _pair_between(blocks, by_b, blocks, lengths)
    if pairs or are_in_order(blocks):
        return pairs
    core = find_core(blocks)
    return (
        _pair_between(blocks, by_b, core, lengths)
        or _pair_adjacent(blocks, by_b, core, lengths)
        or _pair_adjacent(blocks, by_b, blocks, lengths)
    )


def _pair_between(
    blocks: list[Block], by_b: list[Block], neighbours: Collection[Block], lengths: Link
) -> list[Block]:
    """Pair runs that are alone between the same two neighbours in both sentences."""
    of_a = _index_runs(blocks, lengths[0], 0, neighbours)
    of_b = _index_runs(by_b, lengths[1], 2, neighbours)
    return [run + of_b[key] for key, run in of_a.items() if key in of_b]


def _index_runs(
    blocks: list[Block], length: int, side: int, neighbours: Collection[Block]
) -> dict[Link, Span]:
    """Return uncovered runs by (left, right) neighbour, if exactly one run is between the two.

    The key of a neighbour is its start in A; the edges have the keys −1 and −2.
    """
    includes_all = len(neighbours) == len(blocks)
    runs: dict[Link, Span] = {}
    pending: list[Span] = []
    left, last = -1, 0
    for block in blocks:
        if last < block[side]:
            pending.append((last, block[side]))
        last = block[side + 1]
        if includes_all or block in neighbours:
            if len(pending) == 1:
                runs[left, block[0]] = pending[0]
            pending = []
            left = block[0]
    if last < length:
        pending.append((last, length))
    if len(pending) == 1:
        runs[left, -2] = pending[0]
    return runs


def _pair_adjacent(
    blocks: list[Block], by_b: list[Block], neighbours: Collection[Block], lengths: Link
) -> list[Block]:
    """Pair runs that directly follow the same neighbour or edge; if there are none, that precede one."""
    runs_a, runs_b = list_uncovered(blocks, lengths[0], 0), list_uncovered(by_b, lengths[1], 2)
    for end in (0, 1):  # 0: a run starts where a neighbour ends; 1: it ends where a neighbour starts
        of_a, of_b = {run[end]: run for run in runs_a}, {run[end]: run for run in runs_b}
        borders = [(block[1 - end], block[3 - end]) for block in neighbours]
        borders.append(lengths if end else (0, 0))
        pairs = [of_a[x] + of_b[y] for x, y in borders if x in of_a and y in of_b]
        if pairs:
            return pairs
    return []


def _split(a: Sequence[str], b: Sequence[str], blocks: Iterable[Block]) -> list[Block]:
    parts: list[Block] = []
    for block in blocks:
        a0, a1, b0, b1 = block
        if a1 - a0 == b1 - b0 == 1:
            parts.append(block)
        else:
            parts += _split_block(a, b, block)
    parts.sort()
    return parts


def _split_block(a: Sequence[str], b: Sequence[str], block: Block) -> list[Block]:
    """Split off equal words at both ends; split the rest by position if both sides are equally long."""
    a0, a1, b0, b1 = block
    parts: list[Block] = []
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        parts.append((a0, a0 + 1, b0, b0 + 1))
        a0, b0 = a0 + 1, b0 + 1
    while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
        parts.append((a1, a1 + 1, b1, b1 + 1))
    if a0 == a1 or b0 == b1:
        return parts
    if a1 - a0 != b1 - b0:
        return [*parts, (a0, a1, b0, b1)]
    return parts + _split_by_position(a, b, (a0, a1, b0, b1))


def _split_by_position(a: Sequence[str], b: Sequence[str], block: Block) -> list[Block]:
    """Return runs of equal and of different words at the same offset."""
    a0, a1, b0, b1 = block
    equal = [x == y for x, y in zip(a[a0:a1], b[b0:b1], strict=True)]
    ends = [k for k in range(1, len(equal)) if equal[k] != equal[k - 1]] + [len(equal)]
    starts = [0, *ends[:-1]]
    return [(a0 + x, a0 + y, b0 + x, b0 + y) for x, y in zip(starts, ends, strict=True)]


def join_equal(blocks: Iterable[Block], same: Same) -> list[Block]:
    """Join equal blocks that are adjacent in both sentences."""
    joined: list[Block] = []
    was_equal = False
    for block in blocks:
        a0, a1, b0, b1 = block
        is_equal = same(block)
        if was_equal and is_equal and joined[-1][1] == a0 and joined[-1][3] == b0:
            joined[-1] = (joined[-1][0], a1, joined[-1][2], b1)
        else:
            joined.append(block)
        was_equal = is_equal
    return joined
