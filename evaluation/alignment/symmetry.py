"""Making one set of links of two directed word alignments, and measuring links against a gold standard.

The heuristics are those of Och and Ney (2003) and Koehn, Och and Marcu (2003): start from the links that
both directions have and grow into the union along the diagonal. All visit links in sorted order, so the
result does not depend on the order of the input.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from evaluation.alignment.values import Link

Links = frozenset[Link]

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


class Symmetry(StrEnum):
    """How two directions become one."""

    INTERSECTION = "intersection"
    UNION = "union"
    GROW_DIAG = "grow-diag"
    GROW_DIAG_FINAL = "grow-diag-final"
    GROW_DIAG_FINAL_AND = "grow-diag-final-and"


def symmetrize(forward: Iterable[Link], backward: Iterable[Link], how: Symmetry) -> Links:
    """Combine two sets of links, both written as source–target.

    >>> sorted(symmetrize([(0, 0), (1, 1)], [(0, 0), (1, 2)], Symmetry.GROW_DIAG))
    [(0, 0), (1, 1), (1, 2)]
    """
    one, other = frozenset(forward), frozenset(backward)
    if how is Symmetry.INTERSECTION:
        return one & other
    if how is Symmetry.UNION:
        return one | other
    links = _grown(one & other, one | other)
    if how is Symmetry.GROW_DIAG_FINAL:
        links = _final(_final(links, one, both=False), other, both=False)
    elif how is Symmetry.GROW_DIAG_FINAL_AND:
        links = _final(_final(links, one, both=True), other, both=True)
    return links


def _grown(links: Links, union: Links) -> Links:
    """Add links of the union next to those we have, if they link a word that has none yet."""
    grown = set(links)
    of_a, of_b = {i for i, _ in grown}, {j for _, j in grown}
    changed = True
    while changed:
        changed = False
        for i, j in sorted(grown):
            for di, dj in _NEIGHBOURS:
                new = (i + di, j + dj)
                if new in union and new not in grown and (new[0] not in of_a or new[1] not in of_b):
                    grown.add(new)
                    of_a.add(new[0])
                    of_b.add(new[1])
                    changed = True
    return frozenset(grown)


def _final(links: Links, directed: Links, *, both: bool) -> Links:
    """Add links of one direction for words that have none: one of the two words, or both of them."""
    final = set(links)
    of_a, of_b = {i for i, _ in final}, {j for _, j in final}
    for i, j in sorted(directed):
        free = (i not in of_a, j not in of_b)
        if all(free) if both else any(free):
            final.add((i, j))
            of_a.add(i)
            of_b.add(j)
    return frozenset(final)


def alignment_error_rate(
    sentences: Iterable[tuple[Iterable[Link], Iterable[Link], Iterable[Link]]],
) -> float | None:
    """AER over sentences of (sure, possible, found) links; None where there is nothing to count.

    AER = 1 − (|A∩S| + |A∩P|) / (|A| + |S|), where sure links are possible ones too (Och and Ney 2003).

    >>> alignment_error_rate([([(0, 0)], [(1, 1)], [(0, 0), (1, 1)])])
    0.0
    """
    hits = size = 0
    for sure, possible, found in sentences:
        s, a = frozenset(sure), frozenset(found)
        p = frozenset(possible) | s
        hits += len(a & s) + len(a & p)
        size += len(a) + len(s)
    return 1 - hits / size if size else None
