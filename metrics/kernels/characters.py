"""Text to numbers, character by character, white space left out: what chrF counts.

The layout is that of ``words``. A table over all code points, stamped with the segment that wrote an entry,
numbers the characters without hashing and is never cleared.
"""

from __future__ import annotations

import threading

import numpy as np

from metrics.kernels.compiler import Flags, Ints, Longs, kernel
from metrics.kernels.scratch import borrow
from metrics.kernels.words import Numbered

HIGHEST_SPACE = 0x3000
SPACES = np.array([chr(code).isspace() for code in range(HIGHEST_SPACE + 1)])
STAMPS = 2_000_000_000
_thread = threading.local()


def number_characters(text: str, segments: int, references: int, systems: int) -> Numbered:
    """Number the characters of a block.

    >>> number_characters("ab a\\nb c\\n", 1, 1, 1).ids.tolist()
    [1, 2, 1, 2, 0]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).view(np.int32)
    offsets = np.empty((references + systems) * segments + 1, np.int64)
    kept = borrow("kept", len(codes), np.int32)
    found = leave_spaces_out(codes, SPACES, kept, offsets)
    ids = borrow("ids", found, np.int32)
    types = np.empty(segments, np.int32)
    stamps, numbers, stamp = _code_table(segments)
    number_codes(kept, offsets, stamps, numbers, stamp, segments, references, systems, ids, types)
    return Numbered(ids, offsets, types, segments, references, systems)


def _code_table(segments: int) -> tuple[Ints, Ints, int]:
    """This thread's table of all code points and the first of ``segments`` unused stamps."""
    if getattr(_thread, "next", STAMPS) + segments > STAMPS:
        _thread.stamps = np.zeros(0x110000, np.int32)
        _thread.numbers = np.zeros(0x110000, np.int32)
        _thread.next = 1
    stamp: int = _thread.next
    _thread.next += segments
    return _thread.stamps, _thread.numbers, stamp


@kernel
def leave_spaces_out(codes: Ints, spaces: Flags, kept: Ints, offsets: Longs) -> int:
    found = 0
    line = 0
    offsets[0] = 0
    for code in codes:
        if code == 10:
            line += 1
            offsets[line] = found
        elif code > HIGHEST_SPACE or not spaces[code]:
            kept[found] = code
            found += 1
    return found


@kernel
def number_codes(
    kept: Ints,
    offsets: Longs,
    stamps: Ints,
    numbers: Ints,
    stamp: int,
    segments: int,
    references: int,
    systems: int,
    ids: Ints,
    types: Ints,
) -> None:
    for segment in range(segments):
        known = 0
        for part in range(references + systems):
            line = part * segments + segment
            for place in range(offsets[line], offsets[line + 1]):
                code = kept[place]
                if stamps[code] == stamp + segment:
                    ids[place] = numbers[code]
                elif part < references:
                    known += 1
                    stamps[code] = stamp + segment
                    numbers[code] = known
                    ids[place] = known
                else:
                    ids[place] = 0
        types[segment] = known
