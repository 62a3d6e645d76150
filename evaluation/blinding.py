"""Blinding: which candidate an annotator sees as A, without revealing anything about the systems.

The side depends on a keyed digest of the annotator and the two texts in sorted order, never on ids, system
names or upload order. It is the same on every reload, differs between annotators, and is reversed each time
the same annotator gets the comparison again.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from evaluation.schemes import Choice


def is_swapped(secret: bytes, annotator_key: str, first: str, second: str, presentation: int = 0) -> bool:
    """Whether the second text is on the left, as A.

    >>> is_swapped(b"s", "k", "x", "y") != is_swapped(b"s", "k", "x", "y", presentation=1)
    True
    """
    low, high = sorted((first, second))
    message = "\x1f".join((annotator_key, low, high)).encode()
    # The digest is over the sorted texts, so that exchanging the arguments negates the result.
    low_on_right = hmac.digest(secret, message, hashlib.sha256)[0] & 1 == 1
    return low_on_right ^ (presentation % 2 == 1) ^ (first != low)


def shown_order(secret: bytes, annotator_key: str, texts: Sequence[str], presentation: int = 0) -> list[int]:
    """Return the numbers of distinct texts in display order, the first as A.

    The display order does not depend on the order of ``texts``; a second presentation reverses it.

    >>> texts = ["red", "blue", "green"]
    >>> shown = [texts[n] for n in shown_order(b"s", "k", texts)]
    >>> [texts[n] for n in shown_order(b"s", "k", texts, presentation=1)] == shown[::-1]
    True
    """
    group = "\x1f".join((annotator_key, *sorted(texts)))

    def sort_key(number: int) -> tuple[bytes, str]:
        message = f"{group}\x1e{texts[number]}".encode()
        return hmac.digest(secret, message, hashlib.sha256), texts[number]

    return sorted(range(len(texts)), key=sort_key, reverse=presentation % 2 == 1)


def canonical(shown: Choice, *, swapped: bool, flipped: bool) -> Choice:
    """Return the choice in stored order for a choice in display order; its own inverse.

    ``swapped``: the second candidate was on the left. ``flipped``: the pair's first text belongs to the
    second candidate. Each reverses the pair once. No other function does.

    >>> canonical(Choice.A_BETTER, swapped=True, flipped=False)
    <Choice.B_BETTER: 'A<B'>
    """
    return shown.mirrored if swapped != flipped else shown


def pseudonym(campaign_key: str, annotator_key: str) -> str:
    """Return an annotator's name in reports and exports: stable within a campaign, unlinkable between two.

    >>> pseudonym("k", "a") == pseudonym("k", "a") != pseudonym("other", "a")
    True
    """
    return "a-" + hmac.digest(campaign_key.encode(), annotator_key.encode(), hashlib.sha256).hex()[:10]
