"""The metrics ``dr`` and ``dr-lex``: similarity of discourse trees (Guzmán et al. 2014, paper 004).

One parser parses hypothesis and reference, the trees are converted to DR or DR-LEX, and the score is the
normalised all-subtree kernel, in [0, 1]. Of several references the best one counts. The score of a corpus is
the mean over its segments, as in the paper. The signature names the parser and its mode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from appraise.lib.problems import InputError
from metrics.base import MetricUnavailable, Needs, Scores, Segment, explain_unavailable, mean_or_none
from metrics.discourse.kernel import DECAY, Forest, Tree, to_dr_lex_tree, to_dr_tree
from metrics.discourse.parsers import NAMES, DiscourseParser, get_parser
from metrics.discourse.trees import Node
from metrics.registry import register
from metrics.tools.base import ToolAbsent


@dataclass(frozen=True)
class DiscourseMetric:
    """Base of both metrics; ``model`` is the file of imported trees."""

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
        return explain_unavailable(lambda: self.reader.tool)

    @cached_property
    def reader(self) -> DiscourseParser:
        """The parser; raises ``MetricUnavailable`` with the reason."""
        try:
            return get_parser(self.parser, self.model)
        except (ToolAbsent, InputError, ValueError) as error:
            raise MetricUnavailable(f"{self.name} cannot score here: {error}") from error

    def facts(self) -> str:
        """Further parts of the signature."""
        return ""

    def represent(self, node: Node) -> Tree:
        raise NotImplementedError

    def score(self, segments: Sequence[Segment]) -> Scores:
        if any(not segment.references for segment in segments):
            raise MetricUnavailable(f"{self.name} cannot score here: it needs a reference")
        sides = [text for segment in segments for text in (segment.hypothesis, *segment.references)]
        texts = list(dict.fromkeys(sides))
        numbers = {text: number for number, text in enumerate(texts)}
        forest = Forest.of(map(self.represent, self.reader.parse(texts)))
        left = [numbers[s.hypothesis] for s in segments for _ in s.references]
        right = [numbers[reference] for s in segments for reference in s.references]
        similar = forest.similarity(left, right, self.decay)
        starts = np.cumsum([0, *(len(segment.references) for segment in segments)])[:-1]
        best = np.maximum.reduceat(similar, starts) if len(segments) else similar
        return Scores(best, mean_or_none(best), self.signature)


@register
@dataclass(frozen=True)
class DR(DiscourseMetric):
    name: ClassVar[str] = "dr"
    title: ClassVar[str] = "DR: discourse trees without words"

    def represent(self, node: Node) -> Tree:
        return to_dr_tree(node)


@register
@dataclass(frozen=True)
class DRLex(DiscourseMetric):
    name: ClassVar[str] = "dr-lex"
    title: ClassVar[str] = "DR-LEX: discourse trees with words"

    lowercase: bool = False

    def represent(self, node: Node) -> Tree:
        return to_dr_lex_tree(node, lowercase=self.lowercase)

    def facts(self) -> str:
        return f"case:{'lower' if self.lowercase else 'mixed'}|"
