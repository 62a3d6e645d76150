"""From any set of word links to disjoint blocks: steps 1 and 2 of complete mode.

1. *Anchors* are links between equal words that are the only such link of both. They are certain, so every
   other link at their words is dropped.
2. The remaining links are grouped into connected components. Where the hulls (smallest enclosing spans) of
   two components overlap on a side, the loosest goes, that is, the one that encloses most words which it
   does not link; those that are equally loose go together, so nothing depends on an order of search.

An anchor encloses nothing but itself, so it is never dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from evaluation.alignment.chains import Block, weight
from evaluation.alignment.values import Link


def blocks_of(a: Sequence[str], b: Sequence[str], links: Iterable[Link]) -> list[Block]:
    """Disjoint two-sided blocks, sorted by A.

    >>> blocks_of(["going", "to", "go"], ["gonna", "go"], [(0, 0), (1, 0), (2, 1)])
    [(0, 2, 0, 1), (2, 3, 1, 2)]
    """
    links = set(links)
    if len(links) == len({i for i, _ in links}) == len({j for _, j in links}):
        return [(i, i + 1, j, j + 1) for i, j in sorted(links)]  # one to one: every link stands alone
    anchors = _anchors(a, b, links)
    taken_a, taken_b = {i for i, _ in anchors}, {j for _, j in anchors}
    rest = [link for link in links if link[0] not in taken_a and link[1] not in taken_b]
    hulls = {(i, i + 1, j, j + 1): 0 for i, j in anchors}
    for component in _components(rest):
        block = _hull(component)
        words = len({i for i, _ in component}) + len({j for _, j in component})
        hulls[block] = weight(block) - words  # no two hulls are equal: each begins with a word of its own
    return _disjoint(hulls)


def _anchors(a: Sequence[str], b: Sequence[str], links: Iterable[Link]) -> list[Link]:
    equal = [(i, j) for i, j in links if a[i] == b[j]]
    of_a = Counter(i for i, _ in equal)
    of_b = Counter(j for _, j in equal)
    return [(i, j) for i, j in equal if of_a[i] == of_b[j] == 1]


def _components(links: Iterable[Link]) -> list[list[Link]]:
    """Links that share words, directly or through others."""
    parent: dict[int, int] = {}

    def root(word: int) -> int:
        while parent.setdefault(word, word) != word:
            parent[word] = word = parent[parent[word]]
        return word

    links = list(links)
    for i, j in links:
        parent[root(i)] = root(~j)  # words of B are counted below zero
    groups: dict[int, list[Link]] = {}
    for link in links:
        groups.setdefault(root(link[0]), []).append(link)
    return list(groups.values())


def _hull(component: Sequence[Link]) -> Block:
    of_a, of_b = [i for i, _ in component], [j for _, j in component]
    return min(of_a), max(of_a) + 1, min(of_b), max(of_b) + 1


def _disjoint(looseness: dict[Block, int]) -> list[Block]:
    blocks = list(looseness)
    while clashing := _clashing(blocks, 0) | _clashing(blocks, 2):
        loosest = max(looseness[block] for block in clashing)
        blocks = [block for block in blocks if block not in clashing or looseness[block] < loosest]
    return sorted(blocks)


def _clashing(blocks: list[Block], side: int) -> set[Block]:
    """Blocks whose spans on one side (0 for A, 2 for B) overlap another's."""
    blocks.sort(key=lambda block: block[side])
    found = set()
    reach = -1
    for place, block in enumerate(blocks):
        followed = place + 1 < len(blocks) and blocks[place + 1][side] < block[side + 1]
        if block[side] < reach or followed:
            found.add(block)
        reach = max(reach, block[side + 1])
    return found
