"""A file of word alignments beside the items: Pharaoh (``0-0 1-2``, a line per item) or GIZA++ A3.

The links are between two candidates: those that the file is said to be about, else the only two that there
are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from evaluation.alignment.giza import read_giza
from evaluation.importers.decode import count_lines, head, lines
from evaluation.importers.links import Evidence, Tokens, parse_links, raw_links, tokens
from evaluation.importers.model import ImportedItem, Link, PairLinks, Place, Record
from evaluation.importers.reading import Reading, shown
from evaluation.importers.source import Role, SourceFile
from evaluation.problems import InputError


def aligned(records: Iterable[Record], reading: Reading, *, by_line: bool) -> Iterator[Record]:
    """The records, items with the links that the alignment files give them.

    ``by_line``: an item belongs to the line of its own number (plain text, whose blank lines are no items);
    else the n-th item belongs to the n-th line.
    """
    if not reading.of(Role.ALIGNMENTS):
        yield from records
        return
    sources = [_Links(file, reading) for file in reading.of(Role.ALIGNMENTS)]
    count = 0
    for record in records:
        if isinstance(record, ImportedItem):
            count += 1
            number = record.place.line if by_line and record.place.line else count
            found = tuple(source.of(record, number) for source in sources)
            record = replace(record, links=record.links + tuple(pair for pair in found if pair is not None))
        yield record
    for source in sources:
        source.finish(count)


class _Links:
    """The lines of one alignment file, taken in step with the items."""

    def __init__(self, file: SourceFile, reading: Reading) -> None:
        self._file, self._reading = file, reading
        self._giza = head(file, reading).removeprefix(b"\xef\xbb\xbf").startswith(b"#")
        self._lines = lines(file, reading, cr_ends=False)
        self._evidence = Evidence(reading.options.link_base)
        self._short = False

    def of(self, item: ImportedItem, number: int) -> PairLinks | None:
        a, b = self._pair(item)
        sides = tokens(item.text(a)), tokens(item.text(b))
        links = self._giza_links(number, *sides) if self._giza else self._pharaoh_links(number, *sides)
        self._short = self._short or links is None
        return None if links is None else PairLinks(a, b, links)

    def finish(self, items: int) -> None:
        """Complain about lines that are missing or left over, and about what the links suggest."""
        place = Place(self._file.name)
        if self._short or next(self._lines, None) is not None:
            total = count_lines(self._file, self._reading, cr_ends=False) // (3 if self._giza else 1)
            self._reading.fault(
                "line_count",
                f"there are {items:,} items and {total:,} alignments",
                "give one alignment per item, an empty one where there are no links",
                place,
            )
        self._evidence.report(place, self._reading)

    def _pair(self, item: ImportedItem) -> tuple[str, str]:
        names = self._file.systems or item.systems
        if len(names) != 2 or not set(names) <= set(item.systems):
            self._reading.refuse(
                "bad_files",
                f"the alignments are between two systems, item {shown(item.id)!r} has {len(item.systems)}",
                "say which two systems the alignments are about",
                Place(self._file.name),
            )
        return names[0], names[1]

    def _pharaoh_links(self, number: int, a: Tokens, b: Tokens) -> tuple[Link, ...] | None:
        line = next((text for at, text in self._lines if at >= number), None)
        if line is None:
            return None
        base, place = self._reading.options.link_base, Place(self._file.name, number)
        self._evidence.add(raw_links(line, base), a, b)
        return parse_links(line, a, b, place, self._reading, base=base)

    def _giza_links(self, number: int, a: Tokens, b: Tokens) -> tuple[Link, ...] | None:
        start = 3 * (number - 1) + 1
        triple = [text for _, text in islice((line for line in self._lines if line[0] >= start), 3)]
        if not triple:
            return None
        try:
            data = "\n".join(triple) + "\n"
            return read_giza(data.encode(), [(a, b)], file=self._file.name).links[0]
        except InputError as error:
            self._reading.take(error, below=start - 1)
            return ()
