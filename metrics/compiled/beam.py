"""Edit distance in a beam around the diagonal, with its path: the distance that defines TER.

As in Tercom and sacrebleu, a row covers 25 columns to each side of the pseudo-diagonal (more if the lengths
differ widely). Of equal costs a match or substitution is preferred, then a deletion, then an insertion. Only
the band is stored: row i holds the columns from ``band_start(i)`` on.
"""

from __future__ import annotations

import math

from metrics.compiled.compiler import Bytes, Ints, compiled

BEAM = 25
INFINITE = 1 << 30
MATCH, SUBSTITUTION, DELETION, INSERTION = 0, 1, 2, 3


@compiled
def beam_width(size: int, target: int) -> int:
    ratio = target / size
    return math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM


@compiled
def band_start(row: int, size: int, target: int, beam: int) -> int:
    return max(0, math.floor(row * (target / size)) - beam)


@compiled
def band_end(row: int, size: int, target: int, beam: int) -> int:
    if row == size:
        return target + 1
    return min(target + 1, math.floor(row * (target / size)) + beam)


@compiled
def beam_room(longest: int, target: int) -> int:
    """Return enough cells for the band of texts of ``longest`` words against ``target`` words."""
    return 2 * target + (2 * BEAM + 6) * (longest + 2)


@compiled
def fill_band(words: Ints, size: int, reference: Ints, valid: int, costs: Ints, steps: Bytes) -> int:
    """Compute the rows after ``valid`` and return the distance; row 0, all insertions, is not stored."""
    target = len(reference)
    if size == 0:
        return target
    beam = beam_width(size, target)
    room = 2 * beam + 2
    for row in range(valid + 1, size + 1):
        low = band_start(row, size, target, beam)
        low_above = band_start(row - 1, size, target, beam)
        high_above = target + 1 if row == 1 else band_end(row - 1, size, target, beam)
        base = row * room - low
        above = (row - 1) * room - low_above
        word = words[row - 1]
        for column in range(low, band_end(row, size, target, beam)):
            cost = INFINITE
            step = SUBSTITUTION
            if low_above < column <= high_above:
                cost = column - 1 if row == 1 else costs[above + column - 1]
                if word == reference[column - 1]:
                    step = MATCH
                else:
                    cost += 1
            if low_above <= column < high_above:
                down = (column if row == 1 else costs[above + column]) + 1
                if down < cost:
                    cost = down
                    step = DELETION
            if column > low and costs[base + column - 1] + 1 < cost:
                cost = costs[base + column - 1] + 1
                step = INSERTION
            costs[base + column] = min(cost, INFINITE)
            steps[base + column] = step
    return int(costs[size * room - band_start(size, size, target, beam) + target])


@compiled
def trace_band(size: int, target: int, steps: Bytes, trace: Bytes) -> int:
    """Write the steps of the best path backwards; returns their number."""
    length = 0
    row = size
    column = target
    beam = beam_width(size, target) if size > 0 else BEAM
    while row > 0 or column > 0:
        step = INSERTION
        if row > 0:
            step = int(steps[row * (2 * beam + 2) - band_start(row, size, target, beam) + column])
        trace[length] = step
        length += 1
        if step != INSERTION:
            row -= 1
        if step != DELETION:
            column -= 1
    return length
