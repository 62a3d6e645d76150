"""Word links that come with a file: checked, counted from 0, without repetitions.

Links are over the tokens of the two texts split at ASCII white space. The base is never guessed and the sides
are never exchanged: if the indices look as if they counted from 1, or as if they were written the other way
round, ``Evidence`` says so and why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.importers.model import Link, Place
from evaluation.importers.reading import Reading, shown
from evaluation.tokens import split, words

_LINK = re.compile(r"([0-9]{1,6})-([0-9]{1,6})", re.ASCII)
_ENOUGH = 3


def tokens(text: str) -> tuple[str, ...]:
    """The tokens that given links and given phrases count."""
    return words(text, split(text))


def parse_links(text: str, a: str, b: str, place: Place, reading: Reading, *, base: int) -> tuple[Link, ...]:
    """Pharaoh links such as ``0-0 1-2`` between the tokens of ``a`` and ``b``."""
    return checked_links(parse_pharaoh(text, place, reading), tokens(a), tokens(b), place, reading, base=base)


def parse_pharaoh(text: str, place: Place, reading: Reading) -> list[Link]:
    """The links of one line as they are written; a token that is none is a fault."""
    links = []
    for token in text.split():
        found = _LINK.fullmatch(token)
        if found is None:
            reading.fault(
                "alignment_syntax", f"{shown(token)!r} is no link", "write links as 0-0 1-2", place, text
            )
        else:
            links.append((int(found[1]), int(found[2])))
    return links


def checked_links(
    given: list[Link],
    a: tuple[str, ...],
    b: tuple[str, ...],
    place: Place,
    reading: Reading,
    *,
    base: int,
    evidence: Evidence | None = None,
) -> tuple[Link, ...]:
    """The links counted from 0; those outside of the sentences are faults, repeated ones are kept once."""
    links: dict[Link, None] = {}
    outside = 0
    for i, j in given:
        link = i - base, j - base
        if not (0 <= link[0] < len(a) and 0 <= link[1] < len(b)):
            outside += 1
            reading.fault(
                "alignment_range",
                f"the link {i}-{j} lies outside of sentences of {len(a)} and {len(b)} tokens",
                f"check the tokens, the direction, and whether the links count from {1 - base}",
                place,
            )
        elif link in links:
            reading.warn("duplicate_link", f"the link {i}-{j} is given twice", "it is kept once", place)
        links[link] = None
    if evidence is not None:
        evidence.add(list(links), outside, a, b)
    return tuple(links)


@dataclass(slots=True)
class Evidence:
    """What the links of a whole file suggest about their base and their direction.

    Two translations of one sentence share most of their words, so the right reading joins many equal words.
    """

    base: int
    links: int = 0
    zeros: int = 0
    outside: int = 0
    outside_swapped: int = 0
    equal: int = 0
    equal_shifted: int = 0
    equal_swapped: int = 0

    def add(self, links: list[Link], outside: int, a: tuple[str, ...], b: tuple[str, ...]) -> None:
        """The links of one sentence, counted from 0, those outside included."""
        self.links += len(links)
        self.outside += outside
        for i, j in links:
            self.zeros += i == 0 or j == 0
            self.outside_swapped += not (0 <= j < len(a) and 0 <= i < len(b))
            self.equal += _same(a, i, b, j)
            self.equal_shifted += _same(a, i - 1, b, j - 1)
            self.equal_swapped += _same(a, j, b, i)

    def report(self, place: Place, reading: Reading) -> None:
        """Warn of what is suspect. A direction that only works the other way round is a fault."""
        if self.links < _ENOUGH:
            return
        if self.base == 0 and not self.zeros and self.equal_shifted >= self.equal:
            reading.warn(
                "one_based_links",
                f"none of {self.links:,} links uses 0; counted from 1 they join "
                f"{self.equal_shifted:,} equal words, counted from 0 {self.equal:,}",
                "say that the links count from 1 if they do",
                place,
            )
        remedy = "exchange the two systems if the links were written the other way round"
        if self.outside and not self.outside_swapped:
            reading.fault("direction_suspect", "the links fit only the other way round", remedy, place)
        elif self.equal_swapped > 2 * self.equal:
            said = f"the links join {self.equal:,} equal words, the other way round {self.equal_swapped:,}"
            reading.warn("direction_suspect", said, remedy, place)


def _same(a: tuple[str, ...], i: int, b: tuple[str, ...], j: int) -> bool:
    return 0 <= i < len(a) and 0 <= j < len(b) and a[i] == b[j]
