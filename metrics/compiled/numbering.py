"""Replaces the words or characters of a block of text by numbers.

A block has one line for every text: first the references of some segments, then the outputs of each system,
so that line ``L = part * segments + segment``. Within a segment the words of the references are numbered 1,
2, … by type; a word of an output gets the number of the equal reference word, or 0.

Words are what ``str.split`` finds. They are read in one pass over the bytes and compared exactly: a word of
up to seven bytes is its own key, a longer one is hashed and then compared byte by byte. Characters (for chrF,
without white space) need no hashing: a table over all code points holds their numbers and the segment that
assigned each, so it is never cleared.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from metrics.compiled.compiler import Bits, Bytes, Flags, Ints, Longs, borrow, compiled

U = np.uint64
GOLDEN = U(0x9E3779B97F4A7C15)  # hash: multiply, keep the highest bits
PRIME = U(1099511628211)
NOTHING, LOW_BYTE, LONG, BYTE = U(0), U(0xFF), U(8), U(8)

# Classes of bytes: part of a word, a space, the end of a line, or the first byte of a wide space.
PLAIN, SPACE, LINE, WIDE = 0, 1, 2, 3
CLASSES = np.zeros(256, np.uint8)
CLASSES[[9, 11, 12, 13, 28, 29, 30, 31, 32]] = SPACE
CLASSES[10] = LINE
CLASSES[[0xC2, 0xE1, 0xE2, 0xE3]] = WIDE


class Numbered(NamedTuple):
    """A numbered block: ``ids[offsets[L]:offsets[L + 1]]`` is line L, ``types`` the highest number."""

    ids: Ints
    offsets: Longs
    types: Ints
    segments: int
    references: int
    systems: int


def number_words(text: str, segments: int, references: int, systems: int) -> Numbered:
    """Number the words of a block; ``text`` has ``(references + systems) * segments`` lines.

    >>> block = number_words("a b a\\nb c a\\n", 1, 1, 1)
    >>> block.ids.tolist(), block.offsets.tolist(), block.types.tolist()
    ([1, 2, 1, 2, 0, 1], [0, 3, 6], [2])
    """
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    most = len(data) // 2 + 1
    keys = borrow("keys", most, np.uint64)
    starts = borrow("starts", most, np.int64)
    lengths = borrow("lengths", most, np.int32)
    offsets = np.empty((references + systems) * segments + 1, np.int64)
    types = np.empty(segments, np.int32)
    with np.errstate(over="ignore"):  # hashes wrap around; NumPy warns where it is not compiled
        count = find_words(data, CLASSES, keys, starts, lengths, offsets)
        block = Numbered(borrow("ids", count, np.int32), offsets, types, segments, references, systems)
        number_types(data, keys, starts, lengths, block)
    return block


@compiled
def find_words(data: Bytes, classes: Bytes, keys: Bits, starts: Longs, lengths: Ints, offsets: Longs) -> int:
    """Find key, start and length of every word, and the start of each line; returns the number of words."""
    size = len(data)
    here = 0
    words = 0
    line = 0
    offsets[0] = 0
    while here < size:
        kind = classes[data[here]]
        if kind == LINE:
            line += 1
            offsets[line] = words
            here += 1
            continue
        if kind == SPACE:
            here += 1
            continue
        if kind == WIDE:
            width = wide_space(data, here, size)
            if width:
                here += width
                continue
        start = here
        key = NOTHING
        while here < size:
            byte = data[here]
            kind = classes[byte]
            if kind != PLAIN and (kind != WIDE or wide_space(data, here, size) > 0):
                break
            key = (key << BYTE) | U(byte) if here - start < 7 else (key ^ U(byte)) * PRIME
            here += 1
        keys[words] = seal_key(key, here - start)
        starts[words] = start
        lengths[words] = here - start
        words += 1
    return words


@compiled
def seal_key(key: np.uint64, length: int) -> np.uint64:
    """Store the length in the low byte, 8 for every hashed word, so that short keys are exact."""
    if length <= 7:
        return (key << BYTE) | U(length)
    return ((key ^ (key >> U(29))) & ~LOW_BYTE) | LONG


@compiled
def wide_space(data: Bytes, here: int, size: int) -> int:
    """Return the length of the non-ASCII white space that starts here, else 0; as ``str.split``."""
    if here + 1 >= size:
        return 0
    first = data[here]
    second = data[here + 1]
    if first == 0xC2:
        return 2 if second == 0x85 or second == 0xA0 else 0
    if here + 2 >= size:
        return 0
    third = data[here + 2]
    if first == 0xE1:
        return 3 if second == 0x9A and third == 0x80 else 0
    if first == 0xE3:
        return 3 if second == 0x80 and third == 0x80 else 0
    if second == 0x80:
        return 3 if third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF else 0
    return 3 if second == 0x81 and third == 0x9F else 0


@compiled
def number_types(data: Bytes, keys: Bits, starts: Longs, lengths: Ints, block: Numbered) -> None:
    """Number the reference words of each segment by type, and look up the words of the outputs."""
    ids, offsets, types, segments, references, systems = block
    longest = longest_segment(offsets, segments, references)
    size, bits = table_size(longest)
    table = np.zeros(size, np.int32)
    sample = np.zeros(longest + 1, np.int64)  # one token of each type, to compare with
    for segment in range(segments):
        size, bits = table_size(reference_length(offsets, segments, references, segment))
        shift = U(64 - bits)
        mask = size - 1
        table[:size] = 0
        known = 0
        for part in range(references + systems):
            line = part * segments + segment
            for token in range(offsets[line], offsets[line + 1]):
                key = keys[token]
                slot = np.int64((key * GOLDEN) >> shift)
                number = table[slot]
                while number != 0:
                    other = sample[number]
                    if keys[other] == key and (
                        (key & LOW_BYTE) != LONG or same_bytes(data, starts, lengths, other, token)
                    ):
                        break
                    slot = (slot + 1) & mask
                    number = table[slot]
                if number == 0 and part < references:
                    known += 1
                    table[slot] = known
                    sample[known] = token
                    number = known
                ids[token] = number
        types[segment] = known


@compiled
def same_bytes(data: Bytes, starts: Longs, lengths: Ints, one: int, other: int) -> bool:
    """Compare two long words that have equal hashes."""
    if lengths[one] != lengths[other]:
        return False
    place = 0
    while place < lengths[one] and data[starts[one] + place] == data[starts[other] + place]:
        place += 1
    return place == int(lengths[one])


@compiled
def table_size(entries: int) -> tuple[int, int]:
    """Return a power of two that is at least twice the entries, and its logarithm."""
    size = 2
    bits = 1
    while size < 2 * entries + 2:
        size *= 2
        bits += 1
    return size, bits


@compiled
def reference_length(offsets: Longs, segments: int, references: int, segment: int) -> int:
    """Return the number of words in all references of a segment."""
    total = 0
    for part in range(references):
        line = part * segments + segment
        total += offsets[line + 1] - offsets[line]
    return total


@compiled
def longest_segment(offsets: Longs, segments: int, references: int) -> int:
    longest = 0
    for segment in range(segments):
        longest = max(longest, reference_length(offsets, segments, references, segment))
    return longest


@compiled
def longest_line(offsets: Longs, first: int, last: int) -> int:
    """Return the number of words in the longest of the lines ``first`` … ``last - 1``."""
    longest = 0
    for line in range(first, last):
        longest = max(longest, offsets[line + 1] - offsets[line])
    return longest


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
    count = drop_spaces(codes, SPACES, kept, offsets)
    ids, types = borrow("ids", count, np.int32), np.empty(segments, np.int32)
    block = Numbered(ids, offsets, types, segments, references, systems)
    number_codes(kept, *_code_table(segments), block)
    return block


def _code_table(segments: int) -> tuple[Ints, Ints, int]:
    """Return this thread's table of all code points and the first of ``segments`` unused stamps."""
    if getattr(_thread, "next", STAMPS) + segments > STAMPS:
        _thread.stamps = np.zeros(0x110000, np.int32)
        _thread.numbers = np.zeros(0x110000, np.int32)
        _thread.next = 1
    stamp: int = _thread.next
    _thread.next += segments
    return _thread.stamps, _thread.numbers, stamp


@compiled
def drop_spaces(codes: Ints, spaces: Flags, kept: Ints, offsets: Longs) -> int:
    """Copy all characters but white space to ``kept``; returns how many they are."""
    count = 0
    line = 0
    offsets[0] = 0
    for code in codes:
        if code == 10:
            line += 1
            offsets[line] = count
        elif code > HIGHEST_SPACE or not spaces[code]:
            kept[count] = code
            count += 1
    return count


@compiled
def number_codes(kept: Ints, stamps: Ints, numbers: Ints, stamp: int, block: Numbered) -> None:
    """Number the reference characters of each segment, and look up those of the outputs."""
    ids, offsets, types, segments, references, systems = block
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
