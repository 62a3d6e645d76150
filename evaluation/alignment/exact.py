"""``exact``: link equal words along a longest common subsequence.

The subsequence is found with the bit-parallel recurrence of Hyyrö (2004): one machine-word-wide row of
differences per token, so that even very long sentences take little time. Of two equally long subsequences
one is taken in the order of the texts themselves, so the links do not depend on which sentence is called A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.alignment.values import Link, mirror_links


@dataclass(frozen=True, slots=True)
class ExactAligner:
    """Longest common subsequence of equal tokens."""

    name: str = "exact"
    version: str = "exact-1"

    def links(self, a: Sequence[str], b: Sequence[str]) -> tuple[Link, ...]:
        """
        >>> ExactAligner().links("a b c d".split(), "b x d".split())
        ((1, 0), (3, 2))
        """
        a, b = tuple(a), tuple(b)
        return _common(a, b) if a <= b else mirror_links(_common(b, a))


def _common(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[Link, ...]:
    """A zero in column j of row i: the subsequence of a[:i+1] and b[:j+1] is longer than that of b[:j]."""
    where: dict[str, int] = {}
    for j, token in enumerate(b):
        where[token] = where.get(token, 0) | 1 << j
    full = (1 << len(b)) - 1
    row, rows = full, []
    for token in a:
        matches = row & where.get(token, 0)
        row = ((row + matches) | (row - matches)) & full
        rows.append(row)
    return _traced(rows, len(b))


def _traced(rows: list[int], columns: int) -> tuple[Link, ...]:
    links = []
    i, j = len(rows), columns
    while i and j:
        bit = 1 << (j - 1)
        if rows[i - 1] & bit:
            j -= 1
        elif i > 1 and not rows[i - 2] & bit:
            i -= 1
        else:
            i, j = i - 1, j - 1
            links.append((i, j))
    return tuple(reversed(links))
