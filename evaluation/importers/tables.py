"""TSV and CSV: one row per item with a column per system, one row per item and system, or judgements.

The header decides. ``annotator`` makes it a table of judgements; ``system`` with ``translation`` a row per
output; otherwise every column that has no other meaning is a system. Common spellings are understood (``seg``
for ``id``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evaluation.importers.judgement import FIELDS, judgement
from evaluation.importers.links import parse_links, tokens
from evaluation.importers.model import Candidate, ImportedItem, PairLinks, Place, Record
from evaluation.importers.reading import Reading, shown
from evaluation.importers.rows import Row, Table, table
from evaluation.importers.source import SourceFile

_MEANINGS = {
    "id": ("id", "item", "item_id", "seg", "segment", "segment_id", "seg_id", "key"),
    "document": ("document", "doc", "doc_id", "document_id"),
    "source": ("source", "src", "source_text"),
    "reference": ("reference", "ref", "reference_text"),
    "system": ("system", "system_id"),
    "translation": ("translation", "text", "output", "hypothesis", "hyp", "target", "candidate"),
    "before": ("before", "context_before"),
    "after": ("after", "context_after"),
    "links": ("links", "alignment"),
    "annotator": ("annotator", "judge", "rater", "coder", "user"),
    "a": ("a", "system_a"),
    "b": ("b", "system_b"),
}
_MEANING = {spelling: meaning for meaning, spellings in _MEANINGS.items() for spelling in spellings}
_REFERENCE = re.compile(r"(?:ref|reference)[_-]?(?:[0-9]{1,2}|[a-d])", re.IGNORECASE | re.ASCII)
_SINGLE = ("id", "document", "source", "before", "after", "links")


def read_tsv(files: Sequence[SourceFile], reading: Reading) -> Iterator[Record]:
    """The items and judgements of tab-separated files."""
    yield from _read(files, reading, quoted=False)


def read_csv(files: Sequence[SourceFile], reading: Reading) -> Iterator[Record]:
    """The items and judgements of comma- or semicolon-separated files."""
    yield from _read(files, reading, quoted=True)


def is_item_header(header: Sequence[str]) -> bool:
    """Whether the names could head a table of items or of judgements."""
    meanings = {_MEANING.get(name.strip().casefold()) for name in header}
    return bool(meanings & {"source", "reference", "annotator"}) or {"system", "translation"} <= meanings


def is_judgement_header(header: Sequence[str]) -> bool:
    """Whether the names head a table of judgements."""
    return "annotator" in {_MEANING.get(name.strip().casefold()) for name in header}


def _read(files: Sequence[SourceFile], reading: Reading, *, quoted: bool) -> Iterator[Record]:
    long = _Long(reading)
    for file in files:
        found = table(file, reading, quoted=quoted)
        layout = _layout(found, reading)
        for row in found.rows:
            if "annotator" in layout:
                said = judgement(_judged(row, layout), row.place, reading)
                if said is not None:
                    yield said
            elif "system" in layout and "translation" in layout:
                long.add(row, layout)
            else:
                yield _wide(row, layout, reading)
    yield from long.items()


def _layout(found: Table, reading: Reading) -> dict[str, str]:
    """From meaning to the header's own spelling; refuses a header that is none."""
    layout: dict[str, str] = {}
    place = found.place
    judged = is_judgement_header(found.header)
    for name in found.header:
        meaning = _MEANING.get(name.casefold())
        if meaning in ("a", "b") and not judged:
            continue  # systems that are called a and b
        if meaning in layout:
            reading.refuse(
                "bad_header",
                f"{shown(name)!r} and {shown(layout[meaning])!r} mean the same",
                "keep one of them",
                place,
            )
        if meaning:
            layout[meaning] = name
    if not is_item_header(found.header):
        if is_item_header([name.strip('"') for name in found.header]):
            reading.refuse(
                "bad_header",
                "the names of the columns are quoted, but a table with tabs has no quoting",
                "save it as CSV, or without quotes",
                place,
                " ".join(found.header),
            )
        reading.refuse(
            "bad_header",
            "the first line does not name the columns",
            "begin with a line such as: id, source, reference, and a column per system",
            place,
            " ".join(found.header),
        )
    if "system" in layout and "translation" in layout and "id" not in layout:
        reading.refuse("bad_header", "one row per system needs a column id", "add it", place)
    return layout


def _judged(row: Row, layout: dict[str, str]) -> dict[str, str]:
    names = {"item": layout.get("id", "item")} | {
        meaning: layout[meaning] for meaning in ("annotator", "a", "b", "system") if meaning in layout
    }
    folded = {name.casefold(): name for name in row.cells}
    names |= {name: folded[name] for name in ("label", "rating", "rank", "phrase") if name in folded}
    return {field: row.get(name) for field, name in names.items() if field in FIELDS}


def _references(row: Row, layout: dict[str, str]) -> tuple[str, ...]:
    names = [name for name in row.cells if name == layout.get("reference") or _REFERENCE.fullmatch(name)]
    return tuple(row.get(name) for name in names if row.get(name))


def _wide(row: Row, layout: dict[str, str], reading: Reading) -> ImportedItem:
    taken = {layout[meaning] for meaning in (*_SINGLE, "reference") if meaning in layout}
    systems = [name for name in row.cells if name not in taken and not _REFERENCE.fullmatch(name)]
    candidates = tuple(Candidate(name.removeprefix("system:"), row.get(name)) for name in systems)
    links: tuple[PairLinks, ...] = ()
    if "links" in layout and len(candidates) == 2:
        (a, text_a), (b, text_b) = candidates
        given = row.get(layout["links"])
        base = reading.options.link_base
        links = (
            PairLinks(
                a, b, parse_links(given, tokens(text_a), tokens(text_b), row.place, reading, base=base)
            ),
        )
    return ImportedItem(
        id=row.get(layout["id"]).strip() if "id" in layout else str((row.place.line or 1) - 1),
        candidates=candidates,
        place=row.place,
        references=_references(row, layout),
        links=links,
        source=row.get(layout.get("source", "")),
        document=row.get(layout.get("document", "")),
        before=row.get(layout.get("before", "")),
        after=row.get(layout.get("after", "")),
    )


@dataclass(slots=True)
class _Gathered:
    place: Place
    source: str
    document: str
    references: tuple[str, ...]
    candidates: list[Candidate] = field(default_factory=list)


@dataclass(slots=True)
class _Long:
    """One row per item and system: rows of an item may stand anywhere, so they are gathered first."""

    reading: Reading
    _found: dict[str, _Gathered] = field(default_factory=dict)

    def add(self, row: Row, layout: dict[str, str]) -> None:
        identity = row.get(layout["id"]).strip()
        source, document = (row.get(layout[key]) if key in layout else "" for key in ("source", "document"))
        references = _references(row, layout)
        one = self._found.setdefault(identity, _Gathered(row.place, source, document, references))
        for what, old, new in (
            ("source", one.source, source),
            ("document", one.document, document),
            ("reference", one.references, references),
        ):
            if old and new and old != new:
                self.reading.fault(
                    "conflict",
                    f"the {what} of item {shown(identity)!r} differs from that at {one.place}",
                    "give the same text in every row of an item, or only in its first",
                    row.place,
                )
        one.source, one.document = one.source or source, one.document or document
        one.references = one.references or references
        one.candidates.append(Candidate(row.get(layout["system"]).strip(), row.get(layout["translation"])))
        if len(self._found) > self.reading.limits.max_items:
            cap = self.reading.limits.max_items
            self.reading.refuse("too_many_items", f"there are more than {cap:,} items", "split", row.place)

    def items(self) -> Iterator[ImportedItem]:
        for identity, one in self._found.items():
            yield ImportedItem(
                identity, one.source, tuple(one.candidates), one.place, one.document, one.references
            )
