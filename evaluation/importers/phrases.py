"""Phrase pairs that people bring already aligned: TSV with the columns ``phrase_a`` and ``phrase_b``.

One row per phrase pair, rows of one item together, in the order of candidate A; an empty cell is ε. The
sentences are the phrases joined by spaces. Optional columns: ``item``, ``document``, ``source``,
``reference``, ``system_a`` and ``system_b`` (else A and B), and ``position_b``, the place (1, 2, …) of the
phrase within B where its order differs. Without ``item`` every row is an item of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from evaluation.importers.links import tokens
from evaluation.importers.model import Candidate, GivenPhrase, ImportedItem, PairPhrases, Span
from evaluation.importers.reading import Reading, shown
from evaluation.importers.rows import Row, Table, table
from evaluation.importers.source import SourceFile

NEEDED = ("phrase_a", "phrase_b")
KNOWN = (*NEEDED, "item", "document", "source", "reference", "system_a", "system_b", "position_b")
_POSITION = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)


def read(files: Sequence[SourceFile], reading: Reading) -> Iterator[ImportedItem]:
    """The items of every file."""
    for file in files:
        found = table(file, reading, quoted=False)
        _check_columns(found, reading)
        for _, group in groupby(found.rows, key=_identity):
            yield _item(list(group), reading)


def _check_columns(found: Table, reading: Reading) -> None:
    missing = [name for name in NEEDED if name not in found.header]
    unknown = [name for name in found.header if name not in KNOWN]
    if missing or unknown:
        said = (
            f"the column {missing[0]} is missing" if missing else f"{shown(unknown[0])!r} is no known column"
        )
        reading.refuse("bad_header", said, f"known columns: {', '.join(KNOWN)}", found.place)


def _identity(row: Row) -> str:
    return row.get("item").strip() if "item" in row.cells else str((row.place.line or 1) - 1)


def _item(group: list[Row], reading: Reading) -> ImportedItem:
    first = group[0]
    names = (_agreed(group, "system_a", reading) or "A", _agreed(group, "system_b", reading) or "B")
    tokens_a = [tokens(row.get("phrase_a")) for row in group]
    tokens_b = [tokens(row.get("phrase_b")) for row in group]
    order = _order(group, tokens_b, reading)
    spans_a, spans_b = _spans(tokens_a, list(range(len(group)))), _spans(tokens_b, order)
    for row, a, b in zip(group, spans_a, spans_b, strict=True):
        if a is None and b is None:
            reading.fault("empty_segment", "both phrases are empty", "remove the row", row.place)
    pairs = tuple(GivenPhrase(a, b) for a, b in zip(spans_a, spans_b, strict=True))
    reference = _agreed(group, "reference", reading)
    return ImportedItem(
        id=_identity(first),
        source=_agreed(group, "source", reading),
        candidates=(
            Candidate(names[0], " ".join(word for phrase in tokens_a for word in phrase)),
            Candidate(names[1], " ".join(word for index in order for word in tokens_b[index])),
        ),
        place=first.place,
        document=_agreed(group, "document", reading),
        references=(reference,) if reference else (),
        phrases=(PairPhrases(*names, pairs),),
    )


def _agreed(group: list[Row], name: str, reading: Reading) -> str:
    """The value that all rows of an item share; rows after the first may leave it out."""
    value = ""
    for row in group:
        cell = row.get(name).strip()
        if value and cell and cell != value:
            reading.fault(
                "conflict", f"{name} differs within one item", "give it once per item", row.place, cell
            )
        value = value or cell
    return value


def _order(group: list[Row], tokens_b: list[tuple[str, ...]], reading: Reading) -> list[int]:
    """The rows in the order of B."""
    positions: list[tuple[int, int]] = []
    for index, row in enumerate(group):
        given = row.get("position_b").strip()
        if not given:
            positions.append((index + 1, index))
        elif _POSITION.fullmatch(given):
            positions.append((int(given), index))
        else:
            reading.fault("bad_number", f"{shown(given)!r} is no position", "write 1, 2, 3, …", row.place)
    order = [index for _, index in sorted(positions)]
    used = [position for position, index in positions if tokens_b[index]]
    if len(set(used)) < len(used):
        reading.fault("conflict", "two phrases have the same place in B", "number them", group[0].place)
    placed = set(order)
    return order + [index for index in range(len(group)) if index not in placed]


def _spans(phrases: list[tuple[str, ...]], order: list[int]) -> list[Span | None]:
    """Token spans of the phrases when they are put together in ``order``."""
    spans: list[Span | None] = [None] * len(phrases)
    start = 0
    for index in order:
        end = start + len(phrases[index])
        spans[index] = (start, end) if end > start else None
        start = end
    return spans


def is_phrase_header(header: list[str]) -> bool:
    return all(name in header for name in NEEDED)
