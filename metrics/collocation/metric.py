"""The collocation metric: fluency without a reference, from a table of a background corpus (paper 002).

``collocation`` is the mean strength of the collocations in the tree of a sentence; t score and maximum
spanning tree, the best combination of the authors, are the default. ``collocation-coverage`` is an extension:
the share of the possible branches of the tree that are collocations in the corpus, whatever their strength.

A sentence without a known collocation has no strength (NaN; the corpus score leaves it out and the statistics
count it), but a coverage of 0; a sentence with fewer than two content words has neither. Tables are in the
folder ``collocations`` of the site, one file per background corpus; ``table`` names one of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from appraise.lib.problems import InputError
from metrics.base import FloatArray, MetricUnavailable, Needs, Scores, Segment, explain_unavailable
from metrics.collocation.association import CUTOFFS, LLR_BASE, AssociationMeasure
from metrics.collocation.content_words import ContentWordReader, get_reader
from metrics.collocation.scoring import CollocationScores, Method, divide_or_nan, score_sentences
from metrics.collocation.table import CollocationTable, load_table
from metrics.registry import register
from metrics.tools.base import PROJECT, ToolAbsent

NEEDS = Needs(reference=False, resource="a collocation table and the tagger it was made with")
DEFAULT_TABLE = "english"


@dataclass(frozen=True)
class _CollocationMetric:
    """Parameters, table and reader of both metrics."""

    measure: str = AssociationMeasure.T.value
    method: str = Method.MST.value
    table: str = DEFAULT_TABLE
    cutoff: bool = True

    name: ClassVar[str]
    title: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[Needs] = NEEDS
    may_be_undefined: ClassVar[bool] = True  # too few content words, or none that the corpus knows together

    def __post_init__(self) -> None:
        AssociationMeasure(self.measure)
        Method(self.method)

    def unavailable_because(self) -> str | None:
        return explain_unavailable(self._tools)

    @property
    def signature(self) -> str:
        limit = CUTOFFS[AssociationMeasure(self.measure)] if self.cutoff else None
        base = f"|log:{LLR_BASE}" if self.measure == AssociationMeasure.LLR else ""
        head = f"{self.name}|measure:{self.measure}{base}|method:{self.method}"
        return f"{head}|cutoff:{'none' if limit is None else f'{limit:.4g}'}|{self._background()}|v:1"

    def score(self, segments: Sequence[Segment]) -> Scores:
        rows = self.statistics(segments)
        summed = self.from_statistics(rows.sum(axis=0)) if len(rows) else np.array(np.nan)
        corpus = None if np.isnan(summed) else float(summed)
        return Scores(self.from_statistics(rows), corpus, self.signature, rows)

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        """Two numbers a segment: its score and 1, or 0 and 0 if it has none."""
        values = self.sentence_values(self._score([segment.hypothesis for segment in segments]))
        defined = ~np.isnan(values)
        return np.column_stack([np.where(defined, values, 0.0), defined.astype(np.float64)])

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        """The mean over the segments that have a score; NaN if none has."""
        return divide_or_nan(summed[..., 0], summed[..., 1])

    def sentence_values(self, scores: CollocationScores) -> FloatArray:
        raise NotImplementedError

    def _score(self, sentences: Sequence[str]) -> CollocationScores:
        table, words = self._tools()
        measure, method = AssociationMeasure(self.measure), Method(self.method)
        scores = score_sentences(table, words.read(sentences), (measure,), (method,), cutoff=self.cutoff)
        return scores[measure, method]

    def _tools(self) -> tuple[CollocationTable, ContentWordReader]:
        try:
            table = open_table(self.table)
            return table, get_reader(table.corpus.reader)
        except (InputError, ToolAbsent, ValueError) as error:
            raise MetricUnavailable(_explain(self.name, self.table, error)) from error

    def _background(self) -> str:
        try:
            table = open_table(self.table)
        except InputError:
            return f"corpus:{self.table} (absent)"
        about = table.corpus
        return f"corpus:{about.name} ({about.description}) {table.digest}|tools:{about.tools}"


@register
@dataclass(frozen=True)
class Collocation(_CollocationMetric):
    """Mean strength of the collocations in the tree."""

    name: ClassVar[str] = "collocation"
    title: ClassVar[str] = "Collocation strength (Han & Lavie)"

    def sentence_values(self, scores: CollocationScores) -> FloatArray:
        return scores.averages


@register
@dataclass(frozen=True)
class CollocationCoverage(_CollocationMetric):
    """Share of the possible branches that are collocations: n − 1 for trees, n(n − 1)/2 for ``simple``."""

    measure: str = AssociationMeasure.CHI2.value  # the least strict test of significance; Dice tests nothing

    name: ClassVar[str] = "collocation-coverage"
    title: ClassVar[str] = "Collocation coverage"

    def sentence_values(self, scores: CollocationScores) -> FloatArray:
        return scores.coverage(Method(self.method))


def table_path(name: str) -> Path:
    """The file of a table; a name that ends in ``.npz`` is a path."""
    if name.endswith(".npz"):
        return Path(name)
    return Path(os.environ.get("APPRAISE_HOME") or PROJECT / "var") / "collocations" / f"{name}.npz"


def open_table(name: str) -> CollocationTable:
    """A table by name, read once as long as its file does not change; raises ``InputError``."""
    path = table_path(name)
    return _load_version(path, path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=8)
def _load_version(path: Path, changed: int) -> CollocationTable:
    return load_table(path)


def _explain(name: str, table: str, error: Exception) -> str:
    """The message for the user; pages show it, so it names no folder of the server."""
    if isinstance(error, InputError) and not table_path(table).exists():
        path = table
        if not table.endswith(".npz"):
            path = f"HOME/collocations/{table}.npz"  # APPRAISE_HOME, or var
        return f"{name} has no table: run `manage.py train collocations --text FILE --out {path}`"
    return f"{name} cannot score here: {error}"
