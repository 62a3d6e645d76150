"""Separates punctuation as mteval-v13a does, byte by byte.

There are four passes, each a substitution from left to right that looks at no character twice. All characters
concerned are ASCII, so the bytes of other characters pass through like letters. A pair never spans a line
feed.
"""

from __future__ import annotations

import numpy as np

from metrics.compiled.compiler import Bytes, Flags, borrow, compiled

SPACE, LINE, COMMA, DASH, STOP = 32, 10, 44, 45, 46
OTHER, DIGIT, MARK, ALONE, END = 0, 1, 2, 3, 4
CLASSES = np.zeros(256, np.uint8)
CLASSES[48:58] = DIGIT
CLASSES[[COMMA, STOP]] = MARK
for _first, _last in (("{", "~"), ("[", "`"), (" ", "&"), ("(", "+"), (":", "@"), ("/", "/")):
    CLASSES[ord(_first) : ord(_last) + 1] = ALONE
CLASSES[LINE] = END
NO_NUMBER = (CLASSES != DIGIT) & (CLASSES != END)


def separate(text: str) -> str:
    """Insert spaces around punctuation, except around points and commas between digits.

    >>> separate("(1,000.5 a.b) 3-4").split()
    ['(', '1,000.5', 'a', '.', 'b', ')', '3', '-', '4']
    """
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    room = 5 * len(data) + 4  # a mark can get four spaces, any other character two
    one, other = borrow("one", room, np.uint8), borrow("other", room, np.uint8)
    size = separate_symbols(data, CLASSES, one)
    size = separate_after(one[:size], NO_NUMBER, CLASSES == MARK, other)
    size = separate_mark_before(other[:size], CLASSES, one)
    size = separate_after(one[:size], CLASSES == DIGIT, np.arange(256) == DASH, other)
    return other[:size].tobytes().decode("utf-8", "surrogatepass")


@compiled
def separate_symbols(data: Bytes, classes: Bytes, result: Bytes) -> int:
    size = 0
    for byte in data:
        if classes[byte] == ALONE:
            result[size] = SPACE
            result[size + 1] = byte
            result[size + 2] = SPACE
            size += 3
        else:
            result[size] = byte
            size += 1
    return size


@compiled
def separate_after(data: Bytes, before: Flags, marks: Flags, result: Bytes) -> int:
    """Separate one of the marks after one of the characters before."""
    size = 0
    here = 0
    while here < len(data):
        result[size] = data[here]
        size += 1
        here += 1
        if here < len(data) and before[data[here - 1]] and marks[data[here]]:
            result[size] = SPACE
            result[size + 1] = data[here]
            result[size + 2] = SPACE
            size += 3
            here += 1
    return size


@compiled
def separate_mark_before(data: Bytes, classes: Bytes, result: Bytes) -> int:
    """Separate a point or comma before anything but a digit."""
    size = 0
    here = 0
    while here < len(data):
        if classes[data[here]] == MARK and here + 1 < len(data):
            kind = classes[data[here + 1]]
            if kind != DIGIT and kind != END:
                result[size] = SPACE
                result[size + 1] = data[here]
                result[size + 2] = SPACE
                result[size + 3] = data[here + 1]
                size += 4
                here += 2
                continue
        result[size] = data[here]
        size += 1
        here += 1
    return size
