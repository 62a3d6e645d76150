"""The metrics ``dr`` and ``dr-lex``: similarity of discourse trees (Guzmán et al. 2014, paper 004).

One parser reads hypothesis and reference, the trees take the shape DR or DR-LEX, and the score is the
normalised all-subtree kernel, in [0, 1]. Several references: the best one. The score of a corpus is the mean
of its segments, as in the paper. Which parser answered, in which mode, stands in the signature.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from evaluation.problems import InputError
from metrics.base import FloatArray, MetricUnavailable, Needs, Scores, Segment, mean_or_none
from metrics.discourse.kernel import DECAY, Forest
from metrics.discourse.parsers import NAMES, DiscourseParser, get_parser
from metrics.discourse.representation import Tree, dr, dr_lex
from metrics.discourse.trees import Node
from metrics.linguistics.base import ToolAbsent
from metrics.registry import register


@dataclass(frozen=True)
class Discourse:
    """Common to both metrics; ``model`` is the file of a learned parser or of imported trees."""

    name: ClassVar[str]
    title: ClassVar[str]
    higher_is_better: ClassVar[bool] = True

    parser: str = "heuristic"
    model: str = ""
    decay: float = DECAY

    def __post_init__(self) -> None:
        if self.parser not in NAMES:
            raise ValueError(f"parser is one of {', '.join(NAMES)}, not {self.parser!r}")
        if not 0 < self.decay < math.inf:
            raise ValueError(f"decay is a positive number, not {self.decay}")

    @property
    def needs(self) -> Needs:
        return Needs(resource=None if self.parser == "heuristic" else f"a discourse parser ({self.parser})")

    @property
    def signature(self) -> str:
        tool = str(self.reader.tool).replace("|", "/")
        facts = f"{self.facts()}decay:{self.decay:g}|refs:best|corpus:mean|scale:0-1|v:1"
        return f"{self.name}|parser:{tool}|{facts}"

    def unavailable_because(self) -> str | None:
        """Why the parser is not available, in one sentence, else None."""
        try:
            self.reader.tool  # noqa: B018 — the property raises where there is no parser
            return None
        except MetricUnavailable as error:
            return str(error)

    @cached_property
    def reader(self) -> DiscourseParser:
        """The parser; raises ``MetricUnavailable`` with the reason."""
        try:
            return get_parser(self.parser, self.model)
        except (ToolAbsent, InputError, ValueError) as error:
            raise MetricUnavailable(f"{self.name} cannot score here: {error}") from error

    def facts(self) -> str:
        """What else belongs in the signature."""
        return ""

    def represent(self, node: Node) -> Tree:
        raise NotImplementedError

    def score(self, segments: Sequence[Segment]) -> Scores:
        if any(not segment.references for segment in segments):
            raise MetricUnavailable(f"{self.name} cannot score here: it needs a reference")
        texts = [text for segment in segments for text in (segment.hypothesis, *segment.references)]
        trees = self._numbered(texts)
        left = [trees[s.hypothesis] for s in segments for _ in s.references]
        right = [trees[reference] for s in segments for reference in s.references]
        similar = trees.forest.similarity(left, right, self.decay)
        starts = np.cumsum([0, *(len(segment.references) for segment in segments)])[:-1]
        best = np.maximum.reduceat(similar, starts) if len(segments) else similar
        return Scores(best, mean_or_none(best), self.signature)

    def score_many(
        self,
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None,
        workers: int,
    ) -> list[Scores]:
        """All systems at once, so that equal sentences are parsed once."""
        trees = self._numbered([text for side in (*systems, *references) for text in side])
        right = [[trees[text] for text in side] for side in references]
        found = []
        for outputs in systems:
            left = [trees[text] for text in outputs]
            against = [trees.forest.similarity(left, side, self.decay) for side in right]
            best: FloatArray = np.max(against, axis=0)
            found.append(Scores(best, mean_or_none(best), self.signature))
        return found

    def _numbered(self, texts: Sequence[str]) -> _Numbered:
        different = list(dict.fromkeys(texts))
        parsed = self.reader.parse(different)
        numbers = {text: number for number, text in enumerate(different)}
        return _Numbered(numbers, Forest.of(map(self.represent, parsed)))


@dataclass(frozen=True, slots=True, eq=False)
class _Numbered:
    """Trees of texts: the number of each text's tree in the forest."""

    numbers: dict[str, int]
    forest: Forest

    def __getitem__(self, text: str) -> int:
        return self.numbers[text]


@register
@dataclass(frozen=True)
class DR(Discourse):
    name: ClassVar[str] = "dr"
    title: ClassVar[str] = "DR: discourse trees without words"

    def represent(self, node: Node) -> Tree:
        return dr(node)


@register
@dataclass(frozen=True)
class DRLex(Discourse):
    name: ClassVar[str] = "dr-lex"
    title: ClassVar[str] = "DR-LEX: discourse trees with words"

    lowercase: bool = False

    def represent(self, node: Node) -> Tree:
        return dr_lex(node, lowercase=self.lowercase)

    def facts(self) -> str:
        return f"case:{'lower' if self.lowercase else 'mixed'}|"
