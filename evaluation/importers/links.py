"""Word links that come with a file: checked, counted from 0, without repetitions.

Links are over the tokens of the two texts split at ASCII white space. The base is never guessed and the sides
are never exchanged: if the indices look as if they counted from 1, or as if they were written the other way
round, ``Evidence`` says so and why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.alignment import formats
from evaluation.importers.model import Link, Place
from evaluation.importers.reading import Reading
from evaluation.problems import InputError
from evaluation.tokens import split, words

_LINK = re.compile(r"([0-9]{1,6})-([0-9]{1,6})", re.ASCII)
_ENOUGH = 3

Tokens = tuple[str, ...]


def tokens(text: str) -> Tokens:
    """The tokens that given links and given phrases count."""
    return words(text, split(text))


def parse_links(
    text: str, a: Tokens, b: Tokens, place: Place, reading: Reading, *, base: int
) -> tuple[Link, ...]:
    """Pharaoh links such as ``0-0 1-2``, counted from 0 afterwards; repeated ones are kept once."""
    try:
        links = formats.parse_links(text, len(a), len(b), base=base, file=place.file, line=place.line)
    except InputError as error:
        reading.take(error)
        return ()
    if len(links) < len(text.split()):
        reading.warn("duplicate_link", "a link is given twice", "it is kept once", place)
    return links


def raw_links(text: str, base: int) -> list[Link]:
    """What looks like a link, in range or not."""
    return [(int(i) - base, int(j) - base) for i, j in _LINK.findall(text)]


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

    def add(self, links: list[Link], a: Tokens, b: Tokens) -> None:
        """The links of one sentence, counted from 0, those outside of it included."""
        self.links += len(links)
        for i, j in links:
            self.zeros += i == 0 or j == 0
            self.outside += not (0 <= i < len(a) and 0 <= j < len(b))
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


def _same(a: Tokens, i: int, b: Tokens, j: int) -> bool:
    return 0 <= i < len(a) and 0 <= j < len(b) and a[i] == b[j]
