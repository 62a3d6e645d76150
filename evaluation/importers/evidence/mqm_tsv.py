"""Google's MQM tables: one error per row, marked with ``<v>…</v>`` in the source or the target.

Columns: system, doc, docSegId, globalSegId, rater, source, target, category, severity. A row ``No-error``
says that its cell was rated. Rows with the severity ``HOTW-test`` are tests of the raters' attention.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from appraise.lib.problems import Problem, shorten
from evaluation.assessments.values import MarkedSpan, OutputRating, SpanSide
from evaluation.importers.decode import lines
from evaluation.importers.model import COMMAND_LINE, Limits, SourceFile, SourcePosition
from evaluation.importers.state import ImportState

COLUMNS = ("system", "doc", "docSegId", "globalSegId", "rater", "source", "target", "category", "severity")
NO_ERROR = "no-error"
TEST = "hotw-test"
_ALIASES = {"doc_id": "docSegId", "seg_id": "globalSegId"}
Key = TypeVar("Key", str, tuple[str, str])
_MARK = re.compile(r"<v>(.*?)(?:</v>|$)", re.DOTALL)


class SegmentPlace(NamedTuple):
    """Where a segment stands: its document, its number there and its number in the set."""

    document: str
    number: str
    identity: str


@dataclass(slots=True)
class MqmTable:
    """The texts and ratings of a table; segment i of the ratings is ``places[i]``, in order of identity.

    ``tests`` counts the attention tests of every rater that were found and missed.
    """

    places: tuple[SegmentPlace, ...] = ()
    sources: tuple[str, ...] = ()
    outputs: dict[str, dict[int, str]] = field(default_factory=dict)
    ratings: list[OutputRating] = field(default_factory=list)
    tests: dict[str, Counter[str]] = field(default_factory=dict)
    warnings: tuple[Problem, ...] = ()


class _Row(NamedTuple):
    """The cells of a row in the order of ``COLUMNS``."""

    system: str
    document: str
    number: str
    identity: str
    rater: str
    source: str
    target: str
    category: str
    severity: str


def read_mqm_table(file: SourceFile, limits: Limits = COMMAND_LINE) -> MqmTable:
    """Read a table; ratings are in order of system, segment and rater."""
    state = ImportState([file], limits)
    reader = _MqmReader(state)
    header: list[str] = []
    for line, text in lines(file, state, cr_ends=False):
        cells, position = text.split("\t"), SourcePosition(file.name, line)
        if not header:
            header = _read_header(cells, position, state)
        elif not text.strip():
            continue
        elif len(cells) != len(header):
            message = f"the row has {len(cells)} columns, the header names {len(header)}"
            state.report("column_count", message, "add or remove cells", position, text)
        else:
            row = dict(zip(header, cells, strict=True))
            reader.add(_Row(*(row[name].strip() for name in COLUMNS)), position)
    if not reader.has_rows:
        state.report("no_items", "the table has no ratings", "add rows", SourcePosition(file.name))
    state.raise_problems()
    return reader.finish()


def _read_header(cells: list[str], position: SourcePosition, state: ImportState) -> list[str]:
    header = [_ALIASES.get(cell.strip(), cell.strip()) for cell in cells]
    for name in COLUMNS:
        if header.count(name) != 1:
            message = f"the header has {header.count(name)} columns {name!r}"
            state.refuse("bad_header", message, f"name the columns {', '.join(COLUMNS)}", position)
    return header


class _MqmReader:
    """Collects the rows of a table by cell and rater."""

    def __init__(self, state: ImportState) -> None:
        self._state = state
        self._sources: dict[str, str] = {}
        self._places: dict[str, SegmentPlace] = {}
        self._outputs: dict[tuple[str, str], str] = {}
        self._spans: dict[tuple[str, str, str], list[MarkedSpan]] = {}
        self._tests: dict[str, Counter[str]] = {}

    @property
    def has_rows(self) -> bool:
        return bool(self._spans)

    def add(self, row: _Row, position: SourcePosition) -> None:
        for name in ("system", "identity", "rater"):
            if not getattr(row, name):
                self._state.report("empty_cell", f"the row names no {name}", "add it", position)
                return
        source, source_span = self._read_text(row.source, position)
        target, target_span = self._read_text(row.target, position)
        self._check_text(self._sources, row.identity, source, position, "source")
        self._check_text(self._outputs, (row.system, row.identity), target, position, "target")
        place = SegmentPlace(row.document, row.number, row.identity)
        if self._places.setdefault(row.identity, place) != place:
            message = f"segment {shorten(row.identity)!r} is in two places"
            self._state.report("duplicate_id", message, "number the segments", position)
        if row.severity.casefold() == TEST:
            self._tests.setdefault(row.rater, Counter())[row.category.casefold()] += 1
            return
        spans = self._spans.setdefault((row.system, row.identity, row.rater), [])
        if row.severity.casefold() == NO_ERROR:
            return
        side = SpanSide.SOURCE if source_span and not target_span else SpanSide.TARGET
        offsets = target_span or source_span
        length = len(self._sources[row.identity] if side is SpanSide.SOURCE else target)
        start, end = (min(offsets[0], length), min(offsets[1], length)) if offsets else (None, None)
        spans.append(MarkedSpan(row.severity, row.category, start, end, side))

    def finish(self) -> MqmTable:
        identities = sorted(self._places, key=_identity_order)
        segment = {identity: number for number, identity in enumerate(identities)}
        outputs: dict[str, dict[int, str]] = {}
        for (system, identity), text in self._outputs.items():
            outputs.setdefault(system, {})[segment[identity]] = text
        ratings = [
            OutputRating(rater, system, segment[identity], None, tuple(spans))
            for (system, identity, rater), spans in self._spans.items()
        ]
        ratings.sort(key=lambda rating: (rating.system, rating.segment, rating.annotator))
        return MqmTable(
            tuple(self._places[identity] for identity in identities),
            tuple(self._sources[identity] for identity in identities),
            outputs,
            ratings,
            self._tests,
            self._state.list_warnings(),
        )

    def _read_text(self, text: str, position: SourcePosition) -> tuple[str, tuple[int, int] | None]:
        """Return the text without marks and the marked part; spaces at its end do not belong to the text."""
        marks = list(_MARK.finditer(text))
        if not marks:
            return text, None
        if len(marks) > 1 or "<v>" in marks[0][1]:
            self._state.report("bad_markup", "the row marks two errors", "use a row for each", position, text)
        if not marks[0][0].endswith("</v>"):
            message, remedy = "the mark <v> is not closed", "the error is taken to reach the end of the text"
            self._state.warn("unclosed_mark", message, remedy, position)
        start = marks[0].start()
        plain = _MARK.sub(r"\1", text)
        return plain.rstrip(), (start, start + len(marks[0][1]))

    def _check_text(
        self, known: dict[Key, str], key: Key, text: str, position: SourcePosition, what: str
    ) -> None:
        if known.setdefault(key, text) != text:
            message = f"the {what} differs from that of an earlier row of the same segment"
            remedy = "apart from the marks, all rows of a cell must have one text"
            self._state.report("text_mismatch", message, remedy, position, text)


def _identity_order(identity: str) -> tuple[int, str]:
    """Numbers in their order, before anything else."""
    is_number = identity.isascii() and identity.isdigit() and len(identity) < 18
    return (int(identity), "") if is_number else (10**18, identity)
