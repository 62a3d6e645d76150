"""Krippendorff's α for units: do annotators mark the same places?

Two observers divide one continuum of characters into units and the gaps between them (Krippendorff 1995, "On
the reliability of unitizing continuous data"). Two units that overlap disagree by the squares of the
distances of their beginnings and of their ends, a unit inside a gap of the other observer by the square of
its length. The expected disagreement is that of all pairs of units and gaps at all relative positions.

α is 1 − observed / expected: 1 for equal units, 0 for units at random, below 0 for units that avoid each
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from appraise.lib.resampling import Floats

Unit = tuple[int, int]  # half-open


@dataclass(frozen=True, slots=True)
class Continuum:
    """The length of a text in characters, and the units of two observers, in order and disjoint."""

    length: int
    first: tuple[Unit, ...]
    second: tuple[Unit, ...]

    @classmethod
    def of(cls, texts: Iterable[tuple[int, Iterable[Unit], Iterable[Unit]]]) -> Continuum:
        """Put texts one behind the other; units that overlap or touch become one, empty ones count nothing.

        >>> Continuum.of([(9, [(0, 2), (1, 4)], []), (5, [(0, 1)], [(2, 3)])])
        Continuum(length=14, first=((0, 4), (9, 10)), second=((11, 12),))
        """
        length, sides = 0, ([], [])  # type: int, tuple[list[Unit], list[Unit]]
        for size, *observers in texts:
            for units, side in zip(observers, sides, strict=True):
                side += [(length + start, length + end) for start, end in merge_units(units)]
            length += size
        return cls(length, tuple(sides[0]), tuple(sides[1]))


def merge_units(units: Iterable[Unit]) -> list[Unit]:
    """Join units that overlap or touch.

    >>> merge_units([(5, 6), (0, 2), (1, 4), (3, 3)])
    [(0, 4), (5, 6)]
    """
    merged: list[Unit] = []
    for start, end in sorted(unit for unit in units if unit[0] < unit[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def measure_alpha(continuum: Continuum) -> float | None:
    """α of two observers; None if nobody marked anything.

    >>> measure_alpha(Continuum(20, ((2, 6), (10, 12)), ((2, 6), (10, 12))))
    1.0
    """
    expected = _expect(continuum)
    return None if expected == 0 else 1 - _observe(continuum) / expected


def _observe(continuum: Continuum) -> float:
    """The observed disagreement D_o: over both orders of the observers, so twice, over 2 L²."""
    total = 0
    for first, second in ((continuum.first, continuum.second), (continuum.second, continuum.first)):
        gaps = [gap for gap in _gaps(second, continuum.length) if gap[0] < gap[1]]
        total += sum((end - start) ** 2 for (start, end), _ in _find_inside(first, gaps))
    for (start, end), (other, last) in _find_overlaps(continuum.first, continuum.second):
        total += (start - other) ** 2 + (end - last) ** 2
    return total / continuum.length**2


def _expect(continuum: Continuum) -> float:
    """The expected disagreement D_e in closed form (Krippendorff 1995, equation 5)."""
    size = 2 * continuum.length
    units = [end - start for start, end in (*continuum.first, *continuum.second)]
    gaps = [
        end - start
        for observer in (continuum.first, continuum.second)
        for start, end in _gaps(observer, continuum.length)
    ]
    if not units:
        return 0.0
    lengths = np.array(units, dtype=np.float64)
    of_units = (len(units) - 1) / 3 * (2 * lengths**3 - 3 * lengths**2 + lengths)
    of_gaps = lengths**2 * _count_places(lengths, np.array(sorted(gaps), dtype=np.float64))
    pairs = size * (size - 1) - float((lengths * (lengths - 1)).sum())
    return 2 / continuum.length * float((of_units + of_gaps).sum()) / pairs if pairs else 0.0


def _count_places(lengths: Floats, gaps: Floats) -> Floats:
    """In how many places each unit fits into the gaps, Σ (gap − length + 1) over gaps at least as long."""
    sums = np.concatenate([[0.0], np.cumsum(gaps[::-1])])[::-1]
    first = np.searchsorted(gaps, lengths)
    count = len(gaps) - first
    return np.asarray(sums[first] - count * (lengths - 1))


def _gaps(units: Sequence[Unit], length: int) -> list[Unit]:
    """What lies between the units."""
    bounds = [0, *(place for unit in units for place in unit), length]
    return [(start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=True) if start < end]


def _find_inside(units: Sequence[Unit], gaps: Sequence[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """Units that lie in a gap, with the gap; both are in order and disjoint."""
    place = 0
    for unit in units:
        while place < len(gaps) and gaps[place][1] < unit[1]:
            place += 1
        if place < len(gaps) and gaps[place][0] <= unit[0]:
            yield unit, gaps[place]


def _find_overlaps(first: Sequence[Unit], second: Sequence[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """All pairs of units that share a character; both are in order and disjoint."""
    start = 0
    for unit in first:
        while start < len(second) and second[start][1] <= unit[0]:
            start += 1
        place = start
        while place < len(second) and second[place][0] < unit[1]:
            yield unit, second[place]
            place += 1
