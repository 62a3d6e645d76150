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
    last_on: dict[int, int] = {}  # the last candidate of each diagonal
    for number, (i, j, weight, _, _) in enumerate(order):
        place = bisect_left(columns, j)
        if place:
            value, previous = values[place - 1], tops[place - 1]
        else:
            value, previous = 0, -1
        touching = last_on.get(j - i)
        if touching is not None and order[touching][0] == i - 1 and totals[touching] + TOUCH >= value:
            value, previous = totals[touching] + TOUCH, touching
        value += weight
        before.append(previous)
        totals.append(value)
        last_on[j - i] = number
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


_ROW = 1 << 20  # a cell as one number, which is quicker to compare than two


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
    used = dict(chain)
    columns = set(used.values())
    free = [c for c in candidates if c[0] not in used and c[1] not in columns and c[3]]
    links: list[Link] = []
    while runs := _runs(free):
        best = [c[:2] for c in min(runs, key=_rank)]
        links += best
        used.update(best)
        columns.update([j for _, j in best])
        free = [c for c in free if c[0] not in used and c[1] not in columns]
    return links


def _runs(free: Sequence[Candidate]) -> list[list[Candidate]]:
    """Matches that follow each other on both sides, if a content word is among them."""
    if not [c for c in free if c[4]]:
        return []
    ending: dict[Link, list[Candidate]] = {}
    for candidate in sorted(free):
        i, j = candidate[:2]
        ending[i, j] = [*ending.pop((i - 1, j - 1), ()), candidate]
    return [run for run in ending.values() if [c for c in run if c[4]]]


def _rank(run: list[Candidate]) -> tuple[int, int, int]:
    i, j = run[0][:2]
    return -sum([c[2] for c in run]), abs(i - j), i
