"""Word links that come with a file: checked, counted from 0, without repetitions.

Links are over the tokens of the two texts split at white space. The base is never guessed: if the indices
look as if they counted from 1, or as if the two sides were exchanged, a warning says so and why.
"""

from __future__ import annotations

import re

from evaluation.importers.model import Link, Place
from evaluation.importers.reading import Reading, shown

_LINK = re.compile(r"([0-9]{1,6})-([0-9]{1,6})", re.ASCII)


def parse_links(text: str, a: str, b: str, place: Place, reading: Reading, *, base: int) -> tuple[Link, ...]:
    """Pharaoh links such as ``0-0 1-2`` between the tokens of ``a`` and ``b``."""
    size_a, size_b = len(a.split()), len(b.split())
    links: dict[Link, None] = {}
    for token in text.split():
        found = _LINK.fullmatch(token)
        if found is None:
            reading.fault(
                "alignment_syntax", f"{shown(token)!r} is no link", "write links as 0-0 1-2", place, text
            )
            continue
        link = int(found[1]) - base, int(found[2]) - base
        if not (0 <= link[0] < size_a and 0 <= link[1] < size_b):
            reading.fault(
                "alignment_range",
                f"the link {token} lies outside of sentences of {size_a} and {size_b} tokens",
                f"check the tokens, and whether the links count from {1 - base}",
                place,
                text,
            )
            continue
        if link in links:
            reading.warn("duplicate_link", f"the link {token} is given twice", "it is kept once", place)
        links[link] = None
    return tuple(links)
