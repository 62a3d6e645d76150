"""Short, stable names for texts."""

from __future__ import annotations

import hashlib


def text_digest(*parts: str) -> str:
    """A digest of one or more texts; the separator cannot occur in them (control characters are refused).

    >>> text_digest("a", "b") == text_digest("ab")
    False
    """
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]
