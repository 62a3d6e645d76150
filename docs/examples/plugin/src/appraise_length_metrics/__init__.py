"""A metric that compares with references, and a ranker that compares systems with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metrics.base import Needs, Scores, Segment, mean_or_none


@dataclass(frozen=True)
class LengthRatio:
    """|log(length of the hypothesis / length of the closest reference)|, in characters; 0 is best."""

    name: ClassVar[str] = "length-ratio"
    title: ClassVar[str] = "Length ratio to the reference"
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[Needs] = Needs(reference=True)

    weight: float = 1.0  # a parameter, set by length-ratio:weight=2

    @property
    def signature(self) -> str:
        return f"{self.name}|weight:{self.weight}|refs:closest|corpus:mean|v:1"

    def score(self, segments: Sequence[Segment]) -> Scores:
        values = np.array([self._score_segment(segment) for segment in segments], dtype=float)
        return Scores(values, mean_or_none(values), self.signature)

    def _score_segment(self, segment: Segment) -> float:
        length = len(segment.hypothesis) + 1  # an empty text has a length, too
        return min(self.weight * abs(np.log(length / (len(text) + 1))) for text in segment.references)


@dataclass(frozen=True)
class LengthConsensus:
    """A ranker: how close the length of an output is to the median of all outputs of the segment."""

    name: ClassVar[str] = "length-consensus"
    title: ClassVar[str] = "Agreement of systems in length"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[Needs] = Needs(reference=False)
    compares_systems: ClassVar[bool] = True  # the score of one system depends on the others
    signature: ClassVar[str] = "length-consensus|corpus:mean|v:1"

    def score(self, segments: Sequence[Segment]) -> Scores:
        return self.score_many([[segment.hypothesis for segment in segments]], [], None, 1)[0]

    def score_many(
        self,
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None,
        workers: int,
    ) -> list[Scores]:
        lengths = np.array([[len(text) + 1 for text in outputs] for outputs in systems], dtype=float)
        logarithms = np.log(lengths).reshape(len(systems), -1)
        values = -np.abs(logarithms - np.median(logarithms, axis=0))
        return [Scores(row, mean_or_none(row), self.signature) for row in values]
