"""Complete mode: every word of both sentences in exactly one phrase (steps 3 and 4).

It extends paper 003 by what its section 6.2 leaves to future work: gaps, moved and cross-aligned phrases.
Blocks (two-sided phrases) come from the word links. Then, until nothing changes:

3. Unlinked runs pair up: if both sentences have exactly one run between the same two neighbours, the two
   runs become one block. Neighbours are first all blocks, then those of the core only, because a phrase
   that has moved should not hide that the words around it still correspond. For the same reason two runs
   pair up that touch the same core block on one side, though a moved phrase cuts one of them off the other;
   and last, two runs that touch the same moved phrase, because they have moved along with it.
4. A block is cut where equal and different words change, and equal blocks that touch on both sides join.

What is still uncovered is one-sided. Nothing here depends on which sentence is called A.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from evaluation.alignment.chains import Block, core, in_order
from evaluation.alignment.values import Link, Span

Same = Callable[[Block], bool]
"""Whether the two sides of a block count as equal."""


def settle(a: Sequence[str], b: Sequence[str], blocks: Iterable[Block]) -> list[Block]:
    """All two-sided phrases, sorted by A, from disjoint blocks; ``a`` and ``b`` are token keys.

    >>> settle(["the", "red", "house"], ["the", "blue", "house"], [(0, 1, 0, 1), (2, 3, 2, 3)])
    [(0, 1, 0, 1), (1, 2, 1, 2), (2, 3, 2, 3)]
    """

    def same(block: Block) -> bool:
        return a[block[0] : block[1]] == b[block[2] : block[3]]

    settled = joined(_cut(a, b, blocks), same)
    while found := _paired(settled, len(a), len(b)):
        settled = joined(_cut(a, b, settled + found), same)
    return settled


def uncovered(blocks: Iterable[Block], length: int, side: int) -> list[Span]:
    """The runs of words outside all blocks on one side (0 for A, 2 for B), by which they are sorted."""
    runs = []
    last = 0
    for block in blocks:
        if last < block[side]:
            runs.append((last, block[side]))
        last = block[side + 1]
    if last < length:
        runs.append((last, length))
    return runs


def by_side(blocks: Iterable[Block], side: int) -> list[Block]:
    """Blocks in the order of one sentence (0 for A, 2 for B)."""
    return sorted(blocks, key=lambda block: block[side])


def _paired(blocks: list[Block], length_a: int, length_b: int) -> list[Block]:
    """New blocks from runs that stand alone between the same two neighbours on both sides."""
    by_b = by_side(blocks, 2)
    found = _matched(_runs(blocks, length_a, 0, blocks), _runs(by_b, length_b, 2, blocks))
    if found or in_order(blocks):
        return found
    kept = core(blocks)
    found = _matched(_runs(blocks, length_a, 0, kept), _runs(by_b, length_b, 2, kept))
    lengths = (length_a, length_b)
    return found or _touching(blocks, by_b, kept, lengths) or _touching(blocks, by_b, blocks, lengths)


def _matched(of_a: dict[Link, Span], of_b: dict[Link, Span]) -> list[Block]:
    return [run + of_b[key] for key, run in of_a.items() if key in of_b]


def _runs(blocks: list[Block], length: int, side: int, neighbours: Collection[Block]) -> dict[Link, Span]:
    """Uncovered runs by (left, right) neighbour, where exactly one stands between the two.

    A neighbour is named by where it begins in A, the edges by −1 and −2.
    """
    everyone = len(neighbours) == len(blocks)
    runs: dict[Link, Span] = {}
    pending: list[Span] = []
    left, last = -1, 0
    for block in blocks:
        if last < block[side]:
            pending.append((last, block[side]))
        last = block[side + 1]
        if everyone or block in neighbours:
            if len(pending) == 1:
                runs[left, block[0]] = pending[0]
            pending = []
            left = block[0]
    if last < length:
        pending.append((last, length))
    if len(pending) == 1:
        runs[left, -2] = pending[0]
    return runs


def _touching(blocks: list[Block], by_b: list[Block], kept: Collection[Block], lengths: Link) -> list[Block]:
    """Runs that begin right after the same kept block or edge in A and B; if none, that end before one."""
    runs_a, runs_b = uncovered(blocks, lengths[0], 0), uncovered(by_b, lengths[1], 2)
    for end in (0, 1):  # 0: the runs begin where a neighbour ends; 1: they end where it begins
        of_a, of_b = {run[end]: run for run in runs_a}, {run[end]: run for run in runs_b}
        borders = [(block[1 - end], block[3 - end]) for block in kept]
        borders.append(lengths if end else (0, 0))
        found = [of_a[x] + of_b[y] for x, y in borders if x in of_a and y in of_b]
        if found:
            return found
    return []


def _cut(a: Sequence[str], b: Sequence[str], blocks: Iterable[Block]) -> list[Block]:
    parts: list[Block] = []
    for block in blocks:
        a0, a1, b0, b1 = block
        if a1 - a0 == b1 - b0 == 1:
            parts.append(block)
        else:
            parts += _cut_one(a, b, block)
    parts.sort()
    return parts


def _cut_one(a: Sequence[str], b: Sequence[str], block: Block) -> list[Block]:
    """Take equal words off both ends; cut what remains word by word if both sides are equally long."""
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
    return parts + _by_position(a, b, (a0, a1, b0, b1))


def _by_position(a: Sequence[str], b: Sequence[str], block: Block) -> list[Block]:
    """Runs of equal and of different words at the same offset."""
    a0, a1, b0, b1 = block
    equal = [x == y for x, y in zip(a[a0:a1], b[b0:b1], strict=True)]
    ends = [k for k in range(1, len(equal)) if equal[k] != equal[k - 1]] + [len(equal)]
    starts = [0, *ends[:-1]]
    return [(a0 + x, a0 + y, b0 + x, b0 + y) for x, y in zip(starts, ends, strict=True)]


def joined(blocks: Iterable[Block], same: Same) -> list[Block]:
    """Equal blocks that touch on both sides become one."""
    grown: list[Block] = []
    growing = False
    for block in blocks:
        a0, a1, b0, b1 = block
        equal = same(block)
        if growing and equal and grown[-1][1] == a0 and grown[-1][3] == b0:
            grown[-1] = (grown[-1][0], a1, grown[-1][2], b1)
        else:
            grown.append(block)
        growing = equal
    return grown
