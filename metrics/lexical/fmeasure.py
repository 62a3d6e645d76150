"""F-measure over maximum matchings (Turian, Shen & Melamed 2003; Kulesza 2004, section 1.2.5).

F = 2 s(M) / (|H| + |R|) with s(M) = (Σ length(run) ** e) ** (1/e). With e = 1 the best matching is the
number of words in common, exactly; with e = 2 runs of words weigh more and the matching is found greedily
(``kernels.runs``). Several references: the best one. The F-measure of a corpus adds s(M), |H| and |R|
first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metrics.base import FloatArray
from metrics.lexical.blocks import Lengths, Texts, matched_runs, word_errors
from metrics.lexical.core import LexicalMetric, divide, pick_reference
from metrics.registry import register


@dataclass(frozen=True)
class FMeasure(LexicalMetric):
    """Statistics are s(M), |H| and |R|."""

    tokenize: str = "none"
    lowercase: bool = False

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:
        per_reference = np.stack([self._against(reference, systems) for reference in references])
        return pick_reference(per_reference, self.from_statistics(per_reference))

    def _against(self, reference: Any, systems: Texts) -> FloatArray:
        matching, lengths = self.matching([reference], systems)
        theirs = np.broadcast_to(lengths.references[0], matching.shape)
        return np.stack([matching, lengths.systems, theirs], axis=-1).astype(float)

    def matching(self, reference: Texts, systems: Texts) -> tuple[FloatArray, Lengths]:
        """s(M), for each system and segment."""
        raise NotImplementedError

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return self.from_statistics(statistics)

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        both = summed[..., 1] + summed[..., 2]
        return divide(2 * summed[..., 0], both, otherwise=1.0)  # two empty texts agree


@register
@dataclass(frozen=True)
class FMeasureOfWords(FMeasure):
    name: ClassVar[str] = "fms-1"
    title: ClassVar[str] = "F-measure, e = 1: words in common"
    facts: ClassVar[tuple[str, ...]] = ("e:1", "matching:exact")

    def matching(self, reference: Texts, systems: Texts) -> tuple[FloatArray, Lengths]:
        errors, lengths = word_errors(self.block(reference, systems))
        longer = np.maximum(lengths.references[0], lengths.systems)
        return (longer - errors[..., 1]).astype(float), lengths


@register
@dataclass(frozen=True)
class FMeasureOfRuns(FMeasure):
    name: ClassVar[str] = "fms-2"
    title: ClassVar[str] = "F-measure, e = 2: runs of words weigh more"
    facts: ClassVar[tuple[str, ...]] = ("matching:greedy",)

    e: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.e < 1:
            raise ValueError(f"e must be at least 1, not {self.e}")

    def matching(self, reference: Texts, systems: Texts) -> tuple[FloatArray, Lengths]:
        sums, lengths = matched_runs(self.block(reference, systems), self.e)
        return sums ** (1 / self.e), lengths
