"""Phrase pairs that are already aligned: TSV with the columns ``phrase_a`` and ``phrase_b``.

There is one row per phrase pair; the rows of an item are adjacent and in the order of candidate A; an empty
cell is a missing side. The sentences are the phrases joined by spaces. Optional columns: ``item``,
``document``, ``source``, ``reference``, ``system_a`` and ``system_b`` (by default A and B), and
``position_b``, the position (1, 2, …) of the phrase within B if its order differs. Without ``item`` every row
is an item of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from appraise.lib.problems import shorten
from evaluation.importers.links import split_tokens
from evaluation.importers.model import (
    GivenPhrase,
    ImportedCandidate,
    ImportedItem,
    PairPhrases,
    SourceFile,
    Span,
)
from evaluation.importers.rows import SourceTable, TableRow, read_plain
from evaluation.importers.state import ImportState

NEEDED = ("phrase_a", "phrase_b")
KNOWN = (*NEEDED, "item", "document", "source", "reference", "system_a", "system_b", "position_b")
_POSITION = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)


def read(files: Sequence[SourceFile], state: ImportState) -> Iterator[ImportedItem]:
    """Yield the items of every file."""
    for file in files:
        table = SourceTable(file, state, read_plain)
        _check_columns(table, state)
        for _, group in groupby(table, key=_identify):
            yield _build_item(list(group), state)


def _check_columns(table: SourceTable, state: ImportState) -> None:
    missing = [name for name in NEEDED if name not in table.header]
    unknown = [name for name in table.header if name not in KNOWN]
    if missing or unknown:
        message = f"the column {missing[0]} is missing" if missing else f"{shorten(unknown[0])!r} is unknown"
        state.refuse("bad_header", message, f"use the columns: {', '.join(KNOWN)}", table.position)


def _identify(row: TableRow) -> str:
    return row.get("item").strip() if "item" in row.cells else str((row.position.line or 1) - 1)


def _build_item(group: list[TableRow], state: ImportState) -> ImportedItem:
    first = group[0]
    names = (_get_common(group, "system_a", state) or "A", _get_common(group, "system_b", state) or "B")
    tokens_a = [split_tokens(row.get("phrase_a")) for row in group]
    tokens_b = [split_tokens(row.get("phrase_b")) for row in group]
    order = _find_order(group, tokens_b, state)
    spans_a, spans_b = _build_spans(tokens_a, list(range(len(group)))), _build_spans(tokens_b, order)
    for row, a, b in zip(group, spans_a, spans_b, strict=True):
        if a is None and b is None:
            state.report("empty_segment", "both phrases are empty", "remove the row", row.position)
    pairs = tuple(GivenPhrase(a, b) for a, b in zip(spans_a, spans_b, strict=True))
    reference = _get_common(group, "reference", state)
    return ImportedItem(
        id=_identify(first),
        source=_get_common(group, "source", state),
        candidates=(
            ImportedCandidate(names[0], " ".join(word for phrase in tokens_a for word in phrase)),
            ImportedCandidate(names[1], " ".join(word for index in order for word in tokens_b[index])),
        ),
        position=first.position,
        document=_get_common(group, "document", state),
        references=(reference,) if reference else (),
        phrases=(PairPhrases(*names, pairs),),
    )


def _get_common(group: list[TableRow], name: str, state: ImportState) -> str:
    """Return the value that all rows of an item share; rows after the first may omit it."""
    value = ""
    for row in group:
        cell = row.get(name).strip()
        if value and cell and cell != value:
            message = f"{name} differs within one item"
            state.report("conflict", message, "give it once per item", row.position, cell)
        value = value or cell
    return value


def _find_order(group: list[TableRow], tokens_b: list[tuple[str, ...]], state: ImportState) -> list[int]:
    """Return the numbers of the rows in the order of B."""
    positions: list[tuple[int, int]] = []
    for index, row in enumerate(group):
        text = row.get("position_b").strip()
        if not text:
            positions.append((index + 1, index))
        elif _POSITION.fullmatch(text):
            positions.append((int(text), index))
        else:
            message = f"{shorten(text)!r} is not a position"
            state.report("bad_number", message, "write 1, 2, 3, …", row.position)
    order = [index for _, index in sorted(positions)]
    used = [position for position, index in positions if tokens_b[index]]
    if len(set(used)) < len(used):
        message = "two phrases have the same position in B"
        state.report("conflict", message, "give each phrase its own position_b", group[0].position)
    placed = set(order)
    return order + [index for index in range(len(group)) if index not in placed]


def _build_spans(phrases: list[tuple[str, ...]], order: list[int]) -> list[Span | None]:
    """Return the token spans of the phrases after joining them in ``order``."""
    spans: list[Span | None] = [None] * len(phrases)
    start = 0
    for index in order:
        end = start + len(phrases[index])
        spans[index] = (start, end) if end > start else None
        start = end
    return spans
