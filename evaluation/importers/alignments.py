"""A file of word alignments beside the items: Pharaoh (``0-0 1-2``, a line per item) or GIZA++ A3.

The links are between two candidates: those that the file is said to be about, else the only two that there
are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from evaluation.importers.decode import lines
from evaluation.importers.links import Evidence, checked_links, parse_pharaoh, tokens
from evaluation.importers.model import ImportedItem, PairLinks, Place, Record
from evaluation.importers.reading import Reading
from evaluation.importers.source import Role, SourceFile


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
        self._lines = lines(file, reading, cr_ends=False)
        self._evidence = Evidence(reading.options.link_base)
        self._short = False

    def of(self, item: ImportedItem, number: int) -> PairLinks | None:
        line = next((text for at, text in self._lines if at >= number), None)
        place = Place(self._file.name, number)
        names = self._file.systems or item.systems
        if line is None:
            self._short = True
            return None
        if len(names) != 2 or not set(names) <= set(item.systems):
            self._reading.refuse(
                "bad_files",
                f"the item {item.id!r} has {len(item.systems)} candidates and the alignments fit two",
                "say which two systems the alignments are about",
                place,
            )
        a, b = names
        given = parse_pharaoh(line, place, self._reading)
        base = self._reading.options.link_base
        sides = tokens(item.text(a)), tokens(item.text(b))
        return PairLinks(
            a, b, checked_links(given, *sides, place, self._reading, base=base, evidence=self._evidence)
        )

    def finish(self, items: int) -> None:
        """Complain about lines that are missing or left over, and about what the links suggest."""
        place = Place(self._file.name)
        left = [at for at, text in self._lines if text.strip()]
        if self._short or left:
            total = sum(1 for _ in lines(self._file, self._reading, cr_ends=False))
            self._reading.fault(
                "line_count",
                f"there are {items:,} items and {total:,} lines of alignments",
                "give one line per item, an empty one where there are no links",
                place,
            )
        self._evidence.report(place, self._reading)
