"""Options of complete mode that make better questions of the same phrases.

Each takes the blocks (two-sided phrases, sorted by A) and returns blocks; what they leave uncovered is
one-sided. All treat the two sentences alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from evaluation.alignment.chains import Block, core, weight
from evaluation.alignment.complete import Same, by_side, uncovered
from evaluation.alignment.function_words import is_content
from evaluation.alignment.values import Link, Span
from evaluation.tokens import bare

NEAR = 8
"""The most words, of both sentences together, over which a word left alone is taken to have moved."""
EXCHANGE = 8
"""The most words on a side for which an exchange of neighbours is one question about their order."""
BETWEEN = 4
"""The most words of a shared phrase before and after which two sentences may say the same thing."""


def absorbed(
    blocks: Sequence[Block], runs_a: Iterable[Span], runs_b: Iterable[Span], same: Same
) -> list[Block]:
    """Give these uncovered runs to a block beside them: a shared one if there is one, else the left one."""
    grown = {block: block for block in blocks}
    for side, runs in ((0, runs_a), (2, runs_b)):
        for run in runs:
            beside = sorted(_beside(blocks, run, side), key=lambda block: not same(block))
            if beside:
                grown[beside[0]] = _extended(grown[beside[0]], run, side)
    return sorted(grown.values())


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
            alike = sum(map(bool, map(bare, text))) > 1  # two words in a row are no coincidence
            if all(map(same, beside)) and (alike or _jumped(blocks, run, other) <= NEAR):
                found.append(run + other)
    return sorted([*blocks, *found])


def _jumped(blocks: Iterable[Block], run: Span, other: Span) -> int:
    """Words of both sentences over which a run has moved."""
    return sum(weight(block) for block in blocks if (block[0] < run[0]) != (block[2] < other[0]))


def joined_differences(blocks: Sequence[Block], lengths: Link, same: Same) -> list[Block]:
    """Join neighbouring differences into one question.

    Two differing blocks join if no other block stands between them on either side; the one-sided words
    between them and beside them come along. Short neighbours that have changed places with each other become
    one question about their order.

    >>> joined_differences([(0, 1, 0, 1), (2, 3, 1, 2)], (3, 3), lambda block: False)
    [(0, 3, 0, 3)]
    >>> joined_differences([(0, 1, 1, 2), (1, 2, 0, 1)], (2, 2), lambda block: True)
    [(0, 2, 0, 2)]
    """
    blocks = _neighbours_joined(_exchanges_joined(blocks), same)
    grown = {
        block: block for block in blocks
    }  # what a block was decides, else A's runs would count before B's
    for side in (0, 2):
        for run in uncovered(by_side(blocks, side), lengths[side // 2], side):
            beside = [block for block in _beside(blocks, run, side) if not same(block)]
            if beside:
                grown[beside[0]] = _extended(grown[beside[0]], run, side)
    return list(grown.values())


def joined_around(a: Sequence[str], b: Sequence[str], blocks: Sequence[Block], same: Same) -> list[Block]:
    """Join what one sentence says before a short shared phrase and the other after it, that phrase included.

    Both must have a content word, or a word in common: else two unrelated small words would be one question.

    >>> joined_around("a garden shed".split(), "a cabin of garden".split(),
    ...     [(0, 1, 0, 1), (1, 2, 3, 4)], lambda block: True)
    [(0, 1, 0, 1), (1, 3, 1, 4)]
    """
    kept = core(blocks)
    runs_a, runs_b = uncovered(blocks, len(a), 0), uncovered(by_side(blocks, 2), len(b), 2)
    grown = []
    for block in blocks:  # those of the core stand in one order, so nothing depends on which side is A
        a0, a1, b0, b1 = block
        around_a = [run for run in runs_a if run[1] == a0 or run[0] == a1]
        around_b = [run for run in runs_b if run[1] == b0 or run[0] == b1]
        near = max(a1 - a0, b1 - b0) <= BETWEEN and block in kept and same(block)
        if near and len(around_a) == len(around_b) == 1:
            hull = _extended(_extended(block, around_a[0], 0), around_b[0], 2)
            opposite = (hull[0] < a0) != (hull[2] < b0)
            short = hull[1] - hull[0] <= EXCHANGE and hull[3] - hull[2] <= EXCHANGE
            if opposite and short and _kin(a[slice(*around_a[0])], b[slice(*around_b[0])]):
                runs_a.remove(around_a[0])
                runs_b.remove(around_b[0])
                block = hull
        grown.append(block)
    return grown


def _kin(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two runs of words may say the same thing."""
    if any(map(is_content, one)) and any(map(is_content, other)):
        return True
    return not {word for token in one for word in bare(token)}.isdisjoint(
        [word for token in other for word in bare(token)]
    )


def _exchanges_joined(blocks: Sequence[Block]) -> list[Block]:
    """Make one block of short neighbours that stand in opposite order.

    Both must have moved, or words that only one sentence has must stand between them, which would else be a
    question of their own; where the smaller has jumped over the larger and nothing else, its move is asked.
    """
    kept = core(blocks)
    grown: list[Block] = []
    for run in _exchanges(blocks, kept):
        hull = run[0][0], run[-1][1], run[-1][2], run[0][3]
        grown += [hull] if hull[1] - hull[0] <= EXCHANGE and hull[3] - hull[2] <= EXCHANGE else run
    return grown


def _exchanges(blocks: Sequence[Block], kept: set[Block]) -> list[list[Block]]:
    """Runs of blocks in reverse order, between which no other block stands in either sentence."""
    follower = dict(pairwise(by_side(blocks, 2)))
    runs: list[list[Block]] = []
    for block in blocks:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and follower.get(block) == last
            and (last[1] < block[0] or block[3] < last[2] or kept.isdisjoint((last, block)))
        ):
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
