"""Choosing among possible word matches: fewest crossings first.

A candidate is a possible link with a weight, and whether it is firm enough to stand out of order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from evaluation.alignment.values import Link

TOUCH = 3
"""Premium for a match that directly continues the one before it, on both sides."""


class Candidate(NamedTuple):
    i: int
    j: int
    weight: int
    firm: bool  # equal but for case or ending: may be part of a block that moved
    content: bool  # firm, and enough of a word to have moved alone


def heaviest_chain(candidates: Sequence[Candidate]) -> list[Link]:
    """The heaviest set of matches that keeps the order of both sentences.

    ``columns`` and ``values`` both rise, as in the search for a longest increasing subsequence.

    >>> heaviest_chain([Candidate(0, 1, 5, True, True), Candidate(1, 0, 4, True, True)])
    [(0, 1)]
    """
    columns: list[int] = []
    values: list[int] = []
    tops: list[int] = []  # which candidate ends the chain of this value
    value_at: dict[Link, tuple[int, int]] = {}
    before: list[int] = []
    order = sorted(candidates, key=lambda c: (c[0], -c[1]))  # a column must not see its own row
    for number, (i, j, weight, _, _) in enumerate(order):
        place = bisect_left(columns, j)
        value, previous = (values[place - 1], tops[place - 1]) if place else (0, -1)
        touching = value_at.get((i - 1, j - 1))
        if touching is not None and touching[0] + TOUCH >= value:
            value, previous = touching[0] + TOUCH, touching[1]
        value += weight
        before.append(previous)
        value_at[i, j] = value, number
        end = place
        while end < len(values) and values[end] <= value:
            end += 1
        if not place or values[place - 1] < value:
            columns[place:end], values[place:end], tops[place:end] = [j], [value], [number]
    chain: list[Link] = []
    number = tops[-1] if tops else -1
    while number >= 0:
        chain.append((order[number].i, order[number].j))
        number = before[number]
    return chain[::-1]


def moved_blocks(candidates: Sequence[Candidate], chain: Sequence[Link]) -> list[Link]:
    """Diagonal runs of firm matches among the words that the chain left, the heaviest first.

    >>> moved_blocks([Candidate(0, 1, 5, True, True), Candidate(1, 0, 4, True, True)], [(0, 1)])
    [(1, 0)]
    """
    used_a, used_b = {i for i, _ in chain}, {j for _, j in chain}
    links: list[Link] = []
    while runs := _runs([c for c in candidates if c.firm and c.i not in used_a and c.j not in used_b]):
        best = min(runs, key=_rank)
        links += [(c.i, c.j) for c in best]
        used_a.update(c.i for c in best)
        used_b.update(c.j for c in best)
    return links


def _runs(free: list[Candidate]) -> list[list[Candidate]]:
    """Matches that follow each other on both sides, if a content word is among them."""
    ending: dict[Link, list[Candidate]] = {}
    for candidate in sorted(free):
        run = ending.pop((candidate.i - 1, candidate.j - 1), [])
        ending[candidate.i, candidate.j] = [*run, candidate]
    return [run for run in ending.values() if any(candidate.content for candidate in run)]


def _rank(run: list[Candidate]) -> tuple[int, int, int]:
    first = run[0]
    return -sum(candidate.weight for candidate in run), abs(first.i - first.j), first.i
