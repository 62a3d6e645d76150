"""Options of complete mode that turn the same phrases into better questions.

Each function takes blocks (two-sided phrases, sorted by A) and returns blocks; uncovered words are one-sided.
Exchanging A and B mirrors the result of each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from evaluation.alignment.blocks import Block, block_weight, find_core
from evaluation.alignment.complete import Same, list_uncovered, sort_by_side
from evaluation.alignment.values import Link, Span
from evaluation.alignment.vocabulary import is_content
from evaluation.tokens import strip_punctuation

NEAR = 8
"""The maximum number of words, of both sentences together, over which a single word counts as moved."""
SWAPPED = 8
"""The maximum number of words on a side for which swapped neighbours become one question."""
BETWEEN = 4
"""The maximum length of a shared phrase around which words of the two sentences may correspond."""


def absorb_runs(
    blocks: Sequence[Block], runs_a: Iterable[Span], runs_b: Iterable[Span], same: Same
) -> list[Block]:
    """Add uncovered runs to an adjacent block: to a shared one if possible, else to the left one."""
    grown = {block: block for block in blocks}
    for side, runs in ((0, runs_a), (2, runs_b)):
        for run in runs:
            adjacent = sorted(_list_adjacent(blocks, run, side), key=lambda block: not same(block))
            if adjacent:
                grown[adjacent[0]] = _extend(grown[adjacent[0]], run, side)
    return sorted(grown.values())


def reunite_moved(a: Sequence[str], b: Sequence[str], blocks: Sequence[Block], same: Same) -> list[Block]:
    """Make a moved block of equal one-sided runs that are near each other and surrounded by shared phrases.

    Word aligners do not link a function word that occurs at another position, because most of them have not
    moved. If nothing else differs there, this would give two questions about one word.

    >>> a, b = "is not clear yet".split(), "is not yet clear".split()
    >>> reunite_moved(a, b, [(0, 2, 0, 2), (2, 3, 3, 4)], bool)
    [(0, 2, 0, 2), (2, 3, 3, 4), (3, 4, 2, 3)]
    """
    runs_a = list_uncovered(blocks, len(a), 0)
    runs_b = list_uncovered(sort_by_side(blocks, 2), len(b), 2)
    texts_a, texts_b = [tuple(a[slice(*run)]) for run in runs_a], [tuple(b[slice(*run)]) for run in runs_b]
    moved = []
    for run, text in zip(runs_a, texts_a, strict=True):
        if texts_a.count(text) == texts_b.count(text) == 1 and any(map(strip_punctuation, text)):
            other = runs_b[texts_b.index(text)]
            adjacent = _list_adjacent(blocks, run, 0) + _list_adjacent(blocks, other, 2)
            is_certain = (
                sum(map(bool, map(strip_punctuation, text))) > 1
            )  # two equal words in a row are no coincidence
            if all(map(same, adjacent)) and (is_certain or _count_jumped(blocks, run, other) <= NEAR):
                moved.append(run + other)
    return sorted([*blocks, *moved])


def _count_jumped(blocks: Iterable[Block], run: Span, other: Span) -> int:
    """Return the number of words of both sentences over which a run has moved."""
    return sum(block_weight(block) for block in blocks if (block[0] < run[0]) != (block[2] < other[0]))


def join_differences(blocks: Sequence[Block], lengths: Link, same: Same) -> list[Block]:
    """Join neighbouring differences into one question.

    Two different blocks are joined if no other block is between them on either side; the one-sided words
    between them and next to them are included. Short neighbours that have swapped become one question about
    their order.

    >>> join_differences([(0, 1, 0, 1), (2, 3, 1, 2)], (3, 3), lambda block: False)
    [(0, 3, 0, 3)]
    >>> join_differences([(0, 1, 1, 2), (1, 2, 0, 1)], (2, 2), lambda block: True)
    [(0, 2, 0, 2)]
    """
    blocks = _join_neighbours(_join_swapped(blocks), same)
    # Runs are compared with the blocks as they were; otherwise A's runs would take precedence over B's.
    grown = {block: block for block in blocks}
    for side in (0, 2):
        for run in list_uncovered(sort_by_side(blocks, side), lengths[side // 2], side):
            adjacent = [block for block in _list_adjacent(blocks, run, side) if not same(block)]
            if adjacent:
                grown[adjacent[0]] = _extend(grown[adjacent[0]], run, side)
    return list(grown.values())


def join_around_shared(
    a: Sequence[str], b: Sequence[str], blocks: Sequence[Block], same: Same
) -> list[Block]:
    """Join a run before a short shared phrase in one sentence with a run after it in the other.

    The shared phrase is included. Both runs must have a content word, or a word in common: otherwise two
    unrelated function words would be one question.

    >>> join_around_shared("a garden shed".split(), "a cabin of garden".split(),
    ...     [(0, 1, 0, 1), (1, 2, 3, 4)], lambda block: True)
    [(0, 1, 0, 1), (1, 3, 1, 4)]
    """
    core = find_core(blocks)
    runs_a, runs_b = list_uncovered(blocks, len(a), 0), list_uncovered(sort_by_side(blocks, 2), len(b), 2)
    grown = []
    for block in blocks:  # core blocks have the same order on both sides, so the result is symmetric
        a0, a1, b0, b1 = block
        around_a = [run for run in runs_a if run[1] == a0 or run[0] == a1]
        around_b = [run for run in runs_b if run[1] == b0 or run[0] == b1]
        near = max(a1 - a0, b1 - b0) <= BETWEEN and block in core and same(block)
        if near and len(around_a) == len(around_b) == 1:
            hull = _extend(_extend(block, around_a[0], 0), around_b[0], 2)
            opposite = (hull[0] < a0) != (hull[2] < b0)
            if (
                opposite
                and _is_short(hull)
                and _may_correspond(a[slice(*around_a[0])], b[slice(*around_b[0])])
            ):
                runs_a.remove(around_a[0])
                runs_b.remove(around_b[0])
                block = hull
        grown.append(block)
    return grown


def _is_short(hull: Block) -> bool:
    return hull[1] - hull[0] <= SWAPPED and hull[3] - hull[2] <= SWAPPED


def _may_correspond(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two runs have a content word each, or a word in common."""
    if any(map(is_content, one)) and any(map(is_content, other)):
        return True
    return not {word for token in one for word in strip_punctuation(token)}.isdisjoint(
        [word for token in other for word in strip_punctuation(token)]
    )


def _join_swapped(blocks: Sequence[Block]) -> list[Block]:
    """Make one block of short neighbours that have opposite orders in the two sentences.

    Both must have moved, or one-sided words must be between them, which would otherwise be a question of
    their own. If the smaller block only jumped over the larger one, its move is asked about instead.
    """
    core = find_core(blocks)
    joined: list[Block] = []
    for run in _list_swapped(blocks, core):
        hull = run[0][0], run[-1][1], run[-1][2], run[0][3]
        joined += [hull] if _is_short(hull) else run
    return joined


def _list_swapped(blocks: Sequence[Block], core: set[Block]) -> list[list[Block]]:
    """Return runs of blocks in reverse order with no other block between them in either sentence."""
    follower = dict(pairwise(sort_by_side(blocks, 2)))
    runs: list[list[Block]] = []
    for block in blocks:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and follower.get(block) == last
            and (last[1] < block[0] or block[3] < last[2] or core.isdisjoint((last, block)))
        ):
            runs[-1].append(block)
        else:
            runs.append([block])
    return runs


def _join_neighbours(blocks: Sequence[Block], same: Same) -> list[Block]:
    follower = dict(pairwise(sort_by_side(blocks, 2)))
    joined: list[Block] = []
    previous: Block | None = None
    for block in blocks:
        if previous and follower.get(previous) == block and not same(previous) and not same(block):
            joined[-1] = (joined[-1][0], block[1], joined[-1][2], block[3])
        else:
            joined.append(block)
        previous = block
    return joined


def _list_adjacent(blocks: Iterable[Block], run: Span, side: int) -> list[Block]:
    """Return the blocks next to a run, the left one first."""
    return sort_by_side(
        [block for block in blocks if block[side + 1] == run[0] or block[side] == run[1]], side
    )


def _extend(block: Block, run: Span, side: int) -> Block:
    first, last = min(block[side], run[0]), max(block[side + 1], run[1])
    a0, a1, b0, b1 = block
    return (first, last, b0, b1) if side == 0 else (a0, a1, first, last)


def split_long(
    a: Sequence[str], b: Sequence[str], blocks: Iterable[Block], links: Iterable[Link], limit: int, same: Same
) -> list[Block]:
    """Split different blocks with more than ``limit`` words on a side and at least two words on both."""
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
    """Return the cut that breaks fewest links; prefer one after punctuation, in proportion, in the middle.

    Ties are broken by the text that sorts first, so that the result is symmetric.
    """
    a0, a1, b0, b1 = block
    inside = [(i, j) for i, j in links if a0 <= i < a1 and b0 <= j < b1]
    n, m = a1 - a0, b1 - b0
    turned = tuple(b[b0:b1]) < tuple(a[a0:a1])

    def cost(cut: tuple[int, int]) -> tuple[int, ...]:
        x, y = cut
        broken = sum((i < x) != (j < y) for i, j in inside)
        pause = (a[x - 1] in _PAUSES) + (b[y - 1] in _PAUSES)
        slant = abs((x - a0) * m - (y - b0) * n)
        offset = abs(2 * (x - a0) - n) * m + abs(2 * (y - b0) - m) * n
        return broken, -pause, slant, offset, *((y, x) if turned else (x, y))

    return min(((x, y) for x in range(a0 + 1, a1) for y in range(b0 + 1, b1)), key=cost)


_PAUSES = frozenset(",;:.!?–—，、。；：")
