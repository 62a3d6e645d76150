"""Tables: one row per item with a column per system, one row per item and system, or judgements.

The header decides: ``annotator`` makes it a table of judgements, ``system`` with ``translation`` a table with
a row per output; otherwise every column without another meaning is a system. Beside a table of outputs, one
without systems gives the sources and references of the same items. Common spellings are accepted (``seg``
for ``id``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from appraise.lib.problems import shorten
from evaluation.importers.judgements import FIELDS, check_judgement
from evaluation.importers.links import parse_pair_links
from evaluation.importers.model import (
    ImportedCandidate,
    ImportedItem,
    PairLinks,
    Record,
    SourceFile,
    SourcePosition,
)
from evaluation.importers.rows import CellReader, SourceTable, TableRow
from evaluation.importers.state import ImportState

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


def read(files: Sequence[SourceFile], state: ImportState, *, read_cells: CellReader) -> Iterator[Record]:
    """Yield the items and judgements of tables."""
    tables = [SourceTable(file, state, read_cells) for file in files]
    layouts = [_find_layout(table, state) for table in tables]
    is_grouped = any(_has_outputs(layout) for layout in layouts)
    grouped = _GroupedRows(state)
    for table, layout in zip(tables, layouts, strict=True):
        systems = _find_systems(table.header, layout)
        for row in table:
            if "annotator" in layout:
                judgement = check_judgement(_judgement_fields(row, layout), row.position, state)
                if judgement is not None:
                    yield judgement
            elif _has_outputs(layout) or (is_grouped and "id" in layout and not systems):
                grouped.add(row, layout)
            else:
                yield _build_item(row, layout, systems, state)
    yield from grouped.items()


def _has_outputs(layout: dict[str, str]) -> bool:
    """Whether each row is the output of a system."""
    return "system" in layout and "translation" in layout


def _find_systems(header: Sequence[str], layout: dict[str, str]) -> list[str]:
    """Return the columns without another meaning: each contains the outputs of a system."""
    used = {layout[meaning] for meaning in (*_SINGLE, "reference") if meaning in layout}
    return [name for name in header if name not in used and not _REFERENCE.fullmatch(name)]


def is_item_header(header: Sequence[str]) -> bool:
    """Whether the names can be the header of a table of items or of judgements."""
    meanings = {_MEANING.get(name.strip().casefold()) for name in header}
    return bool(meanings & {"source", "reference", "annotator"}) or {"system", "translation"} <= meanings


def is_judgement_header(header: Sequence[str]) -> bool:
    """Whether the names are the header of a table of judgements."""
    return "annotator" in {_MEANING.get(name.strip().casefold()) for name in header}


def _find_layout(table: SourceTable, state: ImportState) -> dict[str, str]:
    """Return the column name of each meaning; refuse a line that is not a header."""
    layout: dict[str, str] = {}
    has_judgements = is_judgement_header(table.header)
    for name in table.header:
        meaning = _MEANING.get(name.casefold())
        if meaning in ("a", "b") and not has_judgements:
            continue  # systems that are called a and b
        if meaning in layout:
            message = f"{shorten(name)!r} and {shorten(layout[meaning])!r} mean the same"
            state.refuse("bad_header", message, "keep one of them", table.position)
        if meaning:
            layout[meaning] = name
    if not is_item_header(table.header):
        _refuse_header(table, state)
    if _has_outputs(layout) and "id" not in layout:
        message = "a table with one row per system has no column id"
        state.refuse("bad_header", message, "add the column id", table.position)
    return layout


def _refuse_header(table: SourceTable, state: ImportState) -> NoReturn:
    if is_item_header([name.strip('"') for name in table.header]):
        message = "the column names are quoted, but a tab-separated table has no quoting"
        remedy = "save it as CSV, or without quotes"
    else:
        message = "the first line does not name the columns"
        remedy = "begin with a line such as: id, source, reference, and a column per system"
    state.refuse("bad_header", message, remedy, table.position, " ".join(table.header))


def _judgement_fields(row: TableRow, layout: dict[str, str]) -> dict[str, str]:
    names = {"item": layout.get("id", "item")} | {
        meaning: layout[meaning] for meaning in ("annotator", "a", "b", "system") if meaning in layout
    }
    folded = {name.casefold(): name for name in row.cells}
    own = ("label", "rating", "rank", "phrase", "source_ranking")
    names |= {name: folded[name] for name in own if name in folded}
    return {field: row.get(name) for field, name in names.items() if field in FIELDS}


def _references(row: TableRow, layout: dict[str, str]) -> tuple[str, ...]:
    names = [name for name in row.cells if name == layout.get("reference") or _REFERENCE.fullmatch(name)]
    return tuple(row.get(name) for name in names if row.get(name))


def _build_item(
    row: TableRow, layout: dict[str, str], systems: Sequence[str], state: ImportState
) -> ImportedItem:
    """Build an item from a row with a column per system."""
    candidates = tuple(ImportedCandidate(name.removeprefix("system:"), row.get(name)) for name in systems)
    links: tuple[PairLinks, ...] = ()
    if "links" in layout and len(candidates) == 2:
        text, base = row.get(layout["links"]), state.options.link_base
        links = (parse_pair_links(text, candidates, row.position, state, base=base),)
    return ImportedItem(
        id=row.get(layout["id"]).strip() if "id" in layout else str((row.position.line or 1) - 1),
        candidates=candidates,
        position=row.position,
        references=_references(row, layout),
        links=links,
        source=row.get(layout.get("source", "")),
        document=row.get(layout.get("document", "")),
        before=row.get(layout.get("before", "")),
        after=row.get(layout.get("after", "")),
    )


@dataclass(slots=True)
class _ItemParts:
    position: SourcePosition
    source: str
    document: str
    references: tuple[str, ...]
    candidates: list[ImportedCandidate] = field(default_factory=list)


@dataclass(slots=True)
class _GroupedRows:
    """Collects tables with one row per item and system, because the rows of an item need not be adjacent."""

    state: ImportState
    _parts: dict[str, _ItemParts] = field(default_factory=dict)

    def add(self, row: TableRow, layout: dict[str, str]) -> None:
        identity = row.get(layout["id"]).strip()
        source, document = (row.get(layout[key]) if key in layout else "" for key in ("source", "document"))
        references = _references(row, layout)
        parts = self._parts.setdefault(identity, _ItemParts(row.position, source, document, references))
        for what, old, new in (
            ("source", parts.source, source),
            ("document", parts.document, document),
            ("reference", parts.references, references),
        ):
            if old and new and old != new:
                message = f"the {what} of item {shorten(identity)!r} differs from that at {parts.position}"
                remedy = "give the same text in every row of an item, or only in its first"
                self.state.report("conflict", message, remedy, row.position)
        parts.source, parts.document = parts.source or source, parts.document or document
        parts.references = parts.references or references
        if _has_outputs(layout):
            system, text = row.get(layout["system"]).strip(), row.get(layout["translation"])
            parts.candidates.append(ImportedCandidate(system, text))
        if len(self._parts) > self.state.limits.max_items:
            self.state.refuse_excess("items", self.state.limits.max_items, row.position)

    def items(self) -> Iterator[ImportedItem]:
        for identity, parts in self._parts.items():
            texts = (parts.source, tuple(parts.candidates), parts.position, parts.document, parts.references)
            yield ImportedItem(identity, *texts)
