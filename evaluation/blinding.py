"""Which candidate an annotator sees as A, decided without leaking anything.

The side is a keyed digest over the annotator and the two texts in sorted order: never over ids, system names
or upload order. It is the same on every reload, differs between annotators, and is reversed each time the
same annotator sees the comparison again.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from evaluation.schemes import Choice


def is_swapped(secret: bytes, annotator_key: str, first: str, second: str, presentation: int = 0) -> bool:
    """Whether the second text stands on the left, as A.

    >>> is_swapped(b"s", "k", "x", "y") != is_swapped(b"s", "k", "x", "y", presentation=1)
    True
    """
    low, high = sorted((first, second))
    message = "\x1f".join((annotator_key, low, high)).encode()
    # The digest is about the sorted texts, so that swapping the arguments swaps the answer.
    low_on_right = hmac.digest(secret, message, hashlib.sha256)[0] & 1 == 1
    return low_on_right ^ (presentation % 2 == 1) ^ (first != low)


def shown_order(secret: bytes, annotator_key: str, texts: Sequence[str], presentation: int = 0) -> list[int]:
    """The numbers of different texts in the order in which they are shown, the first as A; any order of the
    arguments shows them the same way, and a second presentation shows them backwards.

    >>> texts = ["red", "blue", "green"]
    >>> shown = [texts[n] for n in shown_order(b"s", "k", texts)]
    >>> [texts[n] for n in shown_order(b"s", "k", texts, presentation=1)] == shown[::-1]
    True
    """
    group = "\x1f".join((annotator_key, *sorted(texts)))

    def draw(number: int) -> tuple[bytes, str]:
        message = f"{group}\x1e{texts[number]}".encode()
        return hmac.digest(secret, message, hashlib.sha256), texts[number]

    return sorted(range(len(texts)), key=draw, reverse=presentation % 2 == 1)


def canonical(shown: Choice, *, swapped: bool, flipped: bool) -> Choice:
    """The verdict on a pair as stored, from the verdict on what was shown; its own inverse.

    ``swapped``: the second candidate stood on the left. ``flipped``: the pair's first text belongs to
    the second candidate. Each turns the pair around once. This is the only place that does.

    >>> canonical(Choice.A_BETTER, swapped=True, flipped=False)
    <Choice.B_BETTER: 'A<B'>
    """
    return shown.mirrored if swapped != flipped else shown
