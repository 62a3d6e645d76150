"""Registered syntactic metrics ``cp-stm``, ``dp-hwcm-c``, ``dp-hwcm-r`` and ``dp-or``, and imported scores.

The four parts of ASIYA-SYN in paper 004 (section 4.1), from real parsers in the tools' environment. Several
references: the best one. The score of a corpus is the mean of its segments. In [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Generic, Protocol, TypeVar

import numpy as np

from evaluation.problems import InputError
from metrics.base import MetricUnavailable, Needs, Scores, Segment, mean_or_none
from metrics.linguistics import constituency
from metrics.linguistics.base import Tool, ToolAbsent
from metrics.registry import register
from metrics.syntax.dependencies import shared_parser
from metrics.syntax.imported import Table, read_scores
from metrics.syntax.overlap import (
    DEPTH,
    Constituent,
    Dependencies,
    chain_match,
    constituents,
    relation_overlap,
    subtree_match,
)

Parsed = TypeVar("Parsed")


class HasTool(Protocol):
    @property
    def tool(self) -> Tool: ...


class Overlap(Generic[Parsed]):
    """Parse both sides, compare, take the best reference."""

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    resource: ClassVar[str]

    @property
    def needs(self) -> Needs:
        return Needs(resource=self.resource)

    @property
    def signature(self) -> str:
        facts = f"{self.facts()}refs:best|corpus:mean|scale:0-1|v:1"
        return f"{self.name}|parser:{self._found().tool}|{facts}"

    def unavailable_because(self) -> str | None:
        """A sentence where the parser cannot be had, else None."""
        try:
            self._found()
            return None
        except MetricUnavailable as error:
            return str(error)

    def score(self, segments: Sequence[Segment]) -> Scores:
        texts = [text for segment in segments for text in (segment.hypothesis, *segment.references)]
        self._found()
        try:
            parsed = self.parse(list(dict.fromkeys(texts)))
        except ToolAbsent as error:  # the parser is installed, but not what it runs on (Java)
            raise MetricUnavailable(f"{self.name} cannot score here: {error}") from error
        best = np.array([self._best(segment, parsed) for segment in segments], dtype=float)
        return Scores(best, mean_or_none(best), self.signature)

    def _best(self, segment: Segment, parsed: Mapping[str, Parsed]) -> float:
        if not segment.references:
            raise MetricUnavailable(f"{self.name} cannot score here: it needs a reference")
        mine = parsed[segment.hypothesis]
        return max(self.compare(mine, parsed[reference]) for reference in segment.references)

    def _found(self) -> HasTool:
        try:
            return self.tools()
        except ToolAbsent as error:
            raise MetricUnavailable(f"{self.name} cannot score here: {error}") from error

    def facts(self) -> str:
        return ""

    def tools(self) -> HasTool:
        raise NotImplementedError

    def parse(self, texts: Sequence[str]) -> Mapping[str, Parsed]:
        raise NotImplementedError

    def compare(self, hypothesis: Parsed, reference: Parsed) -> float:
        raise NotImplementedError


@register
@dataclass(frozen=True)
class SubtreeMatch(Overlap[Constituent | None]):
    name: ClassVar[str] = "cp-stm"
    title: ClassVar[str] = "CP-STM: subtrees of constituency parses"
    resource: ClassVar[str] = "the Stanford parser"

    depth: int = DEPTH

    def tools(self) -> HasTool:
        return constituency.shared_parser()

    def facts(self) -> str:
        return f"depth:{self.depth}|"

    def parse(self, texts: Sequence[str]) -> Mapping[str, Constituent | None]:
        trees = [parse.tree for parse in constituency.shared_parser().parse(texts)]
        return {text: constituents(tree) if tree else None for text, tree in zip(texts, trees, strict=True)}

    def compare(self, hypothesis: Constituent | None, reference: Constituent | None) -> float:
        return subtree_match(hypothesis, reference, self.depth)


class DependencyOverlap(Overlap[Dependencies]):
    resource: ClassVar[str] = "the English spaCy pipeline"

    def tools(self) -> HasTool:
        return shared_parser()

    def parse(self, texts: Sequence[str]) -> Mapping[str, Dependencies]:
        return dict(zip(texts, shared_parser().parse(texts), strict=True))


@dataclass(frozen=True)
class ChainMatch(DependencyOverlap):
    kind: ClassVar[str]

    depth: int = DEPTH

    def facts(self) -> str:
        return f"depth:{self.depth}|"

    def compare(self, hypothesis: Dependencies, reference: Dependencies) -> float:
        return chain_match(hypothesis, reference, self.kind, self.depth)


@register
@dataclass(frozen=True)
class CategoryChains(ChainMatch):
    name: ClassVar[str] = "dp-hwcm-c"
    title: ClassVar[str] = "DP-HWCM_c: head chains of word categories"
    kind: ClassVar[str] = "c"


@register
@dataclass(frozen=True)
class RelationChains(ChainMatch):
    name: ClassVar[str] = "dp-hwcm-r"
    title: ClassVar[str] = "DP-HWCM_r: head chains of grammatical relations"
    kind: ClassVar[str] = "r"


@register
@dataclass(frozen=True)
class RelationOverlap(DependencyOverlap):
    name: ClassVar[str] = "dp-or"
    title: ClassVar[str] = "DP-Or(*): words in the same grammatical relation"

    def compare(self, hypothesis: Dependencies, reference: Dependencies) -> float:
        return relation_overlap(hypothesis, reference)


@register
@dataclass(frozen=True)
class Imported:
    """Scores that somebody else computed, looked up by the texts that they belong to."""

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
        """A sentence where there is no file or a bad one, else None."""
        try:
            self.table.scores  # noqa: B018 — the property raises where the file is bad
            return None
        except MetricUnavailable as error:
            return str(error)

    def score(self, segments: Sequence[Segment]) -> Scores:
        found = [self.table.find(s.hypothesis, s.references, s.source) for s in segments]
        missing = [s.hypothesis for s, value in zip(segments, found, strict=True) if value is None]
        if missing:
            message = f"{len(missing)} translations have none, the first is {missing[0]!r:.120}"
            raise MetricUnavailable(f"{self.file} lacks scores: {message}")
        values = np.array([math.nan if value is None else value for value in found], dtype=float)
        return Scores(values, mean_or_none(values), self.signature)

    @cached_property
    def table(self) -> Table:
        if not self.file:
            raise MetricUnavailable("imported scores need a file: imported:file=FILE")
        try:
            return read_scores(Path(self.file), self.column)
        except InputError as error:
            raise MetricUnavailable(str(error)) from error
