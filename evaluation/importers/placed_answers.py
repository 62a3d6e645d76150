"""The answers of an Appraise campaign at the outputs that they are about, with versions and presentations.

Of several answers of one person to one output, those to the item itself are versions of the first
presentation, the last of which counts; damaged copies and repeats are further presentations. Answers to
tutorial items are about no output: they stay with the first answer of the same person, so that an export has
them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.assessments import OutputRating
from evaluation.importers.evidence.appraise_csv import (
    BAD,
    AppraiseBatches,
    AppraiseRow,
    BatchItem,
    find_items,
    is_inside,
)
from evaluation.importers.model import ImportedAssessment
from evaluation.importers.state import ImportState

Placed = dict[tuple[str, str, int], list[tuple[AppraiseRow, BatchItem]]]
TUTORIAL = "tutorial"


def place_rows(
    rows: Sequence[AppraiseRow], batches: AppraiseBatches
) -> tuple[Placed, dict[str, list[AppraiseRow]]]:
    """Return the answers by annotator, system and segment, and those about no output by annotator.

    ``InputError`` for an answer to an unknown item and for an error span outside the text.
    """
    state = ImportState([])
    placed: Placed = defaultdict(list)
    others: dict[str, list[AppraiseRow]] = defaultdict(list)
    for row, item in find_items(rows, rows, batches, state):
        if item.segment is None or row.is_complete or not item.system:
            others[row.annotator].append(row)
        elif all(is_inside(span, item.text, row, state) for span in row.spans or ()):
            placed[row.annotator, item.system, item.segment].append((row, item))
    state.raise_problems()
    return dict(placed), dict(others)


def make_assessments(
    name: str, answers: tuple[Placed, dict[str, list[AppraiseRow]]]
) -> Iterator[ImportedAssessment]:
    """Yield every answer with its version; answers about no output are part of an ``origin``."""
    placed, others = answers
    left = dict(others)
    for (annotator, system, segment), group in placed.items():
        by_copy: dict[str, list[tuple[AppraiseRow, BatchItem]]] = {"": []}
        for row, item in group:
            by_copy.setdefault("#".join(row.document.split("#")[2:]), []).append((row, item))
        for presentation, copies in enumerate(by_copy.values()):
            copies.sort(key=lambda copy: copy[0].end_time)  # stable: of equal times the later row is newer
            for version, (row, item) in enumerate(copies, 1):
                rating = OutputRating(annotator, system, segment, row.score, row.spans or ())
                shown = item.text if row.kind.startswith(BAD) else None
                origin = describe_row(row)
                if annotator in left:
                    origin[TUTORIAL] = [_dump_row(other) for other in left.pop(annotator)]
                yield ImportedAssessment(name, str(segment + 1), rating, presentation, version, shown, origin)


def describe_row(row: AppraiseRow) -> dict[str, Any]:  # Any: JSON values
    """Return the cells of a row that no column of an assessment has."""
    return {
        "target": row.target,
        "item": row.item,
        "kind": row.kind,
        "languages": [row.source_language, row.target_language],
        "document": row.document,
        "times": [row.start_time, row.end_time],
    }


def _dump_row(row: AppraiseRow) -> dict[str, Any]:  # Any: JSON values
    return {
        **describe_row(row),
        "score": row.score,
        "complete": row.is_complete,
        "spans": row.spans if row.spans is None else [
            [span.severity, span.category, span.start, span.end] for span in row.spans
        ],
    }  # fmt: skip
