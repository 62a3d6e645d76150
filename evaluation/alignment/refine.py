"""Options of complete mode that make better questions of the same phrases.

Each takes the blocks (two-sided phrases, sorted by A) and returns blocks; what they leave uncovered is
one-sided. All treat the two sentences alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluation.alignment.chains import Block, core, weight
from evaluation.alignment.complete import Same, by_side, uncovered
from evaluation.alignment.values import Link, Span
from evaluation.tokens import bare

NEAR = 8
"""The most words, of both sentences together, over which a word left alone is taken to have moved."""
EXCHANGE = 8
"""The most words on a side for which an exchange of neighbours is one question about their order."""


def absorbed(
    blocks: Sequence[Block], runs_a: Iterable[Span], runs_b: Iterable[Span], same: Same
) -> list[Block]:
    """Give these uncovered runs to a block beside them: a shared one if there is one, else the left one."""
    grown = list(blocks)
    for side, runs in ((0, runs_a), (2, runs_b)):
        for run in runs:
            beside = _beside(grown, run, side)
            beside.sort(key=lambda block: not same(block))
            if beside:
                grown[grown.index(beside[0])] = _extended(beside[0], run, side)
    return sorted(grown)


def reunited(a: Sequence[str], b: Sequence[str], blocks: Sequence[Block], same: Same) -> list[Block]:
    """Make one moved block of the same words that each sentence has alone, close by and among equal words.

    Word aligners leave a grammatical word alone that stands elsewhere, because most have not moved. Where
    nothing else is there to ask about, that would be two questions about one word.

    >>> reunited("is not clear yet".split(), "is not yet clear".split(), [(0, 2, 0, 2), (2, 3, 3, 4)], bool)
    [(0, 2, 0, 2), (2, 3, 3, 4), (3, 4, 2, 3)]
    """
    runs_a = uncovered(blocks, len(a), 0)
    runs_b = uncovered(by_side(blocks, 2), len(b), 2)
    texts_a, texts_b = [tuple(a[slice(*run)]) for run in runs_a], [tuple(b[slice(*run)]) for run in runs_b]
    found = []
    for run, text in zip(runs_a, texts_a, strict=True):
        if texts_a.count(text) == texts_b.count(text) == 1 and any(map(bare, text)):
            other = runs_b[texts_b.index(text)]
            beside = _beside(blocks, run, 0) + _beside(blocks, other, 2)
            if all(map(same, beside)) and _jumped(blocks, run, other) <= NEAR:
                found.append(run + other)
    return sorted([*blocks, *found])


def _jumped(blocks: Iterable[Block], run: Span, other: Span) -> int:
    """Words of both sentences over which a run has moved."""
    return sum(weight(block) for block in blocks if (block[0] < run[0]) != (block[2] < other[0]))


def joined_differences(blocks: Sequence[Block], lengths: Link, same: Same) -> list[Block]:
    """Join neighbouring differences into one question.

    Two differing blocks join if no other block stands between them on either side; the one-sided words
    between them and beside them come along. Blocks that have only changed places with each other become one
    question about their order, if they are short.

    >>> joined_differences([(0, 1, 0, 1), (2, 3, 1, 2)], (3, 3), lambda block: False)
    [(0, 3, 0, 3)]
    >>> joined_differences([(0, 1, 1, 2), (1, 2, 0, 1)], (2, 2), lambda block: True)
    [(0, 2, 0, 2)]
    """
    grown = _neighbours_joined(_exchanges_joined(blocks), same)
    for side in (0, 2):
        for run in uncovered(by_side(grown, side), lengths[side // 2], side):
            beside = [block for block in _beside(grown, run, side) if not same(block)]
            if beside:
                grown[grown.index(beside[0])] = _extended(beside[0], run, side)
    return grown


def _exchanges_joined(blocks: Sequence[Block]) -> list[Block]:
    """Make one block of moved blocks that touch on both sides but stand in opposite order."""
    kept = core(blocks)
    grown: list[Block] = []
    for run in _exchanges(blocks, kept):
        hull = run[0][0], run[-1][1], run[-1][2], run[0][3]
        grown += [hull] if hull[1] - hull[0] <= EXCHANGE and hull[3] - hull[2] <= EXCHANGE else run
    return grown


def _exchanges(blocks: Sequence[Block], kept: set[Block]) -> list[list[Block]]:
    """Runs of neighbouring blocks, none of them in the core, that stand in reverse order in B."""
    runs: list[list[Block]] = []
    for block in blocks:
        last = runs[-1][-1] if runs else None
        touching = last is not None and last[1] == block[0] and block[3] == last[2]
        if touching and last not in kept and block not in kept:
            runs[-1].append(block)
        else:
            runs.append([block])
    return runs


def _neighbours_joined(blocks: Sequence[Block], same: Same) -> list[Block]:
    place_in_b = {block: place for place, block in enumerate(sorted(blocks, key=lambda block: block[2]))}
    grown: list[Block] = []
    previous: Block | None = None
    for block in blocks:
        following = previous is not None and place_in_b[block] == place_in_b[previous] + 1
        if previous is not None and following and not same(previous) and not same(block):
            grown[-1] = (grown[-1][0], block[1], grown[-1][2], block[3])
        else:
            grown.append(block)
        previous = block
    return grown


def _beside(blocks: Iterable[Block], run: Span, side: int) -> list[Block]:
    """The blocks that touch a run, the left one first."""
    touching = [block for block in blocks if block[side + 1] == run[0] or block[side] == run[1]]
    return sorted(touching, key=lambda block: block[side])


def _extended(block: Block, run: Span, side: int) -> Block:
    first, last = min(block[side], run[0]), max(block[side + 1], run[1])
    a0, a1, b0, b1 = block
    return (first, last, b0, b1) if side == 0 else (a0, a1, first, last)


def shortened(
    a: Sequence[str], b: Sequence[str], blocks: Iterable[Block], links: Iterable[Link], limit: int, same: Same
) -> list[Block]:
    """Cut differing blocks that have more than ``limit`` words on a side, where both sides have two words."""
    links = list(links)
    todo, done = list(blocks), []
    while todo:
        block = todo.pop()
        a0, a1, b0, b1 = block
        if max(a1 - a0, b1 - b0) <= limit or min(a1 - a0, b1 - b0) < 2 or same(block):
            done.append(block)
            continue
        x, y = _best_cut(a, b, block, links)
        todo += [(a0, x, b0, y), (x, a1, y, b1)]
    return sorted(done)


def _best_cut(a: Sequence[str], b: Sequence[str], block: Block, links: Iterable[Link]) -> tuple[int, int]:
    """Where fewest links are torn, then after punctuation, then in proportion, then in the middle.

    Ties are broken in the text that sorts first, so that A and B may change places.
    """
    a0, a1, b0, b1 = block
    inside = [(i, j) for i, j in links if a0 <= i < a1 and b0 <= j < b1]
    n, m = a1 - a0, b1 - b0
    turned = tuple(b[b0:b1]) < tuple(a[a0:a1])

    def cost(cut: tuple[int, int]) -> tuple[int, ...]:
        x, y = cut
        torn = sum((i < x) != (j < y) for i, j in inside)
        pause = (a[x - 1] in _PAUSES) + (b[y - 1] in _PAUSES)
        slant = abs((x - a0) * m - (y - b0) * n)
        offset = abs(2 * (x - a0) - n) * m + abs(2 * (y - b0) - m) * n
        return torn, -pause, slant, offset, *((y, x) if turned else (x, y))

    return min(((x, y) for x in range(a0 + 1, a1) for y in range(b0 + 1, b1)), key=cost)


_PAUSES = frozenset(",;:.!?–—，、。；：")
