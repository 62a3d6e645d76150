"""Translation edit rate: insertions, deletions, substitutions and shifts of blocks (Snover et al. 2006).

The edits are those of Tercom as sacrebleu computes them: a greedy search for the shift that gains most,
shifts of up to 10 words over up to 50, at most 1000 candidates, distances inside a beam (``beam``).

Nearly all time is spent on distances of candidates. The bit-parallel distance replaces the beam wherever both
provably agree: every best path stays within (d + |m - n|) / 2 columns of the pseudo-diagonal, so it cannot
leave a beam of 25 if d + |m - n| <= 46 or if the reference has at most 24 words. A candidate resumes from the
stored row where it first differs. One whose gain is bounded below the best so far is not measured: swapping
neighbouring blocks gains at most twice the shorter one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.compiled.beam import DELETION, INSERTION, MATCH, SUBSTITUTION, beam_room, fill_band, trace_band
from metrics.compiled.compiler import Bits, Bytes, Ints, Longs, compiled
from metrics.compiled.distances import ALL, ONE, TOP, ZERO, advance, mark_places
from metrics.compiled.numbering import Numbered, U, longest_line

MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
MAX_CANDIDATES = 1000
ALWAYS_IN_BEAM = 46
SHORT = 24
LONG = 512  # from here on the beam is cheaper than the bit vectors


class Workspace(NamedTuple):
    """Working memory for one pair of texts; rows of bit vectors are kept, so that a candidate can resume."""

    places: Bits
    up: Bits
    down: Bits
    plus: Bits
    minus: Bits
    ends: Longs  # distance of each prefix from the whole reference
    words: Ints
    candidate: Ints
    best: Ints
    in_rows: Ints  # the text that the rows of bit vectors describe
    in_band: Ints  # the text that the band describes
    costs: Ints
    steps: Bytes
    trace: Bytes
    aligned: Longs  # for each reference word, the last word of the text before or at it
    text_errors: Ints  # running sums
    reference_errors: Ints


def shift_edits(block: Numbered) -> Longs:
    """Count edits including shifts, per line of the systems, against one reference.

    >>> from metrics.compiled.numbering import number_words
    >>> shift_edits(number_words("a b c d e f\\nd e f a b c\\n", 1, 1, 1)).tolist()
    [1]
    """
    edits = np.zeros(block.systems * block.segments, np.int64)
    with np.errstate(over="ignore"):  # additions carry out of the machine word
        count_edits(block, edits)
    return edits


@compiled
def count_edits(block: Numbered, edits: Longs) -> None:
    ids, offsets, types, segments, _, systems = block
    target = longest_line(offsets, 0, segments)
    longest = longest_line(offsets, segments, (1 + systems) * segments)
    workspace = make_workspace(target, longest)
    for segment in range(segments):
        reference = ids[offsets[segment] : offsets[segment + 1]]
        if len(reference) <= LONG:
            mark_places(reference, types[segment] + 1, workspace.places)
        for system in range(systems):
            line = (1 + system) * segments + segment
            size = offsets[line + 1] - offsets[line]
            workspace.words[:size] = ids[offsets[line] : offsets[line + 1]]
            edits[system * segments + segment] = count_shift_edits(size, reference, workspace)


@compiled
def make_workspace(target: int, longest: int) -> Workspace:
    width = (min(target, LONG) + 63) // 64
    rows = (longest + 2) * width
    band = beam_room(longest, target)
    return Workspace(
        np.zeros((min(target, LONG) + 1) * width, np.uint64),
        np.zeros(rows, np.uint64),
        np.zeros(rows, np.uint64),
        np.zeros(rows, np.uint64),
        np.zeros(rows, np.uint64),
        np.zeros(longest + 1, np.int64),
        np.zeros(longest + 1, np.int32),
        np.zeros(longest + 1, np.int32),
        np.zeros(longest + 1, np.int32),
        np.zeros(longest + 1, np.int32),
        np.zeros(longest + 1, np.int32),
        np.zeros(band, np.int32),
        np.zeros(band, np.uint8),
        np.zeros(longest + target + 1, np.uint8),
        np.zeros(target + 1, np.int64),
        np.zeros(longest + 2, np.int32),
        np.zeros(target + 2, np.int32),
    )


@compiled
def count_shift_edits(size: int, reference: Ints, workspace: Workspace) -> int:
    """Shift while it helps; returns the number of shifts and the remaining distance, added."""
    target = len(reference)
    if target == 0:
        return size
    shifts = 0
    checked = 0
    while True:
        distance = ALWAYS_IN_BEAM + 1
        exact = False
        if target <= LONG:
            distance = fill_rows(workspace.words, size, target, 0, workspace)
            exact = distance + abs(target - size) <= ALWAYS_IN_BEAM or target <= SHORT
        if exact:
            length = trace_rows(size, reference, workspace)
        else:
            distance = fill_band(workspace.words, size, reference, 0, workspace.costs, workspace.steps)
            workspace.in_band[:size] = workspace.words[:size]
            length = trace_band(size, target, workspace.steps, workspace.trace)
        read_trace(length, workspace)
        gain, checked = find_shift(size, reference, distance, exact, checked, workspace)
        if checked >= MAX_CANDIDATES or gain <= 0:
            return shifts + distance
        shifts += 1
        workspace.words[:size] = workspace.best[:size]


@compiled
def find_shift(
    size: int, reference: Ints, distance: int, exact: bool, checked: int, workspace: Workspace
) -> tuple[int, int]:
    """Store the text after the best shift in ``workspace.best``; returns its gain and the candidates so far.

    The best shift gains most, then is longest, then starts first, then goes furthest to the front.
    """
    words = workspace.words
    target = len(reference)
    banded = not exact  # does the band describe workspace.in_band?
    best = (0, 0, 0, 0)  # gain, length, -start, -goal
    for start in range(size):
        if words[start] == 0:
            continue
        first = max(0, start - MAX_SHIFT_DISTANCE)
        for there in range(first, min(target, start + MAX_SHIFT_DISTANCE + 1)):
            if reference[there] != words[start]:
                continue
            longest = min(MAX_SHIFT_SIZE, size - start, target - there)
            length = 0
            while length < longest and words[start + length] == reference[there + length]:
                length += 1
                if not is_worth_shifting(start, there, length, workspace):
                    continue
                previous = -1
                for offset in range(-1, length):
                    goal = 0 if there + offset == -1 else workspace.aligned[there + offset] + 1
                    if goal == previous:
                        continue
                    previous = goal
                    checked += 1
                    if exact and 2 * min(length, count_swapped(start, length, goal)) < max(best[0], 1):
                        continue
                    move(words, size, start, length, goal, workspace.candidate)
                    gain, banded = measure_gain(size, reference, distance, best[0], banded, workspace)
                    rank = (gain, length, -start, -goal)
                    if gain > 0 and rank > best:
                        best = rank
                        workspace.best[:size] = workspace.candidate[:size]
                if checked >= MAX_CANDIDATES:
                    return best[0], checked
    return best[0], checked


@compiled
def is_worth_shifting(start: int, there: int, length: int, workspace: Workspace) -> bool:
    """Whether both the block and its goal contain an error and the goal is outside the block."""
    if workspace.text_errors[start + length] == workspace.text_errors[start]:
        return False
    if workspace.reference_errors[there + length] == workspace.reference_errors[there]:
        return False
    return not (start <= workspace.aligned[there] < start + length)


@compiled
def count_swapped(start: int, length: int, goal: int) -> int:
    """Count the words that change places with the block."""
    if goal < start:
        return start - goal
    if goal > start + length:
        return goal - start - length
    return goal - start


@compiled
def move(words: Ints, size: int, start: int, length: int, goal: int, result: Ints) -> None:
    """Write the text with the block moved."""
    first, second, end = start, start + length, goal  # the parts [first, second) and [second, end) swap
    if goal < start:
        first, second, end = goal, start, start + length
    elif goal <= start + length:
        end = min(length + goal, size)
    place = first
    result[:first] = words[:first]
    for source in range(second, end):
        result[place] = words[source]
        place += 1
    for source in range(first, second):
        result[place] = words[source]
        place += 1
    result[place:size] = words[place:size]


@compiled
def measure_gain(
    size: int, reference: Ints, distance: int, best_gain: int, banded: bool, workspace: Workspace
) -> tuple[int, bool]:
    """Return the gain of the candidate; the beam is used only if it can differ and can matter."""
    target = len(reference)
    if target <= LONG:
        valid = count_equal(workspace.candidate, workspace.in_rows, size)
        exact = fill_rows(workspace.candidate, size, target, valid, workspace)
        gain = distance - exact
        if exact + abs(target - size) <= ALWAYS_IN_BEAM or target <= SHORT:
            return gain, banded
        if gain <= 0 or gain < best_gain:  # the distance in the beam is never smaller
            return gain, banded
    valid = count_equal(workspace.candidate, workspace.in_band, size) if banded else 0
    gain = distance - fill_band(workspace.candidate, size, reference, valid, workspace.costs, workspace.steps)
    workspace.in_band[valid:size] = workspace.candidate[valid:size]
    return gain, True


@compiled
def fill_rows(text: Ints, size: int, target: int, valid: int, workspace: Workspace) -> int:
    """Compute the bit vectors of the rows after ``valid``, which are kept, and return the distance."""
    width = (target + 63) // 64
    last = U((target - 1) % 64)
    workspace.up[:width] = ALL
    workspace.down[:width] = ZERO
    workspace.ends[0] = target
    workspace.in_rows[valid:size] = text[valid:size]
    distance = int(workspace.ends[valid])
    for row in range(valid, size):
        word = text[row]
        carry_plus = ONE
        carry_minus = ZERO
        for part in range(width):
            above = row * width + part
            below = above + width
            match = workspace.places[word * width + part]
            plus, minus, workspace.up[below], workspace.down[below] = advance(
                workspace.up[above], workspace.down[above], match, carry_plus, carry_minus
            )
            workspace.plus[below] = plus
            workspace.minus[below] = minus
            if part == width - 1:
                distance += int((plus >> last) & ONE) - int((minus >> last) & ONE)
            carry_plus = plus >> TOP
            carry_minus = minus >> TOP
        workspace.ends[row + 1] = distance
    return distance


@compiled
def count_equal(text: Ints, other: Ints, size: int) -> int:
    """Count the words at the start of two texts that are equal."""
    place = 0
    while place < size and text[place] == other[place]:
        place += 1
    return place


@compiled
def trace_rows(size: int, reference: Ints, workspace: Workspace) -> int:
    """Write the path through the bit vectors backwards, with the preferences of the beam."""
    width = (len(reference) + 63) // 64
    length = 0
    row = size
    column = len(reference)
    while row > 0 or column > 0:
        if row == 0:
            step = INSERTION
        elif column == 0:
            step = DELETION
        elif workspace.words[row - 1] == reference[column - 1]:
            step = MATCH
        else:
            part = (column - 1) // 64
            bit = U((column - 1) % 64)
            here = row * width + part
            above = here - width
            down = np.int64((workspace.plus[here] >> bit) & ONE) - np.int64(
                (workspace.minus[here] >> bit) & ONE
            )
            along = np.int64((workspace.up[above] >> bit) & ONE) - np.int64(
                (workspace.down[above] >> bit) & ONE
            )
            step = SUBSTITUTION if down + along == 1 else (DELETION if down == 1 else INSERTION)
        workspace.trace[length] = step
        length += 1
        if step != INSERTION:
            row -= 1
        if step != DELETION:
            column -= 1
    return length


@compiled
def read_trace(length: int, workspace: Workspace) -> None:
    """Convert the path into an alignment and running sums of the errors on both sides."""
    here = -1
    there = -1
    workspace.text_errors[0] = 0
    workspace.reference_errors[0] = 0
    for place in range(length - 1, -1, -1):
        step = workspace.trace[place]
        wrong = 0 if step == MATCH else 1
        if step != INSERTION:
            here += 1
            workspace.text_errors[here + 1] = workspace.text_errors[here] + wrong
        if step != DELETION:
            there += 1
            workspace.aligned[there] = here
            workspace.reference_errors[there + 1] = workspace.reference_errors[there] + wrong
