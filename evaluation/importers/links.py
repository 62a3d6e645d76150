"""Word links that come with the items: inside a file, or in an alignment file beside it.

Links are over the tokens of the two texts split at ASCII white space. The base is never guessed and the sides
are never swapped: ``LinkEvidence`` reports links that seem to count from 1 or to have the other direction.

An alignment file is Pharaoh (``0-0 1-2``, a line per item) or GIZA++ A3. Its links are between the two
systems that the file is declared for, or between the only two of the item.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from appraise.lib.problems import InputError, shorten
from evaluation.alignment.link_files import parse_links, read_giza
from evaluation.importers.decode import head, lines
from evaluation.importers.model import (
    FileRole,
    ImportedCandidate,
    ImportedItem,
    Link,
    PairLinks,
    Record,
    SourceFile,
    SourcePosition,
)
from evaluation.importers.state import ImportState
from evaluation.tokens import split, words

_LINK = re.compile(r"([0-9]{1,6})-([0-9]{1,6})", re.ASCII)
_MIN_LINKS = 3  # fewer links are no evidence

Tokens = tuple[str, ...]


def split_tokens(text: str) -> Tokens:
    """Return the tokens to which given links and given phrases refer."""
    return words(text, split(text))


def parse_pair_links(
    text: str, pair: Sequence[ImportedCandidate], position: SourcePosition, state: ImportState, *, base: int
) -> PairLinks:
    """Parse Pharaoh links such as ``0-0 1-2``; the result counts from 0 and has no duplicates."""
    a, b = pair
    links: tuple[Link, ...] = ()
    sizes = len(split_tokens(a.text)), len(split_tokens(b.text))
    try:
        links = parse_links(text, *sizes, base=base, file=position.file, line=position.line)
    except InputError as error:
        state.add_problems(error)
    else:
        if len(links) < len(text.split()):
            state.warn("duplicate_link", "a link occurs twice", "it is used once", position)
    return PairLinks(a.system, b.system, links)


def attach_links(records: Iterable[Record], state: ImportState, *, by_line: bool) -> Iterator[Record]:
    """Yield the records, items with the links of the alignment files.

    ``by_line``: an item belongs to the line with its own number (plain text, whose blank lines are no items);
    otherwise the n-th item belongs to the n-th line.
    """
    sources = [_LinkSource(file, state) for file in state.select_files(FileRole.ALIGNMENTS)]
    count = 0
    for record in records:
        if sources and isinstance(record, ImportedItem):
            count += 1
            number = record.position.line if by_line and record.position.line else count
            pairs = [source.read(record, number) for source in sources]
            record = replace(record, links=record.links + tuple(pair for pair in pairs if pair is not None))
        yield record
    for source in sources:
        source.finish(count)


@dataclass(slots=True)
class LinkEvidence:
    """What the links of a whole file suggest about their base and direction.

    Two translations of one sentence share most of their words, so the right interpretation links many equal
    words.
    """

    base: int
    links: int = 0
    zeros: int = 0
    outside: int = 0
    outside_swapped: int = 0
    equal: int = 0
    equal_shifted: int = 0
    equal_swapped: int = 0

    def add(self, text: str, a: Tokens, b: Tokens) -> None:
        """Count the links of one sentence, those outside of it included."""
        links = [(int(i) - self.base, int(j) - self.base) for i, j in _LINK.findall(text)]
        self.links += len(links)
        for i, j in links:
            self.zeros += i == 0 or j == 0
            self.outside += not (0 <= i < len(a) and 0 <= j < len(b))
            self.outside_swapped += not (0 <= j < len(a) and 0 <= i < len(b))
            self.equal += _are_equal(a, i, b, j)
            self.equal_shifted += _are_equal(a, i - 1, b, j - 1)
            self.equal_swapped += _are_equal(a, j, b, i)

    def report(self, position: SourcePosition, state: ImportState) -> None:
        """Warn of a suspicious base or direction; report links that fit only in the other direction."""
        if self.links < _MIN_LINKS:
            return
        if self.base == 0 and not self.zeros and self.equal_shifted >= self.equal:
            message = (
                f"none of {self.links:,} links uses 0; counted from 1 they join "
                f"{self.equal_shifted:,} equal words, counted from 0 {self.equal:,}"
            )
            remedy = "choose a link base of 1 if the links count from 1"
            state.warn("one_based_links", message, remedy, position)
        remedy = "swap the two systems if the links have the other direction"
        if self.outside and not self.outside_swapped:
            state.report("direction_suspect", "the links fit only in the other direction", remedy, position)
        elif self.equal_swapped > 2 * self.equal:
            message = (
                f"the links join {self.equal:,} equal words, in the other direction {self.equal_swapped:,}"
            )
            state.warn("direction_suspect", message, remedy, position)


def _are_equal(a: Tokens, i: int, b: Tokens, j: int) -> bool:
    return 0 <= i < len(a) and 0 <= j < len(b) and a[i] == b[j]


class _LinkSource:
    """The lines of one alignment file, read in step with the items."""

    def __init__(self, file: SourceFile, state: ImportState) -> None:
        self._file, self._state = file, state
        self._is_giza = head(file, state).removeprefix(b"\xef\xbb\xbf").startswith(b"#")
        self._lines = lines(file, state, cr_ends=False)
        self._evidence = LinkEvidence(state.options.link_base)
        self._is_short = False

    def read(self, item: ImportedItem, number: int) -> PairLinks | None:
        """Return the links of an item, None if the file has ended."""
        a, b = self._select_pair(item)
        links = self._read_giza(number, a, b) if self._is_giza else self._read_pharaoh(number, a, b)
        self._is_short = self._is_short or links is None
        return links

    def finish(self, items: int) -> None:
        """Report missing and extra lines, and what the links suggest."""
        position = SourcePosition(self._file.name)
        if self._is_short or next(self._lines, None) is not None:
            numbers = [number for number, _ in lines(self._file, self._state, cr_ends=False)]
            total = len(numbers) // (3 if self._is_giza else 1)
            message = f"there are {items:,} items and {total:,} alignments"
            remedy = "give one alignment per item, an empty one where there are no links"
            self._state.report("line_count", message, remedy, position)
        self._evidence.report(position, self._state)

    def _select_pair(self, item: ImportedItem) -> tuple[ImportedCandidate, ImportedCandidate]:
        names = self._file.systems or item.systems
        if len(names) != 2 or not set(names) <= set(item.systems):
            self._state.refuse(
                "bad_files",
                f"alignments are between two systems, item {shorten(item.id)!r} has {len(item.systems)}",
                "name the two systems of the alignments",
                SourcePosition(self._file.name),
            )
        a, b = (ImportedCandidate(name, item.text(name)) for name in names)
        return a, b

    def _read_pharaoh(self, number: int, a: ImportedCandidate, b: ImportedCandidate) -> PairLinks | None:
        line = next((text for at, text in self._lines if at >= number), None)
        if line is None:
            return None
        self._evidence.add(line, split_tokens(a.text), split_tokens(b.text))
        position = SourcePosition(self._file.name, number)
        return parse_pair_links(line, (a, b), position, self._state, base=self._state.options.link_base)

    def _read_giza(self, number: int, a: ImportedCandidate, b: ImportedCandidate) -> PairLinks | None:
        start = 3 * (number - 1) + 1
        triple = [text for _, text in islice((line for line in self._lines if line[0] >= start), 3)]
        if not triple:
            return None
        links: tuple[Link, ...] = ()
        data, sides = "\n".join(triple) + "\n", (split_tokens(a.text), split_tokens(b.text))
        try:
            links = read_giza(data.encode(), [sides], file=self._file.name)[0]
        except InputError as error:
            self._state.add_problems(error, below=start - 1)
        return PairLinks(a.system, b.system, links)
