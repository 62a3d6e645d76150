"""Standardised direct assessment scores of WMT: a header, then one score per row, separated by tabs.

The z-scores of people are in the file; ``SYSTEM`` and ``REPEAT`` are judgements of outputs, the other types
are quality control.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from appraise.lib.problems import shorten
from evaluation.importers.decode import lines
from evaluation.importers.model import COMMAND_LINE, Limits, SourceFile, SourcePosition
from evaluation.importers.state import ImportState

COLUMNS = (
    "HITId", "WorkerId", "Input.src", "Input.trg", "Input.item", "hit", "sys_id", "rid", "type", "sid",
    "score", "time",
)  # fmt: skip
JUDGED = ("SYSTEM", "REPEAT")


class StandardisedScore(NamedTuple):
    """One standardised score of a person; a damaged copy is scored in the HIT of its output."""

    annotator: str
    hit: str
    system: str
    segment: str
    kind: str
    score: float

    @property
    def is_judgement(self) -> bool:
        """Whether it counts for the system."""
        return self.kind in JUDGED


def read_standardised_scores(file: SourceFile, limits: Limits = COMMAND_LINE) -> Iterator[StandardisedScore]:
    """Yield the scores in the order of the file, quality control included."""
    state = ImportState([file], limits)
    numbered = lines(file, state, cr_ends=False)
    line, header = next(numbered, (1, ""))
    if tuple(header.split()) != COLUMNS:
        remedy = f"the columns are {' '.join(COLUMNS)}"
        state.refuse(
            "bad_header", "this is no file of DA scores", remedy, SourcePosition(file.name, line), header
        )
    is_empty = True
    for line, text in numbered:
        if not text.strip():
            continue
        is_empty, cells, position = False, text.split("\t"), SourcePosition(file.name, line)
        if len(cells) != len(COLUMNS):
            message = f"the row has {len(cells)} columns, the header names {len(COLUMNS)}"
            state.report("column_count", message, "add or remove cells", position, text)
            continue
        row = dict(zip(COLUMNS, cells, strict=True))
        score = _read_number(row["score"])
        if not math.isfinite(score):
            message = f"{shorten(row['score'])!r} is no score"
            state.report("bad_number", message, "write a finite number", position)
        elif not (row["WorkerId"] and row["sys_id"] and row["sid"]):
            state.report("empty_cell", "worker, system or segment is missing", "add it", position, text)
        else:
            yield StandardisedScore(
                row["WorkerId"], row["hit"], row["sys_id"], row["sid"], row["type"], score
            )
    if is_empty:
        state.report("no_items", "the file has no scores", "add rows", SourcePosition(file.name))
    state.raise_problems()


def _read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
