"""The collocation metric: fluency without a reference, from a table that was counted beforehand (paper 002).

``collocation`` is the mean strength of the collocations in a sentence's tree; t score and maximum spanning
tree were the authors' best combination and are the default. ``collocation-coverage`` is ours: the share of
the tree's possible branches that the corpus supports at all, whatever their strength.

A sentence without any known collocation has no strength (NaN; the corpus score leaves it out and the
statistics count it), but a coverage of 0; a sentence of fewer than two content words has neither. Tables lie
in the folder ``collocations`` of the site, one file per background corpus; ``table`` chooses by name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from evaluation.problems import InputError
from metrics.base import FloatArray, MetricUnavailable, Needs, Scores, Segment
from metrics.collocation.association import CUTOFFS, LLR_BASE, Measure
from metrics.collocation.comparing import rank_outputs
from metrics.collocation.reading import Reader, reader
from metrics.collocation.scoring import score
from metrics.collocation.table import Table, load
from metrics.collocation.trees import Method
from metrics.linguistics.base import PROJECT, ToolAbsent
from metrics.registry import register, register_ranker

NEEDS = Needs(reference=False, resource="a collocation table and the tagger it was made with")
DEFAULT_TABLE = "english"


@dataclass(frozen=True)
class _Collocations:
    """What both metrics share: parameters, the table and its reader."""

    measure: str = Measure.T.value
    method: str = Method.MST.value
    table: str = DEFAULT_TABLE
    cutoff: bool = True

    name: ClassVar[str]
    title: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[Needs] = NEEDS
    may_be_undefined: ClassVar[bool] = True  # too few content words, or none that the corpus knows together

    def __post_init__(self) -> None:
        Measure(self.measure)
        Method(self.method)

    def unavailable_because(self) -> str | None:
        """Why this metric cannot score here, in a sentence; None when it can."""
        try:
            self._tools()
        except MetricUnavailable as error:
            return str(error)
        return None

    @property
    def signature(self) -> str:
        limit = CUTOFFS[Measure(self.measure)] if self.cutoff else None
        base = f"|log:{LLR_BASE}" if self.measure == Measure.LLR else ""
        head = f"{self.name}|measure:{self.measure}{base}|method:{self.method}"
        return f"{head}|cutoff:{'none' if limit is None else f'{limit:.4g}'}|{self._background()}|v:1"

    def score(self, segments: Sequence[Segment]) -> Scores:
        rows = self.statistics(segments)
        summed = self.from_statistics(rows.sum(axis=0)) if len(rows) else np.array(np.nan)
        corpus = None if np.isnan(summed) else float(summed)
        return Scores(self.from_statistics(rows), corpus, self.signature, rows)

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        """Two numbers a segment: its score and 1, or 0 and 0 where it has none."""
        values = self.sentence_values([segment.hypothesis for segment in segments])
        defined = ~np.isnan(values)
        return np.column_stack([np.where(defined, values, 0.0), defined.astype(np.float64)])

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        """The mean over the segments that have a score; NaN where none has."""
        total, count = summed[..., 0], summed[..., 1]
        return _quotient(total, count)

    def sentence_values(self, sentences: Sequence[str]) -> FloatArray:
        raise NotImplementedError

    def _measured(self, sentences: Sequence[str]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """For every sentence: sum of strengths, collocations kept, content words."""
        table, words = self._tools()
        content = words.read(sentences)
        key = Measure(self.measure), Method(self.method)
        found = score(table, content, (key[0],), (key[1],), cutoff=self.cutoff)[key]
        lengths = np.array([len(sentence.words) for sentence in content], np.float64)
        return found.sums, found.kept.astype(np.float64), lengths

    def _tools(self) -> tuple[Table, Reader]:
        try:
            table = _table(str(table_path(self.table)))
            return table, reader(table.corpus.reader)
        except (InputError, ToolAbsent, ValueError) as error:
            raise MetricUnavailable(_sentence(self.name, self.table, error)) from error

    def _background(self) -> str:
        try:
            table = _table(str(table_path(self.table)))
        except InputError:
            return f"corpus:{self.table} (absent)"
        about = table.corpus
        return f"corpus:{about.name} ({about.description}) {table.digest}|tools:{about.tools}"


@register
@dataclass(frozen=True)
class Collocation(_Collocations):
    """Mean strength of the collocations that the tree keeps."""

    name: ClassVar[str] = "collocation"
    title: ClassVar[str] = "Collocation strength (Han & Lavie)"

    def sentence_values(self, sentences: Sequence[str]) -> FloatArray:
        sums, kept, _ = self._measured(sentences)
        return _quotient(sums, kept)


@register
@dataclass(frozen=True)
class CollocationCoverage(_Collocations):
    """Share of the possible branches that are collocations: n − 1 for trees, n(n − 1)/2 for ``simple``."""

    measure: str = Measure.CHI2.value  # the least strict test of significance; Dice tests nothing

    name: ClassVar[str] = "collocation-coverage"
    title: ClassVar[str] = "Collocation coverage"

    def sentence_values(self, sentences: Sequence[str]) -> FloatArray:
        _, kept, words = self._measured(sentences)
        possible = words * (words - 1) / 2 if self.method == Method.SIMPLE else words - 1
        return _quotient(kept, possible)


@register_ranker
@dataclass(frozen=True)
class CollocationRanker:
    """Orders the outputs of one source by collocation strength, for n-best lists and as one more judge."""

    measure: str = Measure.T.value
    method: str = Method.MST.value
    table: str = DEFAULT_TABLE

    name: ClassVar[str] = "collocation"
    title: ClassVar[str] = "Collocation strength (Han & Lavie)"
    needs: ClassVar[Needs] = NEEDS

    @property
    def signature(self) -> str:
        return self._metric.signature

    def rank(self, source: str, outputs: Sequence[str]) -> tuple[int, ...]:
        """Ranks, 1 is best; outputs without a known collocation come last. The source is not read."""
        return rank_outputs(self._metric.sentence_values(outputs).tolist())

    @property
    def _metric(self) -> Collocation:
        return Collocation(self.measure, self.method, self.table)


def table_path(name: str) -> Path:
    """Where the table of a name lies; a name that ends in ``.npz`` is a path."""
    if name.endswith(".npz"):
        return Path(name)
    return Path(os.environ.get("APPRAISE_HOME") or PROJECT / "var") / "collocations" / f"{name}.npz"


def tables() -> list[str]:
    """The names of the tables of this site."""
    return sorted(path.stem for path in table_path(DEFAULT_TABLE).parent.glob("*.npz"))


def _table(path: str) -> Table:
    """A table, opened once while its file stays the same."""
    try:
        changed = os.stat(path).st_mtime_ns
    except OSError:
        changed = 0
    return _opened(path, changed)


@lru_cache(maxsize=8)
def _opened(path: str, changed: int) -> Table:
    return load(Path(path))


def _sentence(name: str, table: str, error: Exception) -> str:
    """Pages show it too, so it names no folder of the server."""
    if isinstance(error, InputError) and not table_path(table).exists():
        path = table
        if not table.endswith(".npz"):
            path = f"HOME/collocations/{table}.npz"  # APPRAISE_HOME, or var
        return f"{name} has no table: run `manage.py train collocations --debian-docs --out {path}`"
    return f"{name} cannot score here: {error}"


def _quotient(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """NaN where there is nothing to divide by."""
    result = np.full(np.shape(numerator), np.nan)
    np.divide(numerator, denominator, out=result, where=denominator > 0)
    return result
