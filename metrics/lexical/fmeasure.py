"""F-measures over matched words: maximum matchings, and common subsequences (ROUGE).

``fms-1`` and ``fms-2`` (Turian, Shen & Melamed 2003; Kulesza 2004, section 1.2.5): F = 2 s(M) / (|H| + |R|)
with s(M) = (Σ length(run) ** e) ** (1/e). With e = 1 the best matching is the number of common words; with e
= 2 runs of words weigh more and the matching is found greedily (``compiled.matching``). The F-measure of a
corpus sums s(M), |H| and |R| first.

``rouge-l`` and ``rouge-w`` (Lin 2004, sections 3 and 4): R = L / |R|, P = L / |H|, and F with β = 1 by
default. ROUGE-W replaces L by the weighted length WLCS with f(k) = k ** weight and inverts f once, at the
end: R = (WLCS / f(|R|)) ** (1/weight), P likewise. The score of a corpus is the mean of its segments.

Of several references the best counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metrics.base import FloatArray
from metrics.lexical.blocks import Lengths, Texts, common_lengths, matched_runs, word_errors
from metrics.lexical.core import LexicalMetric, divide
from metrics.registry import register


@dataclass(frozen=True)
class FMeasure(LexicalMetric):
    """Statistics are s(M), |H| and |R|."""

    tokenize: str = "none"
    lowercase: bool = False

    def against(self, reference: Sequence[str], systems: Texts) -> FloatArray:
        matching, lengths = self.matching([reference], systems)
        theirs = np.broadcast_to(lengths.references[0], matching.shape)
        return np.stack([matching, lengths.systems, theirs], axis=-1).astype(float)

    def matching(self, reference: Texts, systems: Texts) -> tuple[FloatArray, Lengths]:
        """Return s(M) for each system and segment."""
        raise NotImplementedError

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
    title: ClassVar[str] = "F-measure, e = 2: longer runs of words weigh more"
    facts: ClassVar[tuple[str, ...]] = ("matching:greedy",)

    e: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.e < 1:
            raise ValueError(f"e must be at least 1, not {self.e}")

    def matching(self, reference: Texts, systems: Texts) -> tuple[FloatArray, Lengths]:
        sums, lengths = matched_runs(self.block(reference, systems), self.e)
        return sums ** (1 / self.e), lengths


@dataclass(frozen=True)
class Rouge(LexicalMetric):
    """Statistics are the score and the number of segments, 1."""

    facts: ClassVar[tuple[str, ...]] = ("corpus:mean",)

    beta: float = 1.0
    tokenize: str = "none"
    lowercase: bool = False

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:
        best = np.max([self._against([reference], systems) for reference in references], axis=0)
        return np.stack([best, np.ones_like(best)], axis=-1)

    def _against(self, reference: Texts, systems: Texts) -> FloatArray:
        raise NotImplementedError

    def f_score(self, precision: FloatArray, recall: FloatArray) -> FloatArray:
        factor = self.beta**2
        return divide((1 + factor) * precision * recall, recall + factor * precision)

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        return divide(summed[..., 0], summed[..., 1])


@register
@dataclass(frozen=True)
class RougeL(Rouge):
    name: ClassVar[str] = "rouge-l"
    title: ClassVar[str] = "ROUGE-L: longest common subsequence"

    def _against(self, reference: Texts, systems: Texts) -> FloatArray:
        common, lengths = common_lengths(self.block(reference, systems))
        own, theirs = lengths.systems.astype(float), lengths.references[0].astype(float)
        return self.f_score(divide(common, own), divide(common, np.broadcast_to(theirs, own.shape)))


@register
@dataclass(frozen=True)
class RougeW(Rouge):
    name: ClassVar[str] = "rouge-w"
    title: ClassVar[str] = "ROUGE-W: longest common subsequence, longer runs weigh more"

    weight: float = 1.2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weight < 1:
            raise ValueError(f"weight must be at least 1, not {self.weight}")

    def _against(self, reference: Texts, systems: Texts) -> FloatArray:
        common, lengths = common_lengths(self.block(reference, systems), self.weight)
        own, theirs = (
            sizes.astype(float) ** self.weight for sizes in (lengths.systems, lengths.references[0])
        )
        precision = divide(common, own) ** (1 / self.weight)
        return self.f_score(
            precision, divide(common, np.broadcast_to(theirs, own.shape)) ** (1 / self.weight)
        )
