"""Segment scores that another program computed (COMET, BLEURT, an SRL metric …), as the metric ``imported``.

The file is a UTF-8 table, plain or gzipped, separated by tabs, with a header: ``translation``, the score, and
optionally ``reference`` and ``source``. A score belongs to the texts of its row, so a file serves every task
with the same texts, and neither the names of systems nor numbering matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from appraise.lib.digests import bytes_digest
from appraise.lib.problems import InputError
from appraise.lib.streams import read_bytes
from appraise.lib.tables import TsvReader, read_number
from metrics.base import MetricUnavailable, Needs, Scores, Segment, explain_unavailable, mean_or_none
from metrics.registry import register

TEXTS = ("translation", "reference", "source")
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportedScores:
    """Scores by the texts that the file has, in the order of ``TEXTS``."""

    columns: tuple[str, ...]
    scores: dict[Key, float]
    digest: str

    def find(self, translation: str, references: Sequence[str], source: str | None) -> float | None:
        """Return the score of a translation; of several references the first that the file has counts."""
        for reference in references or ("",):
            texts = {"translation": translation, "reference": reference, "source": source or ""}
            value = self.scores.get(tuple(_normalize(texts[column]) for column in self.columns))
            if value is not None:
                return value
        return None


@register
@dataclass(frozen=True)
class Imported:
    """Imported scores, looked up by the texts that they belong to."""

    name: ClassVar[str] = "imported"
    title: ClassVar[str] = "Imported segment scores (COMET, BLEURT, SRL …)"
    needs: ClassVar[Needs] = Needs(reference=False, resource="a file of segment scores")

    file: str = ""
    column: str = "score"
    label: str = "imported"
    higher_is_better: bool = True

    @property
    def signature(self) -> str:
        digest = self.table.digest if self.file else "none"
        direction = "up" if self.higher_is_better else "down"
        return (
            f"imported|of:{self.label}|column:{self.column}|data:{digest}|better:{direction}|corpus:mean|v:1"
        )

    def unavailable_because(self) -> str | None:
        return explain_unavailable(lambda: self.table)

    def score(self, segments: Sequence[Segment]) -> Scores:
        scores = [self.table.find(s.hypothesis, s.references, s.source) for s in segments]
        missing = [s.hypothesis for s, value in zip(segments, scores, strict=True) if value is None]
        if missing:
            message = f"{len(missing)} translations have none, the first is {missing[0]!r:.120}"
            raise MetricUnavailable(f"{self.file} lacks scores: {message}")
        values = np.array(scores, dtype=float)
        return Scores(values, mean_or_none(values), self.signature)

    @cached_property
    def table(self) -> ImportedScores:
        if not self.file:
            raise MetricUnavailable("imported scores need a file: imported:file=FILE")
        try:
            return read_scores(Path(self.file), self.column)
        except InputError as error:
            raise MetricUnavailable(str(error)) from error


def read_scores(path: Path, column: str = "score") -> ImportedScores:
    """Read the file; raises ``InputError`` with the position of every problem."""
    table = TsvReader(path, ("translation", column))
    texts = tuple(name for name in TEXTS if name in table.header)
    scores: dict[Key, float] = {}
    for line, row in table:
        value = read_number(row[column], column, line, table.log)
        key = tuple(_normalize(row[name]) for name in texts)
        if value is not None and scores.setdefault(key, value) != value:
            message = f"these texts already have the score {scores[key]}, here {value}"
            table.log.add("two_scores", message, "keep one row", line)
    return ImportedScores(texts, scores, bytes_digest(read_bytes(path))[:16])


def _normalize(text: str) -> str:
    return " ".join(text.split())
