"""Choosing among possible word matches: fewest crossings first.

A candidate is a possible link with a weight, and whether it is firm enough to stand out of order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from evaluation.alignment.values import Link

TOUCH = 3
"""Premium for a match that directly continues the one before it, on both sides."""


Candidate = tuple[int, int, int, bool, bool]
"""A possible link i–j, its weight, and two marks: *firm*, equal but for case or ending, so that it may be
part of a block that moved; *content*, firm and enough of a word to have moved alone. A plain tuple, because
there are dozens for each sentence pair."""


def heaviest_chain(candidates: Sequence[Candidate]) -> list[Link]:
    """The heaviest set of matches that keeps the order of both sentences.

    ``columns`` and ``values`` both rise, as in the search for a longest increasing subsequence.

    >>> heaviest_chain([(0, 1, 5, True, True), (1, 0, 4, True, True)])
    [(0, 1)]
    """
    order = sorted(candidates, key=_by_row)
    columns: list[int] = []
    values: list[int] = []
    tops: list[int] = []  # which candidate ends the chain of this value
    totals: list[int] = []
    before: list[int] = []
    at: dict[int, int] = {}
    for number, (i, j, weight, _, _) in enumerate(order):
        place = len(columns) if not columns or columns[-1] < j else bisect_left(columns, j)
        value, previous = (values[place - 1], tops[place - 1]) if place else (0, -1)
        touching = at.get(i * _ROW + j - _ROW - 1)
        if touching is not None and totals[touching] + TOUCH >= value:
            value, previous = totals[touching] + TOUCH, touching
        value += weight
        before.append(previous)
        totals.append(value)
        at[i * _ROW + j] = number
        if place == len(columns):  # the usual case: the sentences go on in the same order
            columns.append(j)
            values.append(value)
            tops.append(number)
            continue
        end = place
        while end < len(values) and values[end] <= value:
            end += 1
        columns[place:end], values[place:end], tops[place:end] = (j,), (value,), (number,)
    return _traced(order, before, tops[-1] if tops else -1)


_ROW = 1 << 32  # a cell as one number, which is quicker to look up than two


def _by_row(candidate: Candidate) -> int:
    """Row by row, each from the right, so that a candidate never follows one of its own row."""
    return candidate[0] * _ROW - candidate[1]


def _traced(order: Sequence[Candidate], before: Sequence[int], number: int) -> list[Link]:
    chain: list[Link] = []
    while number >= 0:
        chain.append(order[number][:2])
        number = before[number]
    return chain[::-1]


def moved_blocks(candidates: Sequence[Candidate], chain: Sequence[Link]) -> list[Link]:
    """Diagonal runs of firm matches among the words that the chain left, the heaviest first.

    >>> moved_blocks([(0, 1, 5, True, True), (1, 0, 4, True, True)], [(0, 1)])
    [(1, 0)]
    """
    used_a, used_b = {i for i, _ in chain}, {j for _, j in chain}
    links: list[Link] = []
    free = [c for c in candidates if c[3] and c[0] not in used_a and c[1] not in used_b]
    while any(content for *_, content in free):
        best = [candidate[:2] for candidate in min(_runs(free), key=_rank)]
        links += best
        used_a.update(i for i, _ in best)
        used_b.update(j for _, j in best)
        free = [c for c in free if c[0] not in used_a and c[1] not in used_b]
    return links


def _runs(free: list[Candidate]) -> list[list[Candidate]]:
    """Matches that follow each other on both sides, if a content word is among them."""
    ending: dict[Link, list[Candidate]] = {}
    for candidate in sorted(free):
        i, j = candidate[:2]
        ending[i, j] = [*ending.pop((i - 1, j - 1), []), candidate]
    return [run for run in ending.values() if any(content for *_, content in run)]


def _rank(run: list[Candidate]) -> tuple[int, int, int]:
    i, j = run[0][:2]
    return -sum(candidate[2] for candidate in run), abs(i - j), i
