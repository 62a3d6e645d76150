"""The answers of an Appraise campaign: its CSV without header, and the batches that it was made from.

The columns are user, system, item, type, source and target language, score, document, whether the whole
document was scored, error spans (missing in DA+SQM), start and end time. ``end_i`` is inclusive here.

Item numbers count from 1 in each batch, so an item is looked up in the batch of its annotator: the one that
contains most of the annotator's answers.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from appraise.lib.problems import shorten
from evaluation.assessments.values import MarkedSpan, OutputRating
from evaluation.importers.json_values import JsonValue
from evaluation.importers.model import COMMAND_LINE, Limits, SourceFile, SourcePosition
from evaluation.importers.rows import read_quoted
from evaluation.importers.state import ImportState
from evaluation.importers.strict_json import JsonReader

DA_COLUMNS, ESA_COLUMNS = 11, 12
TARGET, BAD = "TGT", "BAD"  # types of items: an output, and a damaged copy of it
_SPANS = 9  # the column of the error spans
_REMEDY = 'write [{"start_i", "end_i", "severity", "error_type"}]'
_NO_SCORE = ("", "None")
_OMISSION = ("missing", "missing")

ItemKey = tuple[str, str]  # item and document


@dataclass(frozen=True, slots=True)
class AppraiseRow:
    """One answer as it stands in the file; ``spans`` is None in a file without error spans."""

    annotator: str
    target: str  # the system as the campaign calls it, for instance wmt23.refA
    item: str
    kind: str
    source_language: str
    target_language: str
    score: float | None  # None where only errors were marked
    document: str  # DOCUMENT#SYSTEM, and further marks of copies
    is_complete: bool
    spans: tuple[MarkedSpan, ...] | None
    start_time: float
    end_time: float
    position: SourcePosition = field(default=SourcePosition(""), compare=False)

    @property
    def key(self) -> ItemKey:
        return self.item, self.document

    @property
    def is_judgement(self) -> bool:
        """Whether this is an answer about an output, not a check, a tutorial, a copy or a whole document."""
        marks = self.document.split("#")[2:]
        is_plain = not marks and "tutorial" not in self.document
        return self.kind == TARGET and is_plain and not self.is_complete


@dataclass(frozen=True, slots=True)
class BatchItem:
    """An item of a batch; the segment is None where none is stated, as in tutorials."""

    item: str
    document: str
    kind: str
    source: str
    text: str
    system: str
    segment: int | None


@dataclass(frozen=True, slots=True)
class AppraiseBatches:
    """The batches of a campaign, each with its items by number and document."""

    batches: tuple[dict[ItemKey, BatchItem], ...]
    source_language: str = ""
    target_language: str = ""

    def list_outputs(self) -> dict[tuple[str, int], BatchItem]:
        """The items about outputs by system and segment."""
        items = (item for batch in self.batches for item in batch.values())
        return {
            (item.system, item.segment): item
            for item in items
            if item.kind == TARGET and item.segment is not None and item.document.count("#") == 1
        }


class QualityPair(NamedTuple):
    """An annotator's scores of an output and of its damaged copy."""

    annotator: str
    system: str
    segment: int
    good: float
    bad: float


def read_appraise_rows(file: SourceFile, limits: Limits = COMMAND_LINE) -> Iterator[AppraiseRow]:
    """Yield the answers in the order of the file, all of them."""
    state = ImportState([file], limits)
    width = 0
    for line, cells in read_quoted(file, state, ","):
        if not cells:
            continue
        position = SourcePosition(file.name, line)
        width = width or (len(cells) if len(cells) in (DA_COLUMNS, ESA_COLUMNS) else ESA_COLUMNS)
        if len(cells) != width:
            message = f"the row has {len(cells)} columns, not {width}"
            remedy = "Appraise exports 12 columns, or 11 without error spans; the file has no header"
            state.report("column_count", message, remedy, position, ",".join(cells))
            continue
        row = _read_row(cells, file, state, position)
        if row is not None:
            yield row
    if not width:
        state.report("no_items", "the file has no answers", "choose another file", SourcePosition(file.name))
    state.raise_problems()


def _read_row(
    cells: list[str], file: SourceFile, state: ImportState, position: SourcePosition
) -> AppraiseRow | None:
    problems = len(state.problems)
    spans = _read_spans(cells.pop(_SPANS), file, state, position) if len(cells) == ESA_COLUMNS else None
    start, end = (_read_number(cells[place], state, position) for place in (9, 10))
    has_score = spans is None or cells[6] not in _NO_SCORE
    score = _read_number(cells[6], state, position) if has_score else None
    for place, name in ((0, "user"), (2, "item"), (7, "document")):
        if not cells[place].strip():
            state.report("empty_cell", f"the row names no {name}", "add it", position, ",".join(cells))
    if cells[8] not in ("True", "False"):
        message = f"{shorten(cells[8])!r} is neither True nor False"
        state.report("schema", message, "say whether the whole document was scored", position)
    if len(state.problems) > problems:
        return None
    user, target, item, kind, source, target_language, _, document, is_complete, *_ = cells
    return AppraiseRow(
        user, target, item, kind, source, target_language, score, document, is_complete == "True", spans,
        start, end, position,
    )  # fmt: skip


def _read_number(text: str, state: ImportState, position: SourcePosition) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        message = f"{shorten(text)!r} is no number"
        state.report("bad_number", message, "write a finite number", position)
    return value


def _read_spans(
    text: str, file: SourceFile, state: ImportState, position: SourcePosition
) -> tuple[MarkedSpan, ...]:
    reader = JsonReader(file, state, text, position.line or 1)
    value = reader.value()
    reader.end()
    if not isinstance(value, list):
        state.report("schema", "the error spans are no list", _REMEDY, position, text)
        return ()
    whole = JsonValue(value, "", position, state)
    spans = [_read_span(span) for span in whole.items()]
    return tuple(span for span in spans if span is not None)


def _read_span(span: JsonValue) -> MarkedSpan | None:
    start, end = span.at("start_i").value, span.at("end_i").value
    severity, category = span.at("severity").value, span.at("error_type").value or ""
    problem = ""
    if not isinstance(severity, str) or not isinstance(category, str):
        problem = "severity and error_type must be texts"
    elif (start, end) == _OMISSION:
        return MarkedSpan(severity, category)
    elif type(start) is not int or type(end) is not int:
        problem = 'start_i and end_i must be whole numbers, or both "missing"'
    elif not 0 <= start <= end + 1:
        problem = f"an error cannot go from {start} to {end}"
    else:
        return MarkedSpan(severity, category, start, end + 1)
    span.state.report("schema", f"{span.pointer}: {problem}", _REMEDY, span.position)
    return None


def read_batches(file: SourceFile, limits: Limits = COMMAND_LINE) -> AppraiseBatches:
    """Read the batches of a campaign: a JSON list of ``{"task": …, "items": […]}``."""
    state = ImportState([file], limits)
    reader = JsonReader(file, state)
    batches: list[dict[ItemKey, BatchItem]] = []
    languages = ("", "")
    for number in reader.elements():
        position = reader.position
        batch = JsonValue(reader.value(), f"/{number}", position, state)
        items = batch.at("items")
        if not isinstance(items.value, list):
            remedy = "choose the batches file of the campaign"
            state.report("schema", f"{items.pointer}: there is no list of items", remedy, position)
            continue
        task = batch.at("task")
        if languages == ("", "") and isinstance(task.value, dict):
            languages = task.at("sourceLanguage").text(""), task.at("targetLanguage").text("")
        batches.append(_read_items(items, len(items.value)))
    reader.end()
    if not batches:
        position = SourcePosition(file.name)
        state.report("no_items", "the file has no batches", "choose another file", position)
    state.raise_problems()
    return AppraiseBatches(tuple(batches), *languages)


def _read_items(items: JsonValue, count: int) -> dict[ItemKey, BatchItem]:
    batch: dict[ItemKey, BatchItem] = {}
    for number in range(count):
        item = items.at(number)
        document, place = item.at("documentID").text(), item.at("_item")
        parts = place.text("").split(" | ")
        segment = int(parts[1]) if len(parts) > 1 and parts[1].isascii() and parts[1].isdigit() else None
        if place.value is not None and segment is None:
            remedy = "write SYSTEM | SEGMENT | DOCUMENT"
            items.state.report("schema", f"{place.pointer}: there is no segment", remedy, item.position)
        found = BatchItem(
            item.at("itemID").name(),
            document,
            item.at("itemType").text(),
            item.at("sourceText").text(),
            item.at("targetText").text(),
            (*document.split("#"), "")[1],
            segment,
        )
        if (found.item, document) in batch:
            message = f"{item.pointer}: item {found.item} of {shorten(document)!r} is in its batch twice"
            items.state.report("duplicate_id", message, "number the items of a batch", item.position)
        batch[found.item, document] = found
    return batch


def select_ratings(rows: Sequence[AppraiseRow], batches: AppraiseBatches) -> list[OutputRating]:
    """The last answer of every annotator to every output, in order of first answers.

    ``InputError`` for an answer to an unknown item and for an error span outside the text.
    """
    state = ImportState([])
    latest: dict[tuple[str, str, int], tuple[float, OutputRating]] = {}
    for row, item in find_items([row for row in rows if row.is_judgement], rows, batches, state):
        if item.segment is None:
            message = f"the batches state no segment for item {row.item} of {shorten(row.document)!r}"
            remedy = 'items need the key "_item": SYSTEM | SEGMENT | DOCUMENT'
            state.report("unknown_segment", message, remedy, row.position)
            continue
        spans = tuple(span for span in row.spans or () if is_inside(span, item.text, row, state))
        rating = OutputRating(row.annotator, item.system, item.segment, row.score, spans)
        key = row.annotator, item.system, item.segment
        if key not in latest or row.end_time >= latest[key][0]:
            latest[key] = row.end_time, rating
    state.raise_problems()
    return [rating for _, rating in latest.values()]


def find_quality_pairs(rows: Sequence[AppraiseRow], batches: AppraiseBatches) -> list[QualityPair]:
    """The damaged copies that were scored by somebody who also scored the output itself."""
    state = ImportState([])
    good = {(r.annotator, r.system, r.segment): r.score for r in select_ratings(rows, batches)}
    bad: dict[tuple[str, str, int], tuple[float, float]] = {}  # the time and the score
    checks = [row for row in rows if row.kind.startswith(BAD) and not row.is_complete]
    for row, item in find_items(checks, rows, batches, state):
        if item.segment is not None and row.score is not None:
            key = row.annotator, item.system, item.segment
            bad[key] = max(bad.get(key, (-math.inf, 0.0)), (row.end_time, row.score))
    state.raise_problems()
    return [
        QualityPair(*key, score, bad[key][1])
        for key, score in good.items()
        if key in bad and score is not None
    ]


def find_items(
    selected: Iterable[AppraiseRow],
    rows: Iterable[AppraiseRow],
    batches: AppraiseBatches,
    state: ImportState,
) -> Iterator[tuple[AppraiseRow, BatchItem]]:
    """Look up the items of answers; one that is not in the annotator's batch may be in exactly one other."""
    batch_of = _match_annotators(rows, batches)
    for row in selected:
        own = batch_of.get(row.annotator)
        item = None if own is None else batches.batches[own].get(row.key)
        others = [batch[row.key] for batch in batches.batches if row.key in batch] if item is None else []
        places = {(other.system, other.segment) for other in others}
        if item is None and len(places) == 1:
            item = others[0]
        if item is None:
            where = "in several batches" if places else "in no batch"
            message = f"item {row.item} of document {shorten(row.document)!r} is {where}"
            state.report("unknown_item", message, "give the batches of this campaign", row.position)
        else:
            yield row, item


def _match_annotators(rows: Iterable[AppraiseRow], batches: AppraiseBatches) -> dict[str, int]:
    """The batch of every annotator: the one with most of the answers, the first of several."""
    places: defaultdict[ItemKey, list[int]] = defaultdict(list)
    for number, batch in enumerate(batches.batches):
        for key in batch:
            places[key].append(number)
    counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for row in rows:
        counts[row.annotator].update(places.get(row.key, ()))
    return {
        annotator: min(count, key=lambda number: (-count[number], number))
        for annotator, count in counts.items()
        if count
    }


def is_inside(span: MarkedSpan, text: str, row: AppraiseRow, state: ImportState) -> bool:
    if span.end is None or span.end <= len(text):
        return True
    message = f"the error goes from {span.start} to {span.end}, the text has {len(text)} characters"
    remedy = "check that the batches belong to these answers"
    state.report("span_outside_text", message, remedy, row.position, text)
    return False
